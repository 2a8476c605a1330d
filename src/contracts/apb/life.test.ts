/** What actions of an instance leave for the next: parameters, credentials, state, in success and failure. */
import { describe, expect, test } from 'vitest'
import { argumentsOf, jobFor, outcomeOf, packageOf, refusalOf, situation } from '../../../test/apb/stage.ts'
import type { JsonObject } from '../../kit/json.ts'
import { Secret } from '../../kit/secret.ts'
import type { Carryover } from '../../model/outcome.ts'
import type { Action } from '../../model/situation.ts'
import { carryoverOf, memoryOf } from './memory.ts'

const spec = `
version: 1.0
name: db-apb
description: a database
bindable: true
async: optional
plans:
  - name: dev
    description: small
    updates_to: [prod]
    parameters:
      - {name: size, type: int, default: 1, updatable: true}
      - {name: owner, type: string, required: true}
      - {name: password, type: string, display_type: password, default: s3cret}
    bind_parameters: [{name: role, type: string}]
  - name: prod
    description: large
    parameters:
      - {name: size, type: int, default: 10, updatable: true}
      - {name: owner, type: string, required: true}
      - {name: volume, type: int, default: 5}
`
const provision: Action = { kind: 'provision' }
const update: Action = { kind: 'update' }
const bind: Action = { kind: 'bind' }
const unbind: Action = { kind: 'unbind' }
const deprovision: Action = { kind: 'deprovision' }
const credentials = { user: 'u', port: 5432 }

async function instance(more: { parameters?: JsonObject; carryover?: Carryover; options?: JsonObject } = {}) {
  const { parameters = { owner: 'me' }, carryover = {}, options = {} } = more
  const from = situation(await packageOf(spec, options), { carryover })
  return { ...from, instance: { ...from.instance, parameters }, parameters }
}

test('what was made in a cluster is gone on with in a cluster, whatever the end of a run, and nowhere else', async () => {
  expect(jobFor(provision, await instance()).needs.cluster).toBe('stand-in')
  const failed = outcomeOf(provision, await instance(), { exit: 1, real: true })
  const later = await instance({ carryover: failed.carryover ?? {} })
  expect(jobFor(deprovision, later).needs.cluster).toBe('real')
  const again = outcomeOf(deprovision, later, { exit: 1 })

  expect(jobFor(deprovision, await instance({ carryover: again.carryover ?? {} })).needs.cluster).toBe('real')
})

const binding = { id: 'b1', context: {}, resource: {}, carryover: {} }

