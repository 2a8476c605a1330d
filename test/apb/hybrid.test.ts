/** The sandbox here, the target namespace on another cluster: calls are passed on under the operator's account, as far as it is allowed. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeIdentity } from '../../src/engines/stand-in/certificate.ts'
import { offering, Platform } from '../cnab/platform.ts'
import type { TestBroker } from '../support/broker.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { bundleImage } from './image.ts'

const missing = ensurePrograms('busybox', 'curl')
const operatorsToken = 'token-of-the-operators-account'

const spec = `
version: 1.0
name: web-apb
description: A deployment
bindable: false
async: optional
plans:
  - name: default
    description: One
    free: true
    parameters: [{name: mode, type: enum, enum: [deploy, steal, away, keep], default: deploy}]
`

/** Each call on a line of its own: what was asked, and the code of the answer. */
const entrypoint = `
mode=$(printf %s "$3" | sed -n 's/.*"mode":"\\([a-z]*\\)".*/\\1/p')
asked() { printf '%s %s -> ' "$1" "$2"; call "$@" | tail -1; echo; }
apps=/apis/apps/v1/namespaces/target
[ "$1" = deprovision ] && { asked DELETE $apps/deployments/web; exit 0; }
case $mode in
  deploy)
    asked GET /apis
    asked POST $apps/deployments '' '{"metadata":{"name":"web"}}'
    asked PATCH $apps/deployments/web/status application/merge-patch+json '{"status":{}}'
    call GET "$apps/deployments?watch=true&timeoutSeconds=1"
    asked POST /oapi/v1/namespaces/target/routes '' '{"metadata":{"name":"web"}}'
    asked POST /oapi/v1/namespaces/target/builds '' '{"metadata":{"name":"web"}}'
    asked GET /oapi/v1/users/~
    annotate apb_last_operation 'deployed'
    asked POST /api/v1/namespaces/$POD_NAMESPACE/configmaps '' '{"metadata":{"name":"here"}}'
    ;;
  steal)
    asked GET /api/v1/namespaces/kube-system/secrets
    asked GET /apis/apps/v1/namespaces/kube-system/deployments
    asked GET /apis/apps/v1/deployments
    asked GET /api/v1/namespaces/target/secrets
    asked POST $apps/deployments/web/exec
    asked GET $apps/deployments/%2e%2e/%2e%2e/kube-system/deployments
    asked GET '/api/v1/namespaces/target%2Fx/secrets'
    asked GET /api/v1/nodes
    ;;
  keep)
    credentials '{"password":"'$(printf %s drowssap-neddih | rev)'"}' > /dev/null
    asked GET $apps/deployments/looking
    ;;
  away) asked GET $apps/deployments/gone; exit 2 ;;
esac
`

interface Call {
  readonly method: string
  readonly url: string
  readonly authorization: string
  readonly body: string
}

