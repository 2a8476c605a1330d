/** Every schema that lies in a corpus, wherever a document holds one, with the examples that lie beside it. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { inputSchema } from '../../src/contracts/tweed/inputs.ts'
import { parseJson } from '../../src/kit/exact.ts'
import { canonical, isObject, type Json, type JsonObject } from '../../src/kit/json.ts'
import { sampleOf, variantOf } from '../../src/kit/schema-sample.ts'
import { readYaml } from '../../src/kit/yaml.ts'
import { definitionIn, type Placing } from '../../src/web/form/definition.ts'

export interface Found {
  /** File and pointer. */
  readonly name: string
  readonly schema: JsonObject
  readonly definition: readonly Placing[]
  /** Values of it that are worth entering; whether they are valid, the server's check says. */
  readonly examples: readonly JsonObject[]
}

export const shared = '../shared/corpus'
const own = 'test/corpus'
const topics = ['apb', 'brokerpak', 'cnab', 'osb', 'toi', 'tweed']

/** All of them once. */
export function schemasOfCorpora(): readonly Found[] {
  const roots = [shared, own].flatMap((root) => topics.map((topic) => join(root, topic))).filter(existsSync)
  const known = new Map<string, Found>()
  for (const file of roots.flatMap((root) => [...filesBelow(root)])) {
    for (const [at, document] of documentsIn(file)) {
      for (const found of schemasIn(document, `${file}${at}`)) {
        const key = canonical([found.schema, found.definition as unknown as Json])
        const before = known.get(key)
        known.set(key, before ? { ...before, examples: [...before.examples, ...found.examples] } : found)
      }
    }
  }
  return [...known.values()].map((found) => ({ ...found, examples: distinct(withMade(found)) }))
}

function* filesBelow(folder: string): Generator<string> {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) yield* filesBelow(path)
    else if (['.json', '.jsonl', '.yaml', '.yml'].includes(extname(name))) yield path
  }
}

function documentsIn(file: string): readonly (readonly [string, Json])[] {
  const text = readFileSync(file, 'utf8')
  try {
    if (file.endsWith('.jsonl')) {
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line, i) => [`:${i + 1}`, parseJson(line) as Json])
    }
    if (file.endsWith('.json')) return [['', parseJson(text) as Json]]
  } catch {
    return []
  }
  // Templates of spiff and the like are no documents yet.
  const { value } = readYaml(text, { merge: true })
  return value === undefined ? [] : [['', value]]
}

function* schemasIn(value: Json, at: string, around: JsonObject = {}): Generator<Found> {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) yield* schemasIn(item as Json, `${at}/${i}`, around)
    return
  }
  if (!isObject(value)) return
  const map = value as JsonObject
  if (isSchema(map)) {
    yield { name: at, schema: asMember(map), definition: [], examples: examplesBeside(around) }
    return
  }
  yield* formsIn(map, at)
  for (const [key, item] of Object.entries(map)) {
    if (key === 'inputs' && isObject(item) && Object.values(item).some(isSchema)) {
      const { schema } = inputSchema(item as JsonObject)
      yield { name: `${at}/${key}`, schema, definition: [], examples: examplesBeside(map) }
    } else if (typeof item === 'string' && /(^|\n)(inputs|pattern): /.test(item)) {
      const { value: inner } = readYaml(item, { merge: true })
      if (inner !== undefined) yield* schemasIn(inner as Json, `${at}/${key}`, map)
    } else yield* schemasIn(item as Json, `${at}/${key}`, map)
  }
}

/** Parameters are objects; a definition of something else is that of a member. */
function asMember(schema: JsonObject): JsonObject {
  const isOther = typeof schema['type'] === 'string' && schema['type'] !== 'object'
  if (!isOther || JSON.stringify(schema).includes('"$ref"')) return schema
  const { $schema, ...value } = schema
  const named = $schema === undefined ? {} : { $schema }
  return { ...named, type: 'object', properties: { value }, required: ['value'] }
}

/** Plans whose authors placed their members. */
function* formsIn(map: JsonObject, at: string): Generator<Found> {
  const { schemas, metadata } = map
  if (!isObject(schemas) || !isObject(metadata)) return
  const places = [
    ['create', 'service_instance', 'create'],
    ['update', 'service_instance', 'update'],
    ['bind', 'service_binding', 'create'],
  ] as const
  for (const [which, what, when] of places) {
    const definition = definitionIn(metadata as JsonObject, which)
    const outer = (schemas as JsonObject)[what]
    const inner = isObject(outer) ? (outer as JsonObject)[when] : undefined
    const schema = isObject(inner) ? (inner as JsonObject)['parameters'] : undefined
    if (definition.length > 0 && isObject(schema)) {
      yield { name: `${at} as ${which} form`, schema: schema as JsonObject, definition, examples: [] }
    }
  }
}

const words = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

function isSchema(value: unknown): value is JsonObject {
  if (!isObject(value)) return false
  const { $schema, type, properties } = value
  if (typeof $schema === 'string' && $schema.includes('json-schema.org')) return true
  if (
    isObject(properties) &&
    Object.values(properties).every((one) => isObject(one) || typeof one === 'boolean')
  )
    return type === undefined || type === 'object'
  return (
    typeof type === 'string' && words.includes(type) && Object.keys(value).some((key) => telling.has(key))
  )
}

const telling = new Set([
  ...['default', 'enum', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'items'],
  ...['additionalProperties', 'contentEncoding', 'title', '$id', 'required', 'oneOf', 'anyOf', 'writeOnly'],
])

const besides = [
  'document',
  'user',
  'result',
  'value',
  'parameters',
  'provision_params',
  'bind_params',
  'given',
]

function examplesBeside(around: JsonObject): readonly JsonObject[] {
  return besides.flatMap((name) => {
    const one = around[name]
    return isObject(one) ? [one as JsonObject] : []
  })
}

function withMade({ schema, examples }: Found): readonly JsonObject[] {
  const told = Array.isArray(schema['examples']) ? schema['examples'].filter(isObject) : []
  const made = schema['type'] === 'object' || 'properties' in schema ? sampleOf(schema) : undefined
  const other = made === undefined ? undefined : variantOf(schema, made)
  const given = [schema['default'], ...told, made, other]
  return [...examples, ...given.filter((one): one is JsonObject => isObject(one))]
}

function distinct(examples: readonly JsonObject[]): readonly JsonObject[] {
  return [...new Map(examples.map((one) => [canonical(one), one])).values()]
}
