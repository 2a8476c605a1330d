/** A default that the schema around it refuses. */
import { type JsonObject, pointer, stepsOf } from './json.ts'
import type { Compiled } from './schema.ts'
import type { SchemaFinding } from './schema-finding.ts'
import { valueHint } from './value-hint.ts'

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

function hintFor(schema: JsonObject): string {
  const { default: value } = schema
  if (value === null) return 'Leave it out, or write a value: "default:" alone is null.'
  return valueHint('default', value, schema) ?? 'Change the default or the schema.'
}