describe('provision', () => {
  test('gets defaults, and what the broker adds', async () => {
    const { vars } = argumentsOf(jobFor(provision, await instance()))

    expect(vars).toMatchObject({
      size: 1,
      owner: 'me',
      password: 's3cret',
      _apb_plan_id: 'dev',
      namespace: 'target-ns',
    })
  })

  test('keeps parameters, credentials and state, and names the dashboard', async () => {
    const outcome = outcomeOf(provision, await instance(), {
      credentials,
      state: { step: '1' },
      annotations: { apb_dashboard_url: 'db.example/ui' },
    })

    expect(memoryOf(outcome.carryover ?? {})).toMatchObject({
      credentials,
      state: { step: '1' },
      namespace: 'target-ns',
    })
    expect(outcome).toMatchObject({ problems: [], dashboardUrl: 'http://db.example/ui' })
  })

  test('a dashboard address that is no address of the web is not passed on', async () => {
    const outcome = outcomeOf(provision, await instance(), {
      annotations: { apb_dashboard_url: 'javascript://x' },
    })

    expect(outcome.dashboardUrl).toBeUndefined()
  })

  test('a failed one keeps its state for the retry and its clean-up', async () => {
    const outcome = outcomeOf(provision, await instance(), {
      exit: 2,
      message: 'no quota',
      state: { made: 'volume' },
    })

    expect(outcome.problems).toMatchObject([{ code: 'apb.run.failed', detail: 'no quota' }])
    expect(memoryOf(outcome.carryover ?? {}).state).toEqual({ made: 'volume' })
  })

  test('without a playbook it fails', async () => {
    expect(outcomeOf(provision, await instance(), { exit: 8 }).problems).toMatchObject([
      { code: 'apb.action-unsupported' },
    ])
  })

  test('says what it would need a cluster for', async () => {
    const outcome = outcomeOf(provision, await instance(), { exit: 2, unserved: ['apps/v1 deployments'] })

    expect(outcome.problems).toMatchObject([
      { code: 'apb.run.needs-cluster', detail: 'it asked for apps/v1 deployments' },
    ])
  })

  const deployments = { needs: ['apps/v1/deployments'] }
  const cluster = (...allow: readonly string[]) => ({
    ...deployments,
    targetCluster: { server: 'https://cluster.example', allow },
  })
  test.each([
    [deployments, ['it needs apps/v1/deployments, and there is no target cluster']],
    [cluster('v1/pods'), ['it needs apps/v1/deployments, which its target cluster does not allow']],
    [cluster('apps/v1/*'), []],
    [cluster('apps/v1/deployments'), []],
    [
      { ...cluster('v1/*'), needs: ['v1/pods', 'v1/pods/log'] },
      ['it needs v1/pods/log, which its target cluster does not allow'],
    ],
  ])('what it needs of a cluster is told at the order: %j', async (options, faults) => {
    const from = await instance({ options })
    const infrastructure = { 'target-cluster-token': 'token' }

    expect(refusalOf({ kind: 'provision' }, { ...from, infrastructure })).toEqual(faults)
    expect(refusalOf({ kind: 'deprovision' }, { ...from, infrastructure })).toEqual([])
  })

  test('credentials that no later action could be told of are refused, and it can be deleted', async () => {
    const from = await instance({ parameters: { owner: 'o'.repeat(70_000) } })
    const { problems, carryover = {} } = outcomeOf(provision, from, {
      credentials: { user: 'u'.repeat(60_000) },
    })

    expect(problems).toMatchObject([{ code: 'apb.credentials', detail: expect.stringContaining('bytes') }])
    expect(refusalOf(deprovision, { ...from, carryover })).toEqual([])
    expect(outcomeOf(provision, from, { credentials: { user: 'u'.repeat(20_000) } }).problems).toEqual([])
  })

  test('a Secret that holds no object is told', async () => {
    expect(outcomeOf(provision, await instance(), { credentials: '[1]' }).problems).toMatchObject([
      { code: 'apb.credentials' },
    ])
  })

  test('needs a namespace', async () => {
    const from = await instance()

    expect(refusalOf(provision, { ...from, instance: { ...from.instance, context: {} } })[0]).toContain(
      'Namespace not found',
    )
  })

  test.each([
    ['a namespace that no cluster could have', { context: { namespace: '{{ 1 }}' } }, '"{{ 1 }}" is no name'],
    ['an id that Ansible would evaluate', { id: 'i{{ 1 }}' }, 'holds {{'],
  ])('refuses %s, and removes what exists under it', async (_, more, words) => {
    const from = await instance()
    const named = { ...from, instance: { ...from.instance, ...more } }

    expect(refusalOf(provision, named)[0]).toContain(words)
    expect(refusalOf({ kind: 'deprovision' }, named)).toEqual([])
  })

  test.each([
    [{}, ''],
    [{ userTemplates: 'allow' }, '{{ 1 }}'],
  ])('a user whose name Ansible would evaluate is not told, with %j', async (options, user) => {
    const requester = { platform: 'kubernetes', identity: { username: '{{ 1 }}' } }
    const { vars } = argumentsOf(jobFor(provision, { ...(await instance({ options })), requester }))

    expect(vars['_apb_last_requesting_user']).toBe(user)
  })

  test.each([
    [{ namespaces: { 'space-1': 'one' } }, 'one'],
    [{ namespace: 'all' }, 'all'],
  ])('without a namespace the operator gives one: %j', async (options, namespace) => {
    const from = await instance({ options })
    const cloudFoundry = { ...from.instance, context: { space_guid: 'space-1', organization_guid: 'o' } }

    expect(argumentsOf(jobFor(provision, { ...from, instance: cloudFoundry })).vars).toMatchObject({
      namespace,
    })
  })

  test('parameters that no argument can hold are refused', async () => {
    const from = await instance({ parameters: { owner: 'x'.repeat(128 * 1024) } })

    expect(refusalOf(provision, from)[0]).toContain('bytes of')
  })
})

