/** Secrets that are known only when a run is over: what was printed of them before is hidden in the logs that are kept already. */
import { present } from '../kit/present.ts'
import { type Mask, type Redactor, secretTexts } from '../kit/redact.ts'
import type { Operation } from '../model/operation.ts'
import type { LogRow, Store } from '../store/store.ts'

const pageRows = 200

interface Stream {
  readonly redactor: Redactor
  /** The newest row as it is to be shown; what waits at the end is added to it. */
  last: LogRow
}

/** What an instance was made with is often handed out by a later bind: the logs of all its own operations are gone through. */
export async function hideInLogs(store: Store, { id, target }: Operation, mask: Mask): Promise<void> {
  const { platform, instance } = target
  for (let after: string | undefined, isMore = true; isMore; isMore = after !== undefined) {
    const page = { platform, instance, binding: '', most: pageRows, ...present({ after }) }
    const { items, next } = await store.look.operations(page)
    for (const operation of items) if (operation.id !== id) await hideInLog(store, operation.id, mask)
    after = next
  }
  await hideInLog(store, id, mask)
}

/** So many bytes of a secret are hidden, in hexadecimal, though the rest of it is not what was known. */
const sharedMin = 16

/** Programs break Base64 after 64 or 76 signs: these are the bytes on a line. */
const lineBytes = [48, 57] as const

/**
 * Secrets that are learned late, the keys that documents among them hold, and their rests behind what they have in common with
 * known ones: where a beginning is hidden already, as that of keys and documents often is, the rest stands alone.
 */
export function withRests(late: readonly string[], known: Iterable<string>): readonly string[] {
  const all = [...known]
  const rests = late.flatMap((text) => {
    const shared = new Set(
      all.map((other) => sharedLength(text, other)).filter((length) => length >= sharedMin),
    )
    // In hexadecimal and Base64 the next byte may be hidden in part, too, where that part is the same in both.
    return [...shared].flatMap((length) => [...restsFrom(text, length), ...restsFrom(text, length + 1)])
  })
  return [...late, ...late.flatMap(heldIn), ...rests]
}

/** What follows a place, as a whole and to the end of its line, for Base64 may be broken there. */
function restsFrom(text: string, place: number): readonly string[] {
  const rest = Buffer.from(text.slice(place))
  const before = Buffer.byteLength(text) - rest.length
  const lines = lineBytes.map((width) => rest.subarray(0, width - (before % width)).toString())
  return [rest.toString(), ...lines]
}

/** The keys in a document: their frames are hidden already, as those of all keys are, and part what is between them. */
function heldIn(text: string): readonly string[] {
  if (!/^\s*[[{]/.test(text)) return []
  try {
    const inner = [...secretTexts(JSON.parse(text))]
    return inner.flatMap((one) => (one.includes('\n') ? [one] : heldIn(one)))
  } catch {
    // What only begins like a document holds nothing.
    return []
  }
}

function sharedLength(one: string, other: string): number {
  if (one.slice(0, sharedMin) !== other.slice(0, sharedMin)) return 0
  let length = sharedMin
  while (length < one.length && one[length] === other[length]) length++
  return length
}

/** Goes through the whole log of an operation; a secret may reach from one row into the next, so all is changed at once. */
async function hideInLog(store: Store, operation: string, mask: Mask): Promise<void> {
  const streams = new Map<string, Stream>()
  const changed = new Map<number, LogRow>()
  const show = (row: LogRow, bytes: Uint8Array): LogRow => {
    const shown = { ...row, bytes }
    if (Buffer.compare(bytes, row.bytes) !== 0) changed.set(row.number, shown)
    return shown
  }
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows: readonly LogRow[] = await store.look.log(operation, after, pageRows)
    for (const row of rows) {
      const name = JSON.stringify([row.run, row.step, row.stream])
      const { redactor } = streams.get(name) ?? { redactor: mask.open() }
      streams.set(name, { redactor, last: show(row, Buffer.concat(redactor.push(row.bytes))) })
    }
    after = rows.length < pageRows ? undefined : rows.at(-1)?.number
  }
  for (const { redactor, last } of streams.values())
    show(last, Buffer.concat([last.bytes, ...redactor.end()]))
  const rows = [...changed.values()]
  if (rows.length > 0) await store.write((tx) => tx.rewriteLog(rows))
}
