import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describePlace } from '../model/problem.ts'
import { type Loaded, loadSettings, type Sources } from './load.ts'
import { namedSettings, variableOf } from './names.ts'
import { shown } from './read.ts'
import { settingsTable } from './settings.ts'

const users = 'auth: {users: [{name: admin, password: pass-word, role: operator}]}\n'

test('defaults stand where nobody says otherwise', () => {
  const { settings } = good(load(users))

  expect(settings.http.listen).toBe('127.0.0.1:8080')
  expect(settings.operations.deadline.bind).toBe(30 * 60_000)
  expect(settings.http.bodyLimit).toBe(1024 * 1024)
  expect(settings.catalog).toEqual([])
})

test('the file of the folder is found, and named; one that is given stands above it', () => {
  const folder = folderWith(users)
  const other = join(folderWith(`${users}logs: {level: warn}\n`), 'chandler.yml')
  const found = good(loadSettings({ folder, environment: {} }))
  const given = good(loadSettings({ folder, environment: { CHANDLER_CONFIG: other } }))

  expect(found.file).toBe(join(folder, 'chandler.yml'))
  expect([given.file, given.settings.logs.level]).toEqual([other, 'warn'])
})

test('flag beats environment beats file beats conf.d beats platform beats default', () => {
  const folder = folderWith(`${users}logs: {level: warn}\nhttp: {keepAliveTimeout: 80s}\n`, {
    'a.yml': 'http: {keepAliveTimeout: 90s, requestTimeout: 1s}\n',
    'b.yml': 'http: {requestTimeout: 2s, listen: "127.0.0.1:1"}\n',
  })
  const environment = { PORT: '7777', CHANDLER_LOGS_LEVEL: 'error', CHANDLER_STORE_POOL_SIZE: '3' }
  const { settings, entries } = good(
    loadSettings({
      folder,
      environment,
      file: join(folder, 'chandler.yml'),
      flags: { 'store.poolSize': '4' },
    }),
  )
  const origin = (path: string) => entries.find((entry) => entry.path === path)?.origin

  expect([settings.store.poolSize, origin('store.poolSize')]).toEqual([4, 'flag'])
  expect([settings.logs.level, origin('logs.level')]).toEqual(['error', 'environment'])
  expect([settings.http.keepAliveTimeout, origin('http.keepAliveTimeout')]).toEqual([80_000, 'file'])
  expect([settings.http.requestTimeout, origin('http.requestTimeout')]).toEqual([2000, 'conf.d'])
  expect([settings.http.listen, origin('http.listen')]).toEqual(['127.0.0.1:1', 'conf.d'])
  expect(origin('http.bodyLimit')).toBe('default')
})

test.each<[Record<string, string>, string, unknown]>([
  [{ PORT: '7777' }, 'http.listen', '0.0.0.0:7777'],
  [{ DATABASE_URL: 'postgres://u@h/d', CHANDLER_SECRETS_KEYRING: '/k' }, 'store.url', 'postgres://u@h/d'],
  [
    {
      VCAP_SERVICES: '{"x":[{"tags":["postgresql"],"credentials":{"uri":"postgres://v@h/d"}}]}',
      CHANDLER_SECRETS_KEYRING: '/k',
    },
    'store.url',
    'postgres://v@h/d',
  ],
  [{ POD_NAME: 'chandler-0' }, 'node.name', 'chandler-0'],
  [{ CHANDLER_HTTP_ADMIN_LISTEN: 'off' }, 'http.adminListen', 'off'],
  [{ CHANDLER_HTTP_TRUSTED_PROXIES: '10.0.0.0/8, ::1' }, 'http.trustedProxies', ['10.0.0.0/8', '::1']],
  [{ CHANDLER_HTTP_TRUSTED_PROXIES: '["::1"]' }, 'http.trustedProxies', ['::1']],
])('the environment %j sets %s', (environment, path, value) => {
  const { entries } = good(load(users, { environment }))

  expect(entries.find((entry) => entry.path === path)?.value).toEqual(value)
})

