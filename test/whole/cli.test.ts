/** The command line from outside: real processes against a real broker. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { problemCodes } from '../../src/model/problem-codes.ts'
import { newFolder, passwords, startTestBroker, type TestBroker, type User } from '../support/broker.ts'
import { installedProgram } from '../support/installed.ts'

let running: TestBroker
let home: string
let program: string
beforeAll(async () => {
  running = await startTestBroker()
  home = newFolder()
  program = installedProgram()
})
afterAll(async () => {
  await running.stop()
  rmSync(dirname(dirname(program)), { recursive: true, force: true })
  rmSync(home, { recursive: true, force: true })
})

test('without a command the table is shown, and the exit code says that something is missing', async () => {
  const { code, stdout } = await chandler([])

  expect(code).toBe(2)
  for (const { name, summary } of commands)
    expect(stdout).toMatch(new RegExp(`${name} +${summary.slice(0, 20)}`))
})

test.each([
  [['instanec'], 2, 'there is no command instanec; did you mean instance?'],
  [['instance', 'provison'], 2, "unknown command 'provison'"],
  [['instance', 'list', '--nope'], 2, "unknown option '--nope'"],
  [['instance', 'provision'], 2, "missing required argument 'service'"],
  [['instance', 'show', 'nothing'], 4, '(instance.unknown)'],
  [['catalog', 'alpha-bd'], 9, 'did you mean alpha-db?'],
  [['instance', 'provision', 'alpha-db'], 9, 'name one of small, large'],
  [['instance', 'provision', 'alpha-db', 'small', '-p', 'size=big'], 9, 'parameters, /size'],
  [['instance', 'provision', 'alpha-db', 'small', '-p', 'size'], 2, 'is not name=value'],
  [
    ['instance', 'provision', 'alpha-db', 'small', '--parameters', '{"a": ['],
    9,
    'cause: --parameters line 1',
  ],
  [['instance', 'list', '--context', 'nowhere'], 10, 'there is no context nowhere'],
  [['instance', 'list', '--server', 'http://127.0.0.1:1'], 8, '(server.unreachable)'],
  [['instance', 'list', '--password-file', '/nowhere'], 9, '(file.unreadable)'],
  [['config', 'validate', '--config', '/nowhere.yml'], 9, '/nowhere.yml'],
])('%j ends with %i and says why', async (args, code, text) => {
  const answer = await chandler(args)

  expect(answer.code).toBe(code)
  expect(answer.stderr).toContain(text)
  expect(answer.stdout).toBe('')
})

test('a dry run says the same as the order would, and orders nothing', async () => {
  const order = ['instance', 'provision', 'alpha-db', 'small', '--id', 'tried', '-p', 'size=big']
  const [refused, dry, taken] = [
    await chandler(order),
    await chandler([...order, '--dry-run']),
    await chandler([...order.slice(0, -1), 'size=3', '--dry-run']),
  ]
  const withoutRequest = (text: string) => text.replace(/^request: .*\n/m, '')

  expect([dry.code, withoutRequest(dry.stderr)]).toEqual([9, withoutRequest(refused.stderr)])
  expect(taken.stdout).toBe('The order would be taken. Nothing was ordered.\n')
  expect((await chandler(['instance', 'show', 'tried'])).code).toBe(4)
})

test('the beginning of two ids is told with both', async () => {
  for (const id of ['twin-a', 'twin-b'])
    expect((await chandler(['instance', 'provision', 'beta-queue', '--id', id])).code).toBe(0)
  const { code, stderr } = await chandler(['instance', 'show', 'twin-'])

  expect(code).toBe(problemCodes['cli.ambiguous'].exit)
  expect(stderr).toMatch(/\(cli\.ambiguous\)[\s\S]*twin-a .*twin-b/)
})

test('wrong credentials and a role that may not end with 6', async () => {
  const wrong = await chandler(['catalog'], { CHANDLER_PASSWORD: 'something-else' })
  const viewer = await chandler(['instance', 'provision', 'beta-queue'], as('watcher'))

  expect([wrong.code, viewer.code]).toEqual([6, 6])
  expect(wrong.stderr).not.toContain('something-else')
})

test('nobody chosen ends with 10 and says how to choose', async () => {
  const { code, stderr } = await chandler(['catalog'], { CHANDLER_SERVER: '', CHANDLER_USER: '' })
  const answer = await chandler(['catalog'], {}, [])

  expect([code, answer.code]).toEqual([10, 10])
  expect(stderr + answer.stderr).toContain('chandler login')
})

test('a service is ordered, shown, updated, bound, unbound and deleted', async () => {
  const made = await chandler([
    'instance',
    'provision',
    'alpha-db',
    'small',
    'shop',
    '-p',
    'size=2',
    '-o',
    'json',
  ])
  const listed = await chandler(['instance', 'list', '-o', 'name'])
  const shown = await chandler(['instance', 'show', 'shop'])
  const updated = await chandler(['instance', 'update', 'shop', '-p', 'size=3', '-o', 'json'])
  const bound = await chandler(['binding', 'bind', 'shop', 'app-1', '-o', 'json'])
  const unbound = await chandler(['binding', 'unbind', 'shop', 'app', '--yes'])
  const deleted = await chandler(['instance', 'deprovision', 'shop', '--yes'])
  const document = JSON.parse(made.stdout)

  expect(document).toMatchObject({
    apiVersion: 'chandler/v1',
    kind: 'Instance',
    state: 'ready',
    name: 'shop',
  })
  expect(listed.stdout).toMatch(/^shop$/m)
  expect(shown.stdout).toMatch(/State: +ready/)
  expect(JSON.parse(updated.stdout)).toMatchObject({ parameters: { size: 3 } })
  expect(JSON.parse(bound.stdout)).toMatchObject({
    state: 'bound',
    credentials: { username: expect.any(String) },
  })
  expect(unbound.stdout).toMatch(/State: +unbound/)
  expect(deleted.stdout).toMatch(/State: +deleted/)
  expect((await chandler(['instance', 'show', 'shop'])).code).toBe(4)
})

test('an action of the package is listed, run, and its answer printed and fetched', async () => {
  await chandler(['instance', 'provision', 'alpha-db', 'small', 'acting'])
  const listed = await chandler(['instance', 'actions', 'acting', '-o', 'name'])
  const ran = await chandler(['instance', 'invoke', 'acting', 'echo', '-p', 'label=blue'])
  const fetched = await chandler(['operation', 'outputs', 'acting', 'parameters.json'])
  const wrong = await chandler(['instance', 'invoke', 'acting', 'ecko'])
  await chandler(['instance', 'deprovision', 'acting', '--yes'])

  expect(listed.stdout).toBe('echo\n')
  expect(ran.stdout).toMatch(/State: +succeeded[\s\S]*\{"label":"blue"\}/)
  expect(fetched.stdout).toBe('{"label":"blue"}')
  expect([wrong.code, wrong.stderr]).toEqual([4, expect.stringContaining('did you mean echo?')])
})

test('the words of cf do the same, in the order of cf and with its flags', async () => {
  const made = await chandler(['create-service', 'alpha-db', 'small', 'mail', '-c', '{"size": 2}', '--wait'])
  const changed = await chandler(['update-service', 'mail', '-p', 'large', '--wait', '-o', 'json'])
  const services = await chandler(['-o', 'name', 'services'])
  const service = await chandler(['service', 'mail', '-o', 'yaml'])
  const guid = await chandler(['cf', 'service', 'mail', '--guid'])
  const key = await chandler(['create-service-key', 'mail', 'key', '--wait'])
  const shown = await chandler(['service-key', 'mail', 'key', '-o', 'json'])
  const dropped = await chandler(['delete-service-key', 'mail', 'key', '-f', '--wait'])
  const asked = await chandler(['delete-service', 'mail'])
  const deleted = await chandler(['delete-service', 'mail', '-f', '--wait', '-o', 'json'])
  const found = await chandler(['marketplace', '-e', 'beta-queue', '-o', 'name'])

  const all = [made, changed, services, service, guid, key, shown, dropped, deleted, found]
  expect(all.map(({ code, stderr }) => (code === 0 ? 'ok' : stderr))).toEqual(all.map(() => 'ok'))
  expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  expect(JSON.parse(changed.stdout)).toMatchObject({ plan: { name: 'large' } })
  expect(services.stdout).toContain('mail\n')
  expect(service.stdout).toContain(`id: ${guid.stdout}`)
  expect([key.stdout, JSON.parse(shown.stdout)]).toEqual([
    expect.not.stringContaining('password'),
    expect.objectContaining({ credentials: expect.any(Object) }),
  ])
  expect(found.stdout).toContain('beta-queue')
})

test('a name means one instance of a platform, and can be given to another one', async () => {
  const order = (name: string, ...more: string[]) =>
    chandler(['instance', 'provision', 'beta-queue', 'plain', name, ...more])
  const first = await order('only', '-o', 'json')
  const again = await order('only')
  const dry = await order('only', '--dry-run')
  const other = await order('other')
  const taken = await chandler(['instance', 'rename', 'other', 'only'])
  const renamed = await chandler(['rename-service', 'only', 'former', '-o', 'json'])
  const same = await chandler(['instance', 'rename', 'former', 'former'])
  const updated = await chandler(['instance', 'update', 'former', '-p', 'label=x', '-o', 'json'])
  const free = await order('only')

  expect([first, again, dry, other, taken, renamed, same, free].map(({ code }) => code)).toEqual([
    ...[0, 5, 5, 0, 5, 0, 0, 0],
  ])
  expect(again.stderr).toMatch(/\ncause: only\nhint: .*instance rename/)
  expect(again.stderr).toContain('(instance.name-taken)')
  expect(JSON.parse(renamed.stdout)).toMatchObject({ id: JSON.parse(first.stdout).id, name: 'former' })
  expect(updated.stdout).toContain('"name": "former"')
  const list = await chandler(['instance', 'list', '-o', 'name'])
  expect(list.stdout.trim().split('\n')).toEqual(expect.arrayContaining(['only', 'former', 'other']))
  const names = await chandler(['completion', 'words', '--', 'instance', 'show'])
  const plans = await chandler(['completion', 'words', '--', 'instance', 'provision', 'alpha-db'])
  const away = await chandler([
    'completion',
    'words',
    '--',
    '--server',
    'http://127.0.0.1:1',
    'instance',
    'show',
  ])
  expect(names.stdout.split('\n')).toEqual(expect.arrayContaining(['only', 'former', '--output']))
  expect(plans.stdout.split('\n')).toEqual(expect.arrayContaining(['small', 'large']))
  expect([away.code, away.stdout, away.stderr]).toEqual([0, expect.not.stringContaining('former'), ''])
})

test('options that all commands share may stand before, between and after the words of a command', async () => {
  const answers = await Promise.all([
    chandler(['-o', 'json', 'catalog']),
    chandler(['instance', '-o', 'json', 'list']),
    chandler(['--server', running.url, '-o', 'json', 'instance', 'list']),
    chandler(['--context', 'nowhere', 'catalog']),
  ])

  expect(answers.map(({ code }) => code)).toEqual([0, 0, 0, 10])
  expect(answers.slice(0, 3).map(({ stdout }) => JSON.parse(stdout).kind)).toEqual([
    'Catalog',
    'InstanceList',
    'InstanceList',
  ])
})

test('lists are searched, sorted and cut, and say so when nothing is left', async () => {
  const list = (...words: string[]) => chandler(['catalog', '-o', 'name', ...words])
  const all = (await list()).stdout.trim().split('\n')
  const sorted = (await list('--sort=-plan')).stdout.trim().split('\n')
  const found = await list('--search', 'BETA-Q')
  const cut = await list('--sort', 'plan', '--limit', '2')
  const none = await chandler(['catalog', '--search', 'no such thing'])
  const wrong = [await list('--sort', 'plam'), await list('--limit', '0')]

  const plan = (name: string) => name.split('/')[1] ?? ''
  expect(sorted.map(plan)).toEqual(all.map(plan).sort(new Intl.Collator('en').compare).reverse())
  expect(found.stdout).toMatch(/^(beta-queue\/.*\n)+$/)
  expect(cut.stdout.trim().split('\n').map(plan)).toEqual(sorted.map(plan).reverse().slice(0, 2))
  expect([none.code, none.stdout, none.stderr]).toEqual([0, '', 'Nothing fits.\n'])
  expect(wrong.map(({ code }) => code)).toEqual([2, 2])
  expect(wrong[0]?.stderr).toContain('did you mean plan?')
})

test('a failed operation ends with 3, names its cause and its log', async () => {
  const { code, stderr } = await chandler(failing('broken'))
  const why = await chandler(['why', 'broken'])
  const retried = await chandler(['operation', 'retry', 'broken'])

  expect(code).toBe(3)
  expect(stderr).toMatch(/error: The operation failed .*\ncause: .*told to fail/)
  expect(stderr).toMatch(/hint: .*chandler operation logs 01/)
  expect(why.stdout).toContain('told to fail')
  expect(retried.code).toBe(3)
})

test('with -o json a failure is a document on standard error', async () => {
  const { stderr, stdout } = await chandler(['instance', 'show', 'nothing', '-o', 'json'])

  expect(JSON.parse(stderr)).toMatchObject({ apiVersion: 'chandler/v1', error: { code: 'instance.unknown' } })
  expect(stdout).toBe('')
})

test('waiting gives up with 7, and Ctrl-C leaves the operation running with 130', async () => {
  const args = ['instance', 'provision', 'alpha-db', 'small', 'slow', '-p', 'sim:={"create":{"ms":-1}}']
  const late = await chandler([...args, '--timeout', '300ms'])
  const interrupted = await chandler(['instance', 'wait', 'slow'], {}, ['running'])
  const cancelled = await chandler(['operation', 'cancel', 'slow'])
  const followed = await chandler(['operation', 'logs', '-f', 'slow'])

  expect(late.code).toBe(7)
  expect(late.stderr).toContain('chandler operation logs -f 01')
  expect(interrupted.code).toBe(130)
  expect(interrupted.stderr).toContain('The operation goes on')
  expect(cancelled.code).toBe(0)
  expect(followed.code).toBe(3)
  expect(followed.stdout).toContain('pretending')
})

test('nothing is deleted unasked where nobody can be asked', async () => {
  await chandler(['instance', 'provision', 'beta-queue', 'plain', 'kept'])
  const { code, stderr } = await chandler(['instance', 'deprovision', 'kept'])

  expect(code).toBe(2)
  expect(stderr).toContain('--yes')
  expect((await chandler(['instance', 'purge', 'kept', '--yes'])).code).toBe(0)
})

test('a login is tried, remembered for its owner only, chosen by context, and forgotten', async () => {
  const login = ['login', running.url, '--user', 'admin', '--name', 'test']
  const refused = await chandler(login, { CHANDLER_PASSWORD: 'wrong-password' })
  const accepted = await chandler(login, { CHANDLER_PASSWORD: passwords.admin })
  const file = join(home, 'chandler', 'config.yaml')
  const used = await chandler(['catalog', '-o', 'name'], {}, [])
  const listed = await chandler(['context', 'list'])
  await chandler(['context', 'remove', 'test'])

  expect([refused.code, accepted.code, used.code]).toEqual([6, 0, 0])
  expect(listed.stdout).toContain('test *')
  expect(listed.stdout).not.toContain(passwords.admin)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).not.toContain(passwords.admin)
})

test('a remembered password is not sent to another server', async () => {
  await chandler(['login', running.url, '--user', 'admin', '--name', 'test'], {
    CHANDLER_PASSWORD: passwords.admin,
  })
  const { code } = await chandler(['catalog', '--server', 'http://127.0.0.1:1'], {}, [])
  await chandler(['context', 'remove', 'test'])

  expect(code).toBe(10)
})

test('there is no colour and no control sign off a terminal, and colour where it is forced', async () => {
  const plain = await chandler(['catalog'])
  const forced = await chandler(['catalog'], { FORCE_COLOR: '1' })
  const refused = await chandler(['catalog'], { FORCE_COLOR: '1', NO_COLOR: '1' })

  expect(plain.stdout + plain.stderr + refused.stdout).not.toContain('\u001b')
  expect(forced.stdout).toContain('\u001b[')
})

test('operators freeze, thaw, rotate keys, back up, read and verify the audit trail', async () => {
  const answers = []
  for (const args of [
    ['freeze', '--reason', 'a test', '-o', 'json'],
    ['instance', 'provision', 'beta-queue'],
    ['thaw'],
    ['status'],
    ['key', 'rotate'],
    ['key', 'add', '-o', 'name'],
    ['backup', '-o', 'name'],
    ['audit', 'list', '--limit', '5'],
    ['audit', 'verify'],
    ['package', 'list'],
    ['package', 'show', 'alpha-db'],
    ['operation', 'list', '--state', 'failed'],
  ]) {
    answers.push(await chandler(args))
  }

  expect(answers.map((one) => one.code)).toEqual([0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  expect(JSON.parse(answers[0]?.stdout ?? '')).toMatchObject({
    kind: 'Freeze',
    frozen: true,
    reason: 'a test',
  })
  expect(answers[5]?.stdout).toMatch(/^k\w+\n$/)
  expect(existsSync(answers[6]?.stdout.trim() ?? '')).toBe(true)
  expect(answers[8]?.stdout).toContain('is unbroken')
})

test('a starter configuration is written with private passwords, is valid, and is never overwritten', async () => {
  const folder = newFolder()
  const first = await chandler(['init', folder])
  const valid = await chandler(['config', 'validate', '--config', join(folder, 'chandler.yml')])
  const doctor = await chandler(['doctor', '--config', join(folder, 'chandler.yml'), '-o', 'json'])
  const second = await chandler(['init', folder])
  const mode = statSync(join(folder, 'secrets', 'admin')).mode & 0o777
  rmSync(folder, { recursive: true })

  expect([first.code, valid.code, second.code, mode]).toEqual([0, 0, 1, 0o600])
  expect(JSON.parse(doctor.stdout).findings).toContainEqual(
    expect.objectContaining({ id: 'configuration', state: 'ok' }),
  )
})

test('doctor looks at a database of an earlier release and leaves its schema to the next start', async () => {
  const folder = newFolder()
  await chandler(['init', folder])
  const config = join(folder, 'chandler.yml')
  const file = join(folder, 'data', 'chandler.db')
  mkdirSync(dirname(file), { recursive: true })
  const older = new DatabaseSync(file)
  older.exec(readFileSync('test/fixtures/store/0001-sqlite.sql', 'utf8'))
  older.close()
  const { stdout } = await chandler(['doctor', '--config', config, '-o', 'json'])
  const after = new DatabaseSync(file)
  const steps = after.prepare('SELECT number FROM migrations').all()
  after.close()
  rmSync(folder, { recursive: true })

  expect(JSON.parse(stdout).findings).toContainEqual(
    expect.objectContaining({ id: 'store', state: 'warn', what: 'its schema is of an earlier release' }),
  )
  expect(steps).toEqual([{ number: 1 }])
})

test('doctor ends with 3 when something must be fixed, and says how', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'chandler.yml'), 'auth: {users: []}\nhttp: {listn: x}\n')
  const { code, stdout } = await chandler(['doctor', '--config', join(folder, 'chandler.yml')])
  rmSync(folder, { recursive: true })

  expect(code).toBe(3)
  expect(stdout).toContain('did you mean listen?')
})

test.each([
  ['an unknown option', ['--lisen', 'x']],
  ['a word too many', ['now']],
  ['a setting without a value', ['--set', 'x']],
])('serve with %s ends as supervisors expect it, other commands as ever', async (_name, words) => {
  const [served, checked] = [await chandler(['serve', ...words]), await chandler(['doctor', ...words])]

  expect([served.code, checked.code]).toEqual([64, 2])
  expect(served.stderr).toContain('error:')
})

test('the configuration in effect is shown with origins and without secrets', async () => {
  const file = join(running.folder, 'chandler.yml')
  const { stdout } = await chandler(['config', 'show', '-c', file, '--origin', '--set', 'logs.level=warn'])

  expect(stdout).toMatch(/logs\.level +warn +flag/)
  expect(stdout).toMatch(/dataDir +\S+data +file +\S+chandler\.yml line 2/)
  expect(stdout).not.toContain('password-of')
})

test.each(['bash', 'zsh', 'fish'])('%s gets a completion script', async (shell) => {
  expect((await chandler(['completion', shell])).stdout).toContain('chandler completion words')
})

test('completion knows commands, what is below them, and their options', async () => {
  const top = await chandler(['completion', 'words', '--'])
  const below = await chandler(['completion', 'words', '--', 'instance'])
  const deep = await chandler(['completion', 'words', '--', 'instance', 'provision'])

  expect(top.stdout.split('\n')).toContain('instance')
  expect(below.stdout.split('\n')).toContain('provision')
  expect(deep.stdout.split('\n')).toContain('--parameters')
})

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

function failing(name: string): readonly string[] {
  return ['instance', 'provision', 'alpha-db', 'small', name, '-p', 'sim:={"create":{"outcome":"fail"}}']
}

function as(user: User): Readonly<Record<string, string>> {
  return { CHANDLER_USER: user, CHANDLER_PASSWORD: passwords[user] }
}

/** Runs the program; a word seen on standard error is answered with Ctrl-C. An empty list gives it no account. */
async function chandler(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  interruptAfter: readonly string[] | undefined = undefined,
): Promise<Ended> {
  const account = interruptAfter?.length === 0 ? {} : { CHANDLER_SERVER: running.url, ...as('admin') }
  const child = spawn(process.execPath, [program, ...args], {
    env: clean({
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      XDG_CONFIG_HOME: home,
      ...account,
      ...environment,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  let killed = false
  child.stdout.on('data', (bytes) => {
    stdout += bytes
  })
  child.stderr.on('data', (bytes) => {
    stderr += bytes
    if (!killed && interruptAfter?.some((word) => stderr.includes(word))) killed = child.kill('SIGINT')
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, stdout, stderr }
}

/** An empty value takes a variable away. */
function clean(environment: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
}
