/** What $INPUTS holds: the operator's fixed values, else the user's, else the operator's presets, else the defaults. */
import { isExact } from '../../kit/exact.ts'
import { isObject, type Json, type JsonObject, pointer } from '../../kit/json.ts'
import { meantKey } from '../../kit/near-keys.ts'
import { present } from '../../kit/present.ts'
import { shorten } from '../../kit/text.ts'
import type { OperatorChoice } from '../../model/package.ts'
import type { Problem } from '../../model/problem.ts'
import type { ProblemCode } from '../../model/problem-codes.ts'
import type { InputSchema } from './inputs.ts'

export type Merged =
  | { readonly kind: 'inputs'; readonly inputs: JsonObject }
  | { readonly kind: 'refused'; readonly problems: readonly [Problem, ...Problem[]] }

type Choice = Pick<OperatorChoice, 'inputs' | 'defaults' | 'allow'>

/** So many unknown names of an order are told with the one that was meant: looking for it takes time. */
const hintedMax = 20
/** So long may the list of all names be. */
const namesMax = 1000

/** Merges name by name, never deeper; everything that is wrong with the user's parameters is named at once. */
export function mergeInputs(declared: InputSchema, choice: Choice, parameters: Json | undefined): Merged {
  const user = parameters ?? {}
  if (!isObject(user) || isExact(user)) {
    return { kind: 'refused', problems: [{ code: 'tweed.inputs.not-an-object' }] }
  }
  const unknown = Object.keys(user).filter((name) => !knows(declared, name))
  const hinted = new Set(unknown.slice(0, hintedMax))
  const open = hinted.size === 0 ? [] : openNames(declared, choice)
  const refused = Object.keys(user).flatMap((name) => {
    const hint = hinted.has(name) ? nearHint(name, open) : undefined
    return refusalOf(name, declared, choice).map((one) => ({ ...one, ...present({ hint }) }))
  })
  if (refused[0]) return { kind: 'refused', problems: [refused[0], ...refused.slice(1)] }
  const inputs = build(declared, choice, user as JsonObject)
  const [first, ...rest] = violations(declared, inputs)
  return first ? { kind: 'refused', problems: [first, ...rest] } : { kind: 'inputs', inputs }
}

/** Whether the pattern knows a parameter of this name. */
export function knows({ properties, open }: InputSchema, name: string): boolean {
  return Object.hasOwn(properties, name) || open
}

/** What the operator's own values break, so that a plan is refused before anybody orders it. */
export function faultsOfPlan(declared: InputSchema, choice: Choice): readonly Problem[] {
  const place = (name: string) =>
    Object.hasOwn(choice.inputs, name) ? pointer('/inputs', name) : pointer('/defaults', name)
  const given = { ...choice.defaults, ...choice.inputs }
  const unknown = Object.keys(given).filter((name) => !knows(declared, name))
  const unknownAllowed = (choice.allow ?? []).filter((name) => !knows(declared, name))
  const { compiled, properties } = declared
  // Presets are not the whole of the inputs, so each value is tried by itself.
  const broken = Object.keys(given).filter((name) => Object.hasOwn(properties, name))
  return [
    ...unknown.map((name) => unknownInput(declared, name, place(name))),
    ...unknownAllowed.map((name, i) => unknownInput(declared, name, pointer('/allow', i))),
    ...broken.flatMap((name) => {
      const faults = compiled.kind === 'check' ? compiled.check({ [name]: given[name] }) : []
      const own = pointer('', name)
      return faults
        .filter((fault) => fault.pointer === own || fault.pointer.startsWith(`${own}/`))
        .map((fault) => planError(place(name) + fault.pointer.slice(own.length), fault.message))
    }),
  ]
}

function refusalOf(name: string, declared: InputSchema, choice: Choice): readonly Problem[] {
  if (!knows(declared, name)) {
    return [inputProblem('tweed.inputs.unknown', name, 'the pattern does not know it')]
  }
  if (Object.hasOwn(choice.inputs, name)) {
    return [inputProblem('tweed.inputs.not-allowed', name, 'it is fixed by the operator')]
  }
  const closed = choice.allow !== undefined && !choice.allow.includes(name)
  return closed
    ? [inputProblem('tweed.inputs.not-allowed', name, 'the operator does not open it to users')]
    : []
}

/** The parameters that users may send. */
function openNames({ properties }: InputSchema, { inputs, allow }: Choice): readonly string[] {
  return Object.keys(properties).filter(
    (name) => !Object.hasOwn(inputs, name) && allow?.includes(name) !== false,
  )
}

function nearHint(name: string, names: readonly string[]): string | undefined {
  const meant = meantKey(name, names)
  if (meant !== undefined) return `Write ${JSON.stringify(meant)}.`
  return names.length === 0 ? undefined : `It takes ${shorten(names.join(', '), namesMax)}.`
}

function build({ properties }: InputSchema, choice: Choice, user: JsonObject): JsonObject {
  const layers = [choice.inputs, user, choice.defaults]
  const names = new Set([...Object.keys(properties), ...layers.flatMap((layer) => Object.keys(layer))])
  const members = [...names].flatMap((name): readonly (readonly [string, Json])[] => {
    const layer = layers.find((values) => Object.hasOwn(values, name))
    if (layer) return [[name, layer[name] as Json]]
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
    return isObject(schema) && Object.hasOwn(schema, 'default') ? [[name, schema['default'] as Json]] : []
  })
  return Object.fromEntries(members)
}

function violations({ compiled, required }: InputSchema, inputs: JsonObject): readonly Problem[] {
  const missing = required.filter((name) => !Object.hasOwn(inputs, name))
  const faults = compiled.kind === 'check' ? compiled.check(inputs) : []
  return [
    ...missing.map((name) => inputProblem('tweed.inputs.missing', name, 'it is required')),
    ...faults
      .filter((fault) => !missing.some((name) => fault.pointer === pointer('', name)))
      .map(
        (fault): Problem => ({
          code: 'tweed.inputs.invalid',
          detail: fault.message,
          where: { source: 'parameters', pointer: fault.pointer },
        }),
      ),
  ]
}

function inputProblem(code: ProblemCode, name: string, detail: string): Problem {
  return { code, detail, where: { source: 'parameters', pointer: pointer('', name) } }
}

function unknownInput({ properties }: InputSchema, name: string, place: string): Problem {
  const fault = planError(place, `the pattern has no input ${JSON.stringify(name)}`)
  return { ...fault, ...present({ hint: nearHint(name, Object.keys(properties)) }) }
}

function planError(place: string, detail: string): Problem {
  return { code: 'tweed.inputs.plan-error', detail, where: { source: 'plan', pointer: place } }
}
