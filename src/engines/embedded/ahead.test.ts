/** What waits at its door does nothing before it is given to a run, and then it is that run and no other. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { groupsOfRuns, processesOfHost } from '../../../test/engines/host-look.ts'
import { testImages } from '../../../test/engines/images.ts'
import { freshName, listener, orderOf } from '../../../test/engines/run-row.ts'
import { ensurePrograms } from '../../../test/support/debian.ts'
import type { ImageStore } from '../../artifacts/image-store.ts'
import { openArtifactStore } from '../../artifacts/index.ts'
import { type Clock, systemClock } from '../../kit/clock.ts'
import { Secret } from '../../kit/secret.ts'
import { type FileIn, type Job, usualLimits } from '../../model/job.ts'
import { fail } from '../../model/problem.ts'
import type { Engine } from '../engine.ts'
import type { RuntimeChoice } from './host.ts'
import { openEmbeddedEngine } from './index.ts'

const missing = ensurePrograms('busybox')
const signal = new AbortController().signal
let folder: string
let engine: Engine
/** Stands in the command of every program of a test. */
let mark: string
/** What this file has begun ahead: another worker of the same process begins runs, too. */
const begun = new Set<string>()

beforeEach(async () => {
  mark = freshName()
  folder = mkdtempSync(join(tmpdir(), 'embedded-ahead-'))
  engine = await open()
})
afterEach(async () => {
  await engine.close()
  expect([...programs(), ...namesIn('aside'), ...namesIn('runs')]).toEqual([])
  expect(groups()).toEqual([])
  rmSync(folder, { recursive: true, force: true })
})

const never = (): never => fail('internal.unexpected', 'nothing is needed')

async function open(
  runtime: RuntimeChoice = 'auto',
  images: ImageStore = { open: never, unpack: never },
  clock: Clock = systemClock,
): Promise<Engine> {
  const opened = await openEmbeddedEngine({ folder, clock, images, supplies: { deliver: never }, runtime })
  return {
    ...opened,
    anticipate: async (run, until) => {
      await opened.anticipate?.(run, until)
      for (const name of namesIn('aside')) begun.add(name.split('~')[0] ?? '')
    },
  }
}

function file(path: string, text: string, more: Partial<FileIn> = {}): FileIn {
  const content = { kind: 'secret', secret: new Secret(text) } as const
  return { path, mode: 0o600, owner: 'user', readOnly: false, content, ...more }
}

/** Reads its door, and only then does what counts. */
function job(order: string, more: Partial<Job> = {}): Job {
  const script =
    'echo up; order=$(cat order); [ -n "$order" ] || exit 3; cat order note fixed; echo $order >done; echo $$ $A'
  return {
    program: { kind: 'tools', tools: [{ name: 'sh', from: { kind: 'host' } }] },
    steps: [
      {
        name: 'work',
        command: { kind: 'exec', argv: ['sh', '-c', script, mark] },
        environment: { A: 'a' },
        streams: { kind: 'merged' },
      },
    ],
    files: [file('order', `${order}\n`), file('note', `note of ${order}\n`), file('fixed', 'fixed\n')],
    folders: [],
    wants: [{ kind: 'file', name: 'done', path: 'done', bytesMax: 1000 }],
    needs: { cluster: 'none', network: 'none', readOnlyRoot: false },
    limits: { ...usualLimits, seconds: 60 },
    late: { files: ['order', 'note'], door: 'order' },
    ...more,
  }
}

function logOf(order: string, a = 'a'): string {
  return `up\n${order}\nnote of ${order}\nfixed\n1 ${a}\n`
}

function withA(a: string): Partial<Job> {
  const [step] = job('').steps
  return { steps: [{ ...step, environment: { A: a } }] }
}

/** Resolves when its program is at the door. */
async function anticipate(what: Job): Promise<void> {
  const before = namesIn('aside')
  await engine.anticipate?.({ job: what, cluster: 'test-cluster' }, signal)
  const [come] = namesIn('aside').filter((name) => !before.includes(name))
  if (come !== undefined) await expect.poll(() => readText('aside', come, 'out.0')).toBe('up\n')
}

