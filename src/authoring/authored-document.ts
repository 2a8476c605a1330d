/** Documents that authors write beside their packages: every fault at once, each with line and what mends it. */
import { type Json, type JsonObject, pointer, stepsOf, at as valueAt } from '../kit/json.ts'
import { strayKey } from '../kit/near-keys.ts'
import { present } from '../kit/present.ts'
import { type Check, checkerOf } from '../kit/schema.ts'
import { propertiesOf, schemaAt, valueHint } from '../kit/value-hint.ts'
import { readYaml, toldFault, type YamlReading } from '../kit/yaml.ts'
import type { Place, Problem } from '../model/problem.ts'

/** What a document of one kind may say. */
export interface DocumentKind {
  readonly schema: JsonObject
  readonly check: Check
  /** Words of other tools for its keys. */
  readonly synonyms: Readonly<Record<string, string>>
  /** What to do where nothing better is known. */
  readonly hint?: string
}

/** A kind of document by its schema. */
export function documentKind(kind: Omit<DocumentKind, 'check'>): DocumentKind {
  return { ...kind, check: checkerOf(kind.schema) }
}

export interface AuthoredDocument {
  readonly value: Json
  readonly problems: readonly Problem[]
  /** The place of what a pointer names. */
  where(pointer: string): Place
}

/** Reads one; the value is of the kind's shape only where there are no problems. */
export function readAuthored(text: string, source: string, kind: DocumentKind): AuthoredDocument {
  const { value = {}, faults, place } = readYaml(text)
  const where = (path: string): Place => ({
    source,
    ...present({ pointer: path || undefined }),
    ...place(path),
  })
  const problem = (detail: string, at: Place, hint = kind.hint): Problem => ({
    code: 'package.invalid',
    detail,
    where: at,
    ...present({ hint }),
  })
  if (faults.length > 0) {
    const usual = present({ hint: kind.hint })
    const problems = faults.map(
      (fault): Problem => ({ code: 'package.invalid', ...usual, ...toldFault(fault, source) }),
    )
    return { value, problems, where }
  }
  const found = kind.check(value ?? {}).map((fault) => remarkOf(fault, value, kind))
  // A misspelt key and the absence of the right one are one mistake.
  const meant = new Set(found.flatMap(({ stands }) => stands ?? []))
  const problems = found
    .filter(({ path, missing }) => !missing || !meant.has(path))
    .map(({ path, detail, hint }) => problem(detail, where(path), hint))
  return { value, problems, where }
}

interface Remark {
  readonly path: string
  readonly detail: string
  readonly hint?: string
  readonly missing: boolean
  /** The place of the key that a misspelt one stands for. */
  readonly stands?: string
}

function remarkOf(
  { pointer: path, message }: { readonly pointer: string; readonly message: string },
  value: YamlReading['value'],
  { schema, synonyms }: DocumentKind,
): Remark {
  const [parent, key] = split(path)
  if (message === 'is not known here') {
    const known = Object.keys(propertiesOf(schemaAt(schema, parent)))
    const here = (valueAt(value, parent) ?? {}) as object
    const { meant, detail, hint } = strayKey(key, here, known, synonyms)
    const stands = meant === undefined ? undefined : pointer(parent, meant)
    return { path, detail, missing: false, ...present({ hint, stands }) }
  }
  if (message === 'is required') {
    return { path, detail: `"${key}" is missing`, missing: true, hint: `Add "${key}: …".` }
  }
  const hint = valueHint(key, valueAt(value, path) as Json | undefined, schemaAt(schema, path))
  return { path, detail: `${key} ${message}`, missing: false, ...present({ hint }) }
}

function split(path: string): readonly [parent: string, key: string] {
  return [path.slice(0, path.lastIndexOf('/')), stepsOf(path).at(-1) ?? '']
}
