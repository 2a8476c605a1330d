/** Sealed things and logs: kept unreadable, opened by name, moved to a new key while the store runs. */
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeKeyRing } from '../../test/support/key-ring.ts'
import { codeOf } from '../../test/support/problems.ts'
import { anOperation } from '../../test/support/rows.ts'
import { makeClock, openTestStore, storeKinds } from '../../test/support/stores.ts'
import { systemChance } from '../kit/clock.ts'
import { openStore } from './index.ts'
import { activateKey, addKey, openKeyRing, removeKey } from './keys.ts'
import type { LogRow, NewLogRow } from './store.ts'

const owner = 'instance/cf/i-1'
const secret = 'canary-7f3a9c51'

describe.each(storeKinds)('%s', (kind) => {
  test('what is sealed is opened by owner and name, and replaced by sealing again', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await store.write((tx) => tx.seal(owner, 'parameters', Buffer.from('old')))
    await store.write((tx) => tx.seal(owner, 'parameters', Buffer.from(secret)))

    expect(await store.look.unseal(owner, 'parameters')).toEqual(new Uint8Array(Buffer.from(secret)))
    expect(await store.look.unseal(owner, 'other')).toBeUndefined()
    expect(await store.look.unseal('instance/cf/i-2', 'parameters')).toBeUndefined()
  })

  test('one thing or all of an owner is erased', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await store.write(async (tx) => {
      for (const name of ['a', 'b', 'c']) await tx.seal(owner, name, Buffer.from(secret))
      await tx.seal('instance/cf/i-10', 'a', Buffer.from(secret))
    })
    const left = async (): Promise<number> => {
      const found = await Promise.all(['a', 'b', 'c'].map((name) => store.look.unseal(owner, name)))
      return found.filter((bytes) => bytes !== undefined).length
    }

    await store.write((tx) => tx.erase(owner, 'a'))
    expect(await left()).toBe(2)
    await store.write((tx) => tx.erase(owner))

    expect(await left()).toBe(0)
    expect(await store.look.unseal('instance/cf/i-10', 'a')).toBeDefined()
  })

  test('a log piece is rewritten where it stands', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await store.write((tx) => tx.addLog([piece(0, 'one '), piece(4, 'two '), piece(8, 'three')]))
    const before = await store.look.log('op-1', 0, 10)
    const rewritten = before.slice(1, 2).map((row) => ({ ...row, bytes: new Uint8Array(Buffer.from('2')) }))

    await store.write((tx) => tx.rewriteLog(rewritten))

    expect(await store.look.log('op-1', 0, 10)).toStrictEqual([before[0], ...rewritten, before[2]])
    expect(await store.look.logEnds('run-1')).toMatchObject([{ end: 13 }])
  })

  test('what is hidden in a log is read only with what was printed, and is rewritten with its piece', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const hidden = [{ at: 4, mark: 10, bytes: new Uint8Array(Buffer.from('s3cr3t-one')) }]
    const plain = piece(0, 'one ')
    const masked = { ...piece(4, 'two [redacted]'), hidden }
    await store.write((tx) => tx.addLog([plain, masked]))
    await store.write((tx) => tx.addLog([{ ...piece(4, 'two again'), hidden: [] }]))
    const printed = await store.look.printedLog('op-1', 0, 10)

    expect((await store.look.log('op-1', 0, 10)).some((row) => 'hidden' in row)).toBe(false)
    expect(printed.map((row) => row.hidden)).toEqual([undefined, hidden])
    expect(await store.look.printedLog('op-1', printed[0]?.number ?? 0, 10)).toEqual(printed.slice(1))

    const more = [{ at: 0, mark: 10, bytes: new Uint8Array(Buffer.from('one ')) }]
    const [first, { hidden: _gone, ...second }] = printed as [LogRow, LogRow]
    await store.write((tx) => tx.rewriteLog([{ ...first, hidden: more }, second]))

    expect((await store.look.printedLog('op-1', 0, 10)).map((row) => row.hidden)).toEqual([more, undefined])
  })

  test('what is hidden in the logs of an instance goes with the instance', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const hidden = [{ at: 0, mark: 10, bytes: new Uint8Array(Buffer.from(secret)) }]
    const operations = ['i-1', 'i-2'].map((instance) => anOperation({ target: { platform: 'cf', instance } }))
    await store.write(async (tx) => {
      for (const operation of operations) {
        const run = `run-${operation.id}`
        await tx.addOperation(operation)
        await tx.putRun({
          operation: operation.id,
          stage: 0,
          attempt: 1,
          name: run,
          engine: 'sim',
          state: 'reported',
        })
        await tx.addLog([{ ...piece(0, '[redacted]'), operation: operation.id, run, hidden }])
      }
    })

    await store.write((tx) => tx.eraseHidden({ platform: 'cf', instance: 'i-1' }))

    const left = await Promise.all(operations.map(({ id }) => store.look.printedLog(id, 0, 10)))
    expect(left.map(([row]) => row?.hidden)).toEqual([undefined, hidden])
  })

  test('log pieces come back in order after a number, each position once', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await store.write((tx) => tx.addLog([piece(0, 'one '), piece(4, 'two ')]))
    await store.write((tx) => tx.addLog([piece(4, 'two '), piece(8, 'three'), piece(2, 'overlaps')]))
    await store.write((tx) => tx.addLog([{ ...piece(0, 'other'), operation: 'op-2', run: 'run-2' }]))

    const all = await store.look.log('op-1', 0, 10)
    const rest = await store.look.log('op-1', all[0]?.number ?? 0, 1)

    expect(all.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(['one ', 'two ', 'three'])
    expect(rest).toStrictEqual([all[1]])
    expect(all[0]).toStrictEqual({ ...piece(0, 'one '), number: all[0]?.number, at: await store.look.now() })
    expect(await store.look.logEnds('run-1')).toEqual([
      { step: piece(0, '').step, stream: piece(0, '').stream, end: 13 },
    ])
    expect(await store.look.logEnds('run-9')).toEqual([])
  })

  test('all records move to a new key in batches, and then the old key is of no use any more', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'chandler-keys-')), 'keys.json')
    const keys = openKeyRing(file, systemChance)
    await using opened = await openTestStore(kind, { keys })
    const { store } = opened
    const old = keys.active()
    await store.write(async (tx) => {
      for (let i = 0; i < 5; i++) await tx.seal(owner, `n${i}`, Buffer.from(secret))
      await tx.addLog([piece(0, 'one'), piece(3, 'two')])
    })
    const added = addKey(file, systemChance)
    activateKey(file, added)

    const left: number[] = []
    const others: unknown[] = [await store.look.sealedByOthers()]
    while (left.at(-1) !== 0) {
      left.push(await store.reseal(3))
      others.push(await store.look.sealedByOthers())
    }

    expect(left).toEqual([4, 1, 0])
    expect(others).toEqual([[], ...[4, 1, 0].map((records) => [{ key: old, records }])])
    expect(await store.look.sealedByKey()).toEqual([{ key: added, records: 8 }])
    await store.retireKey(old, () => removeKey(file, old))
    await store.takeKeys()
    expect(keys.ids()).toEqual([added])
    expect(await store.look.unseal(owner, 'n4')).toEqual(new Uint8Array(Buffer.from(secret)))
    expect(await store.look.log('op-1', 0, 10)).toHaveLength(2)
  })

  test('a record that does not open does not keep the others from a new key', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'chandler-keys-')), 'keys.json')
    const keys = openKeyRing(file, systemChance)
    await using opened = await openTestStore(kind, { keys })
    const { store } = opened
    for (const name of ['a', 'b', 'c']) await store.write((tx) => tx.seal(owner, name, Buffer.from(secret)))
    await opened.damage(`UPDATE sealed SET name = 'moved' WHERE name = 'a'`)
    activateKey(file, addKey(file, systemChance))

    const left: number[] = []
    while (left.at(-1) !== 0) left.push(await store.reseal(1))

    expect(left.length).toBeLessThanOrEqual(4)
    expect((await store.look.sealedByKey()).map(({ records }) => records).toSorted()).toEqual([1, 3])
    await expect(codeOf(store.look.unseal(owner, 'moved' as never))).resolves.toBe('key.wrong')
    expect(await store.look.unseal(owner, 'b')).toBeDefined()
  })

  test('a record that cannot be opened harms nobody else', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await store.write((tx) => tx.seal(owner, 'lost', Buffer.from(secret)))
    await opened.damage(`UPDATE sealed SET key_id = 'k0' WHERE name = 'lost'`)

    await store.write((tx) => tx.seal(owner, 'fine', Buffer.from(secret)))

    await expect(codeOf(store.look.unseal(owner, 'lost'))).resolves.toBe('key.missing')
    expect(await store.look.unseal(owner, 'fine')).toBeDefined()
  })

  test('a key is retired only when nothing is sealed with it and nobody that lives seals with it', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'chandler-keys-')), 'keys.json')
    const keys = openKeyRing(file, systemChance)
    await using opened = await openTestStore(kind, { keys })
    const { store } = opened
    const old = keys.active()
    const retire = () => codeOf(store.retireKey(old, () => removeKey(file, old)))
    const beat = async (name: string, activeKey: string) => {
      const now = await store.look.now()
      const times = { startedAt: now, heartbeatAt: now }
      await store.write((tx) =>
        tx.putNode({ name, boot: 'b', version: '1', draining: false, ...times, activeKey }),
      )
    }
    await store.write((tx) => tx.seal(owner, 'a', Buffer.from(secret)))
    activateKey(file, addKey(file, systemChance))
    const sealing = await retire()
    while ((await store.reseal(10)) > 0);
    await beat('late', old)
    const late = await retire()
    await beat('late', keys.active())
    const retired = await retire()

    // No other process can have written to a file of SQLite: another key in it is of an earlier start.
    const lateWord = kind === 'postgres' ? 'key.in-use' : 'nothing failed'
    expect([sealing, late]).toEqual(['key.in-use', lateWord])
    expect(retired).toBe(kind === 'postgres' ? 'nothing failed' : 'key.unknown')
    expect(openKeyRing(file, systemChance).ids()).toEqual([keys.active()])
  })

  test.each<[string, (file: string, other: string) => void, string]>([
    ['of another database', (file, other) => copyFileSync(other, file), 'key.missing'],
    ['that is gone', (file) => rmSync(file), 'key.missing'],
    ['that others can read', (file) => chmodSync(file, 0o644), 'key.exposed'],
    ['that is torn', (file) => writeFileSync(file, '{"keys": ['), 'key.missing'],
    [
      'that lost a key in use',
      (file) => {
        const ring = JSON.parse(readFileSync(file, 'utf8')) as { keys: { state: string }[] }
        const keys = ring.keys.filter(({ state }) => state === 'active')
        writeFileSync(file, JSON.stringify({ keys }))
      },
      'key.missing',
    ],
  ])('a running broker keeps its ring when it finds one %s', async (_, change, code) => {
    const folder = mkdtempSync(join(tmpdir(), 'chandler-keys-'))
    const [file, other] = [join(folder, 'keys.json'), join(folder, 'other.json')]
    openKeyRing(other, systemChance).make()
    const keys = openKeyRing(file, systemChance)
    await using opened = await openTestStore(kind, { keys })
    const { store } = opened
    await store.write((tx) => tx.seal(owner, 'a', Buffer.from(secret)))
    activateKey(file, addKey(file, systemChance))
    // The check record follows at once, the others stay as they are.
    await store.reseal(0)
    const before = [...keys.ids(), keys.active()]

    change(file, other)
    const refused = await codeOf(store.takeKeys())
    await store.write((tx) => tx.seal(owner, 'b', Buffer.from(secret)))

    expect([refused, [...keys.ids(), keys.active()]]).toEqual([code, before])
    expect(await store.look.unseal(owner, 'b')).toBeDefined()
  })
})

