/** The SQLite file: one process at a time, nothing acknowledged is lost, copies while running, errors as problems. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeKeyRing } from '../../../test/support/key-ring.ts'
import { codeOf } from '../../../test/support/problems.ts'
import { anInstance, anOperation } from '../../../test/support/rows.ts'
import { makeClock, openTestStore } from '../../../test/support/stores.ts'
import { systemChance, systemClock } from '../../kit/clock.ts'
import { openStore } from '../index.ts'
import type { KeyRing } from '../keys.ts'
import type { Store } from '../store.ts'
import { refuseNetwork } from './place.ts'
import { isInputOutput, sqliteProblem } from './problem.ts'

const folder = (): string => mkdtempSync(join(tmpdir(), 'chandler-sqlite-'))

test('a second opening of the same file is refused until the first is closed', async () => {
  const url = `sqlite:${join(folder(), 'a.db')}`
  const keys = makeKeyRing(systemChance)
  const first = await open(url, keys)

  await expect(codeOf(open(url, keys))).resolves.toBe('store.locked')
  await first.close()

  await (await open(url, keys)).close()
})

test('a write that comes after the end is refused', async () => {
  const store = await open(`sqlite:${join(folder(), 'a.db')}`, makeKeyRing(systemChance))
  await store.close()

  await expect(store.write(async () => 'kept')).rejects.toThrow('database is not open')
})

test('a file whose process is about to leave is waited for', async () => {
  const url = `sqlite:${join(folder(), 'a.db')}`
  const keys = makeKeyRing(systemChance)
  const first = await open(url, keys)

  const second = openStore({ url, keys, clock: systemClock, connectMs: 20_000 })
  await first.close()

  await (await second).close()
})

test('another process is kept out, and a process that is killed leaves no lock and no torn write behind', async () => {
  const place = folder()
  const file = join(place, 'a.db')
  const program = join(place, 'writer.ts')
  writeFileSync(program, writerProgram(file))
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const acknowledged = await firstLines(child.stdout, 25)

  await expect(codeOf(open(`sqlite:${file}`, fixedKeys()))).resolves.toBe('store.locked')
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone

  const store = await open(`sqlite:${file}`, fixedKeys())
  const { items } = await store.look.instances({ most: 10_000 })
  const found = new Set(items.map(({ instance }) => instance))
  expect(acknowledged.filter((id) => !found.has(id))).toEqual([])
  // Two rows were written in each transaction: both or none are there.
  expect(found.size % 2).toBe(0)
  await store.close()
})

test('a copy made while writing goes on is a whole database of its own', async () => {
  const place = folder()
  const keys = makeKeyRing(systemChance)
  const store = await open(`sqlite:${join(place, 'a.db')}`, keys)
  for (let i = 0; i < 50; i++) await store.write((tx) => tx.putInstance(anInstance({ instance: `i${i}` })))

  let isCopied = false
  const copying = store.backup(join(place, 'copy.db')).then(() => {
    isCopied = true
  })
  for (let i = 50; i < 80 || !isCopied; i++)
    await store.write((tx) => tx.putInstance(anInstance({ instance: `i${i}` })))
  await copying
  await store.close()

  const copy = await open(`sqlite:${join(place, 'copy.db')}`, keys)
  expect((await copy.look.instances({ most: 10_000 })).items.length).toBeGreaterThanOrEqual(50)
  await copy.close()
})

test('who starts with a copy is frozen, holds back what was under way, and is not disturbed by who was there before', async () => {
  const place = folder()
  const keys = makeKeyRing(systemChance)
  const store = await open(`sqlite:${join(place, 'a.db')}`, keys)
  const [running, ended] = [
    anOperation({ state: 'running', fence: 3 }),
    anOperation({ target: { platform: 'cf', instance: 'other' }, state: 'succeeded' }),
  ]
  await store.write(async (tx) => {
    for (const one of [running, ended]) await tx.addOperation(one)
  })
  await store.backup(join(place, 'copy.db'))
  const untouched = await store.look.operation(running.id)
  await store.close()

  const copy = await open(`sqlite:${join(place, 'copy.db')}`, keys)
  const { epoch, freeze } = await copy.look.cluster()
  const claim = { node: 'n', epoch, leaseMs: 1000, most: 10, perPlatform: 10 }

  expect(untouched?.state).toBe('running')
  expect(epoch).toBe(2)
  expect(freeze).toMatchObject({ all: true, isCopy: true, reason: expect.stringContaining('copy of 20') })
  expect(await copy.look.operation(running.id)).toMatchObject({ state: 'quarantined', fence: 4 })
  expect(await copy.look.history(running.id)).toMatchObject([{ state: 'quarantined', fence: 4 }])
  expect((await copy.look.operation(ended.id))?.state).toBe('succeeded')
  expect(await copy.write((tx) => tx.claim(claim))).toEqual([])
  expect(readdirSync(place).filter((name) => name.startsWith('copy') && name.includes('part'))).toEqual([])
  await copy.close()
})

test('a store in memory is not copied', async () => {
  await using opened = await openTestStore('memory')

  await expect(codeOf(opened.store.backup(join(folder(), 'copy.db')))).resolves.toBe('usage.invalid')
})

test('a copy is not made over a file that is there', async () => {
  await using opened = await openTestStore('sqlite')
  const file = join(folder(), 'precious')
  writeFileSync(file, 'x')

  await expect(codeOf(opened.store.backup(file))).resolves.toBe('file.unwritable')
})

test.each([
  ['is a folder', () => folder()],
  ['lies in no folder', () => join(folder(), 'none', 'a.db')],
])('a file that %s cannot be opened, and says so', async (_, place) => {
  await expect(codeOf(open(`sqlite:${place()}`, fixedKeys()))).resolves.toBe('store.unavailable')
})

test('a file that is no database is refused and stays as it is', async () => {
  const file = join(folder(), 'a.db')
  writeFileSync(file, 'this is not a database, but long enough to look like one'.repeat(10))

  await expect(codeOf(open(`sqlite:${file}`, fixedKeys()))).resolves.toBe('store.corrupt')
})

test('the file is for its owner only, and so are those beside it', async () => {
  const place = folder()
  const store = await open(`sqlite:${join(place, 'a.db')}`, fixedKeys())
  await store.probe()

  const modes = ['a.db', 'a.db-wal', 'a.db-shm'].map((name) => statSync(join(place, name)).mode & 0o777)
  expect(modes).toEqual([0o600, 0o600, 0o600])
  await store.close()
})

test.each([
  [0x6969, true],
  [0xff534d42, true],
  [0xef53, false],
  [0x794c7630, false],
])('the file system %i is one of a network: %s', async (type, isRefused) => {
  const answer = codeOf((async () => refuseNetwork('/data', type))())

  await expect(answer).resolves.toBe(isRefused ? 'settings.invalid' : 'nothing failed')
})

test('the file gives space back after much was forgotten', async () => {
  const place = folder()
  const clock = makeClock()
  const url = `sqlite:${join(place, 'a.db')}`
  const store = await openStore({ url, keys: fixedKeys(), clock })
  const bytes = Buffer.alloc(4000, 'x')
  for (let i = 0; i < 50; i++) {
    const piece = { operation: 'op', run: 'run', stream: 'stdout' as const, step: 's', span: 1, bytes }
    const rows = Array.from({ length: 10 }, (_, n) => ({ ...piece, position: i * 10 + n }))
    await store.write((tx) => tx.addLog(rows))
  }
  clock.advance(31 * 86_400_000)

  const pages = async (): Promise<number> => {
    await store.write((tx) =>
      tx.forget({ operationDays: 90, logDays: 30, goneDays: 30, auditDays: 400 }, 100),
    )
    const copy = join(place, `copy-${Math.random()}.db`)
    await store.backup(copy)
    return statSync(copy).size
  }
  const sizes = [await pages(), await pages(), await pages(), await pages(), await pages()]

  expect(sizes.at(-1)).toBeLessThan((sizes[0] ?? 0) / 4)
  await store.close()
})

test('a store in memory needs no timer and no turn of the event loop', async () => {
  let isDone = false
  void (async () => {
    const store = await open('sqlite::memory:', fixedKeys())
    await Promise.all(
      [1, 2, 3].map((n) => store.write((tx) => tx.putInstance(anInstance({ instance: `${n}` })))),
    )
    await store.look.instances({ most: 10 })
    await store.close()
    isDone = true
  })()

  for (let i = 0; i < 2000 && !isDone; i++) await Promise.resolve()

  expect(isDone).toBe(true)
})

test.each(['memory', 'sqlite'] as const)(
  'who is told that something was queued joins its transaction and finds it there (%s)',
  async (kind) => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const told: string[] = []
    let joined: Promise<void> | undefined
    store.onHint((hint) => {
      told.push(hint.kind)
      joined = store.write(
        async (tx) => void told.push(`sees ${(await tx.instance(anInstance()))?.instance}`),
      )
    })

    await store.write(async (tx) => {
      tx.hint({ kind: 'queued' })
      await tx.putInstance(anInstance())
    })

    expect(told).toEqual(['queued', 'sees i-1'])
    await joined
    expect(told).toHaveLength(2)
  },
)

test('a URL of another kind is a fault of the settings', async () => {
  await expect(codeOf(open('mysql://x', fixedKeys()))).resolves.toBe('settings.invalid')
})

test('a store in memory leaves no file', async () => {
  const before = readdirSync('.')
  await using _ = await openTestStore('memory')

  expect(readdirSync('.')).toEqual(before)
})

test.each([
  [13, 'store.unavailable', false],
  [1034, 'store.unavailable', true],
  [8, 'store.unavailable', false],
])('the error %i of SQLite is %s', (errcode, code, isLost) => {
  const error = Object.assign(new RangeError('of SQLite'), { errcode })

  expect(sqliteProblem(error)).toMatchObject({ problem: { code, detail: 'of SQLite', cause: error } })
  expect(isInputOutput(error)).toBe(isLost)
})

test('an error that is not of SQLite, or a fault of our own statement, stays as it is', () => {
  const own = new RangeError('x')
  const fault = Object.assign(new RangeError('syntax error'), { errcode: 1 })

  expect([sqliteProblem(own), sqliteProblem(fault)]).toEqual([own, fault])
})

function open(url: string, keys: KeyRing): Promise<Store> {
  return openStore({ url, keys, clock: makeClock() })
}

/** The same ring in both processes. */
function fixedKeys(): KeyRing {
  return makeKeyRing({ bytes: (count) => new Uint8Array(count).fill(7), number: () => 0 })
}

function writerProgram(file: string): string {
  const root = process.cwd()
  return `
    import { openStore } from '${root}/src/store/index.ts'
    import { makeKeyRing } from '${root}/test/support/key-ring.ts'
    import { systemClock } from '${root}/src/kit/clock.ts'
    import { anInstance } from '${root}/test/support/rows.ts'
    const keys = makeKeyRing({ bytes: (count) => new Uint8Array(count).fill(7), number: () => 0 })
    const store = await openStore({ url: 'sqlite:${file}', keys, clock: systemClock })
    for (let i = 0; ; i++) {
      await store.write(async (tx) => {
        await tx.putInstance(anInstance({ instance: 'a' + i }))
        await tx.putInstance(anInstance({ instance: 'b' + i }))
      })
      process.stdout.write('a' + i + '\\n')
    }`
}

/** The first lines; the rest is read and dropped, so that the writer goes on. */
function firstLines(stream: NodeJS.ReadableStream, count: number): Promise<readonly string[]> {
  let text = ''
  return new Promise((resolve) => {
    stream.on('data', (chunk) => {
      text += chunk
      const lines = text.split('\n')
      if (lines.length > count) resolve(lines.slice(0, -1))
    })
  })
}
