/** What was ordered, from before the request that orders it until it is proved to be gone. */
import type { BrokerAnswer } from '../broker-connection.ts'

export interface Thing {
  /** Its path, percent-encoded. */
  readonly path: string
  readonly serviceId: string
  readonly planId: string
  readonly pollingMs?: number
}

export type Fate = 'unknown' | 'refused' | 'made' | 'deleted' | 'left'

export interface LedgerEntry extends Thing {
  readonly fate: Fate
  /** How it is known that it is gone, or why it is not. */
  readonly proof?: string
}

export interface Ledger {
  /** Before a request that may make something. */
  ordered(thing: Thing): void
  answered(path: string, answer: BrokerAnswer): void
  /** An instance has another plan now. */
  moved(thing: Thing): void
  settled(path: string, fate: 'deleted' | 'left', proof: string): void
  entries(): readonly LedgerEntry[]
}

export function openLedger(tell: (entry: LedgerEntry) => void): Ledger {
  const entries = new Map<string, LedgerEntry>()
  const put = (entry: LedgerEntry) => {
    entries.set(entry.path, entry)
    tell(entry)
  }
  return {
    ordered(thing) {
      const known = entries.get(thing.path)
      // What may have been made stays so whatever a later request for it is told.
      if (known === undefined || known.fate === 'refused') put({ ...thing, fate: 'unknown' })
    },
    answered(path, { status }) {
      const known = entries.get(path)
      if (known?.fate !== 'unknown') return
      if (status >= 200 && status < 300) put({ ...known, fate: 'made' })
      else if (status >= 300 && status < 500) put({ ...known, fate: 'refused' })
    },
    moved(thing) {
      const known = entries.get(thing.path)
      if (known !== undefined) put({ ...known, ...thing })
    },
    settled(path, fate, proof) {
      const known = entries.get(path)
      if (known !== undefined) put({ ...known, fate, proof })
    },
    entries: () => [...entries.values()],
  }
}
