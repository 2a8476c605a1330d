/** The one door to the JSON Schema validator: check a value against a schema from anywhere, list every fault. */
import { Ajv, type AnySchema, type ErrorObject, type ValidateFunction } from 'ajv'
import Ajv2019 from 'ajv/dist/2019.js'
import Ajv2020 from 'ajv/dist/2020.js'
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' }
import AjvDraft04 from 'ajv-draft-04'
import addFormats from 'ajv-formats'
import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'
import { ecmaPattern } from './ecma-pattern.ts'
import { approximate } from './exact.ts'
import { canonical, isObject, type Json, pointer } from './json.ts'
import { patiently } from './patience.ts'

export interface SchemaFault {
  /** JSON pointer into the checked value. */
  readonly pointer: string
  readonly message: string
}

export type Check = (value: unknown) => readonly SchemaFault[]
export type Compiled =
  | { readonly kind: 'check'; readonly check: Check }
  | { readonly kind: 'refused'; readonly message: string }

const linear = {
  strict: false,
  allErrors: true,
  logger: false,
  // A parameter may be called "constructor".
  ownProperties: true,
  // Patterns of packages are written for Go's RE2, and a hostile one must not hang us.
  code: { regExp: Object.assign(linearRegExp, { code: 'linearRegExp' }) },
} as const
const exact = { ...linear, code: { regExp: Object.assign(ecmaPattern, { code: 'ecmaPattern' }) } } as const

const compiled = new LRUCache<string, Compiled>({ max: 1000 })
const engines = new Map<string, Ajv>()
type Draft = '04' | '06' | '07' | '2019' | '2020'
/** linear: patterns are RE2's. exact: patterns are ECMA's, and what says that it is base64 must be. */
type Manner = 'linear' | 'exact'

/** Compiles a schema of any draft from 04 to 2020-12; remote references are never fetched. */
export function compileSchema(schema: Json, manner: Manner = 'linear'): Compiled {
  if (typeof schema !== 'boolean' && !isObject(schema)) {
    return { kind: 'refused', message: 'a JSON Schema must be an object or a boolean' }
  }
  const key = `${manner} ${canonical(schema)}`
  const known = compiled.get(key)
  if (known) return known
  const fresh = compileFresh(schema, manner)
  compiled.set(key, fresh)
  return fresh
}

/** The check of a schema of our own, compiled when it is first needed: most programs end without. */
export function checkerOf(schema: Json): Check {
  let ready: Compiled | undefined
  return (value) => {
    ready ??= compileSchema(schema)
    return ready.kind === 'check' ? ready.check(value) : [{ pointer: '', message: ready.message }]
  }
}

function compileFresh(schema: Json, manner: Manner): Compiled {
  const draft = draftOf(schema)
  if (draft === undefined) {
    return {
      kind: 'refused',
      message: `unknown $schema ${JSON.stringify((schema as { $schema?: Json }).$schema)}`,
    }
  }
  try {
    // A schema with an $id would be remembered under it, and a second one with the same id refused.
    const own = isObject(schema) && ('$id' in schema || 'id' in schema)
    // Bounds beyond what a double holds are valid: the nearest double stands for them.
    const validate = engineOf(draft, manner, own).compile(approximate(schema) as AnySchema)
    const check: Check = (value) => checkWith(validate, approximate(value))
    return { kind: 'check', check: isTame(schema) ? check : patient(check) }
  } catch (error) {
    return { kind: 'refused', message: error instanceof Error ? error.message : String(error) }
  }
}

/** Without references the work grows with schema and value only. */
function isTame(schema: Json): boolean {
  return !/"(?:\$ref|\$recursiveRef|\$dynamicRef|uniqueItems)":/.test(JSON.stringify(schema))
}

const patienceMs = 1000

function patient(check: Check): Check {
  const given = { pointer: '', message: 'is too much work to check' }
  return (value) => patiently(() => check(value), patienceMs) ?? [given]
}

function checkWith(validate: ValidateFunction, value: unknown): readonly SchemaFault[] {
  if (validate(value)) return []
  const faults = (validate.errors ?? []).map(toFault)
  return faults.filter(
    (fault, i) => faults.findIndex((f) => f.pointer === fault.pointer && f.message === fault.message) === i,
  )
}

function toFault(error: ErrorObject): SchemaFault {
  const { keyword, instancePath, params } = error
  switch (keyword) {
    case 'additionalProperties':
      return { pointer: pointer(instancePath, params['additionalProperty']), message: 'is not known here' }
    case 'required':
      return { pointer: pointer(instancePath, params['missingProperty']), message: 'is required' }
    case 'enum':
      return {
        pointer: instancePath,
        message: `must be one of ${(params['allowedValues'] as Json[]).map((v) => JSON.stringify(v)).join(', ')}`,
      }
    default:
      return { pointer: instancePath, message: error.message ?? `breaks ${keyword}` }
  }
}

function draftOf(schema: Json): Draft | undefined {
  const uri = isObject(schema) ? schema['$schema'] : undefined
  if (uri === undefined) return '07'
  const found = /^https?:\/\/json-schema\.org\/draft(?:-(04|06|07)|\/(2019-09|2020-12))\/schema#?$/.exec(
    String(uri),
  )
  if (!found) return undefined
  return (found[1] ?? found[2]?.slice(0, 4)) as Draft
}

function engineOf(draft: Draft, manner: Manner, own: boolean): Ajv {
  const key = `${draft} ${manner}`
  const known = own ? undefined : engines.get(key)
  if (known) return known
  const engine = makeEngine(draft, manner === 'linear' ? linear : exact)
  addFormats.default(engine)
  if (manner === 'exact') {
    engine.removeKeyword('contentEncoding')
    engine.addKeyword({
      keyword: 'contentEncoding',
      type: 'string',
      validate: (encoding: unknown, text: string) => encoding !== 'base64' || isBase64(text),
      error: { message: 'must be base64 with padding and without line breaks' },
    })
  }
  if (!own) engines.set(key, engine)
  return engine
}

function isBase64(text: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)
}

function makeEngine(draft: Draft, options: typeof linear | typeof exact): Ajv {
  switch (draft) {
    case '04':
      return new AjvDraft04.default(options) as unknown as Ajv
    case '06':
      return new Ajv(options).addMetaSchema(draft06)
    case '07':
      return new Ajv(options)
    case '2019':
      return new Ajv2019.default(options) as unknown as Ajv
    case '2020':
      return new Ajv2020.default(options) as unknown as Ajv
  }
}

/** Ajv tells patterns apart by their text, hence the toString. */
function linearRegExp(pattern: string): { test(text: string): boolean; toString(): string } {
  const expression = RE2JS.compile(RE2JS.translateRegExp(pattern))
  return { test: (text) => expression.matcher(text).find(), toString: () => `re2:${pattern}` }
}
