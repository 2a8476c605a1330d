/** What the originals accept although it cannot work: said when a pak is read, never refused. */
import type { Json, JsonObject } from '../../kit/json.ts'
import { nearest } from '../../kit/text.ts'
import { castTo, Fault, isTemplate, type Plain, parse } from '../../languages/hil/index.ts'
import type { Definition, Input, PakAction } from './definition.ts'
import { checkDraftFour } from './draft-four.ts'
import type { Finding } from './finding.ts'
import { schemaOf } from './schema.ts'
import { parameterFaults } from './variables.ts'

/** Findings about what will go wrong. */
export function definitionFindings(definition: Definition): readonly Finding[] {
  const { plans, provision, bind, name } = definition
  return [
    ...actionFindings(provision, 'provision'),
    ...actionFindings(bind, 'bind'),
    ...(plans.length === 0
      ? [finding('there are no plans', 'plans', 'The operator must add some, or add one here.')]
      : []),
    ...planFindings(definition),
    ...exampleFindings(definition),
    ...(/^[a-zA-Z0-9-.]+$/.test(name)
      ? []
      : [finding('the name does not fit platforms', 'name', 'Use letters, digits, "-" and "." only.')]),
  ]
}

function finding(text: string, path: string, fix: string): Finding {
  return { text, path, fix }
}

function planFindings({ plans, provision, bind }: Definition): readonly Finding[] {
  // What a plan says of an input of users overrides them.
  const names = [...provision.planInputs, ...bind.planInputs, ...provision.userInputs].map(
    (input) => input.name,
  )
  return plans.flatMap(({ name, properties }, i) => {
    const path = `plans[${i}].properties`
    const strange = Object.keys(properties).filter((key) => !names.includes(key))
    const missing = provision.planInputs.filter(
      (input) => input.required && !Object.hasOwn(properties, input.name),
    )
    return [
      ...strange.map((key) => {
        const fix = meant(key, names) ?? 'Add it to plan_inputs, or remove it.'
        return finding(`plan ${name}: no input declares the property ${key}`, `${path}.${key}`, fix)
      }),
      ...missing.map((input) =>
        finding(
          `plan ${name}: the required property ${input.name} is missing`,
          path,
          `Add "${input.name}" to the properties of the plan.`,
        ),
      ),
      ...provision.planInputs.flatMap((input) =>
        Object.hasOwn(properties, input.name)
          ? valueFindings(input, properties[input.name], {
              path: `${path}.${input.name}`,
              what: `plan ${name}: the property ${input.name}`,
            })
          : [],
      ),
    ]
  })
}

function exampleFindings({ plans, examples, provision, bind }: Definition): readonly Finding[] {
  if (examples.length === 0)
    return [finding('there are no examples', 'examples', 'Add one, so that the service can be tried.')]
  const ids = plans.map(({ id }) => id)
  return examples.flatMap(({ name, planId, provisionParams, bindParams }, i) => [
    ...(plans.length === 0 || ids.includes(planId)
      ? []
      : [
          finding(
            `example ${name}: there is no plan with its plan_id`,
            `examples[${i}].plan_id`,
            meant(planId, ids) ?? `Write the id of a plan: ${ids.join(', ')}.`,
          ),
        ]),
    ...parametersOf(provision, provisionParams, `examples[${i}].provision_params`),
    ...parametersOf(bind, bindParams, `examples[${i}].bind_params`),
  ])
}

function parametersOf({ userInputs }: PakAction, given: JsonObject, path: string): readonly Finding[] {
  const names = userInputs.map((input) => input.name)
  return Object.entries(given).flatMap(([key, value]) => {
    const input = userInputs.find((one) => one.name === key)
    const at = `${path}.${key}`
    if (input !== undefined) return constraintFindings(input, value as Plain, { path: at, what: key })
    return [
      finding(
        `there is no parameter ${key}`,
        at,
        meant(key, names) ?? 'Remove it, or declare it in user_inputs.',
      ),
    ]
  })
}

function meant(word: string, candidates: readonly string[]): string | undefined {
  const near = nearest(word, candidates)
  return near === undefined ? undefined : `Write "${near}".`
}

function actionFindings(action: PakAction, path: string): readonly Finding[] {
  const schema = checkDraftFour(schemaOf(action.userInputs), {})
  const lists = [
    ...action.planInputs.map((input, i) => ({ input, at: `${path}.plan_inputs[${i}]` })),
    ...action.userInputs.map((input, i) => ({ input, at: `${path}.user_inputs[${i}]` })),
  ]
  const first = (name: string): number => lists.findIndex(({ input }) => input.name === name)
  return [
    ...lists
      .filter(({ input }, i) => first(input.name) < i)
      .map(({ input, at }) =>
        finding(`the input ${input.name} is declared twice`, at, 'Remove one of them.'),
      ),
    ...(schema.kind === 'schema-error' ? schemaFindings(action, path, schema.message) : []),
    ...action.userInputs.flatMap((input, i) => defaultFindings(input, `${path}.user_inputs[${i}].default`)),
  ]
}

/** The fault of the whole schema, told of the inputs whose own it is. */
function schemaFindings({ userInputs }: PakAction, path: string, message: string): readonly Finding[] {
  const fix = 'Correct the constraints; they are JSON Schema, draft 4.'
  const text = (why: string): string => `the constraints make no valid schema: ${why}`
  const own = userInputs.flatMap((input, i) => {
    const checked = checkDraftFour(schemaOf([input]), {})
    const at = `${path}.user_inputs[${i}].constraints`
    return checked.kind === 'schema-error' ? [finding(text(checked.message), at, fix)] : []
  })
  return own.length > 0 ? own : [finding(text(message), `${path}.user_inputs`, fix)]
}

function defaultFindings(input: Input, path: string): readonly Finding[] {
  return valueFindings(input, input.default, { path, what: `the default of ${input.name}` })
}

interface About {
  readonly path: string
  readonly what: string
}

/** Texts are cast to the type of their input; expressions are looked at elsewhere. */
function valueFindings(input: Input, value: Json | undefined, about: About): readonly Finding[] {
  if (value === null || value === undefined) return []
  if (typeof value !== 'string') return constraintFindings(input, value as Plain, about)
  if (parse(value).kind === 'fault' || isTemplate(value)) return []
  try {
    return constraintFindings(input, castTo(value, input.type) as Plain, about)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const { path, what } = about
    return [finding(`${what} cannot be cast: ${error.message}`, path, `Write a value of type ${input.type}.`)]
  }
}

function constraintFindings(input: Input, value: Plain, { path, what }: About): readonly Finding[] {
  // A schema that is none is told of once, for the input.
  if (checkDraftFour(schemaOf([input]), {}).kind === 'schema-error') return []
  const faults = parameterFaults([input], { [input.name]: value }, 'ours')
  const allowed = input.allowed === undefined ? '' : ` (${input.allowed.join(', ')})`
  return faults.map((fault) =>
    finding(`${what} breaks its own constraints: ${fault}`, path, `Write a value that they allow${allowed}.`),
  )
}