async function perform(what: Job, name = freshName()) {
  const heard = listener()
  await engine.layOut(orderOf(what, name), heard.watch)
  const report = await engine.follow(await engine.start({ name, fence: 1 }), heard.watch)
  await engine.discard(name)
  return { end: report.end.kind, exit: report.steps[0]?.exit, log: heard.log().toString() }
}

function namesIn(room: 'aside' | 'runs'): readonly string[] {
  return readdirSync(join(folder, room))
}

function readText(...path: readonly string[]): string {
  const file = join(folder, ...path)
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** The texts of all files that lie there, however deep. */
function filesBelow(place: string): readonly string[] {
  return readdirSync(place, { recursive: true, withFileTypes: true }).flatMap((one) =>
    one.isFile() ? [readFileSync(join(one.parentPath, one.name), 'utf8')] : [],
  )
}

/** The programs of this test that are alive, as the host numbers them. */
function programs(): readonly number[] {
  return processesOfHost((command) => command.startsWith('sh\0') && command.includes(mark))
}

function groups(): readonly string[] {
  return groupsOfRuns().filter((name) => begun.has(name.split('-').slice(0, 4).join('-')))
}

const well = { end: 'finished', exit: 0 }

describe.each(['auto', 'runc', 'plain'] as const)('with runtime %s', (runtime) => {
  test('what was foreseen finds its program waiting, and the next after it finds none', async () => {
    await engine.close()
    engine = await open(runtime)
    await anticipate(job('foreseen'))
    const [waiting] = programs()

    expect(await perform(job('one'))).toEqual({ ...well, log: logOf('one') })
    expect(programs()).not.toContain(waiting)
    expect(await perform(job('two'))).toEqual({ ...well, log: logOf('two') })
  })
})

describe.each(['auto', 'runc', 'plain'] as const)('an image with runtime %s', (runtime) => {
  test.skipIf(missing !== undefined)('is held in front of its program, and given its files', async () => {
    await engine.close()
    const { plain: image } = await testImages(folder)
    const images = openArtifactStore({ folder: join(folder, 'images') }).images
    engine = await open(runtime, images)
    const like = (text: string): Job => {
      const { late: _late, ...rest } = job('')
      const fixed = { mode: 0o444, readOnly: true, path: '/in/order' }
      const script =
        'cat /in/order; read -r x; echo "$x"; echo more >/out/file; echo $$ $A $PWD; tr "\\0" " " </proc/1/cmdline'
      const content = { kind: 'empty' } as const
      return {
        ...rest,
        program: { kind: 'image', ...image },
        steps: [{ ...step, command: { kind: 'exec', argv: ['/bin/sh', '-c', script, mark] } }],
        files: [file('/in/order', text, fixed)],
        folders: [{ path: '/out', mode: 0o755, readOnly: false, content, bytesMax: 65536 }],
        wants: [{ kind: 'file', name: 'out', path: '/out/file', bytesMax: 100 }],
        late: { files: ['/in/order'] },
      }
    }
    const alone = await perform(like('one\n'))
    await engine.anticipate?.({ job: like(''), cluster: 'test-cluster' }, signal)
    const [waiting] = namesIn('aside')
    const foreseen = await perform(like('one\n'))

    expect(waiting).toBeDefined()
    expect(namesIn('aside')).toEqual([])
    expect(foreseen).toEqual({ ...alone, end: 'finished', exit: 0 })
    expect(foreseen.log).toMatch(/^one\n\n1 a \/\n/)
  })
})

describe.each(['auto', 'runc', 'plain'] as const)('an image without words with runtime %s', (runtime) => {
  test.skipIf(missing !== undefined)('is told them with the order, and nothing of another one', async () => {
    await engine.close()
    const { plain: image } = await testImages(folder)
    const images = openArtifactStore({ folder: join(folder, 'images') }).images
    engine = await open(runtime, images)
    const script =
      'env | sort; for a; do echo "<$a>"; done; cat /in/order; for k in 3 4 5 6 7 8 9; do readlink /proc/$$/fd/$k; done; read -r x; echo "$x"; head -c 1200000 /dev/zero | tr "\\0" x'
    const like = (words: readonly string[], environment: Record<string, string>, text: string): Job => {
      const { late: _late, ...rest } = job('')
      return {
        ...rest,
        program: { kind: 'image', ...image },
        steps: [
          {
            ...step,
            environment,
            command: { kind: 'exec', argv: ['/bin/sh', '-c', script, mark, ...words] },
          },
        ],
        files: [file('/in/order', text, { mode: 0o444, readOnly: true })],
        wants: [],
        late: { files: ['/in/order'], words: true },
      }
    }
    const wanted = ["a 'b' $(c) `d` \\e", 'two\nlines', 'go', '=x', '', '*', '~']
    const variables = { A: 'it\'s "quoted"\ngo\n=and more\n', PATH: '/bin:/usr/bin', B: '' }
    const one = like(wanted, variables, 'one\n')
    const alone = await perform(one)
    await engine.anticipate?.(
      {
        job: like(['of-another'], { A: 'of-another', C: 'of-another' }, 'of-another\n'),
        cluster: 'test-cluster',
      },
      signal,
    )
    const [waiting = ''] = namesIn('aside')
    const kept = filesBelow(realpathSync(join(folder, 'aside', waiting, 'private')))
    const foreseen = await perform(one)

    expect(waiting).not.toBe('')
    expect(kept.filter((text) => text.includes('of-another'))).toEqual([])
    expect(namesIn('aside')).toEqual([])
    expect(foreseen).toEqual({ ...alone, end: 'finished', exit: 0 })
    expect(foreseen.log).toMatch(/x{1200000}$/)
    expect(foreseen.log).toContain('<two\nlines>\n<go>\n<=x>\n<>\n<*>\n<~>\none\n\n')
  })
})

test('one has not come to its door before its program reads there, however long that takes', async () => {
  const script = 'sleep 1; echo here >ready; cat order'
  const slow = job('', {
    steps: [{ ...step, command: { kind: 'exec', argv: ['sh', '-c', script, mark] } }],
  })
  await engine.anticipate?.({ job: slow, cluster: 'test-cluster' }, signal)
  const [waiting = ''] = namesIn('aside')

  expect(readText('aside', waiting, 'workspace', 'ready')).toBe('here\n')
})

test('one that is laid out goes on waiting until it is started', async () => {
  await anticipate(job(''))
  const waiting = programs()
  const name = freshName()
  const { watch, log } = listener()
  await engine.layOut(orderOf(job('one'), name), watch)

  expect(waiting).toHaveLength(1)
  expect(programs()).toEqual(waiting)
  expect(await engine.look(name)).toEqual({ kind: 'laid-out' })
  expect(readText('runs', name, 'workspace', 'done')).toBe('')
  await engine.follow(await engine.start({ name, fence: 1 }), watch)
  expect(log().toString()).toBe(logOf('one'))
  expect(readText('runs', name, 'workspace', 'done')).toBe('one\n')
  await engine.discard(name)
})

test('it is started for the claim only that it was laid out for last', async () => {
  await anticipate(job(''))
  const name = freshName()
  const { watch } = listener()
  await engine.layOut(orderOf(job('one'), name, 1), watch)
  await engine.layOut(orderOf(job('one'), name, 2), watch)

  await expect((async () => engine.start({ name, fence: 1 }))()).rejects.toMatchObject({
    problem: { code: 'engine.layout-gone' },
  })
  expect(await engine.look(name)).toEqual({ kind: 'laid-out' })
  const report = await engine.follow(await engine.start({ name, fence: 2 }), watch)
  expect(report.end).toEqual({ kind: 'finished' })
  await engine.discard(name)
})

test.each([
  ['environment', withA('b'), logOf('one', 'b')],
  [
    'files that are not late',
    { files: [file('order', 'one\n'), file('note', 'note of one\n'), file('fixed', 'other\n')] },
    logOf('one').replace('fixed', 'other'),
  ],
  ['limits', { limits: { ...usualLimits, seconds: 61 } }, logOf('one')],
] as const)('a job with other %s leaves it waiting', async (_what, other, log) => {
  await anticipate(job(''))
  const waiting = programs()

  expect(await perform(job('one', other))).toEqual({ ...well, log })
  expect(programs()).toEqual(waiting)
})

test('one whose program has died is taken away, and nobody finds it', async () => {
  await anticipate(job(''))
  for (const pid of programs()) process.kill(pid, 'SIGKILL')
  await expect.poll(() => namesIn('aside')).toEqual([])

  expect(await perform(job('one'))).toEqual({ ...well, log: logOf('one') })
})

test('one whose program dies after it was laid out is started like any other', async () => {
  await anticipate(job(''))
  const name = freshName()
  const { watch, log } = listener()
  await engine.layOut(orderOf(job('one'), name), watch)
  for (const pid of programs()) process.kill(pid, 'SIGKILL')
  const locks = () => readdirSync(join(folder, 'runs', name)).filter((one) => one.startsWith('lock.'))
  await expect.poll(locks).toEqual([])
  const report = await engine.follow(await engine.start({ name, fence: 1 }), watch)

  expect(report.end).toEqual({ kind: 'finished' })
  expect(report.steps).toEqual([{ name: 'work', exit: 0 }])
  expect(log().toString()).toBe(logOf('one'))
  await engine.discard(name)
})

test('one that is discarded before its start is gone', async () => {
  await anticipate(job(''))
  const name = freshName()
  await engine.layOut(orderOf(job('one'), name), listener().watch)
  await engine.discard(name)

  expect(programs()).toEqual([])
  expect((await engine.look(name)).kind).toBe('absent')
})

test('one that was told to stop before its start runs nothing', async () => {
  await anticipate(job(''))
  const name = freshName()
  const { watch, log } = listener()
  await engine.layOut(orderOf(job('one'), name), watch)
  await engine.stop(name, 1)
  const report = await engine.follow(await engine.start({ name, fence: 1 }), watch)

  expect([report.end, report.steps, log().toString()]).toEqual([{ kind: 'stopped' }, [], ''])
  await engine.discard(name)
})

test('no more than two wait, and the one that came first goes', async () => {
  for (const a of ['1', '2', '3']) await anticipate(job('', withA(a)))
  const waiting = programs()

  expect(waiting).toHaveLength(2)
  expect(await perform(job('one', withA('3')))).toEqual({ ...well, log: logOf('one', '3') })
  expect(programs()).toHaveLength(1)
  expect(await perform(job('one', withA('1')))).toEqual({ ...well, log: logOf('one', '1') })
  expect(programs()).toHaveLength(1)
})

test('one for which nobody comes is let go after ten minutes', async () => {
  await engine.close()
  const late: { readonly ms: number; wake(): void }[] = []
  const sleep: Clock['sleep'] = (ms, until) =>
    ms < 60_000
      ? systemClock.sleep(ms, until)
      : new Promise((wake) => {
          late.push({ ms, wake })
          until?.addEventListener('abort', () => wake())
        })
  engine = await open('auto', undefined, { ...systemClock, sleep })
  await anticipate(job(''))
  expect(late.map(({ ms }) => ms)).toEqual([10 * 60_000])
  late[0]?.wake()

  await expect.poll(() => [...programs(), ...namesIn('aside')]).toEqual([])
  expect(await perform(job('one'))).toEqual({ ...well, log: logOf('one') })
})

const [step] = job('').steps

test.skipIf(missing !== undefined)(
  'an image that brings something into every program does not wait behind one that is mounted',
  async () => {
    await engine.close()
    const { plain: image } = await testImages(folder)
    engine = await open('auto', openArtifactStore({ folder: join(folder, 'images') }).images)
    const preload = file('/etc/ld.so.preload', '/lib/evil.so\n', { readOnly: true })
    const like: Partial<Job> = { program: { kind: 'image', ...image }, wants: [], late: { files: [] } }
    await engine.anticipate?.(
      { job: job('', { ...like, files: [preload] }), cluster: 'test-cluster' },
      signal,
    )
    expect(namesIn('aside')).toEqual([])
    await engine.anticipate?.({ job: job('', { ...like, files: [] }), cluster: 'test-cluster' }, signal)

    expect(namesIn('aside')).toHaveLength(1)
  },
)

test.each<readonly [string, Partial<Job>]>([
  ['lacks the file of its door', { files: [] }],
  ['mounts what is late', { files: [file('order', '', { readOnly: true })] }],
  ['has more steps than one', { steps: [step, step] }],
])('a job that %s does not wait', async (_what, more) => {
  await anticipate(job('', more))

  expect([...programs(), ...namesIn('aside')]).toEqual([])
})
