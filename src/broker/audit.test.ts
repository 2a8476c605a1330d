import { expect, test } from 'vitest'
import { sha256 } from '../kit/hash.ts'
import { canonical, type JsonObject } from '../kit/json.ts'
import type { AuditPoint, AuditRecord } from '../store/store.ts'
import { faultOf } from './audit.ts'

const first = recordOf(1, '')
const second = recordOf(2, first.hash)
const third = recordOf(3, second.hash)

const nothing: AuditPoint = { seq: 0, hash: '' }

test.each<[string, AuditRecord, AuditPoint, string | undefined]>([
  ['the first', first, nothing, undefined],
  ['a later one as the first', second, nothing, 'records 1 to 1 are missing'],
  [
    'one that nobody with the key wrote',
    { ...second, isGenuine: false },
    first,
    'the record was not written by a holder of the key',
  ],
  ['one follows the other', second, first, undefined],
  ['a changed one', { ...second, action: 'instance.purge' }, first, 'the record was changed'],
  ['one with a new hash', rehash({ ...second, prev: 'x' }), first, 'it does not follow the record before it'],
  ['a gap', third, first, 'records 2 to 2 are missing'],
])('%s', (_name, record, before, fault) => {
  expect(faultOf(record, before)).toBe(fault)
})

function recordOf(seq: number, prev: string): AuditRecord {
  return rehash({
    seq,
    at: seq,
    actor: { kind: 'user', id: 'admin' },
    action: 'instance.provision',
    object: { kind: 'instance', id: 'i' },
    decision: 'allowed',
    result: 'started',
    requestId: 'r',
    node: 'n',
    prev,
    hash: '',
    isGenuine: true,
  })
}

function rehash(record: AuditRecord): AuditRecord {
  const { hash: _old, isGenuine: _isGenuine, ...content } = record
  return { ...record, hash: sha256(record.prev + canonical(content as unknown as JsonObject)) }
}
