/** What users would trip over in a parameter whose schema is well-formed: a default that breaks it, a password that is shown. */
import { approximate } from '../../kit/exact.ts'
import { isObject, type Json, type JsonObject, pointer } from '../../kit/json.ts'
import { nearest } from '../../kit/text.ts'
import type { Faults } from '../faults.ts'
import { compileEither } from './schema-drafts.ts'

/** Warns of one parameter; the place is that of all of them. */
export function checkParameter(name: string, schema: JsonObject, place: string, faults: Faults): void {
  const at = pointer(place, name)
  if (isPlainSecret(name, schema)) {
    const hint = 'Add "writeOnly: true": its values are hidden then, and kept sealed.'
    faults.warning('tweed.metadata.doubtful', at, `${name} is not hidden`, hint)
  }
  if (!Object.hasOwn(schema, 'default')) return
  // References lead to the whole document.
  if (JSON.stringify(schema).includes('"$ref"')) return
  const { required, ...rest } = schema
  const compiled = compileEither(typeof required === 'boolean' ? rest : schema)
  const wrong = compiled.kind === 'check' ? compiled.check(schema['default']) : []
  const [first] = wrong
  if (first === undefined) return
  const message = [...new Set(wrong.map((one) => one.message))].join(', ')
  faults.warning(
    'tweed.metadata.bad-default',
    `${pointer(at, 'default')}${first.pointer}`,
    `the default of ${name} ${message}`,
    defaultHint(approximate(schema) as JsonObject),
  )
}

function isPlainSecret(name: string, { type, writeOnly, enum: values }: JsonObject): boolean {
  const secret = /(^|[-_a-z])(pass(word|wd|phrase)|secret|token|api[-_]?key)$/i.test(name)
  return secret && type === 'string' && writeOnly === undefined && values === undefined
}

/** What to write instead, where that can be said. */
function defaultHint(schema: JsonObject): string | undefined {
  const { default: value, enum: values, type } = schema
  if (value === null) return 'Leave it out, or write a value: "default:" alone is null.'
  if (type === 'array' && !Array.isArray(value)) return 'Write a list: default: [a]'
  if (type === 'object' && !isObject(value)) return 'Write a map: default: {}'
  if (Array.isArray(values)) {
    const meant = nearest(String(value), values.map(String))
    return meant === undefined
      ? `Write one of ${values.map(String).join(', ')}.`
      : `Write ${JSON.stringify(meant)}, or list it in "enum".`
  }
  if (typeof value !== 'string') return type === 'string' ? 'Write it in quotation marks.' : undefined
  if (type === 'boolean') return 'Write true or false, without quotation marks.'
  return isNumber(type, value) ? 'Write it without quotation marks.' : undefined
}

function isNumber(type: Json | undefined, text: string): boolean {
  return (type === 'integer' || type === 'number') && text !== '' && Number.isFinite(Number(text))
}
