/** Definitions: what a value must look like, and everything wrong with one that does not. */
import type { Json, JsonObject } from '../../kit/json.ts'
import { type Compiled, compileSchema } from '../../kit/schema.ts'
import type { Definition } from './bundle.ts'

/** Compiles a definition as draft 7 (or the draft it names); no reference leaves it. */
export function compileDefinition(definition: Definition): Compiled {
  return compileSchema(typeof definition === 'object' ? anonymous(definition) : definition, 'exact')
}

/** What is wrong with a value; the messages never repeat it. */
export function faultsOf(
  definition: Definition,
  value: Json,
): readonly { readonly pointer: string; readonly message: string }[] {
  const compiled = compileDefinition(definition)
  return compiled.kind === 'check' ? compiled.check(value) : [{ pointer: '', message: compiled.message }]
}

/** Tools give definitions ids of one pattern; two bundles with the same would get in each other's way. */
function anonymous({ $id: _, ...definition }: JsonObject): JsonObject {
  return definition
}
