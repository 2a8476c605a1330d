/** Bundles that were made to do harm at their API, their files and their end: clear errors, nothing leaked, nothing left. */
import { rmSync } from 'node:fs'
import { request } from 'node:https'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findControls } from '../../src/engines/embedded/cgroups.ts'
import { holdsProcesses } from '../../src/engines/embedded/process-limit.ts'
import { serveApi } from '../../src/engines/stand-in/server.ts'
import { firstSnapshot } from '../../src/engines/stand-in/session.ts'
import { openSessionFiles } from '../../src/engines/stand-in/session-files.ts'
import { systemClock } from '../../src/kit/clock.ts'
import { offering, Platform } from '../cnab/platform.ts'
import type { TestBroker } from '../support/broker.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { bundleImage } from './image.ts'
import { specOf } from './spec.ts'

interface Call {
  readonly method?: string
  readonly path: string
  readonly token?: string
  readonly type?: string
  readonly body?: string
}

const secrets = '/api/v1/namespaces/mine/secrets'
const maps = '/api/v1/namespaces/mine/configmaps'
const pod = '/api/v1/namespaces/mine/pods/bundle-mine'
const object = (data: object, metadata: object = { name: 'a' }) => JSON.stringify({ metadata, data })
const megabytes = (count: number) => Buffer.alloc(count * 1024 * 1024, 'x').toString('base64')

