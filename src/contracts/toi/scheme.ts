/** Judges values by the schemes of packages, in the words that authors know from the original. */
import { isObject, type Json, type JsonObject, stepsOf } from '../../kit/json.ts'
import { compileSchema } from '../../kit/schema.ts'
import type { FaultPlace } from '../../model/problem.ts'

export interface Judged {
  /** All that is wrong, in one text. */
  readonly text: string
  readonly places: readonly FaultPlace[]
}

/** What is wrong with a value; undefined: nothing. */
export function judge(scheme: JsonObject, value: Json): Judged | undefined {
  const compiled = compileSchema(scheme)
  if (compiled.kind === 'refused') return { text: `invalid scheme: ${compiled.message}`, places: [] }
  const faults = compiled.check(value)
  if (faults.length === 0) return undefined
  return {
    text: faults.map(({ pointer, message }) => wordsOf(pointer, message, value)).join('; '),
    places: faults.map(({ pointer, message }) => ({ pointer, detail: message })),
  }
}

function wordsOf(pointer: string, message: string, value: Json): string {
  const steps = stepsOf(pointer)
  const last = steps.at(-1) ?? ''
  const context = (path: readonly string[]): string => (path.length === 0 ? '(root)' : path.join('.'))
  if (message === 'is required') return `${context(steps.slice(0, -1))}: ${last} is required`
  if (message === 'is not known here')
    return `${context(steps.slice(0, -1))}: Additional property ${last} is not allowed`
  const type = /^must be (?:a |an )?(string|number|integer|boolean|object|array|null)$/.exec(message)?.[1]
  if (type !== undefined)
    return `${context(steps)}: Invalid type. Expected: ${type}, given: ${typeName(at(value, steps))}`
  const bound = /^must be (<=|>=|<|>) (.*)$/.exec(message)
  if (bound !== null) return `${context(steps)}: Must be ${bounds[bound[1] ?? ''] ?? ''} ${bound[2]}`
  return `${context(steps)}: ${message}`
}

const bounds: Readonly<Record<string, string>> = {
  '<=': 'less than or equal to',
  '>=': 'greater than or equal to',
  '<': 'less than',
  '>': 'greater than',
}

function at(value: Json, steps: readonly string[]): Json {
  let here = value
  for (const step of steps) {
    if (Array.isArray(here)) here = (here as readonly Json[])[Number(step)] ?? null
    else here = isObject(here) ? ((here as JsonObject)[step] ?? null) : null
  }
  return here
}

function typeName(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}