describe('update', () => {
  const stored = { parameters: new TextEncoder().encode('{"size":1,"owner":"me","password":"s3cret"}') }

  test('changes what may be changed and hands over the credentials', async () => {
    const kept = { ...stored, credentials: new TextEncoder().encode('{"user":"u"}') }
    const from = await instance({ parameters: { owner: 'me', size: 2 }, carryover: kept })
    const { vars } = argumentsOf(jobFor(update, { ...from, sent: { size: 2 } }))

    expect(vars).toMatchObject({ size: 2, owner: 'me', _apb_provision_creds: { user: 'u' } })
  })

  test('what may not be changed is refused, unless it is the same in another spelling', async () => {
    const from = await instance({ parameters: { owner: 'you' }, carryover: stored })
    const same = await instance({ carryover: stored, parameters: { owner: 'me', size: '1' } })

    expect(refusalOf(update, { ...from, sent: { owner: 'you' } })).toEqual(['/owner parameter not updatable'])
    expect(refusalOf(update, { ...same, sent: { owner: 'me', size: '1' } })).toEqual([])
  })

  test('another plan brings its own parameters, and leaves those of the old one behind', async () => {
    const pkg = await packageOf(spec)
    const [dev, prod] = pkg.services[0]?.plans ?? []
    if (dev === undefined || prod === undefined) throw new Error('there are two plans')
    const parameters = { owner: 'me', password: 'x', volume: 7 }
    const from = situation(pkg, { planName: 'prod', carryover: stored })
    const changing = {
      ...from,
      instance: { ...from.instance, parameters },
      sent: { volume: 7 },
      before: { parameters: {}, plan: dev },
    }

    expect(argumentsOf(jobFor(update, changing)).vars).toMatchObject({
      volume: 7,
      size: 10,
      _apb_plan_id: 'prod',
    })
    expect(argumentsOf(jobFor(update, changing)).vars).not.toHaveProperty('password')
    expect(
      refusalOf(update, { ...changing, plan: dev, before: { parameters: {}, plan: prod } })[0],
    ).toContain('plan update not possible')
  })

  /** An instance of dev as it is asked for a change, to another plan or not. */
  async function changing(sent: JsonObject, planName = 'prod') {
    const pkg = await packageOf(spec)
    const dev = situation(pkg, { planName: 'dev' }).plan
    const from = situation(pkg, { planName, carryover: stored, sent })
    const given = { size: 1, owner: 'me', password: 's3cret', ...sent }
    const before = { parameters: { size: 1, owner: 'me', password: 's3cret' }, plan: dev }
    return { ...from, instance: { ...from.instance, parameters: given }, before }
  }

  test.each<[string, JsonObject, readonly string[]]>([
    ['a new parameter that may not change later', { volume: 7 }, []],
    ['what stays as it is', { owner: 'me', size: '1' }, []],
    ['what the new plan lacks, as it was', { password: 's3cret' }, []],
    ['what the new plan lacks, anew', { password: 'other' }, ['/password is no parameter of the plan']],
    ['what neither plan has', { colour: 'red' }, ['/colour is no parameter of the plan']],
    ['what both have and none may change', { owner: 'you' }, ['/owner parameter not updatable']],
    ['a type of another', { volume: 'much' }, ['/volume must be a whole number']],
  ])('a change of plan with %s', async (_, sent, faults) => {
    expect(refusalOf(update, await changing(sent))).toEqual(faults)
  })

  test('a change of plan fills the defaults of the new one, and does not tell the bundle of the old one', async () => {
    const { vars } = argumentsOf(jobFor(update, await changing({})))

    expect(vars).toMatchObject({ volume: 5, size: 1, _apb_plan_id: 'prod' })
    expect(JSON.stringify(vars)).not.toContain('dev')
  })

  test('a required parameter of the new plan is asked for', async () => {
    const { instance: of, ...rest } = await changing({})
    const { owner: _owner, ...parameters } = of.parameters

    expect(refusalOf(update, { ...rest, instance: { ...of, parameters } })).toEqual(['/owner is required'])
  })

  test.each<[string, JsonObject, readonly string[]]>([
    ['of nothing but the plan works', {}, []],
    ['of a parameter fails', { size: 2 }, ['apb.action-unsupported']],
  ])('without a playbook an update %s', async (_, sent, codes) => {
    const { problems } = outcomeOf(update, await changing(sent, 'dev'), { exit: 8 })

    expect(problems.map(({ code }) => code)).toEqual(codes)
  })

  test('a failed one keeps the parameters of before', async () => {
    const outcome = outcomeOf(
      update,
      await instance({ parameters: { owner: 'me', size: 2 }, carryover: stored }),
      { exit: 1 },
    )

    expect(memoryOf(outcome.carryover ?? {}).parameters).toEqual({ size: 1, owner: 'me', password: 's3cret' })
    expect(outcome.usable).toBe(true)
  })

  test('new credentials are laid over the old ones', async () => {
    const kept = { credentials: new TextEncoder().encode('{"user":"u","host":"h"}') }
    const outcome = outcomeOf(update, await instance({ carryover: kept }), { credentials: { user: 'v' } })

    expect(memoryOf(outcome.carryover ?? {}).credentials).toEqual({ user: 'v', host: 'h' })
  })
})

test('what an operator lends reaches every action, as it is lent now', async () => {
  const infrastructure = { 'db-admin/admin_uri': new Secret('postgres://new') }
  const carryover = carryoverOf({ parameters: { admin_uri: 'postgres://old', owner: 'me' }, credentials })
  const from = { ...(await instance({ carryover })), parameters: {}, infrastructure, binding }

  for (const action of [provision, update, bind, unbind, deprovision])
    expect(argumentsOf(jobFor(action, from)).vars['admin_uri']).toBe('postgres://new')
})

describe('deprovision', () => {
  test('without a playbook tells that something may remain', async () => {
    expect(outcomeOf(deprovision, await instance(), { exit: 8 }).problems).toMatchObject([
      { code: 'apb.resources-remain' },
    ])
  })

  test('forgets everything when it worked', async () => {
    expect(outcomeOf(deprovision, await instance()).carryover).toEqual({})
  })
})

describe('test', () => {
  test.each([
    ['0\nall is well', [], 'all is well'],
    ['1\nno answer', [{ code: 'apb.run.failed', detail: 'no answer' }], 'no answer'],
  ])('reads the result %j', async (result, problems, message) => {
    const outcome = outcomeOf({ kind: 'invoke', name: 'test' }, await instance(), {
      answers: { 'test-result': result },
    })

    expect(outcome).toMatchObject({ problems, message })
  })
})
