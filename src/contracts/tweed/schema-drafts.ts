/** Compiles a pattern's schemas, which name their draft or do not. */
import type { JsonObject } from '../../kit/json.ts'
import { type Compiled, compileSchema } from '../../kit/schema.ts'

/** The newest draft first; what it refuses may be written for draft 7. */
export function compileEither(schema: JsonObject): Compiled {
  if ('$schema' in schema) return compileSchema(schema)
  const newest = compileSchema({ ...schema, $schema: 'https://json-schema.org/draft/2020-12/schema' })
  if (newest.kind === 'check') return newest
  const older = compileSchema({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' })
  return older.kind === 'check' ? older : newest
}