test.each([
  ['htpp: {}', 'line 2, /htpp', '"htpp" is no setting here; did you mean http?'],
  ['http: {lisen: x}', 'line 2, /http/lisen', '"lisen" is no setting here; did you mean listen?'],
  ['http: {listen: 80}', 'line 2, /http/listen', 'must be a text, not 80'],
  [
    'operations: {lease: 5}',
    'line 2, /operations/lease',
    'must be a duration such as 250ms, 30s, 5m, 2h or 7d, not 5',
  ],
  [
    'http: {bodyLimit: 3m}',
    'line 2, /http/bodyLimit',
    'must be a size such as 64KiB, 10MiB or 1GB, not "3m"',
  ],
  ['engine: dokcer', 'line 2, /engine', 'must be one of auto, embedded, docker, kubernetes, not "dokcer"'],
  ['store: {poolSize: 0}', 'line 2, /store/poolSize', 'must be at least 1, not 0'],
  ['http: []', 'line 2, /http', 'must be a map'],
  ['catalog: {}', 'line 2, /catalog', 'must be a list'],
  ['catalog: [x]', 'line 2, /catalog/0', 'must be a map'],
  ['catalog: [{contract: sim}]', 'line 2, /catalog', 'catalog[0] names either a package or a source'],
  [
    'catalog: [{package: "sim:", plans: [{nam: x}]}]',
    'line 2, /catalog/0/plans/0/nam',
    '"nam" is no setting here; did you mean name?',
  ],
  ['http: {tls: {keyFile: k}}', '', 'http.tls needs both certificateFile and keyFile'],
  [
    'operations: {heartbeat: 6s}',
    'line 2, /operations/heartbeat',
    'operations.heartbeat must be at most a third of operations.lease',
  ],
  [
    'store: {url: "postgres://h/d"}',
    'line 2, /store/url',
    'secrets.keyring is required with PostgreSQL, for all brokers must have the same keys',
  ],
  ['x: [', 'line 3', 'Flow sequence in block collection must be sufficiently indented and end with a ]'],
])('%s is refused with its place', (text, place, detail) => {
  const problems = faults(load(`${users}${text}\n`))
  const found = problems.find((problem) => problem.detail === detail)

  expect(problems.map((problem) => problem.detail)).toContain(detail)
  expect(describePlace(found?.where) ?? '').toContain(place)
})

test.each<[Record<string, string>, string]>([
  [{ CHANDLER_STORE_POOL_SIZE: 'many' }, 'CHANDLER_STORE_POOL_SIZE, /store/poolSize: must be a number'],
  [{ CHANDLER_AUTH_USERS: 'admin' }, 'CHANDLER_AUTH_USERS, /auth/users: must be a JSON list'],
  [
    { CHANDLER_LOGS_LEVEL: 'loud' },
    'CHANDLER_LOGS_LEVEL: must be one of debug, info, warn, error, fatal, not "loud"',
  ],
  [
    { CHANDLER_AUTH_USERS: '[{"name":"a","role":"operator"}]' },
    'CHANDLER_AUTH_USERS: the account a has neither password nor token nor certificate',
  ],
])('the environment %j is refused', (environment, expected) => {
  const problems = faults(load(users, { environment }))

  expect(problems.map((problem) => `${describePlace(problem.where)}: ${problem.detail}`)).toEqual([expected])
})

test('all faults are told at once', () => {
  expect(faults(load('engine: x\nlogs: {level: y}\nfoo: 1\n')).length).toBe(3)
})

test('a secret comes from a file without its final newline, and is never shown', () => {
  const folder = folderWith('auth: {users: [{name: a, password_file: ./pw, role: viewer}]}\n')
  writeFileSync(join(folder, 'pw'), 'from-a-file\n')
  const loaded = good(loadSettings({ folder: '/', environment: {}, file: join(folder, 'chandler.yml') }))

  expect(loaded.settings.auth.users[0]?.password?.reveal()).toBe('from-a-file')
  expect(loaded.secrets.map((secret) => secret.reveal())).toEqual(['from-a-file'])
  expect(JSON.stringify(shown(loaded.settings))).not.toContain('from-a-file')
})

