/** Recorded calls of playbooks against the stand-in's server: their recorded statuses, or that a cluster would be needed. */
import { rmSync } from 'node:fs'
import { request } from 'node:https'
import { serveApi } from '../../../src/engines/stand-in/server.ts'
import { firstSnapshot } from '../../../src/engines/stand-in/session.ts'
import { openSessionFiles } from '../../../src/engines/stand-in/session-files.ts'
import { systemClock } from '../../../src/kit/clock.ts'
import type { JsonObject } from '../../../src/kit/json.ts'
import { freshFolder } from '../../support/image.ts'
import { rowsOf, same } from '../rows.ts'
import type { Verdict } from '../topic.ts'

const sandbox = { pod: 'bundle-1234', namespace: 'sandbox-ns', target: 'target-ns' }
/** Kinds that only a cluster has. */
const needsCluster = /\/apis\/apps\/|\/services/

/** Replays the calls of one recording in their order. */
export async function* judgeCalls(document: JsonObject, file: string): AsyncGenerator<Verdict> {
  const folder = freshFolder('stand-in')
  const files = openSessionFiles(folder, systemClock, [new Uint8Array([127, 0, 0, 1])])
  const snapshot = firstSnapshot('run', sandbox, 'img', 0)
  files.add({ run: 'run', token: 'token', port: 0, sandbox, openedAt: 0, snapshot, unserved: [] })
  const server = await serveApi(files, systemClock, { host: '127.0.0.1', port: 0 })
  try {
    for (const [i, call] of rowsOf(document, 'calls').entries()) {
      const name = `${file.split('/').at(-1)} ${i + 1}: ${call['method']} ${call['path']}`
      const status = await replay(call, { port: server.port, authority: files.identity().authority })
      yield same(name, status, needsCluster.test(String(call['path'])) ? 404 : call['status'])
    }
  } finally {
    await server.close()
    rmSync(folder, { recursive: true })
  }
}

function replay(call: JsonObject, at: { readonly port: number; readonly authority: string }): Promise<number> {
  const query = call['query'] === '' ? '' : `?${call['query']}`
  return new Promise((resolve, reject) => {
    const asking = request(
      {
        host: '127.0.0.1',
        servername: 'kubernetes.default',
        ca: at.authority,
        port: at.port,
        method: String(call['method']),
        path: `${call['path']}${query}`,
        headers: {
          authorization: 'Bearer token',
          accept: String(call['accept']),
          'content-type': String(call['content_type']),
        },
      },
      (answer) => {
        answer.resume()
        answer.on('end', () => resolve(answer.statusCode ?? 0))
      },
    )
    asking.on('error', reject)
    asking.end(call['body'] === null ? undefined : JSON.stringify(call['body']))
  })
}
