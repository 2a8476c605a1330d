/** The life of an installation by `chandler toi`, as people have it on their own machine. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { installedProgram } from '../support/installed.ts'
import { componentIn, componentName, executorRef } from './component.ts'

const missing = ensurePrograms('busybox')
const home = freshFolder('toi-cli')
const ctf = join(home, 'ctf')
const secret = 'password-of-the-operator'
let program = ''

const component = {
  run: `
set -eu
case $(cat /toi/inputs/parameters) in *stuck*) echo waiting; sleep 4; echo done ;; esac
{ echo "$*"; cat /toi/inputs/parameters; } > /toi/outputs/seen
case $(cat /toi/inputs/parameters) in *fail*) test "$1" = uninstall || exit 3 ;; esac
`,
  package: {
    executors: [
      {
        actions: ['install', 'uninstall', 'status'],
        resourceRef: executorRef,
        parameterMapping: { word: '(( merge ))', by: '(( getCredentials("admin", "user") ))' },
        outputs: { seen: 'seen' },
      },
    ],
    configTemplate: { word: 'none' },
    credentials: { admin: { properties: { user: 'who' } } },
  },
}

interface Ran {
  readonly exit: number
  readonly out: string
  readonly err: string
}

/** A command in this process: what it prints, and how it ends. */
async function toi(...args: readonly string[]): Promise<Ran> {
  const heard = { out: '', err: '' }
  const hear = (stream: 'out' | 'err') => (piece: string | Uint8Array) => {
    heard[stream] += Buffer.from(piece).toString()
    return true
  }
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(hear('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(hear('err')),
  ]
  try {
    return { exit: await main(['toi', ...args, '--data-dir', join(home, 'data')]), ...heard }
  } finally {
    process.exitCode = undefined
    for (const spy of spies) spy.mockRestore()
  }
}

function act(action: string, target: string, ...more: readonly string[]): Promise<Ran> {
  return toi('package', action, target, '-c', join(home, 'TOICredentials'), ...more)
}

function withParameters(word: string): readonly string[] {
  const file = join(home, `parameters-${word}.yaml`)
  writeFileSync(file, `word: ${word}\n`)
  return ['-p', file]
}

async function listed(): Promise<readonly string[]> {
  const { items } = JSON.parse((await toi('list', '-o', 'json')).out) as {
    readonly items: readonly { name: string; version: string; state: string }[]
  }
  return items.map(({ name, version, state }) => `${name} ${version} ${state}`)
}

const seen = async (...args: Parameters<typeof act>): Promise<string> => {
  const folder = join(home, 'outputs')
  mkdirSync(folder, { recursive: true })
  const { exit, err } = await act(...args, '--outputs', folder)
  if (exit !== 0) throw new Error(err)
  return readFileSync(join(folder, 'seen'), 'utf8')
}

const reference = (version: string): string => `${ctf}//${componentName}:${version}`

describe.skipIf(missing !== undefined)('chandler toi', () => {
  beforeAll(async () => {
    for (const version of ['1.0.0', '2.0.0']) await componentIn(home, { ...component, version })
    writeFileSync(
      join(home, 'TOICredentials'),
      JSON.stringify({ credentials: { admin: { credentials: { user: secret } } } }),
    )
    program = installedProgram()
  })

  afterAll(() => {
    if (program !== '') rmSync(dirname(dirname(program)), { recursive: true, force: true })
    rmSync(home, { recursive: true, force: true })
  })

  test('an install that failed is cleared away and tried again by the next install', async () => {
    const failed = await act('install', reference('1.0.0'), '--name', 'a', ...withParameters('fail'))
    const between = await listed()
    const tried = await act('install', reference('1.0.0'), '--name', 'a', ...withParameters('well'))

    expect(failed).toMatchObject({ exit: 3, err: expect.stringContaining('container exit code: 3') })
    expect(between).toEqual(['a 1.0.0 failed'])
    expect(tried).toMatchObject({ exit: 0 })
    expect(await listed()).toEqual(['a 1.0.0 ready'])
    await act('uninstall', 'a')
  })

  test('an upgrade that fails leaves the installation at its version; one that succeeds moves it', async () => {
    await act('install', reference('1.0.0'), '--name', 'b', ...withParameters('one'))
    const failed = await act('install', reference('2.0.0'), '--name', 'b', ...withParameters('fail'))
    expect([failed.exit, await listed()]).toEqual([3, ['b 1.0.0 ready']])

    // What was given once need not be given again.
    expect(await seen('install', reference('2.0.0'), '--name', 'b')).toBe(
      `install ${componentName}:2.0.0\nby: ${secret}\nword: one\n`,
    )
    expect(await listed()).toEqual(['b 2.0.0 ready'])
    await act('uninstall', 'b')
    expect(await listed()).toEqual([])
  })

  test('what is installed is updated, asked and uninstalled by its name when its component is nowhere any more', async () => {
    await act('install', reference('1.0.0'), '--name', 'c', ...withParameters('one'))
    rmSync(join(home, 'TOICredentials.away'), { force: true })
    renameSync(ctf, `${ctf}.away`)
    try {
      const dry = await toi('package', 'uninstall', 'c', '--dry-run')
      const updated = await toi('package', 'install', 'c', ...withParameters('two'))
      const asked = await toi('package', 'status', 'c', '-o', 'json')
      const unreachable = await toi('package', 'uninstall', reference('1.0.0'), '--name', 'c')
      const gone = await toi('package', 'uninstall', 'c')

      expect(dry).toMatchObject({ exit: 0, out: expect.stringContaining('word: one') })
      expect(dry.out + dry.err).not.toContain(secret)
      expect([updated.exit, asked.exit, gone.exit], updated.err + asked.err + gone.err).toEqual([0, 0, 0])
      expect(unreachable).toMatchObject({ exit: 4, err: expect.stringContaining('artifact.not-found') })
      expect(await listed()).toEqual([])
    } finally {
      renameSync(`${ctf}.away`, ctf)
    }
  })

  test('toi rm forgets an installation whatever its state, and only one that is there', async () => {
    await act('install', reference('1.0.0'), '--name', 'd', ...withParameters('fail'))
    const removed = await toi('rm', 'd')
    const again = await toi('rm', 'd')

    expect([removed.exit, await listed()]).toEqual([0, []])
    expect(again).toMatchObject({ exit: 4, err: expect.stringContaining('instance.unknown') })
    // What was lent to it is not there for the next of its name.
    const next = await toi('package', 'install', reference('1.0.0'), '--name', 'd')
    expect(next.err).toContain('toi.credentials.required')
  })

  test('an installation is of one component', async () => {
    const other = join(home, 'other')
    const name = 'example.org/other/service'
    await componentIn(other, { ...component, name })
    await act('install', reference('1.0.0'), '--name', 'e')
    const { exit, err } = await act('install', `${other}/ctf//${name}:1.0.0`, '--name', 'e')

    expect([exit, err]).toEqual([5, expect.stringContaining(`e is an installation of ${componentName}`)])
    await act('uninstall', 'e')
  })

  test('a command that is killed loses nothing: the same order finds the run, and its end', async () => {
    const args = ['package', 'install', reference('1.0.0'), '--name', 'f', ...withParameters('stuck')]
    const child = spawn(
      process.execPath,
      [program, 'toi', ...args, '-c', join(home, 'TOICredentials'), '--data-dir', join(home, 'data')],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    const ended = new Promise((resolve) => child.once('close', resolve))
    await new Promise<void>((resolve) => {
      let heard = ''
      child.stderr.on('data', (piece: Buffer) => {
        heard += piece.toString()
        if (heard.includes('waiting')) resolve()
      })
      void ended.then(() => resolve())
    })
    child.kill('SIGKILL')
    await ended

    const { exit, out, err } = await act(
      ...(['install', reference('1.0.0'), '--name', 'f'] as const),
      ...withParameters('stuck'),
    )
    expect(exit, err).toBe(0)
    expect((out + err).match(/waiting/g)).toHaveLength(1)
    expect(await listed()).toEqual(['f 1.0.0 ready'])
    expect((await act('uninstall', 'f')).exit).toBe(0)
  })
})
