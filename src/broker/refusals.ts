/**
 * Refused requests on their way into the audit trail: the first of a kind at once, its repetitions as a number, and
 * never more records than a day's allowance, however many strangers knock.
 */
import type { Deed } from './govern.ts'
import type { Asker } from './orders.ts'

export interface Refusal {
  readonly asker: Asker
  readonly deed: Deed
}

export interface RefusalBook {
  /** What is to be written down now. */
  note(refusal: Refusal, now: number): readonly Refusal[]
  /** Repetitions whose time has come; all of them at the end. */
  due(now: number, all?: boolean): readonly Refusal[]
}

/** A pause that begins with a minute and doubles while the same goes on. */
const firstPauseMs = 60_000
const lastPauseMs = 3_600_000
const allowanceMs = 60_000

interface Open {
  latest: Refusal
  times: number
  pauseMs: number
  until: number
}

/** How much a book tells apart. */
export interface BookBounds {
  readonly kindsMax: number
  /** So many records at once, and one more a minute. */
  readonly allowanceMax: number
  /** What is beyond is counted as one, or each written down on its own. */
  readonly beyond: 'count' | 'write'
}

/** Strangers choose what they are refused for. */
export const boundsOfRefusals: BookBounds = { kindsMax: 200, allowanceMax: 200, beyond: 'count' }
/** The reader has the right to read secrets, and each secret that was read has to be named. */
export const boundsOfReadings: BookBounds = {
  kindsMax: 10_000,
  allowanceMax: Number.POSITIVE_INFINITY,
  beyond: 'write',
}

/** Opens the book. */
export function makeRefusalBook({
  kindsMax,
  allowanceMax,
  beyond,
}: BookBounds = boundsOfRefusals): RefusalBook {
  const kinds = new Map<string, Open>()
  let crowd: Open | undefined
  let allowance = allowanceMax
  let filledAt = 0

  function allowed(now: number): boolean {
    allowance = Math.min(allowanceMax, allowance + (now - filledAt) / allowanceMs)
    filledAt = now
    if (allowance < 1) return false
    allowance--
    return true
  }

  function written(open: Open, now: number): Refusal {
    const { latest, times } = open
    open.times = 0
    open.pauseMs = Math.min(lastPauseMs, open.pauseMs * 2)
    open.until = now + open.pauseMs
    return times === 1 ? latest : { ...latest, deed: { ...latest.deed, times } }
  }

  return {
    note(refusal, now) {
      const kind = kindOf(refusal)
      const known = kinds.get(kind)
      if (known) {
        known.latest = refusal
        known.times++
        return []
      }
      if (kinds.size < kindsMax && allowed(now)) {
        kinds.set(kind, { latest: refusal, times: 0, pauseMs: firstPauseMs, until: now + firstPauseMs })
        return [refusal]
      }
      if (beyond === 'write') return [refusal]
      crowd ??= { latest: refusal, times: 0, pauseMs: firstPauseMs, until: now + firstPauseMs }
      crowd.latest = severalOf(refusal)
      crowd.times++
      return []
    },
    due(now, all = false) {
      const records: Refusal[] = []
      for (const [kind, open] of kinds) {
        if (!all && now < open.until) continue
        if (open.times === 0) kinds.delete(kind)
        else if (all || allowed(now)) records.push(written(open, now))
      }
      if (crowd && crowd.times > 0 && (all || now >= crowd.until)) records.push(written(crowd, now))
      else if (crowd?.times === 0 && now >= crowd.until) crowd = undefined
      return records
    },
  }
}

function kindOf({ asker, deed }: Refusal): string {
  const { action, refusal, kind, id, within } = deed
  return JSON.stringify([action, refusal?.code, asker.account.id, kind, id, within, asker.source])
}

/** Many callers or objects at once: only what they have in common is told. */
function severalOf({ asker, deed }: Refusal): Refusal {
  const { source: _, requester: __, ...rest } = asker
  const account = { kind: asker.account.kind, id: 'several' } as const
  const { within: ___, ...common } = deed
  return { asker: { ...rest, account }, deed: { ...common, id: 'several' } }
}
