import { beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../kit/json.ts'
import { type ApiRequest, answer } from './api.ts'
import { firstSnapshot, Session } from './session.ts'

const sandbox = {
  pod: 'bundle-1',
  namespace: 'sandbox',
  target: 'target',
  labels: { 'bundle-action': 'bind' },
  state: { old: '1' },
}
const own = '/api/v1/namespaces/sandbox'
const merge = 'application/merge-patch+json'
const steps = 'application/json-patch+json'
const apply = 'application/apply-patch+yaml'
let session: Session
let ids: number

beforeEach(() => {
  ids = 0
  session = new Session({
    run: 'r',
    token: 't',
    port: 1,
    sandbox,
    openedAt: 0,
    snapshot: firstSnapshot('r', sandbox, 'image', 0),
    unserved: [],
  })
})

function ask(method: string, url: string, body: unknown = '', mediaType = 'application/json') {
  const [path = '', query = ''] = url.split('?')
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const request: ApiRequest = {
    method,
    path,
    query: new URLSearchParams(query),
    mediaType,
    accept: 'application/json',
    body: text,
    now: 0,
    newId: () => `id-${++ids}`,
  }
  const { answer: told } = answer(session, request)
  return { code: told.code, body: told.body as JsonObject }
}

const named = (name: string, more: JsonObject = {}) => ({ metadata: { name }, ...more })

test.each<[string, string, unknown, string, number]>([
  ['GET', '/version', '', '', 200],
  ['GET', '/version/openshift', '', '', 404],
  ['GET', '/api', '', '', 200],
  ['GET', '/apis', '', '', 200],
  ['GET', '/api/v1', '', '', 200],
  ['GET', '/healthz', '', '', 200],
  ['GET', '/openapi/v2', '', '', 200],
  ['GET', '/openapi/v3', '', '', 200],
  ['GET', '/openapi/v3/api/v1', '', '', 200],
  ['GET', '/openapi/v3/apis/apps/v1', '', '', 404],
  ['GET', '/swagger-2.0.0.pb-v1', '', '', 200],
  ['GET', '/oapi', '', '', 200],
  ['GET', '/oapi/v1', '', '', 200],
  ['GET', '/oapi/v1/users/~', '', '', 200],
  ['GET', '/oapi/v1/users/admin', '', '', 403],
  ['GET', '/apis/user.openshift.io/v1/users/~', '', '', 200],
  ['GET', '/apis/user.openshift.io/v1/projects', '', '', 404],
  ['GET', '/oapi/v1/projects', '', '', 200],
  ['GET', '/apis/project.openshift.io/v1/projects/target', '', '', 200],
  ['GET', '/oapi/v1/projects/kube-system', '', '', 403],
  ['DELETE', '/oapi/v1/projects/target', '', '', 404],
  ['GET', '/oapi/v1/namespaces/target/deploymentconfigs/x', '', '', 404],
  ['GET', '/api/v1/namespaces/sandbox', '', '', 200],
  ['GET', '/api/v1/namespaces/target', '', '', 200],
  ['GET', '/api/v1/namespaces/kube-system', '', '', 403],
  ['GET', `${own}/pods`, '', '', 200],
  ['GET', `${own}/pods/bundle-1`, '', '', 200],
  ['GET', `${own}/pods/another`, '', '', 404],
  ['POST', `${own}/pods`, named('x'), '', 405],
  ['DELETE', `${own}/pods/bundle-1`, '', '', 405],
  ['GET', '/api/v1/namespaces/target/pods', '', '', 403],
  ['GET', '/api/v1/namespaces/kube-system/secrets', '', '', 403],
  ['GET', '/api/v1/secrets', '', '', 403],
  ['POST', `${own}/secrets`, named('s', { data: { a: 'YQ==' } }), '', 201],
  ['POST', `${own}/secrets`, named('s', { data: { a: '%' } }), '', 400],
  ['POST', `${own}/secrets`, named('s', { data: ['a'] }), '', 400],
  ['POST', `${own}/secrets`, named('Upper'), '', 422],
  ['POST', `${own}/secrets`, {}, '', 422],
  ['POST', `${own}/secrets`, 'no json', '', 400],
  ['POST', `${own}/secrets`, { metadata: { name: 's', namespace: 'target' } }, '', 400],
  ['POST', `${own}/secrets`, named('s', { data: { a: 'A'.repeat(2_000_000) } }), '', 413],
  ['POST', '/api/v1/namespaces/target/configmaps', named('c', { data: { a: 'b' } }), '', 201],
  ['POST', `${own}/configmaps`, named('c', { data: { a: 1 } }), '', 400],
  ['POST', `${own}/configmaps`, named('c', { data: { 'a.b_c-D': '1' } }), '', 201],
  ['POST', `${own}/configmaps`, named('c', { data: { '../../x': '1' } }), '', 422],
  ['POST', `${own}/configmaps`, named('c', { data: { '..data': '1' } }), '', 422],
  ['POST', `${own}/configmaps`, named('c', { data: { '': '1' } }), '', 422],
  ['POST', `${own}/secrets`, named('s', { data: { 'a/b': 'YQ==' } }), '', 422],
  ['POST', `${own}/secrets`, named('s', { stringData: { ['k'.repeat(254)]: 'a' } }), '', 422],
  ['PATCH', `${own}/configmaps/bundle-1`, { data: { '../x': '2' } }, merge, 422],
  ['PATCH', `${own}/pods/bundle-1`, { metadata: { annotations: { apb_last_operation: {} } } }, merge, 400],
  ['PATCH', `${own}/pods/bundle-1`, { metadata: { labels: [] } }, merge, 400],
  ['POST', `${own}/events`, named('e', { reason: 'x' }), '', 201],
  [
    'PATCH',
    `${own}/configmaps/bundle-1`,
    { data: { b: '2' } },
    'application/strategic-merge-patch+json',
    200,
  ],
  [
    'PATCH',
    `${own}/configmaps/bundle-1`,
    [{ op: 'add', path: '/data/b', value: '2' }],
    'application/json-patch+json',
    200,
  ],
  [
    'PATCH',
    `${own}/configmaps/bundle-1`,
    [{ op: 'remove', path: '/data/none' }],
    'application/json-patch+json',
    422,
  ],
  ['PATCH', `${own}/configmaps/bundle-1`, {}, 'text/plain', 415],
  ['PATCH', `${own}/configmaps/none`, {}, merge, 404],
  ['PATCH', `${own}/configmaps/none`, named('none', { data: { a: 'b' } }), apply, 201],
  ['PATCH', `${own}/configmaps/bundle-1`, named('bundle-1', { data: { a: 'b' } }), apply, 200],
  ['PATCH', `${own}/configmaps/none`, named('other'), apply, 400],
  ['PATCH', `${own}/pods/none`, named('none'), apply, 404],
  ['DELETE', `${own}/configmaps/bundle-1`, '', '', 200],
  ['GET', '/apis/apps/v1/namespaces/target/deployments/x', '', '', 404],
  ['POST', '/api/v1/namespaces/target/services', named('x'), '', 404],
  ['OPTIONS', `${own}/secrets`, '', '', 405],
])('%s %s is answered as by a cluster', (...[method, url, body, mediaType, code]) => {
  expect(ask(method, url, body, mediaType).code).toBe(code)
})

describe('objects', () => {
  test('are made with an identity, and only once', () => {
    expect(ask('POST', `${own}/secrets`, named('s', { stringData: { a: 'b' } })).body).toMatchObject({
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name: 's', namespace: 'sandbox', uid: 'id-1', resourceVersion: '2' },
      data: { a: 'Yg==' },
    })
    expect(ask('POST', `${own}/secrets`, named('s'))).toMatchObject({
      code: 409,
      body: { reason: 'AlreadyExists' },
    })
  })

  test('may be named by the server', () => {
    const { body } = ask('POST', `${own}/secrets`, { metadata: { generateName: 's-' } })

    expect(body['metadata']).toMatchObject({ name: 's-id-1' })
  })

  test('are selected by labels and names', () => {
    for (const [name, tier] of [
      ['a', 'web'],
      ['b', 'data'],
    ] as const)
      ask('POST', `${own}/secrets`, { metadata: { name, labels: { tier } } })
    const names = (query: string) => {
      const { body } = ask('GET', `${own}/secrets?${query}`)
      return (body['items'] as readonly { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)
    }

    expect(names('')).toEqual(['a', 'b'])
    expect(names('labelSelector=tier%3Dweb')).toEqual(['a'])
    expect(names('labelSelector=tier+in+(data,cache)')).toEqual(['b'])
    expect(names('labelSelector=tier!%3Dweb')).toEqual(['b'])
    expect(names('labelSelector=!tier')).toEqual([])
    expect(names('fieldSelector=metadata.name%3Da')).toEqual(['a'])
  })

  test('of a pod only its notes change, whatever a client sends back', () => {
    const sent = {
      metadata: {
        name: 'other',
        creationTimestamp: '2018-01-01T00:00:00+00:00',
        annotations: { apb_last_operation: '10%' },
      },
      spec: { containers: [] },
      status: { phase: 'Failed' },
    }

    expect(ask('PUT', `${own}/pods/bundle-1?pretty=true`, sent).body).toMatchObject({
      metadata: { name: 'bundle-1', annotations: { apb_last_operation: '10%' } },
      spec: { containers: [{ name: 'apb' }] },
      status: { phase: 'Running' },
    })
  })

  test('tell whose they are, as in a cluster: the pod and the sandbox by labels, and a log-in by its account', () => {
    const found = (path: string) => ask('GET', `${path}?labelSelector=bundle-action%3Dbind`).body['items']

    expect(found(`${own}/pods`)).toMatchObject([{ spec: { serviceAccountName: 'bundle-1' } }])
    expect(found('/api/v1/namespaces')).toMatchObject([{ metadata: { name: 'sandbox' } }])
    expect(ask('GET', '/oapi/v1/users/~').body).toMatchObject({
      kind: 'User',
      metadata: { name: 'system:serviceaccount:sandbox:bundle-1' },
    })
    expect(ask('GET', '/oapi/v1/projects').body['items']).toHaveLength(2)
  })

  test('there are only so many', () => {
    const codes = Array.from(
      { length: 1001 },
      (_, i) => ask('POST', `${own}/configmaps`, named(`c-${i}`)).code,
    )

    expect(codes.at(-1)).toBe(413)
  })
})

describe('what would take the broker long to serve', () => {
  const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 'x']))
  const many = (step: JsonObject, count = 10_000) => Array.from({ length: count }, () => step)
  const inside = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

  test.each<[string, unknown, number]>([
    ['ten thousand steps', many({ op: 'add', path: '/data/more', value: 'y' }), 200],
    ['more steps than a cluster takes', many({ op: 'add', path: '/data/more', value: 'y' }, 10_001), 422],
    ['a test of everything', many({ op: 'test', path: '/data', value: {} }), 422],
    ['a path without end', [{ op: 'add', path: '/a'.repeat(100_000), value: 1 }], 422],
    ['a path of no kind', [{ op: 'add', path: 'data', value: 1 }], 422],
    [
      'everything gone',
      [
        { op: 'remove', path: '' },
        { op: 'add', path: '/a', value: 1 },
      ],
      422,
    ],
    [
      'steps that lead deeper',
      [
        { op: 'add', path: '/a', value: {} },
        ...Array.from({ length: 200 }, (_, i) => ({ op: 'add', path: `/a${'/a'.repeat(i + 1)}`, value: {} })),
      ],
      413,
    ],
  ])('a patch of %s', (_, patch, code) => {
    ask('POST', `${own}/configmaps`, named('big', { data: keys }))
    const told = ask('PATCH', `${own}/configmaps/big`, patch, steps)

    expect(told.code).toBe(code)
    expect(String(told.body['message'] ?? '').length).toBeLessThan(1000)
    expect(ask('GET', `${own}/configmaps/big`).body['data']).toMatchObject({ k0: 'x' })
  })

  test.each([
    ['POST', `${own}/configmaps`, ''],
    ['PATCH', `${own}/pods/bundle-1`, merge],
    ['PATCH', `${own}/pods/bundle-1`, steps],
  ])('%s %s of what is nested without end', (method, path, type) => {
    expect(ask(method, path, `{"metadata":{"name":"deep"},"x":${inside(100_000)}}`, type).code).toBe(400)
  })

  test.each([
    [',', 15_000, 200],
    ['(,', 7_000, 200],
    ['a in (', 2_500, 200],
    ['!x,', 5_000, 400],
  ])('a selector of %s without end', (part, count, code) => {
    for (let i = 0; i < 900; i++) ask('POST', `${own}/configmaps`, named(`m${i}`))

    expect(ask('GET', `${own}/configmaps?labelSelector=${encodeURIComponent(part.repeat(count))}`).code).toBe(
      code,
    )
  })

  test('a JSON patch makes no prototype', () => {
    const patch = [{ op: 'add', path: '/__proto__', value: { polluted: true } }]

    expect(ask('PATCH', `${own}/configmaps/bundle-1`, patch, steps).code).toBe(200)
    expect(({} as { readonly polluted?: boolean }).polluted).toBeUndefined()
  })
})

test('what a run leaves is told: its Secret, its state, its notes, the target namespace, and what it missed', () => {
  ask('POST', `${own}/secrets`, named('bundle-1', { data: { fields: 'e30=' } }))
  ask('PATCH', `${own}/configmaps/bundle-1`, { data: { step: '2' } }, merge)
  ask('PATCH', `${own}/pods/bundle-1`, { metadata: { annotations: { apb_dashboard_url: 'x' } } }, merge)
  ask('POST', '/api/v1/namespaces/target/configmaps', named('kept'))
  ask('GET', '/apis/apps/v1/namespaces/target/deployments')
  const outcome = session.outcome()

  expect(outcome).toMatchObject({
    secret: { fields: new TextEncoder().encode('{}') },
    state: { old: '1', step: '2' },
    annotations: { apb_dashboard_url: 'x' },
    unserved: ['apps/v1 deployments'],
  })
  const { objects } = outcome
  if (objects === undefined) throw new Error('the target namespace holds something')
  const later = firstSnapshot('later', { ...sandbox, objects }, 'image', 0)
  expect(later.objects.map(({ key }) => `${key.resource} ${key.namespace}/${key.name}`)).toContain(
    'configmaps target/kept',
  )
})
