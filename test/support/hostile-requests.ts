/** Malformed and hostile requests, drawn from a seed: wrong in shape, size, encoding, headers or path. */
import { deflateRawSync, gzipSync } from 'node:zlib'
import type { Random } from '../simulation/world.ts'

export interface HostileRequest {
  /** What is wrong with it. */
  readonly name: string
  readonly bytes: Buffer
  /** Whether the sender closes behind it. A server stops working on a request whose client has gone. */
  readonly ends: boolean
  /** refused: it has to be answered 4xx. legal: odd, and yet it may be obeyed. */
  readonly expect: 'refused' | 'legal'
}

export interface HostileGround {
  readonly authorization: { readonly platform: string; readonly operator: string }
  readonly service: string
  readonly plan: string
  readonly asyncPlan: string
  /** An instance that exists, of the plan. */
  readonly instance: string
}

/** A request as text and bytes that are put on the wire unchanged. */
interface Draft {
  method: string
  target: string
  version: string
  headers: (readonly [name: string, value: string])[]
  body: Buffer
}

type Spoil = (draft: Draft, random: Random, ground: HostileGround) => void

/** The request of a number under a seed. */
export function hostileRequest(random: Random, ground: HostileGround): HostileRequest {
  const [kind, expect, make] = random.pick(kinds)
  const drawn = make(random, ground)
  return { name: `${kind}: ${drawn.name}`, bytes: drawn.bytes, ends: unfinished.test(drawn.name), expect }
}

/** What a server would wait for more of. */
const unfinished = /cut off|without end|too long|random bytes|TLS|rubbish|no HTTP|preface/

type Kind = readonly [
  name: string,
  expect: HostileRequest['expect'],
  make: (random: Random, ground: HostileGround) => { readonly name: string; readonly bytes: Buffer },
]

const kinds: readonly Kind[] = [
  ['body', 'refused', (random, ground) => spoilt(brokenBodies, random, ground)],
  ['type', 'refused', wrongType],
  ['header', 'refused', (random, ground) => spoilt(brokenHeaders, random, ground)],
  ['path', 'refused', brokenPath],
  ['wire', 'refused', brokenWire],
  ['operator', 'refused', brokenOperator],
  ['odd', 'legal', (random, ground) => spoilt(oddButLegal, random, ground)],
]

function spoilt(table: Readonly<Record<string, Spoil>>, random: Random, ground: HostileGround) {
  const name = random.pick(Object.keys(table))
  const draft = order(random, ground)
  table[name]?.(draft, random, ground)
  return { name, bytes: print(draft) }
}

/** A request that would be obeyed if nothing were wrong with it. */
function order(random: Random, ground: HostileGround): Draft {
  const instance = `/v2/service_instances/fuzz-${random.between(0, 1e9)}`
  const own = `/v2/service_instances/${ground.instance}`
  const ids = { service_id: ground.service, plan_id: ground.plan }
  const [method, target, body] = random.pick<readonly [string, string, object]>([
    ['PUT', instance, { ...ids, organization_guid: 'o', space_guid: 's' }],
    ['PATCH', own, { service_id: ground.service, parameters: { size: random.between(1, 10) } }],
    ['PUT', `${own}/service_bindings/fuzz-${random.between(0, 1e9)}`, ids],
  ])
  return {
    method,
    target: `${target}${random.chance(0.5) ? '?accepts_incomplete=true' : ''}`,
    version: 'HTTP/1.1',
    headers: [
      ['Host', 'broker.test'],
      ['Authorization', ground.authorization.platform],
      ['X-Broker-API-Version', '2.17'],
      ['Content-Type', 'application/json'],
      ['Connection', 'close'],
    ],
    body: Buffer.from(JSON.stringify(body)),
  }
}

