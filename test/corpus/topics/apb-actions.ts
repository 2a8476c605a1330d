/** The documents that bundles are started with, for one example instance and each of its actions. */
import { basename } from 'node:path'
import { deepEqual, type JsonObject } from '../../../src/kit/json.ts'
import type { Carryover } from '../../../src/model/outcome.ts'
import type { Action, Situation } from '../../../src/model/situation.ts'
import { argumentsOf, instanceId, jobFor, packageOf, situation } from '../../apb/stage.ts'
import { same } from '../rows.ts'
import type { Verdict } from '../topic.ts'

/** The spec of the example: the parameters and plans that its requests need. */
const spec = JSON.stringify({
  version: '1.0',
  name: 'postgresql-apb',
  description: 'd',
  bindable: true,
  async: 'optional',
  plans: ['dev', 'prod'].map((name) => ({
    name,
    description: name,
    updates_to: ['dev', 'prod'],
    parameters: [
      ...['postgresql_database', 'postgresql_user', 'postgresql_password'].map((parameter) => ({
        name: parameter,
        type: 'string',
      })),
      { name: 'postgresql_version', type: 'enum', enum: ['9.6', '10'], updatable: true },
    ],
    bind_parameters: [{ name: 'role', type: 'string' }],
  })),
})

const injectedKeys = /^_apb_|^cluster$|^namespace$|^provision_params$/

/** Compares the arguments letter by letter, with the changes that are recommended. */
export async function* judgeActions(document: JsonObject, file: string): AsyncGenerator<Verdict> {
  const title = basename(file, '.json')
  const [word = ''] = title.split('-')
  if (word === 'test') {
    yield { name: 'action test', outcome: 'skipped', why: 'of the other command line: ids are made up there, instances have them here' }
    return
  }
  const wanted = { ...(document['extra_vars'] as JsonObject), ...(document['recommended_changes'] as JsonObject) }
  const { args, vars } = argumentsOf(jobFor(actionOf(word), await fromVars(word, wanted)))
  yield same(`action ${title}`, vars, wanted)
  const original = (document['args'] as readonly string[])[2] ?? ''
  // Where nothing was changed on purpose and no sign needs an escape, every letter is the same.
  if (deepEqual(wanted, document['extra_vars'])) yield same(`action ${title}, its text`, args[2], original)
}

function actionOf(word: string): Action {
  const kinds = ['provision', 'update', 'deprovision', 'bind', 'unbind'] as const
  const kind = kinds.find((one) => one === word)
  if (kind === undefined) throw new Error(`no action ${word}`)
  return { kind }
}

/** The situation in which the broker must come to these variables. */
async function fromVars(word: string, vars: JsonObject): Promise<Situation> {
  const pkg = await packageOf(spec, { registry: 'dh', launchOnBind: 'always' })
  const own = Object.fromEntries(Object.entries(vars).filter(([key]) => !injectedKeys.test(key)))
  const ofBinding = word === 'bind' || word === 'unbind'
  const nested = (vars['provision_params'] ?? {}) as JsonObject
  const stored = Object.fromEntries(
    Object.entries(ofBinding ? nested : own).filter(([key]) => !injectedKeys.test(key)),
  )
  const from = situation(pkg, { planName: String(vars['_apb_plan_id']) })
  return {
    ...from,
    requester: { platform: 'kubernetes', identity: { username: vars['_apb_last_requesting_user'] ?? '' } },
    instance: {
      id: instanceId,
      context: { platform: 'kubernetes', namespace: vars['namespace'] ?? '' },
      parameters: stored,
    },
    parameters: own,
    sent: {},
    carryover: {
      ...kept('credentials', vars['_apb_provision_creds']),
      ...(word === 'provision' ? {} : kept('parameters', stored)),
    },
    ...(ofBinding
      ? {
          binding: {
            id: String(vars['_apb_service_binding_id']),
            context: {},
            resource: {},
            carryover: kept('credentials', vars['_apb_bind_creds']),
          },
        }
      : {}),
  }
}

function kept(name: string, value: unknown): Carryover {
  const isEmpty = value === undefined || (name === 'credentials' && deepEqual(value, {}))
  return isEmpty ? {} : { [name]: new TextEncoder().encode(JSON.stringify(value)) }
}
