/** Envelopes: what is sealed opens at its place with its key, and nowhere else. */
import { expect, test } from 'vitest'
import { makeKeyRing } from '../../test/support/key-ring.ts'
import { codeOf } from '../../test/support/problems.ts'
import { systemChance } from '../kit/clock.ts'
import { type Envelope, rewrap, sealBytes, unsealBytes } from './envelope.ts'
import type { KeyRing } from './keys.ts'

const content = Buffer.from('geheim')

test('what is sealed opens at its place', () => {
  const keys = makeKeyRing(systemChance)

  const envelope = sealBytes(keys, systemChance, 'here', content)

  expect(unsealBytes(keys, 'here', envelope)).toEqual(new Uint8Array(content))
  expect(envelope.key).toBe(keys.active())
  expect(Buffer.from(envelope.body).includes(content)).toBe(false)
})

test('nothing and a megabyte are sealed as well', () => {
  const keys = makeKeyRing(systemChance)
  for (const size of [0, 1, 1 << 20]) {
    const bytes = systemChance.bytes(size)
    expect(unsealBytes(keys, 'here', sealBytes(keys, systemChance, 'here', bytes))).toEqual(bytes)
  }
})

test('the same content is sealed differently each time', () => {
  const keys = makeKeyRing(systemChance)

  const bodies = [1, 2].map(() => Buffer.from(sealBytes(keys, systemChance, 'here', content).body))

  expect(bodies[0]?.equals(bodies[1] as Buffer)).toBe(false)
})

test('a record that was moved to another place does not open', async () => {
  const keys = makeKeyRing(systemChance)
  const envelope = sealBytes(keys, systemChance, 'here', content)

  await expect(codeOf(open(keys, 'there', envelope))).resolves.toBe('key.wrong')
})

test('a record with any byte changed does not open', async () => {
  const keys = makeKeyRing(systemChance)
  const envelope = sealBytes(keys, systemChance, 'here', content)

  for (let i = 0; i < envelope.body.length; i++) {
    const body = new Uint8Array(envelope.body)
    body[i] = (body[i] ?? 0) ^ 1
    expect(await codeOf(open(keys, 'here', { ...envelope, body }))).toBe('key.wrong')
  }
  expect(await codeOf(open(keys, 'here', { ...envelope, body: new Uint8Array(3) }))).toBe('key.wrong')
})

test('a record whose key is not in the ring says which', async () => {
  const envelope = sealBytes(makeKeyRing(systemChance), systemChance, 'here', content)

  await expect(codeOf(open(makeKeyRing(systemChance), 'here', envelope))).resolves.toBe('key.missing')
})

test('a record that claims another key of the ring does not open', async () => {
  const [first, second] = [makeKeyRing(systemChance), makeKeyRing(systemChance)]
  const both = { ...first, find: (id: string) => first.find(id) ?? second.find(id) }
  const envelope = sealBytes(first, systemChance, 'here', content)

  await expect(codeOf(open(both, 'here', { ...envelope, key: second.active() }))).resolves.toBe('key.wrong')
})

test('wrapping anew leaves the content alone and needs the old key no more', () => {
  const [old, next] = [makeKeyRing(systemChance), makeKeyRing(systemChance)]
  const both = { ...next, find: (id: string) => next.find(id) ?? old.find(id) }
  const envelope = sealBytes(old, systemChance, 'here', content)

  const wrapped = rewrap(both, systemChance, 'here', envelope)

  expect(wrapped.key).toBe(next.active())
  expect(unsealBytes(next, 'here', wrapped)).toEqual(new Uint8Array(content))
})

async function open(keys: KeyRing, place: string, envelope: Envelope): Promise<Uint8Array> {
  return unsealBytes(keys, place, envelope)
}
