/** Ids of runs: derived from their operation, so that preparing and judging mean the same run. */
import { sha256 } from '../../kit/hash.ts'
import { ulid } from '../../kit/id.ts'

export interface RunIds {
  readonly claim: string
  readonly revision: string
  readonly result: string
  /** RFC 3339: when the run was ordered. */
  readonly created: string
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** The ids of a stage of an operation; they sort by the time of the operation, and within it by their stages. */
export function runIds({ id, stage }: { readonly id: string; readonly stage: number }): RunIds {
  const time = timeOf(id)
  const make = (what: string) => {
    const bytes = Buffer.from(sha256(`${id} ${stage} ${what}`), 'hex')
    return ulid(time + stage, { bytes: (count) => bytes.subarray(0, count) }).toUpperCase()
  }
  return {
    claim: make('claim'),
    revision: make('revision'),
    result: make('result'),
    created: new Date(time).toISOString(),
  }
}

/** Milliseconds since 1970 in a ULID; 0 for what is none. */
function timeOf(id: string): number {
  const text = id.toLowerCase()
  if (!/^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text)) return 0
  return [...text.slice(0, 10)].reduce((time, sign) => time * 32 + alphabet.indexOf(sign), 0)
}