function print({ method, target, version, headers, body }: Draft): Buffer {
  const framed = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name))
  const all =
    framed || body.length === 0 ? headers : [...headers, ['Content-Length', `${body.length}`] as const]
  const head = [`${method} ${target} ${version}`, ...all.map(([name, value]) => `${name}: ${value}`), '', '']
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), body])
}

function set(draft: Draft, name: string, value: string | undefined): void {
  draft.headers = draft.headers.filter(([known]) => known.toLowerCase() !== name.toLowerCase())
  if (value !== undefined) draft.headers.push([name, value])
}

const body =
  (make: (given: Buffer, random: Random) => Buffer | string): Spoil =>
  (draft, random) => {
    draft.body = Buffer.from(make(draft.body, random))
  }

const brokenBodies: Readonly<Record<string, Spoil>> = {
  'cut off': body((given, random) => given.subarray(0, random.between(1, given.length - 1))),
  'not ended': body((given) => `${given.toString().slice(0, -1)},`),
  'trailing comma': body((given) => given.toString().replace(/}$/, ',}')),
  'single quotes': body((given) => given.toString().replaceAll('"', "'")),
  comment: body((given) => `/* hello */${given}`),
  'not a number': body((given) => given.toString().replace(/}$/, ',"x":NaN}')),
  'bad number': body((given) => given.toString().replace(/}$/, ',"x":01}')),
  'bad escape': body((given) => given.toString().replace(/}$/, ',"x":"\\x41"}')),
  'raw control character': body((given) => given.toString().replace(/}$/, ',"x":"\u0001"}')),
  'two values': body((given) => `${given}${given}`),
  'prototype of nothing': body(() => '{"__proto__":{"service_id":"x"},"constructor":{"prototype":{}}}'),
  empty: body(() => ''),
  blank: body((_, random) => ' \n\t'.repeat(random.between(1, 50))),
  list: body(() => '[]'),
  text: body(() => '"text"'),
  number: body(() => '-1e308'),
  null: body(() => 'null'),
  true: body(() => 'true'),
  'deep lists': body((_, random) => '['.repeat(random.between(100, 400_000))),
  'deep objects': body((_, random) => {
    const deep = random.between(65, 5000)
    return `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`
  }),
  'deep inside parameters': body((given, random) => {
    const deep = random.between(80, 2000)
    return given
      .toString()
      .replace(
        /("parameters":\{.*?\})?}$/,
        `"parameters":{"sim":${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}}}`,
      )
      .replace('"s""par', '"s","par')
  }),
  'text too long': body((given) =>
    given.toString().replace(/}$/, `,"context":{"x":"${'é'.repeat(140_000)}"}}`),
  ),
  'key too long': body((given) => given.toString().replace(/}$/, `,"context":{"${'x'.repeat(300_000)}":1}}`)),
  'number too long': body((given) => given.toString().replace(/}$/, `,"x":${'9'.repeat(300_000)}}`)),
  'too many keys': body((given, random) => {
    const keys = Array.from({ length: random.between(10_000, 60_000) }, (_, i) => `"k${i}":0`)
    return given.toString().replace(/}$/, `,"context":{${keys.join(',')}}}`)
  }),
  'too large': body((given) => given.toString().replace(/}$/, `,"x":"${'x'.repeat(1_100_000)}"}`)),
  'bad UTF-8': body((given) =>
    Buffer.concat([
      given.subarray(0, -1),
      Buffer.from(',"x":"'),
      Buffer.from([0xc3, 0x28, 0xff]),
      Buffer.from('"}'),
    ]),
  ),
  'UTF-16': body((given) => Buffer.from(given.toString(), 'utf16le')),
  'random bytes': body((_, random) =>
    Buffer.from(Array.from({ length: random.between(1, 300) }, () => random.between(128, 255))),
  ),
  gzip: (draft) => {
    draft.body = gzipSync(draft.body)
    set(draft, 'Content-Encoding', 'gzip')
  },
  deflate: (draft) => {
    draft.body = deflateRawSync(draft.body)
  },
  form: (draft) => {
    draft.body = Buffer.from('service_id=a&plan_id=b')
    set(draft, 'Content-Type', 'application/x-www-form-urlencoded')
  },
  XML: (draft) => {
    draft.body = Buffer.from(
      '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    )
    set(draft, 'Content-Type', 'application/xml')
  },
}

