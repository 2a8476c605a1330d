/** A newcomer with a clone: `npm start` as an ordinary user, and then what it says to do, until every contract has handed out credentials. */
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { ensurePrograms } from '../support/debian.ts'
import { handOver, ordinary, runAsOrdinary, whyOrdinaryCannot } from '../support/ordinary-user.ts'

const missing = ensurePrograms('curl', 'git') ?? whyOrdinaryCannot()
const place = mkdtempSync(join(tmpdir(), 'chandler-clone-'))
const clone = join(place, 'a new clone')
const options = { cwd: clone, env: { HOME: place, PATH: process.env['PATH'] } }

/** The files of this checkout, and its npm packages, so that they need not be fetched once more. */
function makeClone(): void {
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  for (const file of execFileSync('git', words, { encoding: 'utf8' }).split('\0').filter(existsSync)) {
    mkdirSync(dirname(join(clone, file)), { recursive: true })
    cpSync(file, join(clone, file), { verbatimSymlinks: true })
  }
  const packages = join(clone, 'node_modules')
  mkdirSync(packages)
  const kept = readdirSync('node_modules').filter((name) => !/^\.(cache|vite)/.test(name))
  execFileSync('cp', ['-a', '--reflink=auto', ...kept.map((name) => join('node_modules', name)), packages])
  handOver(place)
}

describe.skipIf(missing !== undefined)('a clone', () => {
  let welcome = ''
  let group = 0
  let said = ''

  beforeAll(async () => {
    makeClone()
    const anywhere = ['--set', 'http.listen=127.0.0.1:0', '--set', 'http.adminListen=127.0.0.1:0']
    const [program, ...before] = ordinary
    const child = spawn(program, [...before, 'npm', 'start', '--', ...anywhere], {
      ...options,
      detached: true,
    })
    group = child.pid ?? 0
    await new Promise<void>((ready, failed) => {
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (piece: Buffer) => {
          said += piece.toString()
          if (said.includes('Ctrl-C stops the broker.')) ready()
        })
      child.once('close', (code) => failed(new Error(`it ended with ${code}: ${said}`)))
    })
    welcome = said.slice(said.indexOf('Chandler is ready.'))
  }, 1_800_000)
  afterAll(() => {
    // What a failed test leaves running goes with its folder.
    if (group !== 0 && hasProcesses(group)) process.kill(-group, 'SIGKILL')
    rmSync(place, { recursive: true, force: true })
  })

  const run = (line: string) => runAsOrdinary(['sh', '-c', line], options)

  test('does what npm start says, as an ordinary user', () => {
    const lines = welcome.match(/^ {2}npx chandler .*$/gm) ?? []
    const ran = lines.map((line) => [line, run(line).status])

    expect(lines.length).toBeGreaterThan(3)
    expect(ran).toEqual(lines.map((line) => [line, 0]))
  })

  test.each([
    ['tweed', 'guestbook-tweed'],
    // Named as the automation broker names what a registry lists.
    ['apb', 'examples-guestbook-apb'],
    ['cnab', 'guestbook-cnab'],
    ['toi', 'guestbook-toi'],
    ['brokerpak', 'guestbook-brokerpak'],
  ])('gives credentials of %s with two commands more', (contract, service) => {
    if (contract === 'brokerpak' && hostEngine() === undefined) {
      return expect(welcome).toContain('neither terraform nor tofu is on the path')
    }
    const parameters = contract === 'brokerpak' ? '' : ' -p title=Harbour'
    const ordered = run(`npx chandler instance provision ${service} desk new-${contract}${parameters}`)
    const bound = run(`npx chandler binding bind new-${contract} my-app -o json`)

    expect([ordered.status, bound.status]).toEqual([0, 0])
    expect(JSON.parse(bound.stdout)).toMatchObject({ credentials: expect.any(Object) })
  })

  test('ends cleanly, and leaves nothing that git would pick up', async () => {
    // As Ctrl-C does it: to all processes of the terminal.
    process.kill(-group, 'SIGINT')
    await expect.poll(() => hasProcesses(group), { timeout: 600_000 }).toBe(false)
    expect(said).not.toMatch(/^\s+at /m)
    const left = readdirSync(clone).filter((name) => !['.chandler', 'dist', 'node_modules'].includes(name))
    const given = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      encoding: 'utf8',
    })
    const known = new Set(given.split('\n').map((file) => file.split('/')[0]))

    expect(left.filter((name) => !known.has(name))).toEqual([])
  })
})

function hasProcesses(group: number): boolean {
  try {
    return process.kill(-group, 0)
  } catch {
    return false
  }
}
