import { expect, test } from 'vitest'
import { sha256 } from '../kit/hash.ts'
import { canonical, type JsonObject } from '../kit/json.ts'
import type { AuditRecord } from '../store/store.ts'
import { faultOf } from './audit.ts'

const first = recordOf(1, '')
const second = recordOf(2, first.hash)
const third = recordOf(3, second.hash)

test.each<[string, AuditRecord, AuditRecord | undefined, string | undefined]>([
  ['the first is an anchor', second, undefined, undefined],
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
  })
}

function rehash(record: AuditRecord): AuditRecord {
  const { hash: _old, ...content } = record
  return { ...record, hash: sha256(record.prev + canonical(content as unknown as JsonObject)) }
}
