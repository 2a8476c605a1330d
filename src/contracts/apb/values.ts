/** Judges what users send for the parameters of a plan, fills defaults, and gives each value its type. */
import type { Json, JsonObject } from '../../kit/json.ts'
import { isObject, pointer } from '../../kit/json.ts'
import { compilePattern } from '../../kit/pattern.ts'
import { nearest } from '../../kit/text.ts'
import type { Problem } from '../../model/problem.ts'
import { matters } from './conditions.ts'
import type { Bound, Parameter } from './spec.ts'

export interface Judged {
  /** Typed, with defaults; what is undeclared is left out. */
  readonly values: JsonObject
  readonly problems: readonly Problem[]
}

export interface Manner {
  /** The operator's defaults, before those of the spec. */
  readonly defaults: JsonObject
  /** Whether texts may hold what Ansible evaluates. */
  readonly templates: 'reject' | 'allow'
}

/** Judges the values for all parameters of a list at once. */
export function judgeValues(given: JsonObject, parameters: readonly Parameter[], manner: Manner): Judged {
  const declared = new Map(parameters.map((parameter) => [parameter.name, parameter]))
  const problems: Problem[] = []
  const values = new Map<string, Json>()
  for (const [name, value] of Object.entries(given)) {
    const parameter = declared.get(name)
    if (parameter === undefined) problems.push(undeclared(name, [...declared.keys()]))
    else {
      const judged = judgeValue(parameter, value, manner)
      if (judged.kind === 'value') values.set(name, judged.value)
      else problems.push(fault(name, judged.message))
    }
  }
  for (const [name, value] of Object.entries(manner.defaults)) {
    if (declared.has(name) && !Object.hasOwn(given, name)) values.set(name, value)
  }
  fillDefaults([...declared.values()], values)
  for (const parameter of declared.values()) {
    const { name } = parameter
    const missing = parameters.some((one) => one.name === name && one.required) && !values.has(name)
    if (missing && !Object.hasOwn(given, name) && matters(parameter, parameters, Object.fromEntries(values)))
      problems.push(fault(name, 'is required'))
  }
  return { values: Object.fromEntries(values), problems }
}

/** A default counts where its condition holds; those of the conditions come first, whatever the order. */
function fillDefaults(parameters: readonly Parameter[], values: Map<string, Json>): void {
  for (const conditional of [false, true]) {
    for (const parameter of parameters) {
      if ((parameter.condition !== undefined) !== conditional || values.has(parameter.name)) continue
      const value = typedDefault(parameter)
      if (value !== undefined && matters(parameter, parameters, Object.fromEntries(values)))
        values.set(parameter.name, value)
    }
  }
}

/** The default in the type of its parameter: a text keeps how it is spelt. */
export function typedDefault({ type, default: value, defaultText }: Parameter): Json | undefined {
  if (value === undefined) return undefined
  if (type === 'string') return defaultText ?? (typeof value === 'string' ? value : undefined)
  return typed(type, value)
}

/** The choices in the type of their parameter; those that it cannot have are left out. */
export function typedEnum({ type, enum: choices }: Parameter): readonly Json[] {
  return choices.flatMap((choice): readonly Json[] => {
    const value = type === 'string' ? choice : typed(type, choice)
    return value === undefined ? [] : [value]
  })
}

type JudgedValue =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'refused'; readonly message: string }

function judgeValue(parameter: Parameter, given: Json, { templates }: Manner): JudgedValue {
  const { type } = parameter
  const value = typed(type, given)
  if (value === undefined) return refused(`must be ${articles[type]}`)
  if (templates === 'reject' && holdsTemplate(value)) {
    return refused('holds {{ or {%, which the bundle would evaluate')
  }
  const choices = typedEnum(parameter)
  if (parameter.enum.length > 0 && !choices.some((choice) => choice === value)) {
    return refused(`must be one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`)
  }
  const message = faultOf(parameter, value)
  return message === undefined ? { kind: 'value', value } : refused(message)
}

function refused(message: string): JudgedValue {
  return { kind: 'refused', message }
}

const articles: Readonly<Record<Parameter['type'], string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
}

/** The value in a type; web forms and command lines send texts for everything. Undefined where it does not fit. */
function typed(type: Parameter['type'], value: Json): Json | undefined {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? value : undefined
    case 'integer': {
      const number = numberOf(value)
      return Number.isInteger(number) ? number : undefined
    }
    case 'number':
      return numberOf(value)
    case 'boolean':
      if (value === 'true' || value === 'false') return value === 'true'
      return typeof value === 'boolean' ? value : undefined
    case 'object':
      return isObject(value) ? value : undefined
    case 'array':
      return Array.isArray(value) ? value : undefined
    case 'null':
      return value === null ? null : undefined
  }
}

function numberOf(value: Json): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || !/^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(value)) return undefined
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}

/** Whether Ansible would evaluate something of it. */
export function holdsTemplate(value: Json): boolean {
  if (typeof value === 'string') return /\{\{|\{%/.test(value)
  if (Array.isArray(value)) return value.some(holdsTemplate)
  return (
    isObject(value) &&
    Object.entries(value as JsonObject)
      .flat()
      .some(holdsTemplate)
  )
}

function faultOf(parameter: Parameter, value: Json): string | undefined {
  if (typeof value === 'string') return faultOfText(parameter, value)
  return typeof value === 'number' ? faultOfNumber(parameter, value) : undefined
}

function faultOfText({ maxLength, minLength, pattern }: Parameter, value: string): string | undefined {
  const length = [...value].length
  if (maxLength !== undefined && length > maxLength) return `must not be longer than ${maxLength} characters`
  if (minLength !== undefined && length < minLength) return `must not be shorter than ${minLength} characters`
  if (pattern === undefined) return undefined
  const compiled = compilePattern(pattern)
  return compiled.kind === 'pattern' && !compiled.found(value) ? `must match ${pattern}` : undefined
}

function faultOfNumber({ minimum, maximum, multipleOf }: Parameter, value: number): string | undefined {
  if (minimum && isBeyond(minimum.value - value, minimum)) {
    return `must be ${minimum.exclusive ? 'more than' : 'at least'} ${minimum.value}`
  }
  if (maximum && isBeyond(value - maximum.value, maximum)) {
    return `must be ${maximum.exclusive ? 'less than' : 'at most'} ${maximum.value}`
  }
  if (multipleOf === undefined) return undefined
  const steps = value / multipleOf
  return Math.abs(steps - Math.round(steps)) > 1e-9 * Math.max(1, Math.abs(steps))
    ? `must be a multiple of ${multipleOf}`
    : undefined
}

function isBeyond(by: number, { exclusive }: Bound): boolean {
  return exclusive ? by >= 0 : by > 0
}

function fault(name: string, detail: string): Problem {
  return { code: 'apb.parameters', detail, where: { source: 'parameters', pointer: pointer('', name) } }
}

/** What a bundle does not declare it may still act on: some install a role of that name and run it. */
function undeclared(name: string, declared: readonly string[]): Problem {
  const meant = nearest(name, declared)
  return fault(name, `is no parameter of the plan${meant === undefined ? '' : `; did you mean ${meant}?`}`)
}
