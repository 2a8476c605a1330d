/** The key of a tenant is erased only while nothing of that tenant needs it. */
import { expect, test } from 'vitest'
import { codeOf } from '../../test/support/problems.ts'
import { anInstance, anOperation } from '../../test/support/rows.ts'
import { missingPostgres, openTestStore } from '../../test/support/stores.ts'
import { ownerOfInstance } from '../model/sealed.ts'
import type { Store, Transaction } from '../store/store.ts'
import type { Asker } from './orders.ts'
import type { Ports } from './ports.ts'
import { eraseTenant } from './tenants.ts'

const content = new Uint8Array([1, 2, 3])
const asker = { account: { kind: 'user', id: 'ada' }, requestId: 'r-1' } as unknown as Asker

function order(store: Store, tenant: string, instance: string): Promise<void> {
  return store.write(async (tx) => {
    const key = { platform: 'cf', instance }
    await tx.putInstance(anInstance({ ...key, tenant }))
    await tx.seal(ownerOfInstance(key), 'it', content)
  })
}

/** A store in which another process orders something each time that the erasure has looked for what is left to erase. */
function overtaken(store: Store, between: () => Promise<void>): Pick<Ports, 'store' | 'node'> {
  const write: Store['write'] = (work, manner) =>
    store.write((tx) => {
      const eraseEnded: Transaction['eraseEnded'] = async (...asked) => {
        const last = await tx.eraseEnded(...asked)
        if (last === undefined) await between()
        return last
      }
      return work(new Proxy(tx, { get: (of, name) => read(of, name, { eraseEnded }) }))
    }, manner)
  return { store: new Proxy(store, { get: (of, name) => read(of, name, { write }) }), node: 'n-1' }
}

function read(of: object, name: string | symbol, instead: object): unknown {
  const from = name in instead ? instead : of
  const value: unknown = Reflect.get(from, name)
  return typeof value === 'function' ? value.bind(from) : value
}

// On SQLite there is one writer, so that nothing comes between.
test.skipIf(missingPostgres !== undefined).each<[string, boolean]>([
  ['without a key', false],
  ['with a key', true],
])('what is ordered while a tenant %s is erased is kept', async (_, hasKey) => {
  await using opened = await openTestStore('postgres')
  const { store } = opened
  const other = await opened.another()
  const ended = anOperation({ tenant: 'acme', target: { platform: 'cf', instance: 'i-0' } })
  await store.write(async (tx) => {
    await tx.addOperation(ended)
    if (hasKey) await tx.seal(`operation/${ended.id}`, 'it', content)
  })
  await opened.damage(`UPDATE operations SET state = 'succeeded', ended = 1`)
  let ordered: Promise<void> | undefined
  const ports = overtaken(store, async () => {
    ordered ??= order(other, 'acme', 'i-1')
    // Where a key is locked the order waits for it.
    if (!hasKey) await ordered
  })

  expect(await codeOf(eraseTenant(ports as Ports, asker, 'acme'))).toBe('nothing failed')
  await ordered

  expect(await store.look.unseal('instance/cf/i-1', 'it')).toEqual(content)
})
