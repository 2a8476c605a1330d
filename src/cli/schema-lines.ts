/** The parameters that a JSON Schema describes, one line each, for people. */
import { isObject, type Json, type JsonObject } from '../kit/json.ts'

/** The lines of an object schema's properties. */
export function schemaLines({ properties, required }: JsonObject): readonly string[] {
  if (!isObject(properties)) return []
  const needed = Array.isArray(required) ? required : []
  return Object.entries(properties).map(([name, schema]) =>
    parameterLine(name, schema, needed.includes(name)),
  )
}

/** Name, what may be said of its value, and what it means: `size (integer, default 3) How large it is.` */
export function parameterLine(name: string, schema: Json, required: boolean): string {
  const { type, default: usual, description, enum: choices } = isObject(schema) ? schema : {}
  const facts = [
    ...(Array.isArray(choices) ? [choices.map(written).join(' | ')] : []),
    ...(type === undefined || Array.isArray(choices)
      ? []
      : [Array.isArray(type) ? type.join(' | ') : written(type)]),
    ...(required ? ['required'] : []),
    ...(usual === undefined ? [] : [`default ${JSON.stringify(usual)}`]),
  ]
  return [
    name,
    facts.length > 0 ? `(${facts.join(', ')})` : '',
    typeof description === 'string' ? description : '',
  ]
    .filter((part) => part !== '')
    .join(' ')
}

function written(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