const wrongValues: readonly unknown[] = [0, -1, 1.5, true, false, [], ['a'], {}, { a: 1 }]

/** A field of the wrong type, or one that is needed and missing. */
function wrongType(random: Random, ground: HostileGround) {
  const { service, plan, instance } = ground
  const ids = { service_id: service, plan_id: plan }
  const guids = { organization_guid: 'o', space_guid: 's' }
  const own = `/v2/service_instances/${instance}`
  const fresh = `/v2/service_instances/fuzz-${random.between(0, 1e9)}`
  const [method, target, good, fields] = random.pick<readonly [string, string, object, readonly string[]]>([
    ['PUT', fresh, { ...ids, ...guids }, ['service_id', 'plan_id', 'organization_guid', 'space_guid']],
    ['PATCH', own, { service_id: service }, ['service_id', 'plan_id']],
    ['PUT', `${own}/service_bindings/fuzz`, ids, ['service_id', 'plan_id']],
  ])
  const draft = order(random, ground)
  draft.method = method
  draft.target = target
  const way = random.between(0, 3)
  const field = random.pick(fields)
  const name = ['wrong', 'empty', 'parameters', 'schema'][way] ?? ''
  const wrong = random.pick(wrongValues)
  const parameters = random.pick(
    wrongValues.filter((value) => typeof value !== 'object' || Array.isArray(value)),
  )
  const against = random.pick<object>([
    { size: 'x' },
    { size: 99 },
    { unknown: 1 },
    { label: 5 },
    { role: 'emperor' },
    { sim: 5 },
    { constructor: {} },
  ])
  const changed: readonly object[] = [
    { [field]: wrong },
    { [field]: field === 'plan_id' && method === 'PATCH' ? 5 : '' },
    { parameters },
    { parameters: against },
  ]
  draft.body = Buffer.from(JSON.stringify({ ...good, ...changed[way] }))
  return { name: `${name} ${method} ${way < 2 ? field : ''}`, bytes: print(draft) }
}

const header =
  (name: string, ...values: readonly (string | undefined)[]): Spoil =>
  (draft, random) =>
    set(draft, name, random.pick(values))

const versions = [
  '3.0',
  '2',
  '2.',
  '.17',
  '2.17.1',
  '2.x',
  '-2.1',
  '+2.17',
  '0x2.1',
  '1e1.2',
  'two',
  '2,17',
  '2.17 beta',
  '\u00b2.17',
  '9'.repeat(3000),
]
const identities = [
  'cloudfoundry',
  'cloudfoundry !!!',
  'cloudfoundry e30=x',
  'a b c',
  'cloudfoundry WzFd',
  'cloudfoundry bnVsbA==',
  'cloudfoundry eyJh',
  `k8s ${'A'.repeat(9000)}`,
]

