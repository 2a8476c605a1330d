/** The key ring's file: made once, private, several keys of which one is active. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeKeyRing } from '../../test/support/key-ring.ts'
import { codeOf } from '../../test/support/problems.ts'
import { systemChance } from '../kit/clock.ts'
import { activateKey, addKey, type KeyRing, openKeyRing, removeKey } from './keys.ts'

const newFile = (): string => join(mkdtempSync(join(tmpdir(), 'chandler-keys-')), 'keys.json')

test('opening makes nothing; a ring that is made has one key that only its owner can read', () => {
  const file = newFile()

  const ring = openKeyRing(file, systemChance)
  const before = [ring.ids(), readdirSync(join(file, '..'))]
  ring.make()

  expect(before).toEqual([[], []])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(ring.ids()).toEqual([ring.active()])
  expect(ring.find(ring.active())).toMatchObject({ symmetricKeySize: 32 })
})

test('of two that make the ring at once one does, and both have the same', () => {
  const file = newFile()
  const [first, second] = [openKeyRing(file, systemChance), openKeyRing(file, systemChance)]

  first.make()
  second.make()

  expect(second.active()).toBe(first.active())
  expect(second.find(first.active())?.export()).toEqual(first.find(first.active())?.export())
})

test('an added key only opens until it is activated; the old ones go on opening', () => {
  const file = newFile()
  const before = madeRing(file)
  const old = before.active()

  const added = addKey(file, systemChance)
  const between = openKeyRing(file, systemChance)
  activateKey(file, added)
  const after = openKeyRing(file, systemChance)

  expect([between.active(), after.active()]).toEqual([old, added])
  expect(after.find(old)?.export()).toEqual(before.find(old)?.export())
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('what a process that died left beside the ring is not in the way', () => {
  const file = newFile()
  madeRing(file)
  writeFileSync(join(file, '..', '.keys.json.next'), 'half a ri')

  const added = addKey(file, systemChance)

  expect(openKeyRing(file, systemChance).ids()).toContain(added)
})

test('a ring that is open learns a new key when it meets one, and uses it from then on', () => {
  const file = newFile()
  const ring = madeRing(file)
  const old = ring.active()
  const added = addKey(file, systemChance)
  activateKey(file, added)

  expect(ring.active()).toBe(old)
  expect(ring.find(added)).toMatchObject({ symmetricKeySize: 32 })
  expect(ring.active()).toBe(added)
})

test('a ring that lost a key or has another one under its id is not learned from', () => {
  const [own, other] = [newFile(), newFile()]
  const ring = madeRing(own)
  const old = ring.active()
  const foreign = madeRing(other).active()
  writeFileSync(own, readFileSync(other, 'utf8'))
  const lost = ring.find(foreign)
  writeFileSync(own, readFileSync(other, 'utf8').replace(foreign, old))

  expect([lost, ring.find(foreign), ring.active()]).toEqual([undefined, undefined, old])
})

test('a fresh ring is used only when it is taken over', () => {
  const file = newFile()
  const ring = madeRing(file)
  const unchanged = ring.fresh().differs
  const added = addKey(file, systemChance)
  const fresh = ring.fresh()
  const before = ring.ids()
  fresh.takeOver()

  expect([unchanged, fresh.differs, before.length]).toEqual([false, true, 1])
  expect(ring.ids()).toContain(added)
})

test('a key that is not active is removed; the active one and an unknown one are not', async () => {
  const file = newFile()
  const old = madeRing(file).active()
  const added = addKey(file, systemChance)
  activateKey(file, added)

  await expect(codeOf(run(() => removeKey(file, added)))).resolves.toBe('key.in-use')
  await expect(codeOf(run(() => removeKey(file, 'k0')))).resolves.toBe('key.unknown')
  await expect(codeOf(run(() => activateKey(file, 'k0')))).resolves.toBe('key.unknown')
  removeKey(file, old)

  expect(openKeyRing(file, systemChance).ids()).toEqual([added])
})

test.each([0o644, 0o640, 0o606, 0o660])('a ring of mode %o is refused', async (mode) => {
  const file = newFile()
  madeRing(file)
  chmodSync(file, mode)

  await expect(codeOf(run(() => openKeyRing(file, systemChance)))).resolves.toBe('key.exposed')
})

test.skipIf(process.geteuid?.() !== 0)('a ring of another user is refused (only root can try)', async () => {
  const file = newFile()
  madeRing(file)
  chownSync(file, 65_534, 65_534)

  await expect(codeOf(run(() => openKeyRing(file, systemChance)))).resolves.toBe('key.exposed')
})

/** Starts with the ring of a file as a user that may not write beside it; the code is loaded before, for the checkout may be root's alone. */
const asUser = `
  const [file, uid, gid, ...groups] = process.argv.slice(1)
  const { openKeyRing } = await import(${JSON.stringify(join(import.meta.dirname, 'keys.ts'))})
  process.setgroups(groups.map(Number))
  process.setegid(Number(gid))
  process.seteuid(Number(uid))
  try {
    openKeyRing(file, { bytes: () => new Uint8Array(32) }).make()
    console.log('opened')
  } catch (error) {
    console.log(error.problem.code, error.problem.hint ?? '')
  }
`

