/** Choices: the values of an enumeration, and the branches of `oneOf` and `anyOf` with names that tell them apart. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import type { BranchName, Option } from './field.ts'
import { choiceIn, membersOf, type Rooted, typesOf } from './join.ts'
import { fits, isOfType, resolve } from './resolve.ts'

/** The values that a resolved schema lets choose from; undefined where it is no such choice. */
export function options(schema: JsonObject): readonly Option[] | undefined {
  const values = schema['enum']
  if (Array.isArray(values) && values.length > 0) return values.map((value: Json) => ({ value }))
  const choice = choiceIn(schema)
  const each = choice?.branches.map(optionOf) ?? []
  return each.length > 0 && each.every((one) => one !== undefined) ? each : undefined
}

/** A branch that stands for one value. */
function optionOf(branch: Json): Option | undefined {
  if (!isObject(branch)) return undefined
  const { const: only, enum: several, title } = branch as JsonObject
  const value = Array.isArray(several) && several.length === 1 ? several[0] : only
  if (value === undefined) return undefined
  return { value, ...(typeof title === 'string' ? { title } : {}) }
}

/** The branch that a value seems to be of: the first that fits, else that might, else of the same kind. */
export function pickedBranch(branches: readonly Rooted[], value: Json | undefined): number {
  if (value === undefined) return 0
  const guesses = branches.map((branch) => fits(branch, value))
  const found = [guesses.indexOf('yes'), guesses.indexOf('perhaps')].find((index) => index >= 0)
  if (found !== undefined) return found
  const kin = branches.map((branch) => likeness(branch, value))
  return kin.indexOf(Math.max(...kin))
}

/** How much of a value a branch that does not fit speaks of. */
function likeness(branch: Rooted, value: Json): number {
  const schema = resolve(branch, value)
  const types = typesOf(schema)
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) return -1
  if (!isObject(value)) return 0
  const members = membersOf(schema)
  const told = members.map(([name, member]): number => {
    if (!Object.hasOwn(value, name)) return 0
    const guess = fits({ schema: member, root: branch.root }, (value as JsonObject)[name] ?? null)
    return guess === 'no' && isTelling(member) ? -10 : 1
  })
  return told.reduce((sum, one) => sum + one, 0)
}

function isTelling(member: Json): boolean {
  return isObject(member) && ('const' in member || 'enum' in member)
}

/** What a branch is called. */
export function branchName(branch: Rooted, beside: JsonObject, index: number): BranchName {
  const schema = resolve(branch, undefined)
  const { title, required } = schema
  if (typeof title === 'string' && title.trim() !== '') return { kind: 'title', title }
  if (schema['const'] !== undefined) return { kind: 'value', value: schema['const'] }
  const telling = membersOf(schema).flatMap(([, member]) => onlyValue(member))
  const [first] = telling
  if (first !== undefined) return { kind: 'value', value: first }
  const types = typesOf(schema)
  const [type] = types
  const own = Array.isArray(required) ? required.map(String) : []
  const shared = Array.isArray(beside['required']) ? beside['required'].map(String) : []
  const names = own.filter((name) => !shared.includes(name))
  if (type === undefined || type === 'object') {
    const members = names.length > 0 ? names : membersOf(schema).map(([name]) => name)
    if (members.length > 0) return { kind: 'members', names: members.slice(0, 3) }
  }
  return type === undefined ? { kind: 'number', number: index + 1 } : { kind: 'type', type }
}

function onlyValue(member: Json): readonly Json[] {
  const option = optionOf(member)
  return option === undefined ? [] : [option.value]
}
