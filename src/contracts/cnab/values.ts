/** The values of the parameters that an action gets: given, remembered, from an earlier output, or by default. */
import { deepEqual, type Json, type JsonObject, pointer } from '../../kit/json.ts'
import type { Problem } from '../../model/problem.ts'
import {
  appliesTo,
  type Bundle,
  type Definition,
  defaultOf,
  definitionOf,
  isBinary,
  isReadOnly,
  isSensitive,
} from './bundle.ts'
import { faultsOf } from './definition.ts'
import { typedValue } from './texts.ts'

export interface ValueSources {
  /** Of this call. */
  readonly given: JsonObject
  /** What was given for earlier runs; never what those took from outputs or defaults. */
  readonly remembered?: JsonObject
  /** The bytes of the output that a parameter takes its value from, where there is one. */
  readonly sourced?: (parameter: string) => Uint8Array | undefined
  /** What an earlier run resolved: a parameter that may not change keeps it. */
  readonly fixed?: JsonObject
  /** Whether an output that a parameter takes its value from is still to be written: then there is nothing to judge. */
  readonly isToCome?: (parameter: string) => boolean
}

export type Resolved =
  | {
      readonly kind: 'values'
      /** Those that have one; typed. */
      readonly values: JsonObject
      readonly warnings: readonly Problem[]
    }
  | { readonly kind: 'refused'; readonly problems: readonly [Problem, ...Problem[]] }

/** Resolves the parameters that apply to an action; all faults at once. */
export function resolveValues(bundle: Bundle, action: string, sources: ValueSources): Resolved {
  const problems: Problem[] = unknownNames(bundle, sources.given)
  const warnings: Problem[] = []
  const values: [string, Json][] = []
  for (const [name, parameter] of Object.entries(bundle.parameters)) {
    if (!appliesTo(parameter, action)) continue
    const definition = definitionOf(bundle, parameter)
    const found = candidate(name, definition, sources, warnings)
    if (found === 'to-come') continue
    if (found?.kind === 'refused') {
      problems.push(invalid(name, found.message))
    } else if (found) {
      const faults = faultsOf(definition, found.value)
      problems.push(
        ...faults.map(({ pointer: at, message }) => invalid(name, shown(message, definition), at)),
      )
      values.push([name, found.value])
    } else if (parameter.required) {
      const detail = `missing required parameter ${JSON.stringify(name)} for action ${JSON.stringify(action)}`
      problems.push({ code: 'cnab.parameter.missing', detail, where: place(name) })
    }
  }
  const [first, ...rest] = problems
  if (first) return { kind: 'refused', problems: [first, ...rest] }
  return { kind: 'values', values: Object.fromEntries(values), warnings }
}

function unknownNames(bundle: Bundle, given: JsonObject): Problem[] {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(bundle.parameters, name))
  return unknown.map((name) => ({
    code: 'cnab.parameter.undefined',
    detail: `undefined parameter ${JSON.stringify(name)}`,
    where: place(name),
  }))
}

type Candidate = ReturnType<typeof typedValue> | 'to-come'

function candidate(
  name: string,
  definition: Definition,
  sources: ValueSources,
  warnings: Problem[],
): Candidate | undefined {
  const { given, remembered = {}, sourced, fixed = {}, isToCome } = sources
  if (isReadOnly(definition) && Object.hasOwn(fixed, name)) {
    const kept = fixed[name] ?? null
    const wished = Object.hasOwn(given, name) ? given[name] : kept
    if (!deepEqual(wished, kept))
      warnings.push({ code: 'cnab.parameter.fixed', detail: name, where: place(name) })
    return { kind: 'value', value: kept }
  }
  for (const values of [given, remembered]) {
    if (Object.hasOwn(values, name)) return { kind: 'value', value: values[name] ?? null }
  }
  if (isToCome?.(name)) return 'to-come'
  const output = sourced?.(name)
  if (output) return fromOutput(definition, output)
  const preset = defaultOf(definition)
  return preset && { kind: 'value', value: preset.value }
}

/** A file stays a file, whatever its bytes. */
function fromOutput(definition: Definition, output: Uint8Array): Candidate {
  const bytes = Buffer.from(output)
  if (isBinary(definition)) return { kind: 'value', value: bytes.toString('base64') }
  return typedValue(definition, bytes.toString())
}

/** Lists of allowed values may be secrets themselves. */
function shown(message: string, definition: Definition): string {
  return isSensitive(definition) && message.startsWith('must be one of')
    ? 'is not one that is allowed'
    : message
}

function invalid(name: string, message: string, at = ''): Problem {
  const detail = `cannot use value as parameter ${name}: ${message}`
  return {
    code: 'cnab.parameter.invalid',
    detail,
    where: { source: 'parameters', pointer: pointer('', name) + at },
  }
}

function place(name: string): NonNullable<Problem['where']> {
  return { source: 'parameters', pointer: pointer('', name) }
}
