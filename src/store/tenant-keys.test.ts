/** Keys of tenants: what belongs to a tenant opens for that tenant only, moves to a new key of the ring, and is lost with its key. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { codeOf } from '../../test/support/problems.ts'
import { aBinding, anInstance, anOperation } from '../../test/support/rows.ts'
import { openTestStore, rowsIn, storeKinds, type TestStore } from '../../test/support/stores.ts'
import { systemChance } from '../kit/clock.ts'
import type { InstanceKey } from '../model/instance.ts'
import type { Operation } from '../model/operation.ts'
import { ownerOfBinding, ownerOfInstance, type SealedOwner } from '../model/sealed.ts'
import type { Row, Value } from './database.ts'
import { activateKey, addKey, openKeyRing, removeKey } from './keys.ts'
import type { NewLogRow, Retention, Store } from './store.ts'

const secret = new Uint8Array(Buffer.from('canary-5d20c7be'))
const hidden = [{ at: 0, mark: 10, bytes: secret }]
const retention: Retention = { operationDays: 90, logDays: 90, goneDays: 90, auditDays: 400 }

interface Had {
  readonly key: InstanceKey
  readonly operation: Operation
  readonly run: string
  readonly owners: readonly SealedOwner[]
}

/** An instance of a tenant with everything that is sealed of one. */
async function give(store: Store, tenant: string, instance: string): Promise<Had> {
  const key = { platform: 'cf', instance }
  const binding = { ...key, binding: 'b/1' }
  const operation = anOperation({ target: key, tenant })
  const run = `run-${operation.id}`
  const owners = [
    ownerOfInstance(key),
    ownerOfBinding(binding),
    `operation/${operation.id}`,
    `run/${run}`,
  ] as const
  await store.write(async (tx) => {
    await tx.putInstance(anInstance({ ...key, tenant }))
    await tx.putBinding(aBinding(binding))
    await tx.addOperation(operation)
    const where = { operation: operation.id, stage: 0, attempt: 1, name: run, engine: 'sim' }
    await tx.putRun({ ...where, state: 'reported' })
    for (const owner of owners) await tx.seal(owner, 'it', secret)
    await tx.addLog([piece(operation, run)])
  })
  return { key, operation, run, owners }
}

function piece({ id }: Operation, run: string): NewLogRow {
  const bytes = new Uint8Array(Buffer.from('[redacted]'))
  return { operation: id, run, stream: 'stdout', step: 's', position: 0, span: 10, bytes, hidden }
}

/** Opens all of it; the codes of what does not open, in the order of owners, log and hidden log. */
async function opening(store: Store, { owners, operation }: Had): Promise<readonly string[]> {
  const { look } = store
  const found: string[] = []
  for (const owner of owners) found.push(await outcome(look.unseal(owner, 'it')))
  found.push(await outcome(look.log(operation.id, 0, 9)), await outcome(look.printedLog(operation.id, 0, 9)))
  return found
}

async function outcome(opened: Promise<unknown>): Promise<string> {
  const code = await codeOf(opened)
  if (code !== 'nothing failed') return code
  const value = await opened
  return value === undefined || (Array.isArray(value) && value.length === 0) ? 'absent' : 'opens'
}

const all = (word: string) => Array.from({ length: 6 }, () => word)

/** The version of every envelope that belongs to a tenant. */
async function versions(store: Store): Promise<ReadonlySet<number | undefined>> {
  const rows = [
    ...(await rowsIn(store, 'SELECT body FROM sealed')),
    ...(await rowsIn(store, 'SELECT body FROM logs')),
  ]
  return new Set(rows.map(({ body }) => (body as Uint8Array)[0]))
}

