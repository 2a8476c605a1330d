/** Checks parameters against the schemas of definitions, in the words of the originals, which authors' tests match. */
import { approximate, isExact } from '../../kit/exact.ts'
import { deepEqual, isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { compilePattern } from '../../kit/pattern.ts'
import { hasFormat } from './formats.ts'
import { type SchemaRules, schemaError } from './schema-errors.ts'

export type Checked =
  | { readonly kind: 'checked'; readonly faults: readonly string[] }
  | { readonly kind: 'schema-error'; readonly message: string }

interface Context {
  readonly rules: SchemaRules
  readonly faults: string[]
}

/** All faults of a value, each as `PLACE: what is wrong`, or why the schema cannot be used. */
export function checkDraftFour(schema: JsonObject, value: Json, rules: SchemaRules = 'ours'): Checked {
  const wrong = schemaError(schema, rules)
  if (wrong !== undefined) return { kind: 'schema-error', message: wrong }
  const context: Context = { rules, faults: [] }
  check(context, schema, value, '(root)')
  return { kind: 'checked', faults: context.faults }
}

function check(context: Context, schema: JsonObject, value: Json, place: string): void {
  const given = typeOf(value)
  const types = [schema['type'] ?? []].flat() as readonly string[]
  if (
    types.length > 0 &&
    !types.some((type) => type === given || (type === 'number' && given === 'integer'))
  ) {
    const wanted = types.length === 1 ? types[0] : `[${types.join(',')}]`
    context.faults.push(`${place}: Invalid type. Expected: ${wanted}, given: ${given}`)
    return
  }
  checkCombined(context, schema, value, place)
  checkValues(context, schema, value, place)
  if (given === 'integer' || given === 'number')
    checkNumber(context, schema, approximate(value) as number, place)
  else if (typeof value === 'string') checkText(context, schema, value, place)
  else if (Array.isArray(value)) checkList(context, schema, value, place)
  else if (given === 'object') checkMap(context, schema, value as JsonObject, place)
}

function checkCombined(context: Context, schema: JsonObject, value: Json, place: string): void {
  const passes = (one: Json): boolean => {
    const inner: Context = { rules: context.rules, faults: [] }
    check(inner, one as JsonObject, value, place)
    return inner.faults.length === 0
  }
  const count = (key: string) => (schema[key] as readonly Json[]).filter(passes).length
  const say = (message: string) => context.faults.push(`${place}: ${message}`)
  if (isList(schema['anyOf']) && count('anyOf') === 0) say('Must validate at least one schema (anyOf)')
  if (isList(schema['oneOf']) && count('oneOf') !== 1) say('Must validate one and only one schema (oneOf)')
  if (isList(schema['allOf']) && count('allOf') !== schema['allOf'].length) {
    say('Must validate all the schemas (allOf)')
  }
  if (isObject(schema['not']) && passes(schema['not'] as JsonObject))
    say('Must not validate the schema (not)')
}

function checkValues(context: Context, schema: JsonObject, value: Json, place: string): void {
  const { enum: allowed } = schema
  if (isList(allowed) && allowed.length > 0 && !allowed.some((one) => deepEqual(one, value))) {
    const list = allowed.map((one) => JSON.stringify(one)).join(', ')
    context.faults.push(`${place}: ${place} must be one of the following: ${list}`)
  }
  if (context.rules !== 'csb' && schema['const'] !== undefined && !deepEqual(schema['const'], value)) {
    context.faults.push(`${place}: ${place} does not match: ${JSON.stringify(schema['const'])}`)
  }
}

function checkNumber(context: Context, schema: JsonObject, value: number, place: string): void {
  const say = (message: string) => context.faults.push(`${place}: ${message}`)
  const { multipleOf: step, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  if (typeof step === 'number' && step > 0 && !isMultiple(value, step)) say(`Must be a multiple of ${step}`)
  if (typeof maximum === 'number') {
    if (exclusiveMaximum === true && value >= maximum) say(`Must be less than ${maximum}`)
    else if (value > maximum) say(`Must be less than or equal to ${maximum}`)
  }
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) {
    say(`Must be less than ${exclusiveMaximum}`)
  }
  if (typeof minimum === 'number') {
    if (exclusiveMinimum === true && value <= minimum) say(`Must be greater than ${minimum}`)
    else if (value < minimum) say(`Must be greater than or equal to ${minimum}`)
  }
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) {
    say(`Must be greater than ${exclusiveMinimum}`)
  }
}

function checkText(context: Context, schema: JsonObject, value: string, place: string): void {
  const say = (message: string) => context.faults.push(`${place}: ${message}`)
  const length = [...value].length
  const { minLength, maxLength, pattern, format } = schema
  if (typeof minLength === 'number' && length < minLength) {
    say(`String length must be greater than or equal to ${minLength}`)
  }
  if (typeof maxLength === 'number' && length > maxLength) {
    say(`String length must be less than or equal to ${maxLength}`)
  }
  if (typeof pattern === 'string') {
    const compiled = compilePattern(pattern)
    if (compiled.kind === 'pattern' && !compiled.found(value)) say(`Does not match pattern '${pattern}'`)
  }
  if (typeof format === 'string' && !hasFormat(value, format)) say(`Does not match format '${format}'`)
}

