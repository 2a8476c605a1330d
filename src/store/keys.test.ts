/** The key ring's file: made once, private, several keys of which one is active. */
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { codeOf } from '../../test/support/problems.ts'
import { systemChance } from '../kit/clock.ts'
import { addKey, makeKeyRing, openKeyRing, removeKey } from './keys.ts'

const newFile = (): string => join(mkdtempSync(join(tmpdir(), 'chandler-keys-')), 'keys.json')

test('the first opening makes a ring with one key that only its owner can read', () => {
  const file = newFile()

  const ring = openKeyRing(file, systemChance)

  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(ring.ids()).toEqual([ring.active()])
  expect(ring.find(ring.active())).toMatchObject({ symmetricKeySize: 32 })
})

test('the ring is the same when it is opened again', () => {
  const file = newFile()
  const first = openKeyRing(file, systemChance)

  const again = openKeyRing(file, systemChance)

  expect(again.active()).toBe(first.active())
  expect(again.find(first.active())?.export()).toEqual(first.find(first.active())?.export())
})

test('an added key is active, the old ones go on opening', () => {
  const file = newFile()
  const before = openKeyRing(file, systemChance)
  const old = before.active()

  const added = addKey(file, systemChance)

  const after = openKeyRing(file, systemChance)
  expect(after.active()).toBe(added)
  expect(after.find(old)?.export()).toEqual(before.find(old)?.export())
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(file, '..'))).toEqual(['keys.json'])
})

test('a ring that is open learns a new key when it meets one, and uses it from then on', () => {
  const file = newFile()
  const ring = openKeyRing(file, systemChance)
  const old = ring.active()
  const added = addKey(file, systemChance)

  expect(ring.active()).toBe(old)
  expect(ring.find(added)).toMatchObject({ symmetricKeySize: 32 })
  expect(ring.active()).toBe(added)
})

test('a ring that is open learns a new key when it is asked to read again', () => {
  const file = newFile()
  const ring = openKeyRing(file, systemChance)
  const added = addKey(file, systemChance)

  ring.reload()

  expect(ring.active()).toBe(added)
})

test('a key that is not active is removed; the active one and an unknown one are not', async () => {
  const file = newFile()
  const old = openKeyRing(file, systemChance).active()
  const added = addKey(file, systemChance)

  await expect(codeOf(run(() => removeKey(file, added)))).resolves.toBe('usage.invalid')
  await expect(codeOf(run(() => removeKey(file, 'k0')))).resolves.toBe('key.missing')
  removeKey(file, old)

  expect(openKeyRing(file, systemChance).ids()).toEqual([added])
})

test.each([
  ['is not JSON', 'x'],
  ['holds no keys', '{"version":1}'],
  ['has no active key', '{"keys":[{"id":"k1","key":"AAAA","state":"decrypt-only"}]}'],
  ['has a key of the wrong length', '{"keys":[{"id":"k1","key":"AAAA","state":"active"}]}'],
  ['has a key without an id', '{"keys":[{"key":"AAAA","state":"active"}]}'],
])('a file that %s is refused and stays as it is', async (_, content) => {
  const file = newFile()
  writeFileSync(file, content)

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
