/** A pattern's metadata as lines for people. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import type { Field } from '../output.ts'
import { parameterLine, schemaLines } from '../schema-lines.ts'

export function metadataFields(metadata: JsonObject): readonly Field[] {
  const text = (key: string): string | undefined => {
    const value = metadata[key]
    return typeof value === 'string' ? value.trimEnd() : undefined
  }
  const icon = metadata['icon']
  return [
    ['Pattern', text('name')],
    ['Version', text('version')],
    ['Summary', text('summary')],
    ['Description', text('description')],
    ['Authors', list(metadata['authors']).join('\n')],
    ['Copyright', text('copyright')],
    ['Icon', isObject(icon) ? `PNG, ${String(icon['width'])}x${String(icon['height'])}` : undefined],
    ['Files', list(metadata['files']).map(fileLine).join('\n')],
    ['Inputs', inputLines(metadata['inputs']).join('\n')],
  ]
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function fileLine(file: Json): string {
  const { filename, summary } = file as { readonly filename: string; readonly summary?: string }
  return summary === undefined ? filename : `${filename}  ${summary}`
}

/** The map of parameters, each of which may say itself that it is required, or the properties of a whole schema. */
function inputLines(inputs: Json | undefined): readonly string[] {
  if (!isObject(inputs)) return []
  const { type, properties } = inputs
  if (type === 'object' && isObject(properties)) return schemaLines(inputs)
  return Object.entries(inputs).map(([name, schema]) =>
    parameterLine(name, schema, isObject(schema) && schema['required'] === true),
  )
}