const brokenHeaders: Readonly<Record<string, Spoil>> = {
  'version missing': header('X-Broker-API-Version', undefined, ''),
  'version wrong': header('X-Broker-API-Version', ...versions),
  'identity malformed': header('X-Broker-API-Originating-Identity', ...identities),
  'credentials missing': header('Authorization', undefined, '', 'Basic', 'Basic ', 'Bearer', 'Negotiate x'),
  'credentials wrong': header(
    'Authorization',
    ...['x', ':', 'a:b', `conformance:${'x'.repeat(5000)}`, 'conformance', '\0:\0', "' OR 1=1 --:x"].map(
      (text) => `Basic ${Buffer.from(text).toString('base64')}`,
    ),
    'Basic not/base64!',
    'Basic =',
    'Bearer eyJhbGciOiJub25lIn0.e30.',
  ),
  'too large': (draft, random) => draft.headers.push(['X-Large', 'x'.repeat(random.between(17_000, 60_000))]),
  'too many': (draft, random) => {
    for (let i = random.between(2000, 3000); i > 0; i--) draft.headers.push([`X-${i}`, 'abcdef'])
  },
  'name with blank': (draft) => draft.headers.push(['X Bad', '1']),
  'no name': (draft) => draft.headers.push(['', '1']),
  'name with control character': (draft) => draft.headers.push(['X-\u0001', '1']),
  'value with NUL': (draft) => draft.headers.push(['X-Nul', 'a\0b']),
  'bare line feed': (draft) => draft.headers.push(['X-Lf', 'a\n\n\nb']),
  'bare carriage return': (draft) => draft.headers.push(['X-Cr', 'a\rb']),
  'content length negative': (draft) => draft.headers.push(['Content-Length', '-1']),
  'content length no number': (draft, random) =>
    draft.headers.push(['Content-Length', random.pick(['abc', '1.5', '0x10', '1,2', '9'.repeat(40)])]),
  'content length twice': (draft) => draft.headers.push(['Content-Length', '5'], ['Content-Length', '6']),
  'content length too long': (draft) => draft.headers.push(['Content-Length', `${draft.body.length + 50}`]),
  'content length over the limit': (draft) => draft.headers.push(['Content-Length', '99999999999']),
  'length and chunks': (draft) =>
    draft.headers.push(['Content-Length', `${draft.body.length}`], ['Transfer-Encoding', 'chunked']),
  'unknown transfer coding': (draft) => draft.headers.push(['Transfer-Encoding', 'identity, magic']),
  'broken chunk': (draft, random) => {
    draft.headers.push(['Transfer-Encoding', 'chunked'])
    draft.body = Buffer.from(
      random.pick(['zz\r\nab\r\n0\r\n\r\n', '-1\r\n\r\n', '5\r\nab\r\n0\r\n\r\n', 'ffffffffffffffffff\r\n']),
    )
  },
  'chunks without end': (draft) => {
    draft.headers.push(['Transfer-Encoding', 'chunked'])
    draft.body = Buffer.concat([
      Buffer.from(`${draft.body.length.toString(16)}\r\n`),
      draft.body,
      Buffer.from('\r\n'),
    ])
  },
  'host missing': header('Host', undefined),
  'unknown expectation': header('Expect', '200-maybe'),
}

function brokenPath(random: Random, ground: HostileGround) {
  const target = random.pick([
    '/v2',
    '/v2/',
    '/v2/catalog/',
    '/v2/catalog/..',
    '/v2/./catalog',
    '/./v2/catalog',
    '/V2/catalog',
    '/v2%2Fcatalog',
    '/v2/catalog%00',
    '/v2/catalog;a=b',
    '/v2/../../../../etc/passwd',
    '/..%2f..%2f..%2fetc%2fpasswd',
    '/v2/service_instances',
    '/v2/service_instances/',
    '/v2/service_instances//',
    '/v2/service_instances/%',
    '/v2/service_instances/%zz',
    '/v2/service_instances/%c0%ae%c0%ae',
    '/v2/service_instances/%ff%fe',
    '/v2/service_instances/a%00b',
    `/v2/service_instances/${'%41'.repeat(4000)}`,
    `/v2/service_instances/${'a/'.repeat(4000)}`,
    '/v2/service_instances/a/b',
    '/v2/service_instances/a/service_bindings',
    '/v2/service_instances/a/service_bindings/',
    '/v2/service_instances/a/service_bindings/b/c',
    '/v2/service_instances/a/service_bindings/b/last_operation/d',
    '/v2/service_instances/a/last_operation/',
    '/v2/service_instances/__proto__/nothing',
    '/v2/service_instances/hasOwnProperty/last_operation',
    `/v2/service_instances/${encodeURIComponent("'; DROP TABLE instances; --")}`,
    `/v2/service_instances/${encodeURIComponent('${jndi:ldap://x}{{7*7}}')}`,
    '/api/v1/../../etc/passwd',
    '/api/v1/instances/%00/%00',
    '/api/v1/nothing',
    '/ui/../package.json',
    '/ui/%2e%2e/%2e%2e/etc/passwd',
    '/.git/config',
    '/keys.json',
    '/favicon.ico\\..\\..',
    'http://evil.test/v2/nothing',
    'v2/catalog',
    '/v2/nothing?%',
    '/v2/nothing#fragment',
    '/v2/service_instances/\u00e9\u00ff',
    `/${'x'.repeat(15_000)}`,
  ])
  const draft = order(random, ground)
  draft.method = 'GET'
  draft.target = target
  draft.body = Buffer.alloc(0)
  if (random.chance(0.3)) set(draft, 'Authorization', ground.authorization.operator)
  if (random.chance(0.2)) draft.method = random.pick(['POST', 'TRACE', 'OPTIONS', 'HEAD', 'PURGE'])
  // HEAD has no body to judge.
  if (draft.method === 'HEAD') draft.method = 'PROPFIND'
  return { name: `${draft.method} ${target.slice(0, 60)}`, bytes: print(draft) }
}