test('a secret in a file is read again without the configuration, which may be half written by then', () => {
  const folder = folderWith('auth: {users: [{name: a, password_file: ./pw, role: viewer}]}\n')
  const file = join(folder, 'chandler.yml')
  writeFileSync(join(folder, 'pw'), 'first')
  const loaded = good(loadSettings({ folder: '/', environment: {}, file }))
  writeFileSync(join(folder, 'pw'), 'second')
  writeFileSync(file, 'auth: {')

  const again = good(loaded.withFreshSecrets())

  expect(loaded.secretFiles).toEqual([join(folder, 'pw')])
  expect(again.settings.auth.users[0]?.password?.reveal()).toBe('second')
})

test('a secret given twice is refused, and one whose file is missing, too', () => {
  const twice = faults(load('auth: {users: [{name: a, password: x, password_file: y, role: viewer}]}\n'))
  const missing = faults(load('auth: {users: [{name: a, password_file: nowhere, role: viewer}]}\n'))

  expect(twice[0]?.detail).toBe('is given twice: as password and as password_file')
  expect(missing[0]?.code).toBe('file.unreadable')
})

test('two of one name and roles that are not there are refused', () => {
  const user = '{name: a, password: xx, role: viewer}'

  expect(faults(load(`auth: {users: [${user}, ${user}]}\n`))[0]?.detail).toBe('auth.users has "a" twice')
  expect(faults(load('auth: {users: [{name: a, password: x, role: emperor}]}\n'))[0]?.detail).toContain(
    'the role emperor, and there is none; known: platform, viewer,',
  )
})

test('a role of the configuration has a name of its own and permissions that there are', () => {
  const role = (text: string) =>
    faults(load(`auth: {roles: [${text}], users: []}\n`)).map(({ detail }) => detail)

  expect(role('{name: viewer, permissions: []}')).toEqual([
    'the role viewer is always there and stays as it is',
  ])
  expect(role('{name: a, permissions: [read:instance]}')).toEqual([
    'the role a has "read:instance", which is no permission; did you mean read:instances?',
  ])
  expect(role('{name: a, permissions: []}, {name: a, permissions: []}')).toEqual(['auth.roles has a twice'])
})

test('tenants stand once each, under names that grants may have', () => {
  const told = (text: string) => faults(load(`${users}tenants: [${text}]\n`))[0]?.detail

  expect(told('{name: acme, instances: 1}, {name: acme}')).toBe('tenants has "acme" twice')
  expect(told('{name: "a*"}')).toContain('must look like NAME | NAME/* | *')
  expect(told('{name: acme, services: [a/b/c]}')).toContain('must look like SERVICE | SERVICE/PLAN')
  expect(good(load(`${users}tenants: [{name: acme/*, services: []}]\n`)).settings.tenants).toEqual([
    { name: 'acme/*', services: [], instances: undefined, bindings: undefined },
  ])
})

test('service accounts need an audience and roles that there are', () => {
  const told = (text: string) =>
    faults(load(users.replace('{users', `{serviceAccounts: {${text}}, users`))).map(({ detail }) => detail)

  expect(told('grants: [{namespace: a, role: developer}]')).toEqual([
    'auth.serviceAccounts has grants and no audiences: no token would be taken',
  ])
  expect(told('audiences: [x], grants: [{namespace: a, role: emperor}]')[0]).toContain(
    'auth.serviceAccounts.grants has the role emperor, and there is none',
  )
})

test('keys may be written in snake case', () => {
  const { settings } = good(
    load(`${users}osb: {deleted_last_operation: gone, missing_version_status: 400}\n`),
  )

  expect(settings.osb).toEqual({ deletedLastOperation: 'gone', missingVersionStatus: 400 })
})