/** Each with the status that the API of a cluster answers, or the nearest to it. */
const calls: readonly (readonly [string, Call, number])[] = [
  ['no token', { path: '/version', token: '' }, 401],
  ['a token of nobody', { path: '/version', token: 'guessed' }, 401],
  ['a token in two lines', { path: '/version', token: 'mine\tyours' }, 401],
  ["another operation's sandbox", { path: '/api/v1/namespaces/yours/secrets' }, 403],
  ["another operation's pod", { path: '/api/v1/namespaces/yours/pods/bundle-yours' }, 403],
  ['the system namespace', { path: '/api/v1/namespaces/kube-system/secrets' }, 403],
  ['a path that climbs', { path: `${secrets}/../../yours/secrets` }, 403],
  ['a path that climbs in disguise', { path: `${secrets}/%2e%2e/%2e%2e/yours/secrets` }, 403],
  ['a path of two slashes', { path: '//' }, 404],
  ['a path that is another host', { path: '//evil.example/api' }, 404],
  ['a path that is no path', { path: '/%' }, 404],
  ['a secret of 2 MB', { method: 'POST', path: secrets, body: object({ a: megabytes(2) }) }, 413],
  ['a body of 5 MB', { method: 'POST', path: secrets, body: 'x'.repeat(5 * 1024 * 1024) }, 413],
  ['no JSON', { method: 'POST', path: secrets, body: '{' }, 400],
  ['a list', { method: 'POST', path: secrets, body: '[]' }, 400],
  ['a number', { method: 'POST', path: secrets, body: '7' }, 400],
  ['metadata that is a text', { method: 'POST', path: secrets, body: '{"metadata":"x"}' }, 422],
  ['a name of prototypes', { method: 'POST', path: secrets, body: object({}, { name: '__proto__' }) }, 422],
  ['a name that climbs', { method: 'POST', path: secrets, body: object({}, { name: '../x' }) }, 422],
  ['a name that is a map', { method: 'POST', path: secrets, body: object({}, { name: {} }) }, 422],
  [
    'a name of 300 letters',
    { method: 'POST', path: secrets, body: object({}, { name: 'a'.repeat(300) }) },
    422,
  ],
  ['a secret that is no base64', { method: 'POST', path: secrets, body: object({ a: '%%%' }) }, 400],
  ['a secret of numbers', { method: 'POST', path: secrets, body: object({ a: 7 }) }, 400],
  ['a configuration of maps', { method: 'POST', path: maps, body: object({ a: {} }) }, 400],
  [
    'annotations that are a list',
    { method: 'POST', path: maps, body: object({}, { name: 'a', annotations: [] }) },
    400,
  ],
  [
    'another namespace in the object',
    { method: 'POST', path: maps, body: object({}, { name: 'a', namespace: 'yours' }) },
    400,
  ],
  ['a patch of no kind', { method: 'PATCH', path: pod, type: 'text/plain', body: '{}' }, 415],
  [
    'a patch that is no list',
    { method: 'PATCH', path: pod, type: 'application/json-patch+json', body: '{}' },
    422,
  ],
  [
    'a patch of nothing that is there',
    {
      method: 'PATCH',
      path: pod,
      type: 'application/json-patch+json',
      body: '[{"op":"remove","path":"/a/b/c"}]',
    },
    422,
  ],
  ['a pod that it has not', { method: 'POST', path: '/api/v1/namespaces/mine/pods', body: object({}) }, 405],
  ['its own pod deleted', { method: 'DELETE', path: pod }, 405],
  ['its own namespace deleted', { method: 'DELETE', path: '/api/v1/namespaces/mine' }, 405],
  ['a command in its pod', { method: 'POST', path: `${pod}/exec?command=sh` }, 404],
  [
    'a deployment',
    { method: 'POST', path: '/apis/apps/v1/namespaces/mine/deployments', body: object({}) },
    404,
  ],
  [
    'roles',
    { method: 'POST', path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', body: '{}' },
    404,
  ],
  [
    'a token of its account',
    { method: 'POST', path: '/api/v1/namespaces/mine/serviceaccounts/default/token', body: '{}' },
    404,
  ],
  ['a proxy to a node', { path: '/api/v1/nodes/host/proxy/etc/passwd' }, 404],
  ['a method of no kind', { method: 'TRACE', path: secrets }, 405],
  ['a selector of catastrophe', { path: `${secrets}?labelSelector=${'a,'.repeat(3000)}` }, 400],
  ['a selector of commas alone', { path: `${secrets}?labelSelector=${','.repeat(7000)}` }, 200],
  ['a key that climbs', { method: 'POST', path: maps, body: object({ '../../etc/passwd': 'x' }) }, 422],
  [
    'lists without end',
    { method: 'POST', path: maps, body: `{"a":${'['.repeat(9999)}${']'.repeat(9999)}}` },
    400,
  ],
  [
    'a watch of a number that is none',
    { path: `${maps}?watch=true&timeoutSeconds=NaN&resourceVersion=x`, token: 'guessed' },
    401,
  ],
]

describe('calls', () => {
  const folder = freshFolder('hostile-calls')
  const files = openSessionFiles(folder, systemClock, [new Uint8Array([127, 0, 0, 1])])
  for (const name of ['mine', 'yours']) {
    const sandbox = { pod: `bundle-${name}`, namespace: name, target: `target-${name}` }
    const snapshot = firstSnapshot(name, sandbox, 'img', 0)
    files.add({ run: name, token: name, port: 0, sandbox, openedAt: 0, snapshot, unserved: [] })
  }
  let server: Awaited<ReturnType<typeof serveApi>>
  beforeAll(async () => {
    server = await serveApi(files, systemClock, { host: '127.0.0.1', port: 0 })
  })
  afterAll(async () => {
    await server.close()
    rmSync(folder, { recursive: true })
  })

  const send = ({
    method = 'GET',
    path,
    token = 'mine',
    type,
    body,
  }: Call): Promise<readonly [number, string]> =>
    new Promise((resolve) => {
      const asking = request(
        {
          host: '127.0.0.1',
          agent: false,
          port: server.port,
          ca: files.identity().authority,
          servername: 'kubernetes.default',
          method,
          path,
          headers: {
            ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
            'content-type': type ?? 'application/json',
          },
        },
        (answer) => {
          let text = ''
          answer.on('data', (piece: Buffer) => {
            text += piece.toString()
          })
          answer.on('end', () => resolve([answer.statusCode ?? 0, text]))
        },
      )
      asking.on('error', (error) => resolve([0, error.message]))
      asking.end(body)
    })

  test.each(calls)('%s', async (_, call, status) => {
    const [told, text] = await send(call)

    expect(told, text.slice(0, 300)).toBe(status)
    if (told >= 400) expect(JSON.parse(text)).toMatchObject({ kind: 'Status', code: status })
    expect(text).not.toContain('bundle-yours')
    expect((await send({ path: '/version' }))[0]).toBe(200)
  })
})

const missing = ensurePrograms('busybox', 'curl')

const spec = specOf('hostile-apb', {
  parameters: [
    '{name: mode, type: string, default: fine}',
    '{name: password, type: string, display_type: password, default: public}',
    "{name: text, type: string, default: ''}",
  ],
})

const entrypoint = `
[ "$1" = provision ] || exit 0
case $(value mode) in
  big-secret) head -c 2097152 /dev/zero | base64 -w 0 > /tmp/b; printf '{"metadata":{"name":"%s"},"data":{"fields":"' $POD_NAME > /tmp/j; cat /tmp/b >> /tmp/j; printf '"}}' >> /tmp/j
    curl -sS --cacert $account/ca.crt -H "Authorization: Bearer $(cat $account/token)" -H 'Content-Type: application/json' -d @/tmp/j "$server$own/secrets" | grep -q '"code":413' && exit 5 ;;
  not-an-object) credentials '[1,2]' ;;
  not-json) credentials 'user=root' ;;
  big-message) head -c 300000 /dev/zero | tr '\\0' m > /dev/termination-log; exit 1 ;;
  secret-message) printf 'the password is %s' "$(value password)" > /dev/termination-log; exit 1 ;;
  prints-all) set -x; echo "$vars"; cat $account/token; exit 1 ;;
  escapes) printf '\\033]0;owned\\007\\033[31mred' > /dev/termination-log; exit 1 ;;
  fills-shared-memory) head -c 1073741824 /dev/zero > /dev/shm/full || exit 28; rm /dev/shm/full ;;
  crashes) sh -c 'kill -SEGV $$'; exit $? ;;
  forks) f() { f | f & }; f; sleep 2; exit 6 ;;
  eats-memory) tail /dev/zero; exit 7 ;;
  bad-dashboard) annotate apb_dashboard_url 'javascript:alert(1)' ;;
  long-progress) annotate apb_last_operation "$(head -c 100000 /dev/zero | tr '\\0' p)" ;;
  token-elsewhere) call GET /api/v1/namespaces/default/secrets | tail -1 | grep -q 403 && exit 12 ;;
  cluster) call POST /apis/apps/v1/namespaces/$POD_NAMESPACE/deployments '' '{"metadata":{"name":"x"}}'; exit 13 ;;
  link-message) rm -f /dev/termination-log; ln -s /etc/passwd /dev/termination-log; exit 14 ;;
  eight) exit 8 ;;
esac
`

const canary = 'canary-of-the-user'
/** How each ends, and what the user reads. */
const endings: readonly (readonly [string, string, RegExp])[] = [
  ['big-secret', 'failed', /contact administrator/],
  ['not-an-object', 'failed', /credentials/i],
  ['not-json', 'failed', /credentials/i],
  ['big-message', 'failed', /contact administrator.*left out: 300000 bytes/],
  ['secret-message', 'failed', /the password is/],
  ['prints-all', 'failed', /contact administrator/],
  ['escapes', 'failed', /red/],
  ['fills-shared-memory', 'failed', /contact administrator|memory/i],
  ['crashes', 'failed', /contact administrator/],
  ['forks', 'failed', /contact administrator/],
  ['eats-memory', 'failed', /memory|contact administrator/i],
  ['bad-dashboard', 'succeeded', /./],
  ['long-progress', 'succeeded', /./],
  ['token-elsewhere', 'failed', /contact administrator/],
  ['cluster', 'failed', /apps\/v1 deployments/],
  ['link-message', 'failed', /./],
  ['eight', 'failed', /./],
]

/** What users may try in their parameters, with the place that the refusal names. */
const parameters: readonly (readonly [string, object, RegExp])[] = [
  ['a template', { text: '{{ lookup("pipe", "id") }}' }, /\{\{/],
  ['a role', { role_name: 'mine', role_namespace: 'me' }, /role_name/],
  ['an injected name', { _apb_plan_id: 'other' }, /_apb_plan_id/],
  ['a namespace', { namespace: 'kube-system' }, /namespace/],
  ['a prototype', JSON.parse('{"__proto__": {"mode": "x"}}') as object, /__proto__/],
  ['a map for a text', { text: { a: 1 } }, /text/],
  ['an argument of 200 KB', { text: 'x'.repeat(200_000) }, /bytes|large/],
]

describe('runs', () => {
  let folder: string
  let broker: TestBroker
  let platform: Platform

  beforeAll(async () => {
    if (missing !== undefined) return
    folder = freshFolder('apb-hostile')
    const { reference } = await bundleImage(folder, 'hostile', { spec, entrypoint })
    const options = { registry: 'dh', namespace: 'target', timeoutSeconds: { provision: 120 } }
    broker = await offering([{ package: reference, options }])
    platform = new Platform(broker)
  })
  afterAll(async () => {
    await broker?.stop()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(({ skip }) => skip(missing !== undefined, missing))

  test.for(endings)('%s', async ([mode, state, words], { skip }) => {
    const controls = await findControls()
    const host = { controls, rootless: process.geteuid?.() !== 0 }
    skip(mode === 'forks' && !holdsProcesses(host), 'it would take all processes of this host')
    skip(mode === 'eats-memory' && !controls.memory, 'it would take all memory of this host')
    const ordered = await platform.provision(mode, 'default', { mode, password: canary })
    const ended = await platform.end(mode, ordered)
    expect(ended.state).toBe(state)
    expect(ended.description).toMatch(words)
    expect(ended.description.length).toBeLessThan(10_000)
    expect(ended.description).not.toMatch(/[^\P{Cc}\n\t]/u)
    const log = await platform.log(String(ordered.body['operation']))
    const { body } = await platform.ask('GET', `/v2/service_instances/${mode}`)
    expect(String(body['dashboard_url'] ?? 'http:')).toMatch(/^https?:/)
    for (const text of [log, ended.description, broker.logLines.join('')]) expect(text).not.toContain(canary)
    expect(ended.description).not.toContain('root:x:0')
    expect(await platform.end(mode, await platform.remove(mode, 'default'))).toMatchObject({
      state: 'succeeded',
    })
  })

  test.each(parameters)('%s is refused before anything starts', async (name, given, words) => {
    const { status, body } = await platform.provision(`refused-${name.length}`, 'default', given as never)
    expect(status).toBe(400)
    expect(body['description']).toMatch(words)
  })

  test('nothing is left of any of them', async () => {
    const { body } = await platform.ask('GET', '/api/v1/instances?state=ready', undefined, 'admin')
    expect(body['items']).toEqual([])
  })
})