function brokenWire(random: Random, ground: HostileGround) {
  const draft = order(random, ground)
  const good = print(draft)
  const bad = print({ ...draft, body: Buffer.from('{') })
  const [name, bytes] = random.pick<readonly [string, Buffer | string]>([
    ['no HTTP', 'hello\r\n\r\n'],
    ['TLS on a plain port', Buffer.from('16030100a5010000a10303', 'hex')],
    ['HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/9.9', good.toString('latin1').replace('HTTP/1.1', 'HTTP/9.9')],
    ['HTTP/0.9', 'GET /v2/catalog\r\n\r\n'],
    ['no version', good.toString('latin1').replace(' HTTP/1.1', '')],
    [
      'unknown method',
      good.toString('latin1').replace(/^\w+/, random.pick(['FOO', 'put', 'P UT', 'GETGETGET', ''])),
    ],
    ['CONNECT', 'CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n'],
    ['star', 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    [
      'upgrade',
      'GET /v2/nothing HTTP/1.1\r\nHost: a\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\n\r\n',
    ],
    [
      'h2c upgrade',
      'GET /v2/nothing HTTP/1.1\r\nHost: a\r\nConnection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n',
    ],
    ['headers cut off', good.subarray(0, random.between(10, 60))],
    ['body cut off', good.subarray(0, good.length - random.between(1, 20))],
    ['pipelined', Buffer.concat([keepAlive(bad), keepAlive(bad), bad])],
    ['pipelined with rubbish', Buffer.concat([keepAlive(bad), Buffer.from('\0\0\0\0\r\n\r\n')])],
    [
      'random bytes',
      Buffer.from(Array.from({ length: random.between(20, 2000) }, () => random.between(0, 255))),
    ],
    ['flipped byte in the head', flipped(good, random)],
  ])
  return { name, bytes: Buffer.from(bytes as Buffer) }
}

function keepAlive(bytes: Buffer): Buffer {
  return Buffer.from(
    bytes.toString('latin1').replace('Connection: close', 'Connection: keep-alive'),
    'latin1',
  )
}

/** A control character somewhere in the request line. */
function flipped(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes)
  copy[random.between(0, bytes.indexOf(' '))] = random.between(0, 8)
  return copy
}

