/** What an installed system says of its health: the `status` output of the well-known action for it. */
import { isObject } from '../../kit/json.ts'

export interface Health {
  /** Ready, Pending, Failed, or a word of its own; unknown where it cannot be read. */
  readonly overall: string
  readonly message?: string
  readonly components: Readonly<Record<string, Health>>
}

/** The actions whose output `status` is read so. */
export const statusActions: readonly string[] = [
  'io.cnab.status',
  'status',
  'io.cnab.status+json',
  'status+json',
]

const depthMax = 16

/** Reads it; what is no such document says nothing about health. */
export function readHealth(text: string): Health {
  try {
    return healthOf(JSON.parse(text), 0)
  } catch {
    return { overall: 'unknown', components: {} }
  }
}

function healthOf(value: unknown, depth: number): Health {
  if (!isObject(value) || depth > depthMax) return { overall: 'unknown', components: {} }
  const { status, message, components } = value
  const inner = isObject(components) ? Object.entries(components) : []
  return {
    overall: typeof status === 'string' && status !== '' ? status : 'unknown',
    ...(typeof message === 'string' ? { message } : {}),
    components: Object.fromEntries(inner.map(([name, one]) => [name, healthOf(one, depth + 1)])),
  }
}

/** One line: the whole, and which of its parts have failed. */
export function describeHealth({ overall, message, components }: Health): string {
  const failed = Object.entries(components).flatMap(([name, one]) => (one.overall === 'Failed' ? [name] : []))
  const parts = failed.length === 0 ? '' : ` (failed: ${failed.join(', ')})`
  return `${overall}${parts}${message === undefined ? '' : `: ${message}`}`
}
