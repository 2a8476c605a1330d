/** Reads one parameter of a plan. */
import type { Json } from '../../kit/json.ts'
import { compilePattern } from '../../kit/pattern.ts'
import { present } from '../../kit/present.ts'
import { nearest } from '../../kit/text.ts'
import type { YamlTree } from '../../kit/yaml-tree.ts'
import { Fields, type Findings, found } from './fields.ts'
import type { Bound, Condition, Parameter, ParameterType } from './spec.ts'

const types: ReadonlyMap<string, ParameterType> = new Map([
  ['string', 'string'],
  ['enum', 'string'],
  ['int', 'integer'],
  ['integer', 'integer'],
  ['number', 'number'],
  ['bool', 'boolean'],
  ['boolean', 'boolean'],
  ['object', 'object'],
  ['array', 'array'],
  ['nil', 'null'],
  ['null', 'null'],
])

/** How authors write keys that the original does not know so. */
const misspelt = {
  max_length: ['maxLength'],
  min_length: ['minLength', 'minlength'],
  display_type: ['displayType'],
  display_group: ['displayGroup'],
} as const
type Misspelt = keyof typeof misspelt
type Spellings = Readonly<Record<Misspelt, string>>

/** A list of parameters, without those that cannot be read. */
export function readParameters(plan: Fields, key: string, findings: Findings): readonly Parameter[] {
  return plan.list(key).flatMap((tree) => readParameter(tree, findings) ?? [])
}

/** One parameter; undefined where it cannot be read, which is told. */
export function readParameter(tree: YamlTree, findings: Findings): Parameter | undefined {
  if (tree.kind !== 'map') {
    const hint = 'Write it as a map: {name: …, type: string}'
    findings.warnings.push(found('apb.spec.ignored', 'a parameter must be a map', tree.at, hint))
    return undefined
  }
  const fields = new Fields(tree, findings)
  const written = fields.text('type')
  const type = types.get(written.toLowerCase())
  const name = fields.text('name')
  if (type === undefined) {
    const detail = `Could not find the parameter type for: ${written} (parameter ${name})`
    const near = nearest(written, [...types.keys()])
    const hint = near === undefined || written === '' ? undefined : `Write type: ${near}.`
    findings.problems.push(found('apb.spec.parameter-type', detail, fields.at('type'), hint))
    return undefined
  }
  const keys = spellingsOf(fields)
  return {
    name,
    type,
    enum: fields.texts('enum'),
    required: fields.flag('required'),
    updatable: fields.flag('updatable'),
    ...present({
      title: fields.someText('title'),
      description: fields.someText('description'),
      pattern: type === 'string' ? readPattern(fields, findings) : undefined,
      displayType: fields.someText(keys.display_type),
      displayGroup: fields.someText(keys.display_group),
      condition: readCondition(fields),
    }),
    ...readDefault(fields, findings),
    ...(type === 'string' ? readLengths(fields, keys) : {}),
    ...(type === 'integer' || type === 'number' ? readRange(fields) : {}),
  }
}

function spellingsOf(fields: Fields): Spellings {
  const of = (key: Misspelt): string => fields.spelling(key, misspelt[key], 'parameter')
  return {
    max_length: of('max_length'),
    min_length: of('min_length'),
    display_type: of('display_type'),
    display_group: of('display_group'),
  }
}

function readPattern(fields: Fields, findings: Findings): string | undefined {
  const pattern = fields.someText('pattern')
  if (pattern === undefined) return undefined
  const compiled = compilePattern(pattern)
  if (compiled.kind === 'pattern') return pattern
  findings.warnings.push(
    found('apb.spec.pattern', `Invalid pattern: ${compiled.message}`, fields.at('pattern')),
  )
  return undefined
}

/** Only the first dependency counts. */
function readCondition(fields: Fields): Condition | undefined {
  const [first] = fields.list('dependencies')
  if (first?.kind !== 'map') return undefined
  const dependency = new Fields(first, { problems: [], warnings: [], lenient: false })
  const on = dependency.someText('key')
  return on === undefined ? undefined : { on, value: dependency.json('value') ?? null }
}

function readDefault(
  fields: Fields,
  findings: Findings,
): { readonly default?: Json; readonly defaultText?: string } {
  const tree = fields.tree('default')
  if (tree === undefined || (tree.kind === 'scalar' && tree.value === null)) return {}
  if (tree.kind === 'scalar' && typeof tree.value === 'number' && !Number.isFinite(tree.value)) {
    findings.warnings.push(found('apb.spec.default', `JSON has no number ${tree.text}`, fields.at('default')))
    return {}
  }
  const value = fields.json('default')
  if (value === undefined) return {}
  return { default: value, ...(tree.kind === 'scalar' ? { defaultText: tree.text } : {}) }
}

function readLengths(fields: Fields, keys: Spellings): Pick<Parameter, 'maxLength' | 'minLength'> {
  const lengths = ['max_length', 'maxlength', keys.max_length].map((key) => fields.length(key))
  return present({
    maxLength: lengths.find((length) => length !== undefined),
    minLength: fields.length(keys.min_length),
  })
}

function readRange(fields: Fields): Pick<Parameter, 'minimum' | 'maximum' | 'multipleOf'> {
  const multipleOf = fields.number('multiple_of')
  return present({
    minimum: readBound(fields, 'minimum', 'exclusive_minimum'),
    maximum: readBound(fields, 'maximum', 'exclusive_maximum'),
    multipleOf: multipleOf === undefined || multipleOf <= 0 ? undefined : multipleOf,
  })
}

/** An exclusive bound hides the plain one. */
function readBound(fields: Fields, plain: string, exclusive: string): Bound | undefined {
  const beyond = fields.number(exclusive)
  if (beyond !== undefined) return { value: beyond, exclusive: true }
  const value = fields.number(plain)
  return value === undefined ? undefined : { value, exclusive: false }
}