/** The operator API gets its share. */
function brokenOperator(random: Random, ground: HostileGround) {
  const draft = order(random, ground)
  draft.headers = draft.headers.filter(([name]) => name !== 'X-Broker-API-Version')
  set(draft, 'Authorization', ground.authorization.operator)
  const [method, target, text] = random.pick<readonly [string, string, string]>([
    ['POST', '/api/v1/instances', '{'],
    ['POST', '/api/v1/instances', '[]'],
    ['POST', '/api/v1/instances', 'null'],
    ['POST', '/api/v1/instances', '{}'],
    ['POST', '/api/v1/instances', '{"service":5}'],
    ['POST', '/api/v1/instances', '{"service":"alpha-db","plan":["small"]}'],
    ['POST', '/api/v1/instances', '{"service":"alpha-db","plan":"small","parameters":"x"}'],
    ['POST', '/api/v1/instances', '{"service":"alpha-db","plan":"small","unknown":1}'],
    ['POST', '/api/v1/instances', '{"service":"no-such","plan":"small"}'],
    ['POST', '/api/v1/instances', `{"service":"${'x'.repeat(1_100_000)}"}`],
    [
      'POST',
      '/api/v1/instances',
      `{"parameters":${'{"a":'.repeat(3000)}1${'}'.repeat(3000)},"service":"alpha-db","plan":"small"}`,
    ],
    ['GET', '/api/v1/instances?limit=-1', ''],
    ['GET', '/api/v1/instances?limit=abc', ''],
    ['GET', '/api/v1/instances?limit=99999999999999999999', ''],
    ['GET', '/api/v1/instances?cursor=%00%ff', ''],
    ['GET', '/api/v1/instances?cursor=bm90LWEtY3Vyc29y', ''],
    ['GET', '/api/v1/instances?state=nonsense', ''],
    ['GET', '/api/v1/operations/..%2f..%2fetc%2fpasswd', ''],
    ['GET', '/api/v1/operations/%00', ''],
    ['GET', '/api/v1/operations/nothing', ''],
    ['GET', `/api/v1/operations/${'a'.repeat(9000)}`, ''],
    ['POST', '/api/v1/operations/nothing/cancel', ''],
    ['DELETE', '/api/v1/operations/nothing', ''],
    ['PUT', '/api/v1/catalog', '{}'],
    ['GET', '/api/v1/audit?limit=x', ''],
  ])
  draft.method = method
  draft.target = target
  draft.body = Buffer.from(text)
  return { name: `${method} ${target.slice(0, 50)} ${text.slice(0, 50)}`, bytes: print(draft) }
}

const instanceId =
  (make: (random: Random) => string): Spoil =>
  (draft, random, ground) => {
    const ids = { service_id: ground.service, plan_id: ground.plan }
    draft.method = 'PUT'
    draft.target = `/v2/service_instances/${make(random)}`
    draft.body = Buffer.from(JSON.stringify({ ...ids, organization_guid: 'o', space_guid: 's' }))
  }

const field =
  (name: string, make: (random: Random) => unknown): Spoil =>
  (draft, random) => {
    const given = JSON.parse(draft.body.toString()) as object
    draft.body = Buffer.from(JSON.stringify({ ...given, [name]: make(random) }))
  }