function checkList(context: Context, schema: JsonObject, value: readonly Json[], place: string): void {
  const say = (message: string) => context.faults.push(`${place}: ${message}`)
  const { minItems, maxItems, uniqueItems, items } = schema
  if (typeof minItems === 'number' && value.length < minItems)
    say(`Array must have at least ${minItems} items`)
  if (typeof maxItems === 'number' && value.length > maxItems)
    say(`Array must have at most ${maxItems} items`)
  if (uniqueItems === true) {
    const seen = new Map<string, number>()
    for (const [i, item] of value.entries()) {
      const text = JSON.stringify(sortedKeys(item))
      const before = seen.get(text)
      if (before === undefined) seen.set(text, i)
      else if (context.rules === 'v1') say('array items must be unique')
      else say(`array items[${before},${i}] must be unique`)
    }
  }
  for (const [i, item] of value.entries()) {
    const one = isList(items) ? items[i] : items
    if (isObject(one)) check(context, one as JsonObject, item, below(place, String(i)))
  }
}

function checkMap(context: Context, schema: JsonObject, value: JsonObject, place: string): void {
  const say = (message: string) => context.faults.push(`${place}: ${message}`)
  const { minProperties, maxProperties, required, propertyNames } = schema
  const names = Object.keys(value).sort()
  for (const name of isList(required) ? required : []) {
    if (Object.hasOwn(value, String(name))) continue
    if (context.rules === 'v1') context.faults.push(`${below(place, String(name))}: ${name} is required`)
    else say(`${name} is required`)
  }
  if (typeof minProperties === 'number' && names.length < minProperties) {
    say(`Must have at least ${minProperties} properties`)
  }
  if (typeof maxProperties === 'number' && names.length > maxProperties) {
    say(`Must have at most ${maxProperties} properties`)
  }
  for (const name of names) {
    if (isObject(propertyNames) && context.rules !== 'csb') {
      checkName(context, propertyNames as JsonObject, name, place)
    }
    checkMember(context, schema, [name, value[name] ?? null], place)
  }
}

function checkMember(
  context: Context,
  schema: JsonObject,
  [name, value]: readonly [string, Json],
  place: string,
): void {
  const { additionalProperties: others } = schema
  const applying = schemasOf(schema, name)
  for (const one of applying) check(context, one, value, below(place, name))
  if (applying.length > 0) return
  if (others === false) context.faults.push(`${place}: Additional property ${name} is not allowed`)
  else if (isObject(others)) check(context, others as JsonObject, value, below(place, name))
}

function schemasOf(schema: JsonObject, name: string): readonly JsonObject[] {
  const properties = (schema['properties'] ?? {}) as JsonObject
  const own = Object.hasOwn(properties, name) ? [properties[name]] : []
  const patterns = Object.entries((schema['patternProperties'] ?? {}) as JsonObject)
  const matching = patterns.flatMap(([pattern, one]) => (isFound(pattern, name) ? [one] : []))
  return [...own, ...matching].filter((one) => isObject(one)) as readonly JsonObject[]
}

function checkName(context: Context, schema: JsonObject, name: string, place: string): void {
  const inner: Context = { rules: context.rules, faults: [] }
  check(inner, schema, name, place)
  if (inner.faults.length === 0) return
  context.faults.push(`${below(place, name).split('.').at(-1)}: Property name of "${name}" does not match`)
  context.faults.push(...inner.faults)
}

function isFound(pattern: string, name: string): boolean {
  const compiled = compilePattern(pattern)
  return compiled.kind === 'pattern' && compiled.found(name)
}

/** Counted in decimal digits: 0.3 is three times 0.1. */
function isMultiple(value: number, step: number): boolean {
  const digits = Math.max(decimals(value), decimals(step))
  const scale = 10 ** Math.min(digits, 15)
  return Math.round(value * scale) % Math.round(step * scale) === 0
}

function decimals(value: number): number {
  const [mantissa = '', exponent = '0'] = String(value).split('e')
  return Math.max(0, (mantissa.split('.')[1] ?? '').length - Number(exponent))
}

function typeOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (isExact(value)) return /[.eE]/.test(value.rawJSON) ? 'number' : 'integer'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

function sortedKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (!isObject(value) || isExact(value)) return value
  return Object.fromEntries(
    Object.entries(value as JsonObject)
      .sort()
      .map(([key, item]) => [key, sortedKeys(item)]),
  )
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

function below(place: string, name: string): string {
  return place === '(root)' ? name : `${place}.${name}`
}
