/** Fills `${name}` and `${name|percent}` into texts and documents. */
import { isObject, type Json } from '../../kit/json.ts'
import { fail } from '../../model/problem.ts'

export type Variables = ReadonlyMap<string, Json>

const mark = /\$\{([^}|]+)(\|percent)?\}/g
const alone = /^\$\{([^}|]+)\}$/

/** The document with its variables; a text that is one variable only becomes the variable's value. */
export function fill(document: Json, variables: Variables): Json {
  if (typeof document === 'string') {
    const [, name] = alone.exec(document) ?? []
    return name === undefined ? fillText(document, variables) : known(name, variables)
  }
  if (Array.isArray(document)) return document.map((item) => fill(item, variables))
  if (!isObject(document)) return document
  return Object.fromEntries(
    Object.entries(document).map(([key, item]) => [key, fill(item as Json, variables)]),
  )
}

/** The text with its variables. */
export function fillText(text: string, variables: Variables): string {
  return text.replace(mark, (_, name: string, percent: string | undefined) => {
    const value = known(name, variables)
    const written = typeof value === 'string' ? value : JSON.stringify(value)
    return percent === undefined ? written : percentEncoded(written)
  })
}

/** The names of the variables that a document uses. */
export function variablesIn(document: unknown): readonly string[] {
  return [...(JSON.stringify(document) ?? '').matchAll(mark)].flatMap(([, name]) => name ?? [])
}

function known(name: string, variables: Variables): Json {
  const value = variables.get(name)
  return value === undefined ? fail('conformance.case-invalid', `nothing is known as ${name} here`) : value
}

function percentEncoded(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}