/** Everything sealed as an earlier release did: with the ring alone. */
async function asBefore(opened: TestStore, had: Had): Promise<void> {
  const rows = Object.entries({ instances: 'id', operations: 'id', runs: 'name' })
  // As long as their rows are not found, they have no tenant.
  for (const [table, column] of rows) await opened.damage(`UPDATE ${table} SET ${column} = 'x' || ${column}`)
  await opened.store.write(async (tx) => {
    for (const owner of had.owners) await tx.seal(owner, 'it', secret)
    const row = { ...piece(had.operation, had.run), number: 1, at: 0 }
    await tx.rewriteLog([row])
  })
  for (const [table, column] of rows)
    await opened.damage(`UPDATE ${table} SET ${column} = substr(${column}, 2)`)
}

async function insert(opened: TestStore, table: string, rows: readonly Row[]): Promise<void> {
  const literal = (value: Value | undefined): string => {
    if (value instanceof Uint8Array) {
      const hex = Buffer.from(value).toString('hex')
      return opened.options.url.startsWith('postgres') ? `'\\x${hex}'` : `x'${hex}'`
    }
    return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
  }
  for (const row of rows)
    await opened.damage(
      `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).map(literal).join(', ')})`,
    )
}

describe.each(storeKinds)('%s', (kind) => {
  test('all that belongs to a tenant is sealed with one key of its own, and opens', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const had = [
      await give(store, 'acme', 'i-1'),
      await give(store, 'acme', 'i-2'),
      await give(store, 'web', 'i-3'),
    ]

    const found = await Promise.all(had.map((one) => opening(store, one)))

    expect(found).toEqual(had.map(() => all('opens')))
    expect(await versions(store)).toEqual(new Set([2]))
    expect(await rowsIn(store, 'SELECT tenant FROM tenant_keys ORDER BY tenant')).toMatchObject([
      { tenant: 'acme' },
      { tenant: 'web' },
    ])
  })

  test('what has no tenant is sealed with the ring alone', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened

    await store.write((tx) => tx.seal('package/redis', 'it', secret))
    await store.write((tx) => tx.seal('instance/cf/nowhere', 'it', secret))

    expect(await versions(store)).toEqual(new Set([1]))
    expect(await store.look.unseal('package/redis', 'it')).toEqual(secret)
    expect(await rowsIn(store, 'SELECT tenant FROM tenant_keys')).toEqual([])
  })

  test.each<[string, readonly string[], readonly string[]]>([
    ['its rows', [], all('key.foreign')],
    [
      'its rows, to a tenant without a key',
      [`UPDATE $ SET tenant = 'none' WHERE tenant = 'web'`],
      all('key.foreign'),
    ],
    [
      'its rows and the key itself',
      [`DELETE FROM tenant_keys WHERE tenant = 'web'`, `UPDATE tenant_keys SET tenant = 'web'`],
      all('key.foreign'),
    ],
    [
      'its rows and the name of the other key',
      [
        `UPDATE tenant_keys SET id = (SELECT k.id FROM tenant_keys k WHERE k.tenant = 'acme') WHERE tenant = 'web'`,
      ],
      all('key.foreign'),
    ],
  ])('what is moved by hand from one tenant to another is refused: %s', async (_, statements, codes) => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const had = await give(store, 'acme', 'i-1')
    const other = await give(store, 'web', 'i-2')
    expect([await opening(store, had), await opening(store, other)]).toEqual([all('opens'), all('opens')])

    for (const table of ['instances', 'operations'])
      await opened.damage(`UPDATE ${table} SET tenant = 'web' WHERE tenant = 'acme'`)
    for (const statement of statements)
      for (const table of statement.includes('$') ? ['instances', 'operations'] : [''])
        await opened.damage(statement.replace('$', table))

    expect(await opening(store, had)).toEqual(codes)
  })

  test('a body that was put in place of one of another tenant is refused', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const [had, other] = [await give(store, 'acme', 'i-1'), await give(store, 'web', 'i-2')]
    const [from, to] = [had, other].map(({ key }) => ownerOfInstance(key))

    await opened.damage(
      `UPDATE sealed SET body = (SELECT s.body FROM sealed s WHERE s.owner = '${from}') WHERE owner = '${to}'`,
    )

    expect((await opening(store, other))[0]).toBe('key.foreign')
    expect((await opening(store, other)).slice(1)).toEqual(all('opens').slice(1))
  })

  test('what was sealed before its tenant had a key opens, and gets it when it is written or wrapped anew', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'chandler-keys-')), 'keys.json')
    await using opened = await openTestStore(kind, { keys: openKeyRing(file, systemChance) })
    const { store } = opened
    const had = await give(store, 'acme', 'i-1')
    await asBefore(opened, had)
    await opened.damage('DELETE FROM tenant_keys')
    expect([await versions(store), await opening(store, had)]).toEqual([new Set([1]), all('opens')])

    await store.write((tx) => tx.seal(had.owners[0] as SealedOwner, 'it', secret))
    expect([await versions(store), await opening(store, had)]).toEqual([new Set([1, 2]), all('opens')])
    activateKey(file, addKey(file, systemChance))
    while ((await store.reseal(2)) > 0);

    expect([await versions(store), await opening(store, had)]).toEqual([new Set([2]), all('opens')])
  })

  test('the ring is changed with everything that tenants have, and the old key is of no use any more', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'chandler-keys-')), 'keys.json')
    const keys = openKeyRing(file, systemChance)
    await using opened = await openTestStore(kind, { keys })
    const { store } = opened
    const had = [await give(store, 'acme', 'i-1'), await give(store, 'web', 'i-2')]
    const old = keys.active()
    const added = addKey(file, systemChance)
    activateKey(file, added)

    await store.reseal(1)
    expect(await Promise.all(had.map((one) => opening(store, one)))).toEqual(had.map(() => all('opens')))
    expect(await codeOf(store.retireKey(old, () => removeKey(file, old)))).toBe('key.in-use')
    while ((await store.reseal(3)) > 0);

    // Six things of each, two keys, and the check.
    expect(await store.look.sealedByKey()).toEqual([{ key: added, records: 15 }])
    await store.retireKey(old, () => removeKey(file, old))
    await store.takeKeys()
    expect(await Promise.all(had.map((one) => opening(store, one)))).toEqual(had.map(() => all('opens')))
  })

  test('rows of a copy do not open after the key of their tenant was erased, also when it has another one', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const [had, other] = [await give(store, 'acme', 'i-1'), await give(store, 'web', 'i-2')]
    const copy = await rowsIn(store, 'SELECT owner, name, key_id, body FROM sealed')

    await store.write((tx) => tx.eraseTenantKey('acme'))
    expect(await opening(store, had)).toEqual(all('key.foreign'))
    await store.write((tx) => tx.seal(had.owners[0] as SealedOwner, 'it', secret))
    expect(await opening(store, had)).toEqual(['opens', ...all('key.foreign').slice(1)])
    await opened.damage('DELETE FROM sealed')
    await insert(opened, 'sealed', copy)

    expect(await opening(store, had)).toEqual(all('key.foreign'))
    expect(await opening(store, other)).toEqual(all('opens'))
  })

  test('a key that was made in a transaction that failed is used by nothing', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await store.write((tx) => tx.putInstance(anInstance({ tenant: 'acme' })))
    const failing = store.write(async (tx) => {
      await tx.seal('instance/cf/i-1', 'it', secret)
      throw new Error('not this time')
    })
    await expect(failing).rejects.toThrow('not this time')
    const kept = await rowsIn(store, 'SELECT tenant FROM tenant_keys')

    await store.write((tx) => tx.seal('instance/cf/i-1', 'it', secret))

    expect(kept).toEqual([])
    expect(await (await opened.another()).look.unseal('instance/cf/i-1', 'it')).toEqual(secret)
  })

  test('many that seal for a new tenant at once make one key', async () => {
    await using opened = await openTestStore(kind)
    const stores = [opened.store, await opened.another()]
    const names = Array.from({ length: 20 }, (_, i) => `i-${i}`)

    const had = await Promise.all(names.map((name, i) => give(stores[i % 2] as Store, 'acme', name)))

    const found = await Promise.all(had.map((one, i) => opening(stores[(i + 1) % 2] as Store, one)))
    expect(found).toEqual(had.map(() => all('opens')))
    expect(await rowsIn(opened.store, 'SELECT tenant FROM tenant_keys')).toHaveLength(1)
  })

  test('the key of a tenant is not erased under a transaction that seals with it', async () => {
    await using opened = await openTestStore(kind)
    const other = await opened.another()
    await give(opened.store, 'acme', 'i-1')
    const begun = Promise.withResolvers<void>()
    const sealing = opened.store.write(async (tx) => {
      await tx.putInstance(anInstance({ instance: 'i-2', tenant: 'acme' }))
      await tx.seal('instance/cf/i-2', 'it', secret)
      begun.resolve()
      // Long enough for another one to go past a lock that is not there; with the lock it does not matter.
      if (kind === 'postgres') await new Promise((resolve) => setTimeout(resolve, 200))
    })
    await begun.promise
    const seen = await other.write(async (tx) => {
      await tx.lockTenantKey('acme')
      return (await tx.instances({ tenants: ['acme'], most: 9 })).items.map(({ instance }) => instance)
    })
    await sealing

    expect(seen).toEqual(['i-1', 'i-2'])
  })

  test('what is sealed of ended operations of a tenant is erased in batches, and nothing else', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const ended = [
      await give(store, 'acme', 'i-1'),
      await give(store, 'acme', 'i-2'),
      await give(store, 'acme', 'i-3'),
    ]
    const others = [await give(store, 'acme', 'i-4'), await give(store, 'acme/sub', 'i-5')]
    for (const { operation } of [...ended, ...others.slice(1)])
      await opened.damage(`UPDATE operations SET state = 'succeeded', ended = 1 WHERE id = '${operation.id}'`)

    const ids: (string | undefined)[] = ['']
    while (ids.at(-1) !== undefined)
      ids.push(await store.write((tx) => tx.eraseEnded('acme', ids.at(-1) ?? '', 2)))

    expect(ids).toEqual(['', ended[1]?.operation.id, ended[2]?.operation.id, undefined])
    const left = ['opens', 'opens', 'absent', 'absent', 'absent', 'absent']
    expect(await Promise.all(ended.map((one) => opening(store, one)))).toEqual(ended.map(() => left))
    expect(await Promise.all(others.map((one) => opening(store, one)))).toEqual(
      others.map(() => all('opens')),
    )
  })

  test('a key goes with the last trace of its tenant', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const had = [await give(store, 'acme', 'i-1'), await give(store, 'web', 'i-2')]
    const keys = async () =>
      (await rowsIn(store, 'SELECT tenant FROM tenant_keys ORDER BY tenant')).map(({ tenant }) => tenant)
    const forget = () => store.write((tx) => tx.forget(retention, 100))
    const at = await store.look.now()
    for (const { operation } of had)
      await opened.damage(
        `UPDATE operations SET state = 'succeeded', ended = 1, finished_at = ${at} WHERE id = '${operation.id}'`,
      )
    await opened.advance(91 * 86_400_000)

    await forget()
    const whileThere = await keys()
    const hints: string[] = []
    store.onHint((hint) => void hints.push(hint.kind))
    await opened.listening()
    await opened.damage(`UPDATE instances SET state = 'gone', updated_at = ${at} WHERE id = 'i-1'`)
    await forget()

    expect([whileThere, await keys()]).toEqual([['acme', 'web'], ['web']])
    // So that all processes let go of it.
    await expect.poll(() => hints, { timeout: 60_000 }).toContain('tenants')
    expect((await opening(store, had[1] as Had)).slice(0, 2)).toEqual(['opens', 'opens'])
  })
})
