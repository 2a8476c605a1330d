/** Writes changes that are not waited for as text, so that a whole transaction's end is one message and one answer. */
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
  if (value instanceof Uint8Array) return value.length > bytesMax ? undefined : `'\\x${hexOf(value)}'`
  // It would end the message; as a value it is refused like any other text the server cannot hold.
  return value.includes('\0') ? undefined : quoted(value)
}

function quoted(text: string): string {
  const apart = text.includes("'") ? text.replaceAll("'", "''") : text
  return apart.includes('\\') ? ` E'${apart.replaceAll('\\', '\\\\')}'` : `'${apart}'`
}

/** Bytes as the server reads them, without a copy in between. */
export function hexOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('hex')
}
