/** What an author must have meant otherwise in a JSON Schema, told with what to write: validators say it by halves. */
import { approximate } from './exact.ts'
import type { JsonObject } from './json.ts'
import type { Compiled } from './schema.ts'
import { faultOfDefault } from './schema-default.ts'
import type { SchemaFinding } from './schema-finding.ts'
import { emptyBounds, idleWords } from './schema-fit.ts'
import { innerSchemas } from './schema-inner.ts'
import { faultsOfValues, type SchemaAround } from './schema-values.ts'
import { strayWords } from './schema-words.ts'

export interface SchemaReader {
  /** JSON pointer of the schema in its document. */
  readonly at: string
  /** As the parts compile it that take values by the schema. */
  readonly compile: (schema: JsonObject) => Compiled
}

type Document = SchemaReader & Omit<SchemaAround, 'schema'>

const depthMax = 50
const findingsMax = 100

/** All findings of a schema and those in it, each mistake once. */
export function lintSchema(schema: JsonObject, reader: SchemaReader): readonly SchemaFinding[] {
  const document = {
    ...reader,
    isDraftFour: /draft-04/.test(String(schema['$schema'])),
    hasIds: /"\$?id":"/.test(JSON.stringify(schema)),
  }
  return lintAt(approximate(schema) as JsonObject, document, depthMax).slice(0, findingsMax)
}

function lintAt(schema: JsonObject, document: Document, depth: number): readonly SchemaFinding[] {
  if (depth === 0) return []
  const { at, compile } = document
  const found = [
    ...strayWords(schema, at),
    ...faultsOfValues({ ...document, schema }, at),
    ...idleWords(schema, at),
    ...emptyBounds(schema, at),
    ...innerSchemas(schema, at).flatMap(([place, inner]) =>
      lintAt(inner, { ...document, at: place }, depth - 1),
    ),
  ]
  // A default is judged by what its schema was meant to say.
  return found.length === 0 ? faultOfDefault(schema, at, compile) : found
}