test('a ring that does not belong to the database is refused, and nothing is written', async () => {
  const url = `sqlite:${join(mkdtempSync(join(tmpdir(), 'chandler-store-')), 'chandler.db')}`
  const keys = makeKeyRing(systemChance)
  const first = await openStore({ url, keys, clock: makeClock() })
  await first.close()
  const before = readFileSync(url.slice('sqlite:'.length))

  const wrong = openStore({ url, keys: makeKeyRing(systemChance), clock: makeClock() })
  await expect(codeOf(wrong)).resolves.toBe('key.wrong')

  expect(readFileSync(url.slice('sqlite:'.length)).equals(before)).toBe(true)
  await (await openStore({ url, keys, clock: makeClock() })).close()
})

test('nothing sealed, erased or not, is found in clear in the files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-store-'))
  const url = `sqlite:${join(folder, 'chandler.db')}`
  const store = await openStore({ url, keys: makeKeyRing(systemChance), clock: makeClock() })
  await store.write(async (tx) => {
    await tx.seal(owner, 'parameters', Buffer.from(secret))
    await tx.addLog([piece(0, secret)])
    await tx.putIdempotent({ scope: 's', key: 'k', fingerprint: 'f', status: 201, body: { secret } })
  })
  await store.write((tx) => tx.erase(owner))
  const seen = readdirSync(folder).map((name) => readFileSync(join(folder, name)).includes(secret))
  await store.close()

  expect(seen.length).toBeGreaterThan(1)
  expect(seen).not.toContain(true)
})

function piece(position: number, text: string): NewLogRow {
  return {
    operation: 'op-1',
    run: 'run-1',
    stream: 'stdout',
    step: 'main',
    position,
    span: text.length,
    bytes: new Uint8Array(Buffer.from(text)),
  }
}