interface Handed {
  readonly how: string
  /** Of the file. */
  readonly mode: number
  readonly owner: readonly [uid: number, gid: number]
  /** Of the process: user, group and further groups. */
  readonly as?: readonly number[]
  readonly expected: RegExp
}

const [user, group, more] = [65_532, 65_532, 7000]
const handed: readonly Handed[] = [
  { how: 'root to its group', mode: 0o440, owner: [0, group], expected: /^opened/ },
  {
    how: 'root to its group, and may be changed by root',
    mode: 0o640,
    owner: [0, group],
    expected: /^opened/,
  },
  {
    how: 'root to a further group of it, as fsGroup is one',
    mode: 0o440,
    owner: [0, more],
    as: [user, group, more],
    expected: /^opened/,
  },
  { how: 'root to another group', mode: 0o440, owner: [0, more], expected: /^key\.missing/ },
  {
    how: 'root to its group, which may write',
    mode: 0o460,
    owner: [0, group],
    expected: /^key\.exposed chmod 440/,
  },
  { how: 'root to all', mode: 0o444, owner: [0, group], expected: /^key\.exposed chmod 440/ },
  {
    how: 'root to all, by another group',
    mode: 0o444,
    owner: [0, more],
    expected: /^key\.exposed chmod 600/,
  },
  { how: 'itself to its group', mode: 0o440, owner: [user, group], expected: /^key\.exposed chmod 600/ },
  { how: 'another user to its group', mode: 0o440, owner: [more, group], expected: /^key\.exposed/ },
  {
    how: 'root to the group of root, and runs as root',
    mode: 0o440,
    owner: [0, 0],
    as: [0, 0],
    expected: /^key\.exposed chmod 600/,
  },
]

test.skipIf(process.geteuid?.() !== 0).each(handed)(
  'a broker is handed its ring by $how (only root can try)',
  ({ mode, owner, as = [user, group], expected }) => {
    const file = newFile()
    madeRing(file)
    chmodSync(join(file, '..'), 0o755)
    chownSync(file, ...owner)
    chmodSync(file, mode)
    const words = ['--input-type=module', '-e', asUser, file, ...as.map(String)]

    expect(execFileSync(process.execPath, words, { encoding: 'utf8' })).toMatch(expected)
  },
)

test.each([
  ['is not JSON', 'x'],
  ['holds no keys', '{"version":1}'],
  ['has no active key', '{"keys":[{"id":"k1","key":"AAAA","state":"decrypt-only"}]}'],
  ['has a key of the wrong length', '{"keys":[{"id":"k1","key":"AAAA","state":"active"}]}'],
  ['has a key without an id', '{"keys":[{"key":"AAAA","state":"active"}]}'],
  ['has two keys of one id', JSON.stringify({ keys: [aKey('active'), aKey('decrypt-only')] })],
  ['has two active keys', JSON.stringify({ keys: [aKey('active'), { ...aKey('active'), id: 'k2' }] })],
])('a file that %s is refused and stays as it is', async (_, content) => {
  const file = newFile()
  writeFileSync(file, content, { mode: 0o600 })

  await expect(codeOf(run(() => openKeyRing(file, systemChance)))).resolves.toBe('key.missing')

  expect(readFileSync(file, 'utf8')).toBe(content)
})

test('a ring in memory has one key of its own', () => {
  const ring = makeKeyRing(systemChance)

  expect(ring.find(ring.active())).toMatchObject({ symmetricKeySize: 32 })
  expect(ring.find('k0')).toBeUndefined()
  expect(makeKeyRing(systemChance).active()).not.toBe(ring.active())
})

async function run(work: () => unknown): Promise<unknown> {
  return work()
}

function madeRing(file: string): KeyRing {
  const ring = openKeyRing(file, systemChance)
  ring.make()
  return ring
}

function aKey(state: string) {
  return { id: 'k1', key: Buffer.alloc(32).toString('base64'), state }
}
