/** Makes the fields of a form: from a schema of any draft, a definition and a value. Pure; drawn elsewhere. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { branchName, options, pickedBranch } from './branches.ts'
import { type Placing, placed } from './definition.ts'
import type { ChoiceField, Common, Field, GroupField, ListField, Section, TextField } from './field.ts'
import {
  below,
  choiceIn,
  join,
  kindsOf,
  memberSchema,
  membersOf,
  type Rooted,
  rowSchema,
  typesOf,
} from './join.ts'
import { isMap } from './places.ts'
import { resolve } from './resolve.ts'
import { freshRow, startOf } from './start.ts'

export interface FormWish {
  /** Absent: the plan says nothing, and anything may be sent. */
  readonly schema: JsonObject | undefined
  readonly definition?: readonly Placing[]
  readonly value: JsonObject
  /** Branches that were chosen, by place. */
  readonly picks?: Readonly<Record<string, number>>
}

/** What is known on the way down. */
interface Around {
  readonly root: Json
  readonly picks: Readonly<Record<string, number>>
  readonly definition: readonly Placing[]
  readonly depth: number
}

interface Spot {
  readonly schema: Json
  readonly place: string
  readonly name: string
  readonly value: Json | undefined
  readonly required: boolean
  readonly secret: boolean
  readonly fixed?: boolean
  readonly display?: string
}

const depthMax = 8
const radiosMax = 5
const selectMax = 30
const checkboxesMax = 12

/** The field for the whole value. */
export function formOf({ schema = {}, definition = [], value, picks = {} }: FormWish): Field {
  const around = { root: schema, picks, definition, depth: 0 }
  return fieldOf({ schema, place: '', name: '', value, required: true, secret: false }, around)
}

function fieldOf(spot: Spot, around: Around): Field {
  const schema = resolve({ schema: spot.schema, root: around.root }, spot.value)
  const common = commonOf(spot, schema)
  const known = simpleField(spot, schema, common)
  if (known !== undefined) return known
  if ('not' in schema && Object.keys(schema).length === 1)
    return { ...common, kind: 'raw', why: 'nothing-fits' }
  if (around.depth > depthMax) return { ...common, kind: 'raw', why: 'deep' }
  const choice = branchesOf(schema)
  const types = typesOf(schema)
  if (choice === undefined && types[0] !== 'object' && types[0] !== 'array') {
    return { ...common, kind: 'raw', why: 'anything' }
  }
  if (spot.value === undefined && !spot.required) return closedField(spot, schema, common, around)
  const inner = { ...around, depth: around.depth + 1 }
  if (choice !== undefined)
    return branchField({ ...spot, schema, secret: common.secret }, choice, common, inner)
  if (types[0] === 'array') {
    const rows = listField({ ...spot, secret: common.secret }, schema, common, inner)
    return rows ?? { ...common, kind: 'raw', why: 'anything' }
  }
  return groupField({ ...spot, secret: common.secret }, schema, common, inner)
}

function commonOf(spot: Spot, schema: JsonObject): Common {
  const { place, name, value, required } = spot
  const { title, description } = schema
  const fallback = schema['default']
  return {
    place,
    name,
    title: typeof title === 'string' && title.trim() !== '' ? title : name,
    ...(typeof description === 'string' && description.trim() !== '' ? { description } : {}),
    required,
    secret:
      spot.secret ||
      schema['writeOnly'] === true ||
      schema['format'] === 'password' ||
      spot.display === 'password',
    fixed: spot.fixed === true || schema['readOnly'] === true,
    ...present({ fallback }),
    value,
  }
}

/** Fields of one control; undefined where there is more to it. */
function simpleField(spot: Spot, schema: JsonObject, common: Common): Field | undefined {
  if (schema['const'] !== undefined) {
    return { ...common, kind: 'constant', fallback: schema['const'], fixed: true }
  }
  const choices = options(schema)
  if (choices !== undefined) return choiceField(common, choices)
  const { kinds, nullable } = kindsOf(schema)
  if (kinds.length !== 1 || choiceIn(schema) !== undefined) return undefined
  const plain = simpleOf(kinds[0], { spot, schema, common })
  return plain !== undefined && nullable ? { ...plain, nullable } : plain
}

interface Known {
  readonly spot: Spot
  readonly schema: JsonObject
  readonly common: Common
}