describe.skipIf(missing !== undefined)('a target namespace on a real cluster', () => {
  let folder: string
  let cluster: Server
  let broker: TestBroker
  let platform: Platform
  const calls: Call[] = []
  const cut = { now: false }
  /** What lay below the data folder while a bundle waited for its call. */
  const seen: { files: readonly string[] | undefined } = { files: undefined }

  beforeAll(async () => {
    folder = freshFolder('hybrid')
    const identity = makeIdentity(Date.now(), [new Uint8Array([127, 0, 0, 1])])
    cluster = createServer({ cert: identity.certificate, key: identity.key }, async (request, response) => {
      const pieces: Buffer[] = []
      for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece)
      const { method = '', url = '', headers } = request
      calls.push({
        method,
        url,
        authorization: headers.authorization ?? '',
        body: Buffer.concat(pieces).toString(),
      })
      if (url.endsWith('/looking')) seen.files = tellingFiles(join(broker.folder, 'data'))
      if (cut.now) {
        request.socket.destroy()
        return
      }
      response.writeHead(method === 'POST' ? 201 : 200, { 'content-type': 'application/json' })
      response.write(url.includes('watch=true') ? '{"type":"ADDED"}\n' : '')
      response.end('{"kind":"Anything"}\n')
    })
    await new Promise<void>((resolve) => cluster.listen(0, '127.0.0.1', resolve))
    const server = `https://127.0.0.1:${(cluster.address() as AddressInfo).port}/base`
    const { reference } = await bundleImage(folder, 'web', { spec, entrypoint })
    const allow = ['apps/v1/deployments', 'apps/v1/deployments/status', 'v1/services', 'oapi/v1/routes']
    const infrastructure = [
      { name: 'target-cluster-token', value: operatorsToken },
      { name: 'target-cluster-ca', value: identity.authority },
    ]
    const entry = { package: reference, options: { namespace: 'target', targetCluster: { server, allow } } }
    broker = await offering([{ ...entry, infrastructure }])
    platform = new Platform(broker)
  })

  afterAll(async () => {
    await broker?.stop()
    cluster?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  beforeEach(() => {
    calls.length = 0
    cut.now = false
  })

  /** What a provision in a mode came to, and the lines of its log. */
  async function provision(mode: string) {
    const answer = await platform.provision(mode, 'default', { mode })
    const ended = await platform.end(mode, answer)
    return { ended, log: await platform.log(String(answer.body['operation'])) }
  }

  test('what is allowed is passed on under the account of the operator; the sandbox stays here', async () => {
    const { ended, log } = await provision('deploy')

    expect(ended).toMatchObject({ state: 'succeeded' })
    expect(calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /base/apis',
      'POST /base/apis/apps/v1/namespaces/target/deployments',
      'PATCH /base/apis/apps/v1/namespaces/target/deployments/web/status',
      'GET /base/apis/apps/v1/namespaces/target/deployments?watch=true&timeoutSeconds=1',
      'POST /base/oapi/v1/namespaces/target/routes',
    ])
    expect(new Set(calls.map(({ authorization }) => authorization))).toEqual(
      new Set([`Bearer ${operatorsToken}`]),
    )
    expect(calls[1]?.body).toBe('{"metadata":{"name":"web"}}')
    expect(log).toMatch(/POST \S+\/deployments -> 201/)
    expect(log).toContain('{"type":"ADDED"}')
    expect(log).toMatch(/configmaps -> 201/)
    expect(log).toMatch(/builds -> 403/)
    expect(log).toMatch(/users\/~ -> 200/)
    expect(`${log}${broker.logLines.join('')}`).not.toContain(operatorsToken)
  })

  test('everything else is refused here, and says what is allowed', async () => {
    const { log } = await provision('steal')
    const codes = [...log.matchAll(/ -> (\d+)/g)].map(([, code]) => code)

    expect(calls).toEqual([])
    expect(codes).toHaveLength(8)
    expect(new Set(codes)).toEqual(new Set(['403', '404', '400']))
  })

  test('a cluster that is away is told to the bundle, without its address', async () => {
    cut.now = true
    const { ended, log } = await provision('away')

    expect(log).toMatch(/gone -> 503/)
    expect(ended).toMatchObject({ state: 'failed' })
  })

  test('neither the account nor credentials lie below the data folder in clear, during a run and after it', async () => {
    const { ended } = await provision('keep')

    expect(ended).toMatchObject({ state: 'succeeded' })
    expect(seen.files).toEqual([])
    expect(tellingFiles(join(broker.folder, 'data'))).toEqual([])
  })

  test('an entry without the account is refused with its order', async () => {
    const { reference } = await bundleImage(folder, 'poor', { spec, entrypoint })
    const options = { namespace: 'target', targetCluster: { server: 'https://cluster.example', allow: [] } }
    const poor = await offering([{ package: reference, options }])
    try {
      const { status, body } = await new Platform(poor).provision('p', 'default', {})

      expect(status).toBeGreaterThanOrEqual(400)
      expect(body['description']).toContain('target-cluster-token')
    } finally {
      await poor.stop()
    }
  })
})

const credentials = '{"password":"hidden-password"}'
const telling = [operatorsToken, 'hidden-password', Buffer.from(credentials).toString('base64')]

/** The files below a folder that hold what is secret. */
function tellingFiles(folder: string): readonly string[] {
  const files = filesBelow(folder)
  expect(files).not.toEqual([])
  return files.filter((path) => {
    const bytes = orNothing(() => readFileSync(path))
    return bytes !== undefined && telling.some((secret) => bytes.includes(secret))
  })
}

function filesBelow(folder: string): readonly string[] {
  const entries = orNothing(() => readdirSync(folder, { withFileTypes: true })) ?? []
  return entries.flatMap((one) => {
    const path = join(folder, one.name)
    if (one.isDirectory()) return filesBelow(path)
    return one.isFile() ? [path] : []
  })
}

/** A broker at work removes files at any moment, and some of what an ordinary user's containers make only they can read. */
function orNothing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['ENOENT', 'EACCES'].includes(code)) return undefined
    throw error
  }
}