/** Odd, but allowed: obeyed or refused, never a fault of the broker. */
const oddButLegal: Readonly<Record<string, Spoil>> = {
  'id that looks like a path': instanceId((random) => `..%2F..%2Fetc%2F${random.between(0, 1e9)}`),
  'id with NUL': instanceId((random) => `%00${random.between(0, 1e9)}`),
  'id of any characters': instanceId((random) =>
    encodeURIComponent(`\u{1f600}\u202e'"<script>${random.between(0, 1e9)}`),
  ),
  'very long id': instanceId((random) => {
    // Not one letter again and again, which a database would squeeze.
    const letters = Array.from({ length: random.between(300, 12_000) }, () =>
      random.between(0, 35).toString(36),
    )
    return letters.join('')
  }),
  'id that is a word of JavaScript': instanceId(
    (random) => `${random.pick(['__proto__', 'constructor', 'toString'])}`,
  ),
  'NUL in a guid': field('organization_guid', () => 'a\0b'),
  'lone surrogate': field('space_guid', () => '\ud800'),
  'very long guid': field('organization_guid', (random) =>
    Array.from({ length: 9000 }, () => random.between(0, 35).toString(36)).join(''),
  ),
  'NUL in the context': field('context', () => ({ platform: 'cloudfoundry', instance_name: 'a\0b\ud800' })),
  'context of any kind': field('context', (random) =>
    random.pick<unknown>([{}, { platform: 5 }, { instance_name: [1] }, 'x', [], null]),
  ),
  'NUL in the parameters': field('parameters', () => ({ label: '\0\ud800' })),
  'numbers beyond all bounds': (draft) => {
    const numbers = ',"x":1e999,"y":123456789012345678901234567890,"z":-0}'
    draft.body = Buffer.from(draft.body.toString().replace(/}$/, numbers))
  },
  'key twice': (draft) => {
    draft.body = Buffer.from(draft.body.toString().replace(/}$/, ',"service_id":"x"}'))
  },
  prototype: (draft) => {
    draft.body = Buffer.from(draft.body.toString().replace(/}$/, ',"__proto__":{"polluted":true}}'))
  },
  'byte order mark': body((given) => `\ufeff${given}`),
  'maintenance of any kind': field('maintenance_info', (random) =>
    random.pick<unknown>([{}, [], 'x', 5, null, { version: 5 }, { version: '\0' }]),
  ),
  'bind resource of any kind': field('bind_resource', (random) =>
    random.pick<unknown>([{}, [], 'x', 5, null, { app_guid: 5 }, { app_guid: '\0' }, { route: {} }]),
  ),
  'previous values of any kind': field('previous_values', (random) =>
    random.pick<unknown>([{}, [], 'x', 5, null, { maintenance_info: 5 }]),
  ),
  'predecessor of any kind': field('predecessor_binding_id', (random) =>
    random.pick<unknown>(['\0', 'x', '', 5, {}, null]),
  ),
  'request identity': header(
    'X-Broker-API-Request-Identity',
    'x'.repeat(5000),
    '\u00ff\u00fe',
    '<script>',
    'a, b',
  ),
  'correlation id': header('X-Request-ID', 'x'.repeat(5000), '\u00ff', '${jndi:ldap://x}', '"}{"'),
  'identity of any kind': header(
    'X-Broker-API-Originating-Identity',
    ...['{}', '{"user_id":"\\u0000"}', '{"__proto__":{}}', '{"a":1e999}'].map(
      (text) => `cf ${Buffer.from(text).toString('base64')}`,
    ),
  ),
  'content type': header(
    'Content-Type',
    'text/plain',
    'application/json; charset=utf-16',
    '',
    'multipart/form-data',
    undefined,
  ),
  'unsatisfied conditions': header('If-None-Match', '*', '"x"', '\u00ff'),
  'odd query': (draft, random) => {
    const path = draft.target.split('?')[0]
    draft.target = `${path}?${random.pick(['%', '%zz=1', '&&&==', 'accepts_incomplete=true&accepts_incomplete=false', `a=${'b'.repeat(9000)}`, 'operation=%00', '__proto__=1'])}`
  },
  'delete with odd ids': (draft, random, ground) => {
    draft.method = 'DELETE'
    draft.body = Buffer.alloc(0)
    const id = random.pick(['%00', '%zz', 'x'.repeat(9000), '', '%F0%9F%98%80'])
    draft.target = `/v2/service_instances/fuzz-${random.between(0, 1e9)}?service_id=${id}&plan_id=${ground.plan}`
  },
  'poll with an odd operation': (draft, random, ground) => {
    draft.method = 'GET'
    draft.body = Buffer.alloc(0)
    const id = random.pick(['%00', '%zz', 'x'.repeat(9000), '', '%F0%9F%98%80', '__proto__'])
    draft.target = `/v2/service_instances/${ground.instance}/last_operation?operation=${id}`
  },
}
