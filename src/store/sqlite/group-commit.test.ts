/** Group commit: writers share commits and nothing else. */
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { type Group, makeGroup } from './group-commit.ts'

interface Bench {
  /** What a flush waits for. */
  disk: Promise<void>
  readonly group: Group
  readonly db: DatabaseSync
  readonly commands: string[]
  /** Lets the rounds that are due begin. */
  turn(): void
  names(): readonly unknown[]
  insert(name: string): Promise<string>
}

test('writers that wait together share one transaction', async () => {
  const bench = open()

  const results = ['a', 'b', 'c'].map((name) => bench.group.write(() => bench.insert(name)))
  bench.turn()

  expect(await Promise.all(results)).toEqual(['a', 'b', 'c'])
  expect(bench.commands.filter((command) => command === 'COMMIT')).toHaveLength(1)
  expect(bench.names()).toEqual(['a', 'b', 'c'])
})

test('a writer alone needs no savepoint', async () => {
  const bench = open()

  const result = bench.group.write(() => bench.insert('a'))
  bench.turn()
  await result

  expect(bench.commands).toEqual(['BEGIN IMMEDIATE', 'COMMIT', 'flush'])
})

test.each([
  ['only loose ones', ['loose', 'loose'], 0],
  ['one firm among loose ones', ['loose', 'firm'], 1],
  ['several firm ones', ['firm', 'firm'], 1],
] as const)('a group of %s flushes as often as needed', async (_, how, expected) => {
  const bench = open()

  const all = how.map((one, i) => bench.group.write(() => bench.insert(`n${i}`), one))
  bench.turn()
  await Promise.all(all)

  expect(bench.commands.filter((command) => command === 'flush')).toHaveLength(expected)
})

test('a firm write is answered when the disk has it, a loose one and the next transaction before', async () => {
  const bench = open()
  const disk = Promise.withResolvers<void>()
  bench.disk = disk.promise
  const answered: string[] = []
  const note = (name: string, how: 'firm' | 'loose') =>
    bench.group.write(() => bench.insert(name), how).then(() => answered.push(name))

  const firm = note('firm', 'firm')
  const loose = note('loose', 'loose')
  bench.turn()
  await loose
  const next = note('next', 'loose')
  bench.turn()
  await next
  expect(answered).toEqual(['loose', 'next'])
  disk.resolve()
  await firm

  expect(answered).toEqual(['loose', 'next', 'firm'])
})

