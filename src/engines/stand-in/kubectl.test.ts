/** What bundles of shell scripts do: the command-line client of Kubernetes against the stand-in. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensurePrograms } from '../../../test/support/debian.ts'
import { systemClock } from '../../kit/clock.ts'
import { serveApi } from './server.ts'
import { firstSnapshot } from './session.ts'
import { openSessionFiles } from './session-files.ts'

const missing = ensurePrograms('kubectl')
const sandbox = { pod: 'bundle-1', namespace: 'sandbox', target: 'target' }

describe.skipIf(missing !== undefined)('kubectl', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-'))
  const files = openSessionFiles(folder, systemClock, [new Uint8Array([127, 0, 0, 1])])
  const snapshot = firstSnapshot('one', sandbox, 'image', Date.now())
  files.add({ run: 'one', token: 'secret', port: 0, sandbox, openedAt: 0, snapshot, unserved: [] })
  let server: Awaited<ReturnType<typeof serveApi>>

  beforeAll(async () => {
    server = await serveApi(files, systemClock, { host: '127.0.0.1', port: 0 })
    const authority = join(folder, 'ca.crt')
    writeFileSync(authority, files.identity().authority)
    const cluster = { server: `https://127.0.0.1:${server.port}`, 'certificate-authority': authority }
    const config = {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u', namespace: 'sandbox' } }],
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { token: 'secret' } }],
    }
    writeFileSync(join(folder, 'kubeconfig'), JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...config }))
    const map = (data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data })
    writeFileSync(join(folder, 'one.json'), JSON.stringify(map({ a: '1' })))
    writeFileSync(join(folder, 'two.json'), JSON.stringify(map({ b: '2' })))
  })
  afterAll(async () => {
    await server?.close()
    rmSync(folder, { recursive: true })
  })

  async function kubectl(command: string): Promise<string> {
    const environment = { PATH: process.env['PATH'], HOME: folder, KUBECONFIG: join(folder, 'kubeconfig') }
    const told = await promisify(execFile)('kubectl', command.split(' '), {
      cwd: folder,
      env: environment,
    }).catch((error: { readonly stderr: string }) => ({ stdout: error.stderr }))
    return told.stdout.trim()
  }

  test.each([
    ['create -f one.json', /created$/],
    ['create -f one.json', /already exists/],
    ['apply -f two.json', /configured$/],
    ['get cm m -o jsonpath={.data}', /"b":"2"/],
    ['replace -f one.json', /replaced$/],
    ['get cm m -o jsonpath={.data}', /^{"a":"1"}$/],
    ['delete cm m', /deleted$/],
    ['apply --server-side -f one.json', /serverside-applied$/],
    ['create secret generic bundle-1 --from-literal=fields={}', /created$/],
    ['annotate pod bundle-1 apb_last_operation=half', /annotated$/],
    ['get po,sa -o name', /pod\/bundle-1/],
    ['get cm -n target -o name', /^$/],
    ['get secrets -n kube-system', /forbidden/],
    ['create deployment d --image=x', /runs without a Kubernetes cluster/],
  ])('%s', async (command, words) => {
    expect(await kubectl(command)).toMatch(words)
  })
})
