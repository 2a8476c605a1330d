/** Data folders of earlier versions: each sealed file becomes an instance of the store, once. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { offer } from '../../test/simulation/contract-model.ts'
import type { Offer } from '../broker/catalog.ts'
import { orders } from '../broker/orders.ts'
import { systemChance } from '../kit/clock.ts'
import { encode } from '../kit/codec.ts'
import { openKeyRing } from '../store/keys.ts'
import { makeSealer } from '../store/sealer.ts'
import { openLocalBroker } from './local-broker.ts'
import { forgetInstance } from './order.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)

/** A data folder as an earlier version left it, with one instance that has a binding. */
function oldFolder(): { readonly dataDir: string; readonly file: string } {
  const dataDir = mkdtempSync(join(tmpdir(), 'chandler-old-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const folder = join(dataDir, 'local')
  mkdirSync(folder, { mode: 0o700 })
  const ring = openKeyRing(join(folder, 'keys.json'), systemChance)
  ring.make()
  const { service, plan, package: pkg }: Offer = offer
  const sealed = {
    name: 'my/old',
    package: { ...pkg, contract: 'sim', services: [{ ...service, plans: [plan] }] },
    plan: plan.name,
    state: 'ready',
    operator: plan.operator,
    parameters: { size: 3 },
    carryover: { state: bytes('what the next run needs') },
    bindings: { app: { carryover: {}, answer: { credentials: { password: 'of the binding' } } } },
    outputs: [{ name: 'report', content: bytes('told'), secret: false }],
  }
  const envelope = makeSealer(ring, systemChance, 'local').seal('local', sealed.name, bytes(encode(sealed)))
  const file = join(folder, `${encodeURIComponent(sealed.name)}.sealed`)
  writeFileSync(file, encode(envelope), { mode: 0o600 })
  return { dataDir, file }
}

const key = { platform: 'local', instance: 'my/old' }

async function look(dataDir: string) {
  const house = await openLocalBroker({ dataDir })
  try {
    const found = await house.store.look.instance(key)
    const answer = await orders.answer(house.store.look, { ...key, binding: 'app' })
    const { items } = await house.store.look.operations({ ...key, most: 10 })
    return { state: found?.state, credentials: answer?.credentials, operations: items.length }
  } finally {
    await house.close()
  }
}

test('an instance of a sealed file is in the store, with its bindings, and the file is gone', async () => {
  const { dataDir, file } = oldFolder()

  const first = await look(dataDir)

  expect(first).toMatchObject({ state: 'ready', credentials: { password: 'of the binding' } })
  expect(existsSync(file)).toBe(false)
  expect(await look(dataDir)).toEqual(first)
})

test('several commands at once take it over once', async () => {
  const { dataDir, file } = oldFolder()

  const seen = await Promise.all([look(dataDir), look(dataDir), look(dataDir)])

  expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1)
  expect(seen[0]?.state).toBe('ready')
  expect(existsSync(file)).toBe(false)
})

test('a file that a killed command had not removed yet is only removed', async () => {
  const { dataDir, file } = oldFolder()
  copyFileSync(file, `${file}.kept`)
  const before = await look(dataDir)
  copyFileSync(`${file}.kept`, file)

  expect(await look(dataDir)).toEqual(before)
  expect(existsSync(file)).toBe(false)

  const house = await openLocalBroker({ dataDir })
  await forgetInstance(house, key.instance)
  await house.close()
  expect((await look(dataDir)).state).toBe('gone')
})
