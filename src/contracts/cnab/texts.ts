/** Between text and typed value: what is written into variables and files, and what people type. */
import { exactInteger, parseJson } from '../../kit/exact.ts'
import { canonical, isObject, type Json } from '../../kit/json.ts'
import { type Definition, typesOf } from './bundle.ts'

/** Texts as they are, everything else as JSON with sorted keys. */
export function textOfValue(value: Json): string {
  return typeof value === 'string' ? value : canonical(value)
}

export type TypedValue =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'refused'; readonly message: string }

/** The value that a text from a command line, a variable or a file means for a definition. */
export function typedValue(definition: Definition, text: string): TypedValue {
  const types = typesOf(definition)
  const [only, ...more] = types
  if (only !== undefined && more.length === 0) return typedAs(only, text)
  const fits = types.filter((type) => type !== 'string').map((type) => typedAs(type, text))
  const found = fits.find(({ kind }) => kind === 'value')
  if (found) return found
  if (types.length === 0) return json(text) ?? { kind: 'value', value: text }
  if (types.includes('string')) return { kind: 'value', value: text }
  return { kind: 'refused', message: `is none of ${types.join(', ')}` }
}

function typedAs(type: string, text: string): TypedValue {
  switch (type) {
    case 'string':
      return { kind: 'value', value: text }
    case 'boolean':
      if (/^(?:true|false)$/i.test(text)) return { kind: 'value', value: text.toLowerCase() === 'true' }
      return { kind: 'refused', message: 'is not a valid boolean' }
    case 'integer':
      return integer(text)
    case 'number':
      if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) || !Number.isFinite(Number(text)))
        return { kind: 'refused', message: 'is not a valid number' }
      return { kind: 'value', value: Number(text) }
    case 'array':
      return jsonOf(text, Array.isArray, 'a json array')
    case 'object':
      return jsonOf(text, isObject, 'a json object')
    case 'null':
      if (text === '' || text === 'null') return { kind: 'value', value: null }
      return { kind: 'refused', message: 'is not null' }
    default:
      return { kind: 'refused', message: 'invalid definition' }
  }
}

/** Of 64 bits, as the tools that run bundles have it. */
function integer(text: string): TypedValue {
  if (!/^[+-]?\d{1,40}$/.test(text)) return { kind: 'refused', message: 'is not a valid integer' }
  const value = BigInt(text.replace(/^\+/, ''))
  if (value !== BigInt.asIntN(64, value)) return { kind: 'refused', message: 'is out of range' }
  return { kind: 'value', value: exactInteger(value.toString()) as Json }
}

function jsonOf(text: string, fits: (value: unknown) => boolean, what: string): TypedValue {
  const found = json(text)
  if (found?.kind === 'value' && fits(found.value)) return found
  return { kind: 'refused', message: `could not be read as ${what}` }
}

function json(text: string): TypedValue | undefined {
  try {
    return { kind: 'value', value: parseJson(text) as Json }
  } catch {
    return undefined
  }
}