test('what was written loosely is settled once the disk has it', async () => {
  const bench = open()
  const disk = Promise.withResolvers<void>()
  bench.disk = disk.promise
  const loose = bench.group.write(() => bench.insert('loose'), 'loose')
  bench.turn()
  await loose
  let isSettled = false
  const settled = bench.group.settled().then(() => {
    isSettled = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isSettled).toBe(false)
  disk.resolve()
  await settled

  expect(bench.commands.at(-1)).toBe('flush')
})

test('a flush that fails is told to the firm ones', async () => {
  const bench = open()
  bench.disk = Promise.reject(new RangeError('no disk'))

  const firm = bench.group.write(() => bench.insert('firm'))
  const loose = bench.group.write(() => bench.insert('loose'), 'loose')
  bench.turn()

  await expect(firm).rejects.toThrow('no disk')
  expect(await loose).toBe('loose')
  await bench.group.idle()
})

test('nobody writes while something is done apart, and everybody after', async () => {
  const bench = open()
  const apart = Promise.withResolvers<void>()

  const pause = bench.group.apart(() => apart.promise)
  bench.turn()
  const late = bench.group.write(() => bench.insert('late'))
  bench.turn()
  await new Promise((resolve) => setImmediate(resolve))
  expect(bench.names()).toEqual([])
  apart.resolve()
  await pause
  await new Promise((resolve) => setImmediate(resolve))
  bench.turn()

  expect(await late).toBe('late')
})

test.each([
  ['throws', () => Promise.reject(new RangeError('no'))],
  ['breaks a rule of the database', (bench: Bench) => bench.insert('a')],
])('one that %s takes its own writes back and nobody else’s', async (_, fault) => {
  const bench = open()

  const first = bench.group.write(() => bench.insert('a'))
  const bad = bench.group.write(async () => {
    await bench.insert('bad')
    return fault(bench)
  })
  const last = bench.group.write(() => bench.insert('c'))
  bench.turn()

  await expect(bad).rejects.toThrow()
  await Promise.all([first, last])
  expect(bench.names()).toEqual(['a', 'c'])
})

test('when all of a group fail nothing is committed', async () => {
  const bench = open()

  const all = [1, 2].map(() => bench.group.write(() => Promise.reject(new RangeError('no'))))
  bench.turn()

  expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(bench.commands).not.toContain('COMMIT')
})

test('when the commit fails each tries alone, and only the culprit fails', async () => {
  const bench = open()
  bench.db.exec('CREATE TABLE parent (id TEXT PRIMARY KEY) STRICT')
  bench.db.exec(
    'CREATE TABLE child (parent TEXT REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED) STRICT',
  )

  const good = bench.group.write(() => bench.insert('good'))
  const orphan = bench.group.write(async () => {
    // Seen only by the commit.
    bench.db.exec(`INSERT INTO child VALUES ('nobody')`)
  })
  bench.turn()

  await expect(orphan).rejects.toThrow('FOREIGN KEY')
  expect(await good).toBe('good')
  expect(bench.names()).toEqual(['good'])
})

test('an error that ends the whole transaction does not take the others along', async () => {
  const bench = open()

  const good = bench.group.write(() => bench.insert('good'))
  const bad = bench.group.write(async () => {
    await bench.insert('bad')
    bench.db.exec('ROLLBACK')
    throw new RangeError('fell')
  })
  const other = bench.group.write(() => bench.insert('other'))
  bench.turn()

  await expect(bad).rejects.toThrow('fell')
  await new Promise((resolve) => setImmediate(resolve))
  bench.turn()
  await Promise.all([good, other])
  expect(bench.names()).toEqual(['good', 'other'])
})

test('who comes while a transaction is open is in it', async () => {
  const bench = open()
  let late: Promise<string> | undefined

  const first = bench.group.write(async () => {
    late = bench.group.write(() => bench.insert('late'))
    return bench.insert('first')
  })
  bench.turn()
  await first

  expect(await late).toBe('late')
  expect(bench.commands.filter((command) => command === 'COMMIT')).toHaveLength(1)
})

test('who came while one failed alone is not taken back with it', async () => {
  const bench = open()
  let late: Promise<string> | undefined

  const bad = bench.group.write(async () => {
    late = bench.group.write(() => bench.insert('late'))
    await bench.insert('bad')
    throw new RangeError('no')
  })
  bench.turn()
  await expect(bad).rejects.toThrow('no')
  await new Promise((resolve) => setImmediate(resolve))
  bench.turn()

  expect(await late).toBe('late')
  expect(bench.names()).toEqual(['late'])
})

test('a read between waits for the transaction that is open, and sees all of it', async () => {
  const bench = open()
  let read: Promise<readonly unknown[]> | undefined

  const write = bench.group.write(async () => {
    await bench.insert('a')
    read = bench.group.between(() => bench.names())
    await bench.insert('b')
  })
  expect(await bench.group.between(() => bench.names())).toEqual([])
  bench.turn()
  await write

  expect(await read).toEqual(['a', 'b'])
})

test('a read that fails fails alone', async () => {
  const bench = open()
  const failing = bench.group.between(() => bench.db.exec('nonsense'))

  await expect(failing).rejects.toThrow('syntax error')
  expect(await bench.group.between(() => 1)).toBe(1)
})

test('idle answers when nobody waits any more', async () => {
  const bench = open()
  const write = bench.group.write(() => bench.insert('a'))
  let isIdle = false
  const idle = bench.group.idle().then(() => {
    isIdle = true
  })
  await Promise.resolve()
  expect(isIdle).toBe(false)
  bench.turn()
  await write
  await idle

  expect(isIdle).toBe(true)
})

test('many writers of which every third fails leave exactly what the others wrote', async () => {
  const bench = open()
  const wanted = Array.from({ length: 500 }, (_, i) => `n${i}`)

  const all = Promise.allSettled(
    wanted.map((name, i) =>
      bench.group.write(async () => {
        await bench.insert(name)
        if (i % 3 === 0) throw new RangeError('third')
      }),
    ),
  )
  for (let i = 0; i < 20; i++) {
    bench.turn()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const settled = await all

  const kept = wanted.filter((_, i) => i % 3 !== 0)
  expect(bench.names().toSorted()).toEqual(kept.toSorted())
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(kept.length)
})

function open(): Bench {
  const db = new DatabaseSync(':memory:')
  db.exec('CREATE TABLE name (name TEXT PRIMARY KEY) STRICT')
  const commands: string[] = []
  const due: (() => void)[] = []
  const group = makeGroup(
    {
      exec: (command) => {
        commands.push(command)
        db.exec(command)
      },
      isOpen: () => db.isTransaction,
      isOver: () => false,
      flush: () => {
        commands.push('flush')
        return bench.disk
      },
    },
    (round) => due.push(round),
  )
  const bench: Bench = {
    disk: Promise.resolve(),
    group,
    db,
    commands,
    turn: () => {
      for (const round of due.splice(0)) round()
    },
    names: () =>
      db
        .prepare('SELECT name FROM name ORDER BY rowid')
        .all()
        .map((row) => row['name']),
    insert: async (name) => {
      db.prepare('INSERT INTO name VALUES (?)').run(name)
      return name
    },
  }
  return bench
}
