/** What bind printed: one map, its JSON, and the operator's additions for clients; its text is never quoted. */
import { isExact } from '../../kit/exact.ts'
import { at, type JsonObject } from '../../kit/json.ts'
import type { Problem } from '../../model/problem.ts'
import { readMap } from './document.ts'

export type BindOutput =
  | { readonly kind: 'map'; readonly value: JsonObject }
  | { readonly kind: 'refused'; readonly problem: Problem }

/** Reads what bind printed. The reader's messages may quote secrets, so only the place is told. */
export function readBindOutput(bytes: Uint8Array): BindOutput {
  const printed = readMap(bytes, { merge: true })
  if (printed.kind === 'map') return { kind: 'map', value: printed.value }
  const [first] = printed.faults
  const where = { source: 'standard output', ...(first ? { line: first.line, column: first.column } : {}) }
  return { kind: 'refused', problem: { code: `tweed.bind.${printed.fault}`, where } }
}

/** The bytes of $BINDING for a map. */
export function bindingBytes(value: JsonObject): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value)}\n`)
}

/** The credentials with the operator's further fields; a field that names what bind did not print is left out. */
export function withAdditions(value: JsonObject, additions: Readonly<Record<string, string>>): JsonObject {
  const made = Object.entries(additions).flatMap(([name, template]) => {
    const text = filled(template, value)
    return text === undefined ? [] : [[name, text] as const]
  })
  return { ...value, ...Object.fromEntries(made) }
}

/** `{{user.name}}` stands for the text at that place; nothing else means anything. */
function filled(template: string, value: JsonObject): string | undefined {
  let complete = true
  const text = template.replace(/\{\{\s*([^{}\s]+)\s*\}\}/g, (_, path: string) => {
    const found = at(value, `/${path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('.', '/')}`)
    const scalar = isExact(found) ? found.rawJSON : found
    if (typeof scalar === 'string' || typeof scalar === 'number' || typeof scalar === 'boolean')
      return String(scalar)
    complete = false
    return ''
  })
  return complete ? text : undefined
}
