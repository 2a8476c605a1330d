/** An action becomes one container run, or is refused before anything starts. */
import { never } from '../../kit/assert.ts'
import { present } from '../../kit/present.ts'
import type { Problem } from '../../model/problem.ts'
import type { Action, Situation } from '../../model/situation.ts'
import type { Prepared } from '../contract.ts'
import { operationJob, type Surroundings } from './job.ts'
import { bindingOf, inputBytes, inputsOfInstance, keptCredstore, mergedInputs, notesOf } from './memory.ts'
import { type Options, optionsOf } from './options.ts'

export function prepareTweed(action: Action, situation: Situation): Prepared {
  switch (action.kind) {
    case 'provision':
      return prepareProvision(situation)
    case 'deprovision':
      return run('deprovision', situation, { inputs: inputsOfInstance(situation) })
    case 'bind':
      return prepareBind(situation)
    case 'unbind':
      return run('unbind', situation, { ...lentInputs(situation), binding: bindingOf(situation) })
    case 'update':
      return { kind: 'refused', problems: [refusesUpdates] }
    case 'invoke':
      return { kind: 'refused', problems: [unsupported(action.name)] }
    default:
      return never(action)
  }
}

function unsupported(action: string): Problem {
  return { code: 'tweed.action-unsupported', detail: action }
}

/** The actions of a pattern are provision, bind, unbind and deprovision. */
export const refusesUpdates = unsupported('update')

function prepareProvision(situation: Situation): Prepared {
  const merged = mergedInputs(situation)
  if (merged.kind === 'refused') return merged
  return run('provision', situation, { inputs: inputBytes(merged.inputs), outputs: true })
}

/** Bind has no $INPUTS, so its parameters have no way to the pattern; silence would hide that. */
function prepareBind(situation: Situation): Prepared {
  if (Object.keys(situation.parameters).length > 0) {
    return { kind: 'refused', problems: [{ code: 'tweed.bind.parameters' }] }
  }
  return run('bind', situation, lentInputs(situation))
}

function run(
  operation: 'provision' | 'bind' | 'unbind' | 'deprovision',
  situation: Situation,
  files: Pick<Surroundings, 'inputs' | 'binding'> & { readonly outputs?: boolean },
): Prepared {
  const options = optionsOf(situation.plan.operator.options)
  const { reference } = notesOf(situation)
  const job = operationJob(operation, { reference, digest: situation.package.digest }, options, {
    infrastructure: situation.infrastructure,
    environment: options.identity ? identity(situation) : {},
    credstore: {
      tar: situation.carryover[keptCredstore],
      readOnly: operation === 'bind' || operation === 'unbind',
    },
    outputs: false,
    ...files,
  })
  return { kind: 'job', job }
}

function lentInputs(situation: Situation): { readonly inputs?: Uint8Array } {
  const { inputsInBind }: Options = optionsOf(situation.plan.operator.options)
  return inputsInBind ? { inputs: inputsOfInstance(situation) } : {}
}

function identity({ instance, service, plan }: Situation): Readonly<Record<string, string>> {
  return {
    CHANDLER_INSTANCE_ID: instance.id,
    ...present({ CHANDLER_SERVICE_ID: service.id, CHANDLER_PLAN_ID: plan.id }),
  }
}