function simpleOf(kind: string | undefined, { spot, schema, common }: Known): Field | undefined {
  switch (kind) {
    case 'boolean':
      return { ...common, kind: 'switch' }
    case 'integer':
    case 'number':
      return {
        ...common,
        kind: 'number',
        whole: kind === 'integer',
        ...numbered('min', schema['minimum'] ?? schema['exclusiveMinimum']),
        ...numbered('max', schema['maximum'] ?? schema['exclusiveMaximum']),
        ...numbered('step', schema['multipleOf']),
      }
    case 'string':
      return textField(spot, schema, common)
    case 'null':
      return { ...common, kind: 'constant', fallback: null, fixed: true }
    case 'array':
      return setField(schema, common)
    default:
      return undefined
  }
}

function numbered<K extends string>(key: K, value: Json | undefined): { readonly [name in K]?: number } {
  return (typeof value === 'number' ? { [key]: value } : {}) as { readonly [name in K]?: number }
}

function textField(spot: Spot, schema: JsonObject, common: Common): TextField {
  const { format, pattern, maxLength, examples } = schema
  const isLong =
    ['textarea', 'multiline'].includes(spot.display ?? '') ||
    schema['contentMediaType'] !== undefined ||
    [common.fallback, common.value].some((one) => typeof one === 'string' && one.includes('\n')) ||
    (typeof maxLength === 'number' && maxLength > 1000)
  return {
    ...common,
    kind: 'text',
    lines: isLong && !common.secret ? 'many' : 'one',
    ...(typeof format === 'string' ? { format } : {}),
    ...(typeof pattern === 'string' ? { pattern } : {}),
    ...numbered('lengthMin', schema['minLength']),
    ...numbered('lengthMax', maxLength),
    examples: Array.isArray(examples) ? examples.filter((one): one is string => typeof one === 'string') : [],
  }
}

function choiceField(common: Common, choices: ChoiceField['options']): ChoiceField {
  const few = choices.length <= selectMax ? 'select' : 'search'
  return {
    ...common,
    kind: 'choice',
    options: choices,
    manner: choices.length <= radiosMax ? 'radios' : few,
  }
}

/** Several of a few, each at most once. */
function setField(schema: JsonObject, common: Common): Field | undefined {
  const { items, uniqueItems } = schema
  if (uniqueItems !== true || !isObject(items) || !Array.isArray(items['enum'])) return undefined
  const choices = options(items as JsonObject) ?? []
  const value = common.value ?? []
  const isKnown =
    Array.isArray(value) && value.every((one: Json) => choices.some((choice) => choice.value === one))
  if (!isKnown || choices.length > checkboxesMax) return undefined
  return { ...common, kind: 'set', options: choices }
}

/** Branches by keyword, or one for each of several types. */
function branchesOf(
  schema: JsonObject,
): { readonly branches: readonly Json[]; readonly beside: JsonObject } | undefined {
  const choice = choiceIn(schema)
  if (choice !== undefined) return choice
  const types = typesOf(schema)
  if (types.length < 2 || types.length > 4) return undefined
  const { type: _types, ...beside } = schema
  return { branches: types.map((type) => ({ type })), beside }
}

function closedField(spot: Spot, schema: JsonObject, common: Common, { root }: Around): Field {
  const started = startOf({ schema: spot.schema, root })
  if (started !== undefined && !(Array.isArray(started) && started.length === 0)) {
    return { ...common, kind: 'closed', opening: started }
  }
  if (typesOf(schema)[0] === 'array') {
    return { ...common, kind: 'closed', opening: [freshRow({ schema: rowSchema(schema, 0), root })] }
  }
  return {
    ...common,
    kind: 'closed',
    opening: choiceIn(schema) === undefined ? {} : freshBranch(schema, root),
  }
}

function freshBranch(schema: JsonObject, root: Json): Json {
  const choice = choiceIn(schema)
  return freshRow({ schema: choice?.branches[0] ?? true, root })
}

