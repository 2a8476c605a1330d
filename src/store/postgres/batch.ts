/** Writes changes that nobody waits for as text, so that a whole transaction's end is one message and one answer. */
import pg from 'pg'
import type { Value } from '../database.ts'

// Larger ones are sent as bytes: as text they are twice as long.
export const bytesMax = 8192

/** Runs a statement the connection has parsed before; undefined when its values had better be sent as such. */
export function executeText(name: string, values: readonly Value[]): string | undefined {
  const literals: string[] = []
  for (const value of values) {
    const literal = literalOf(value)
    if (literal === undefined) return undefined
    literals.push(literal)
  }
  return literals.length === 0 ? `EXECUTE ${name}` : `EXECUTE ${name}(${literals.join(', ')})`
}

function literalOf(value: Value): string | undefined {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return `'${value}'`
  if (value instanceof Uint8Array)
    return value.length > bytesMax ? undefined : `'\\x${Buffer.from(value).toString('hex')}'`
  // It would end the message; as a value it is refused like any other text the server cannot hold.
  return value.includes('\0') ? undefined : pg.escapeLiteral(value)
}
