/** Parameters as they were before 1.0: each described itself, in words that were later given up. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import type { Definition, Parameter } from './bundle.ts'
import { flagOf, given, type Node, nodeOf, textOf, textsOf } from './fields.ts'
import { destinationOf } from './places.ts'

const words: Readonly<Record<string, string>> = {
  defaultValue: 'default',
  default: 'default',
  allowedValues: 'enum',
  enum: 'enum',
  minValue: 'minimum',
  minimum: 'minimum',
  maxValue: 'maximum',
  maximum: 'maximum',
  exclusiveMinimum: 'exclusiveMinimum',
  exclusiveMaximum: 'exclusiveMaximum',
  minLength: 'minLength',
  maxLength: 'maxLength',
  pattern: 'pattern',
  writeOnly: 'writeOnly',
}

const types: Readonly<Record<string, JsonObject>> = {
  bool: { type: 'boolean' },
  int: { type: 'integer' },
  bytes: { type: 'string', contentEncoding: 'base64' },
}

/** Whether a parameter describes itself instead of naming a definition. */
export function isLegacyParameter({ value }: Node): boolean {
  return (value['definition'] ?? null) === null && (value['type'] ?? null) !== null
}

/** The parameter and the definition it would have had. */
export function readLegacyParameter(
  name: string,
  node: Node,
): { readonly parameter: Parameter; readonly definition: Definition } {
  const { value, at, faults } = node
  const inner = nodeOf(node, 'destination')
  const destination = destinationOf(
    { env: textOf(inner, 'env'), path: textOf(inner, 'path') },
    inner.at,
    faults,
  )
  const applyTo = [...textsOf(node, 'apply-to'), ...textsOf(node, 'applyTo')]
  const description = textOf(nodeOf(node, 'metadata'), 'description') ?? textOf(node, 'description')

  const isNowhere = destination.env === undefined && destination.path === undefined
  if (isNowhere)
    faults.warning('cnab.bundle.questionable', at, `has no destination: ${legacyVariable(name)} is meant`)
  return {
    parameter: {
      definition: legacyDefinition(name),
      required: flagOf(node, 'required') ?? false,
      ...given('description', description),
      ...(applyTo.length === 0 ? {} : { applyTo }),
      ...(isNowhere ? { env: legacyVariable(name) } : destination),
    },
    definition: definitionFrom(value),
  }
}

/** What run tools of that time read. */
export function legacyVariable(name: string): string {
  return `CNAB_P_${name.toUpperCase()}`
}

function legacyDefinition(name: string): string {
  return `parameter ${name}`
}

function definitionFrom(value: JsonObject): Definition {
  const kept = Object.entries(value).flatMap(([key, item]): readonly [string, Json][] => {
    const word = Object.hasOwn(words, key) ? words[key] : undefined
    return word === undefined ? [] : [[word, item]]
  })
  return { ...typeFrom(value['type'] ?? null), ...bounded(Object.fromEntries(kept)) }
}

function typeFrom(type: Json): JsonObject {
  return typeof type === 'string' && Object.hasOwn(types, type) ? (types[type] ?? {}) : { type }
}

/** An exclusive bound was a flag beside the bound. */
function bounded(schema: JsonObject): JsonObject {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...rest } = schema
  return {
    ...rest,
    ...bound('minimum', 'exclusiveMinimum', [minimum, exclusiveMinimum]),
    ...bound('maximum', 'exclusiveMaximum', [maximum, exclusiveMaximum]),
  }
}

function bound(plain: string, exclusive: string, [at, flag]: readonly (Json | undefined)[]): JsonObject {
  if (flag === true && at !== undefined) return { [exclusive]: at }
  return {
    ...(at === undefined ? {} : { [plain]: at }),
    ...(flag === undefined || typeof flag === 'boolean' ? {} : { [exclusive]: flag }),
  }
}

/** Whether an object looks like a file that bundles are built of. */
export function buildFileOf(document: JsonObject): string | undefined {
  if (isObject(document['invocationImages'])) return 'a build file of duffle (duffle.json)'
  const isManifest = 'mixins' in document && 'install' in document
  return isManifest ? 'a build file of Porter (porter.yaml)' : undefined
}