function branchField(
  spot: Spot,
  { branches, beside }: { readonly branches: readonly Json[]; readonly beside: JsonObject },
  common: Common,
  around: Around,
): Field {
  const { root } = around
  const rooted = branches.map((schema): Rooted => ({ schema, root }))
  const picked = around.picks[spot.place] ?? pickedBranch(rooted, spot.value)
  const branch = rooted[picked] ?? { schema: true, root }
  const { title: _title, description, default: _default, ...own } = resolve(branch, spot.value)
  const within = fieldOf(
    {
      ...spot,
      schema: join({ ...own, ...present({ description }) }, withoutWords(beside)),
      required: true,
      secret: common.secret,
    },
    around,
  )
  return {
    ...common,
    kind: 'branch',
    branches: rooted.map((one, i) => branchName(one, beside, i)),
    picked,
    within,
    source: { schema: spot.schema as JsonObject, root },
  }
}

function withoutWords({ title: _title, description: _description, default: _default, ...rest }: JsonObject) {
  return rest
}

function listField(spot: Spot, schema: JsonObject, common: Common, around: Around): ListField | undefined {
  const { value = [] } = spot
  if (!Array.isArray(value)) return undefined
  const { minItems, maxItems } = schema
  const rows = value.map((item: Json, i) =>
    fieldOf(
      {
        schema: rowSchema(schema, i),
        place: below(spot.place, i),
        name: String(i),
        value: item,
        required: true,
        secret: spot.secret,
        fixed: common.fixed,
      },
      around,
    ),
  )
  return {
    ...common,
    kind: 'list',
    rows,
    rowsMin: typeof minItems === 'number' ? minItems : 0,
    ...numbered('rowsMax', tupleLength(schema) ?? maxItems),
    fresh: freshRow({ schema: rowSchema(schema, value.length), root: around.root }),
  }
}

/** How many rows there may be where each one is named and no other is allowed. */
function tupleLength({ items, prefixItems, additionalItems }: JsonObject): number | undefined {
  if (Array.isArray(prefixItems) && items === false) return prefixItems.length
  return Array.isArray(items) && additionalItems === false ? items.length : undefined
}

function groupField(spot: Spot, schema: JsonObject, common: Common, around: Around): Field {
  const value = spot.value ?? {}
  if (!isMap(value)) return { ...common, kind: 'raw', why: 'anything' }
  const declared = new Map(membersOf(schema))
  const required: readonly Json[] = Array.isArray(schema['required']) ? schema['required'] : []
  const inner = { ...around, definition: [] }
  const memberOf = (name: string, placing?: Placing): Field =>
    fieldOf(
      {
        schema: declared.get(name) ?? memberSchema(schema, name),
        place: below(spot.place, name),
        name,
        value: value[name],
        required: required.includes(name),
        secret: spot.secret,
        fixed: common.fixed,
        ...(placing?.display === undefined ? {} : { display: placing.display }),
      },
      inner,
    )
  const members = placed([...declared.keys()], around.definition).map((placing) => ({
    ...present({ group: placing.group }),
    field: memberOf(placing.name, placing),
  }))
  const open = members.filter(({ field }) => field.fallback === undefined || field.kind === 'constant')
  const asked = [
    ...open.filter(({ field }) => field.required),
    ...open.filter(({ field }) => !field.required),
  ]
  const undeclared = required.filter((name) => !declared.has(String(name))).map(String)
  const extra = [...new Set([...undeclared, ...Object.keys(value)])].filter((name) => !declared.has(name))
  return {
    ...common,
    kind: 'group',
    open: sections(asked),
    folded: sections(members.filter((one) => !open.includes(one))),
    entries: extra.map((name) => memberOf(name)),
    takesEntries: takesEntries(schema, declared.size),
    fresh: freshRow({ schema: memberSchema(schema, ''), root: around.root }),
  } satisfies GroupField
}

/** Neighbours of one group share a section. */
function sections(
  members: readonly { readonly group?: string; readonly field: Field }[],
): readonly Section[] {
  const found: { title?: string; fields: Field[] }[] = []
  for (const { group, field } of members) {
    const last = found.at(-1)
    if (last !== undefined && last.title === group) last.fields.push(field)
    else found.push({ ...present({ title: group }), fields: [field] })
  }
  return found
}

/** Names of one's own are asked for where the schema speaks of them, or of nothing else. */
function takesEntries(
  { additionalProperties, patternProperties }: JsonObject,
  declared: number,
): GroupField['takesEntries'] {
  const isAsked = declared === 0 || isObject(additionalProperties) || additionalProperties === true
  if (isObject(patternProperties)) return 'asked'
  if (additionalProperties === false) return 'no'
  return isAsked ? 'asked' : 'quietly'
}
