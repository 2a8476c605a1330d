/** What the originals accept although it cannot work: said when a pak is read, never refused. */
import { castTo, evaluateText, Fault, isTemplate, jsonScope, type Plain } from '../../languages/hil/index.ts'
import type { Definition, Input, PakAction } from './definition.ts'
import { checkDraftFour } from './draft-four.ts'
import { lintFunctions } from './functions.ts'
import { schemaOf } from './schema.ts'
import { parameterFaults } from './variables.ts'

/** Sentences about what will go wrong. */
export function definitionWarnings(definition: Definition): readonly string[] {
  const { plans, examples, provision, bind } = definition
  const ids = plans.map(({ id }) => id)
  const planNames = new Set([...provision.planInputs, ...bind.planInputs].map(({ name }) => name))
  return [
    ...actionWarnings(provision, 'provision'),
    ...actionWarnings(bind, 'bind'),
    ...(plans.length === 0 ? ['there are no plans: the operator must add some'] : []),
    ...plans.flatMap(({ name, properties }) => [
      ...Object.keys(properties)
        .filter((key) => !planNames.has(key))
        .map((key) => `plan ${name}: no input declares the property ${key}`),
      ...provision.planInputs
        .filter((input) => input.required && !Object.hasOwn(properties, input.name))
        .map((input) => `plan ${name}: the required property ${input.name} is missing`),
    ]),
    ...examples
      .filter(({ planId }) => plans.length > 0 && !ids.includes(planId))
      .map(({ name }) => `example ${name}: there is no plan with its plan_id`),
    ...(examples.length === 0 ? ['there are no examples'] : []),
    ...(/^[a-zA-Z0-9-.]+$/.test(definition.name)
      ? []
      : ['the name does not fit platforms: use letters, digits, "-" and "."']),
  ]
}

function actionWarnings(action: PakAction, path: string): readonly string[] {
  const names = [...action.planInputs, ...action.userInputs].map(({ name }) => name)
  const repeated = [...new Set(names.filter((name, i) => names.indexOf(name) < i))]
  const schema = checkDraftFour(schemaOf(action.userInputs), {})
  return [
    ...repeated.map((name) => `${path}: the input ${name} is declared twice`),
    ...(schema.kind === 'schema-error'
      ? [`${path}: the constraints make no valid schema: ${schema.message}`]
      : []),
    ...action.userInputs.flatMap((input) => defaultWarnings(input, path)),
    ...action.computedInputs.flatMap(({ name, default: value }) =>
      templateWarnings(value, `${path}: ${name}`),
    ),
  ]
}

function defaultWarnings(input: Input, path: string): readonly string[] {
  const about = `${path}: ${input.name}`
  if (input.default === null) return []
  if (typeof input.default !== 'string') return constraintWarnings(input, input.default as Plain, about)
  const wrong = templateWarnings(input.default, about)
  if (wrong.length > 0 || isTemplate(input.default)) return wrong
  try {
    return constraintWarnings(input, castTo(input.default, input.type) as Plain, about)
  } catch (error) {
    if (error instanceof Fault) return [`${about}: the default cannot be cast: ${error.message}`]
    throw error
  }
}

function constraintWarnings(input: Input, value: Plain, about: string): readonly string[] {
  const faults = parameterFaults([input], { [input.name]: value }, 'ours')
  return faults.map((fault) => `${about}: the default breaks its own constraints: ${fault}`)
}

/** Only what shows without values: syntax, and functions that do not exist. */
function templateWarnings(value: unknown, about: string): readonly string[] {
  if (typeof value !== 'string') return []
  const result = evaluateText(value, jsonScope({}, lintFunctions))
  if (result.kind !== 'fault') return []
  const wrong = /^parse error|unknown function called|: expected \d+ arguments/.test(result.fault.message)
  return wrong ? [`${about}: ${result.fault.message}`] : []
}
