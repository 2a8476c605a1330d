/** A default that the schema around it refuses. */
import { isObject, type Json, type JsonObject, pointer, stepsOf } from './json.ts'
import type { Compiled } from './schema.ts'
import type { SchemaFinding } from './schema-finding.ts'
import { nearest } from './text.ts'

/** What is wrong with it, if there is one; the schema is called by the last step of its place. */
export function faultOfDefault(
  schema: JsonObject,
  at: string,
  compile: (schema: JsonObject) => Compiled,
): readonly SchemaFinding[] {
  // What it refers to lies elsewhere in the document.
  if (!Object.hasOwn(schema, 'default') || JSON.stringify(schema).includes('"$ref"')) return []
  const compiled = compile(schema)
  const wrong = compiled.kind === 'check' ? compiled.check(schema['default']) : []
  const [first] = wrong
  if (first === undefined) return []
  const message = [...new Set(wrong.map((one) => one.message))].join(', ')
  const name = stepsOf(at).at(-1)
  return [
    {
      pointer: `${pointer(at, 'default')}${first.pointer}`,
      message: `the default of ${name} ${message}`,
      hint: hintFor(schema),
      isDefault: true,
    },
  ]
}

function hintFor({ default: value, enum: values, type }: JsonObject): string {
  const usual = 'Change the default or the schema.'
  if (value === null) return 'Leave it out, or write a value: "default:" alone is null.'
  if (type === 'array' && !Array.isArray(value)) return 'Write a list: default: [a]'
  if (type === 'object' && !isObject(value)) return 'Write a map: default: {}'
  if (Array.isArray(values)) {
    const meant = nearest(String(value), values.map(String))
    return meant === undefined
      ? `Write one of ${values.map(String).join(', ')}.`
      : `Write ${JSON.stringify(meant)}, or list it in "enum".`
  }
  if (typeof value !== 'string') return type === 'string' ? 'Write it in quotation marks.' : usual
  if (type === 'boolean') return 'Write true or false, without quotation marks.'
  return isNumber(type, value) ? 'Write the default without quotation marks.' : usual
}

function isNumber(type: Json | undefined, text: string): boolean {
  return (type === 'integer' || type === 'number') && text !== '' && Number.isFinite(Number(text))
}