test('relative paths and references are relative to the file', () => {
  const folder = folderWith(
    `${users}dataDir: ./data\ncatalog: [{package: "oci:./x"}, {package: "docker://h/x"}, {package: "ocm:./y//a.b/c:1.0.0"}]\n`,
  )
  const { settings } = good(
    loadSettings({ folder: '/', environment: {}, file: join(folder, 'chandler.yml') }),
  )

  expect(settings.dataDir).toBe(join(folder, 'data'))
  expect(settings.catalog.map((entry) => entry.package)).toEqual([
    `oci:${folder}/x`,
    'docker://h/x',
    `ocm:${folder}/y//a.b/c:1.0.0`,
  ])
})

test('a stray variable is a warning with a suggestion, those of Kubernetes are not', () => {
  const environment = {
    CHANDLER_HTTP_LISTN: 'x',
    CHANDLER_SERVICE_HOST: '10.0.0.1',
    CHANDLER_PORT_80_TCP: 'x',
  }
  const { warnings } = good(load(users, { environment }))

  expect(warnings.map((warning) => warning.detail)).toEqual([
    'CHANDLER_HTTP_LISTN is no setting; did you mean CHANDLER_HTTP_LISTEN?',
  ])
})

test('a file that is not there and a flag that is no setting are told', () => {
  expect(faults(loadSettings({ folder: '/', environment: {}, file: '/nowhere.yml' }))[0]?.code).toBe(
    'file.unreadable',
  )
  expect(faults(load(users, { flags: { 'http.lisen': 'x' } }))[0]?.detail).toBe(
    'http.lisen is no setting; did you mean http.listen?',
  )
})

test('no two settings share a variable', () => {
  const variables = namedSettings(settingsTable).map(({ path }) => variableOf(path))

  expect(new Set(variables).size).toBe(variables.length)
})

test('passwords in addresses are not shown', () => {
  expect(shown('postgres://user:secret@host/db')).toBe('postgres://user:***@host/db')
})

function load(text: string, more: Partial<Sources> = {}): Loaded {
  const folder = folderWith(text)
  return loadSettings({ folder, environment: {}, file: join(folder, 'chandler.yml'), ...more })
}

function folderWith(text: string, pieces: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-settings-'))
  writeFileSync(join(folder, 'chandler.yml'), text)
  mkdirSync(join(folder, 'conf.d'))
  for (const [name, piece] of Object.entries(pieces)) writeFileSync(join(folder, 'conf.d', name), piece)
  return folder
}

function good(loaded: Loaded): Extract<Loaded, { kind: 'settings' }> {
  if (loaded.kind === 'faults') throw new Error(JSON.stringify(loaded.problems, null, 1))
  return loaded
}

function faults(loaded: Loaded): Extract<Loaded, { kind: 'faults' }>['problems'] {
  if (loaded.kind === 'settings') throw new Error('no faults')
  return loaded.problems
}

test.each([
  ['{name: chandler, password: x, role: platform}', 'a platform account cannot be named chandler'],
  ['{name: set-up, password: x, role: viewer}', 'no account can be named set-up'],
  ['{name: break-glass, token: x, role: viewer}', 'no account can be named break-glass'],
  ['{name: a, role: viewer}', 'the account a has neither password nor token nor certificate'],
  [
    '{name: a, token: t, role: viewer}, {name: b, previousToken: t, password: x, role: viewer}',
    'the same token twice',
  ],
])('the accounts %s are refused', (users, why) => {
  expect(faults(load(`auth: {users: [${users}]}\n`))[0]?.detail).toContain(why)
})

test.each(['{name: chandler, password: x, role: operator}', '{name: a, token: t, role: platform}'])(
  'the account %s is taken',
  (user) => {
    expect(good(load(`auth: {users: [${user}]}\n`)).settings.auth.users.length).toBe(1)
  },
)
