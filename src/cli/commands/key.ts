/** chandler key: the keys that seal secrets. */
import type { Command } from 'commander'
import type { Keys } from '../../api/cluster.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { type Form, printList, withOutput } from '../output.ts'
import { say } from '../terminal.ts'

export function register(program: Command): void {
  const group = add(program, {
    usage: 'key',
    summary: 'Keys that seal secrets: add, activate, remove, rotate',
    description:
      'The key ring is made at the first start and belongs to its database; the broker refuses one that lacks a key in use. Rotating is adding and activating in one step; several brokers with a ring file each get the new key first (`key add`, copy the file), then one of them activates it.',
    examples: ['key status', 'key rotate'],
  })
  const status = add(group, {
    usage: 'status',
    summary: 'Show the keys and how many records each seals',
    examples: ['key status', 'key status -o json'],
  })
  withOutput(withConnection(status)).action(async ({ output }: { output: Form }) => {
    await show(output, await (await connect(status)).keys())
  })
  const rotate = add(group, {
    usage: 'rotate',
    summary: 'Make a fresh key the active one',
    description:
      'Makes a fresh key the active one. Everything sealed is sealed anew with it in the background, without downtime; `chandler key status` shows how far that is.',
    examples: ['key rotate'],
  })
  withOutput(withConnection(rotate)).action(async ({ output }: { output: Form }) => {
    const ring = await (await connect(rotate)).rotateKey()
    await show(output, ring, ring.added)
    if (output === 'table') say('Records follow in the background: chandler key status')
  })
  const adding = add(group, {
    usage: 'add',
    summary: 'Add a key that opens only, until it is activated',
    examples: ['key add'],
  })
  withOutput(withConnection(adding)).action(async ({ output }: { output: Form }) => {
    const ring = await (await connect(adding)).addKey()
    await show(output, ring, ring.added)
  })
  const activate = add(group, {
    usage: 'activate <key>',
    summary: 'Make a key of the ring the active one',
    description:
      'Seals with this key from now on; everything sealed is sealed anew with it in the background.',
    examples: ['key activate k0123456789'],
  })
  withOutput(withConnection(activate)).action(async (id: string, { output }: { output: Form }) => {
    await show(output, await (await connect(activate)).activateKey(id), id)
    if (output === 'table') say('Records follow in the background: chandler key status')
  })
  const remove = add(group, {
    usage: 'remove <key>',
    summary: 'Take a key off the ring, if nothing is sealed with it',
    description:
      'The store proves first that no record is sealed with the key and that no living broker seals with it. Copies of the database that were made before may still need the key: keep the old ring with them.',
    examples: ['key remove k0123456789'],
  })
  withOutput(withConnection(remove)).action(async (id: string, { output }: { output: Form }) => {
    await show(output, await (await connect(remove)).removeKey(id), id)
  })
}

/** The ring; by name alone the key that something was done to, where there is one. */
async function show(form: Form, { keys }: Keys, of?: string): Promise<void> {
  const named = form === 'name' && of !== undefined
  await printList(form, {
    kind: 'Keys',
    items: named ? [{ id: of, active: false, records: 0 }] : keys,
    empty: 'There are no keys.',
    name: (key) => key.id,
    columns: [
      { title: 'KEY', of: (key) => key.id },
      { title: 'STATE', of: (key) => (key.active ? 'active' : 'decrypt-only') },
      { title: 'RECORDS', of: (key) => String(key.records) },
    ],
  })
}
