/** Starts a broker with the example catalog: builds, makes passwords, says where everything is. */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { examplePackages } from './example-packages.ts'

const secrets = '.chandler/secrets'
mkdirSync(secrets, { recursive: true, mode: 0o700 })
for (const user of ['platform', 'admin']) {
  const file = `${secrets}/${user}`
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(18).toString('base64url')}\n`, { mode: 0o600 })
}
console.error('Building …')
const built = spawnSync(process.execPath, ['scripts/build.ts'], { stdio: ['ignore', 2, 2] })
if (built.status !== 0) process.exit(1)
// An example that cannot be built here is left out of the catalog by the broker, which says so.
for (const command of examplePackages('.chandler/examples').flatMap(({ commands }) => commands))
  spawnSync(process.execPath, ['bin/chandler.mjs', ...command, '-o', 'name'], {
    stdio: ['ignore', 'ignore', 2],
  })

const child = spawn(
  process.execPath,
  [
    'bin/chandler.mjs',
    'serve',
    '--config',
    'examples/chandler.yml',
    '--set',
    'logs.format=pretty',
    ...process.argv.slice(2),
  ],
  { stdio: ['inherit', 'pipe', 'inherit'] },
)
// Ctrl-C reaches the broker, too: it drains, and we wait for it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
// To the broker itself a SIGHUP means to read its settings anew, and a terminal that is closed sends one.
process.on('SIGHUP', () => child.kill('SIGTERM'))
// npm and the shell between may end without passing a signal on, or be killed.
const ancestors = ancestorsNow()
setInterval(() => ancestorsNow() !== ancestors && child.kill('SIGTERM'), 1000).unref()
child.on('exit', (code) => process.exit(code ?? 1))
let said = false
child.stdout.on('data', (bytes: Buffer) => {
  process.stdout.write(bytes)
  const [, url, admin = 'off'] = /Ready {2}url=(\S+)(?: admin=(\S+))?/.exec(bytes.toString()) ?? []
  if (url !== undefined && !said) {
    said = true
    console.log(welcome(url, admin))
  }
})

/** The brokerpaks of the examples run with the engine of this machine. */
function brokerpakLine(): string {
  const hasEngine = ['terraform', 'tofu'].some((name) => spawnSync(name, ['version']).status === 0)
  return hasEngine
    ? '  npx chandler instance provision guestbook-brokerpak desk my-other-book -p paper=lined'
    : '  (the brokerpaks are not offered: neither terraform nor tofu is on the path)'
}

function welcome(url: string, admin: string): string {
  const password = (user: string) => readFileSync(`${secrets}/${user}`, 'utf8').trim()
  return `
Chandler is ready.

  Web UI                   ${url}/ui/     user admin     password ${password('admin')}
  Open Service Broker API  ${url}/v2      user platform  password ${password('platform')}
  Documents                ${url}/docs/
  Operator API             ${url}/api/v1  user admin     password ${password('admin')}
${admin === 'off' ? '' : `  Health and figures       ${admin}/readyz, ${admin}/metrics\n`}
In another terminal:

  npx chandler login ${url} --user admin --password-file ${secrets}/admin
  npx chandler catalog
  npx chandler instance provision guestbook-cnab desk my-book -p title=Harbour
  npx chandler binding bind my-book my-app
${brokerpakLine()}

The guestbook is the same small service in every contract: compare them in examples/guestbook.

Ctrl-C stops the broker.
`
}

/** The processes that started this one: a shell, and npm where the system tells of it. */
function ancestorsNow(): string {
  let grandparent = ''
  try {
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8')
    grandparent = stat.replace(/^.*\) \S+ (\d+).*$/s, '$1')
  } catch {
    // The parent is ending, or this system has no /proc.
  }
  return `${process.ppid} ${grandparent}`
}
