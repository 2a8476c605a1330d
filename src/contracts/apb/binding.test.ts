/** What a bind hands out and leaves for its unbind: credentials of its own or those of provision, state, objects. */
import { describe, expect, test } from 'vitest'
import { argumentsOf, jobFor, outcomeOf, packageOf, refusalOf, situation } from '../../../test/apb/stage.ts'
import type { JsonObject } from '../../kit/json.ts'
import type { Carryover } from '../../model/outcome.ts'
import type { Action } from '../../model/situation.ts'
import { carryoverOf } from './memory.ts'

const spec = `
version: 1.0
name: db-apb
description: a database
bindable: true
async: optional
plans:
  - name: dev
    description: small
    parameters: [{name: owner, type: string, required: true}]
    bind_parameters: [{name: role, type: string}]
`
const bind: Action = { kind: 'bind' }
const unbind: Action = { kind: 'unbind' }
const credentials = { user: 'u', port: 5432 }
const binding = { id: 'b1', context: {}, resource: {}, carryover: {} }

async function instance({
  carryover = {},
  options = {},
}: {
  carryover?: Carryover
  options?: JsonObject
} = {}) {
  const from = situation(await packageOf(spec, options), { carryover })
  return { ...from, instance: { ...from.instance, parameters: { owner: 'me' } } }
}

describe('bind', () => {
  const kept = { credentials: new TextEncoder().encode(JSON.stringify(credentials)) }

  test('hands out what the run wrote, and keeps it for unbind', async () => {
    const from = { ...(await instance({ carryover: kept })), binding }
    const outcome = outcomeOf(bind, from, { credentials: { user: 'bound' } })

    expect(outcome.binding?.credentials).toEqual({ user: 'bound' })
    const later = { ...from, binding: { ...binding, carryover: outcome.bindingCarryover ?? {} } }
    expect(argumentsOf(jobFor(unbind, later)).vars).toMatchObject({
      _apb_bind_creds: { user: 'bound' },
      _apb_provision_creds: credentials,
      _apb_service_binding_id: 'b1',
      _apb_plan_id: 'dev',
      provision_params: { owner: 'me', _apb_plan_id: 'dev' },
    })
  })

  test.each([{ exit: 8 }, { exit: 8, message: 'no bind here' }, {}])(
    'shares the credentials of provision where the bundle makes none: %j',
    async (ending) => {
      const outcome = outcomeOf(bind, { ...(await instance({ carryover: kept })), binding }, ending)

      expect(outcome.binding?.credentials).toEqual(credentials)
    },
  )

  test.each([{ exit: 8 }, {}])('and where each binding must have its own, it fails: %j', async (ending) => {
    const from = await instance({ carryover: kept, options: { launchOnBind: 'always' } })

    expect(outcomeOf(bind, { ...from, binding }, ending)).toMatchObject({
      problems: [{ code: 'apb.credentials' }],
    })
    expect(outcomeOf(bind, { ...from, binding }, { credentials: { user: 'own' } }).binding).toEqual({
      credentials: { user: 'own' },
    })
  })

  test('without any credentials it fails', async () => {
    expect(outcomeOf(bind, { ...(await instance()), binding }, { exit: 8 }).problems).toMatchObject([
      { code: 'apb.credentials', detail: 'No credentials available' },
    ])
  })

  test('credentials that its unbind could not be told of are refused, and not kept', async () => {
    const long = { user: 'u'.repeat(60_000) }
    const from = { ...(await instance({ carryover: carryoverOf({ credentials: long }) })), binding }
    const refused = outcomeOf(bind, from, { credentials: long })
    const later = { ...from, binding: { ...binding, carryover: refused.bindingCarryover ?? {} } }

    expect(refused.problems).toMatchObject([{ code: 'apb.credentials' }])
    expect(refusalOf(unbind, later)).toEqual([])
    expect(outcomeOf(bind, from, { credentials: { user: 'own' } }).problems).toEqual([])
  })

  test('credentials of the first runtime are printed in base64', async () => {
    const answers = { credentials: Buffer.from('{"user":"old"}').toString('base64') }

    expect(outcomeOf(bind, { ...(await instance()), binding }, { answers }).binding?.credentials).toEqual({
      user: 'old',
    })
  })
})

describe('what a bind leaves in state and target namespace', () => {
  const objects = new TextEncoder().encode('[{"made":"by bind"}]')
  const ending = { credentials: { user: 'bound' }, state: { accounts: '1' }, objects }
  const kept = carryoverOf({ credentials })

  test('is found by its own unbind, where bindings are made at the same time', async () => {
    const from = { ...(await instance({ carryover: kept })), binding }
    const { carryover, bindingCarryover = {} } = outcomeOf(bind, from, ending)
    const later = { ...from, binding: { ...binding, carryover: bindingCarryover } }

    expect(carryover).toBeUndefined()
    expect(jobFor(unbind, later).sandbox).toMatchObject({ state: { accounts: '1' }, objects })
    expect(jobFor(unbind, from).sandbox?.objects).toBeUndefined()
  })

  test('is found by everything that follows, where they are made one after the other', async () => {
    const pkg = await packageOf(spec, { bindsInParallel: false })
    const from = situation(pkg, { carryover: kept, binding })
    const { carryover = {} } = outcomeOf(bind, from, ending)
    const next = situation(pkg, { carryover, binding: { ...binding, id: 'b2' } })

    expect(jobFor(bind, next).sandbox).toMatchObject({ state: { accounts: '1' }, objects })
  })
})

test('unbind of a bundle without the action works', async () => {
  expect(outcomeOf(unbind, { ...(await instance()), binding }, { exit: 8 }).problems).toEqual([])
})
