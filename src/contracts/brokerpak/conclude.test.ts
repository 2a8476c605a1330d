import { describe, expect, test } from 'vitest'
import { ending, job, outcome } from '../../../test/brokerpak/conclusions.ts'
import { binding, commandsOf, report, situation, state, thing } from '../../../test/brokerpak/pak.ts'
import type { Job } from '../../model/job.ts'
import type { Report } from '../../model/report.ts'
import type { Action, Situation } from '../../model/situation.ts'
import { brokerpak } from './index.ts'

const provision: Action = { kind: 'provision' }

test('a provision keeps the state, shows the outputs and says what the pak says', async () => {
  const left = state({ name: 'n', status: 'all is well' })
  const result = outcome(ending(provision, situation(await thing()), { state: left }))

  expect(result.problems).toEqual([])
  expect(result.message).toBe('provision succeeded: all is well')
  expect(result.carryover?.['terraform.tfstate']).toEqual(left)
  expect(result.outputs?.map(({ name }) => name)).toEqual(['name', 'status'])
})

test('a failure names the resource, in the words of Terraform without its frames, and keeps the state', async () => {
  const log = [
    'terraform_data.x: Creating...',
    '\u001b[31m╷\u001b[0m',
    '│ Error: local-exec provisioner error',
    '│ ',
    '│   with terraform_data.x,',
    '│   on main.tf line 3, in resource "terraform_data" "x":',
    '│    3:   provisioner "local-exec" {',
    '│ ',
    "│ Error running command 'exit 7': exit status 7.",
    '╵',
  ].join('\n')
  const left = state({ name: 'n' })
  const result = outcome(ending(provision, situation(await thing()), { exit: 1, log, state: left }))

  expect(result.problems).toMatchObject([
    {
      code: 'pak.run.failed',
      detail:
        "provision failed: Error: local-exec provisioner error (terraform_data.x): Error running command 'exit 7': exit status 7. exit status 1",
    },
  ])
  expect(result.carryover?.['terraform.tfstate']).toEqual(left)
})

test.each([
  [{ kind: 'lost' }, 'provision failed: the run was lost'],
  [{ kind: 'timed-out' }, 'provision failed: the run ended as timed-out'],
  [{ kind: 'limit', limit: 'disk' }, 'provision failed: the run was ended by its disk limit'],
] as const)('a run that ended as %j keeps what was saved while it ran', async (end, detail) => {
  const about = situation(await thing())
  const ended: Report = { ...report(job(provision, about), { state: state({ name: 'n' }) }), end }
  const result = outcome(brokerpak.conclude(provision, about, ended))

  expect(result.problems).toMatchObject([{ code: 'pak.run.failed', detail }])
  expect(result.carryover).toHaveProperty(['terraform.tfstate'])
})

test.each([
  ['bind-wins', 'bind'],
  ['instance-wins', 'n'],
])('with %s the credentials hold the name of the %s', async (credentials, name) => {
  const pkg = await thing()
  const about = situation(pkg, {
    carryover: { 'terraform.tfstate': state({ name: 'n', more: 1 }) },
    binding: binding(),
  })
  const options = { ...about.plan.operator.options, credentials }
  const chosen = { ...about, plan: { ...about.plan, operator: { ...about.plan.operator, options } } }
  const result = outcome(ending({ kind: 'bind' }, chosen, { state: state({ name: 'bind', uri: 'u' }) }))

  expect(result.binding?.credentials).toEqual({ name, more: 1, uri: 'u' })
  expect(result).not.toHaveProperty('carryover')
})

test('a failed bind keeps its state, so that an unbind destroys what was made', async () => {
  const carryover = { 'terraform.tfstate': state({ name: 'n' }) }
  const about = situation(await thing(), { carryover, binding: binding() })
  const failed = outcome(ending({ kind: 'bind' }, about, { exit: 1, state: state({}) }))
  const later = { ...about, binding: binding({ carryover: failed.bindingCarryover ?? {} }) }

  expect(commandsOf(job({ kind: 'unbind' }, later))).toEqual(['tofu init', 'tofu destroy'])
  expect(outcome(ending({ kind: 'unbind' }, later)).bindingCarryover).toEqual({})
})

test.each([
  ['a failed run', provision, { exit: 1 }],
  ['one that worked', provision, {}],
] as const)('what a state calls sensitive is secret after %s', async (_, action, end) => {
  const document = {
    version: 4,
    terraform_version: '1.6.0',
    outputs: {
      password: { value: { deep: ['made-by-it', 7_654_321_012] }, type: 'string', sensitive: true },
      name: { value: 'open', type: 'string' },
    },
    resources: [
      {
        mode: 'managed',
        instances: [
          {
            attributes: { result: 'in-a-resource', list: [{ token: 'in-a-list' }], id: 'open' },
            sensitive_attributes: [
              [{ type: 'get_attr', value: 'result' }],
              [
                { type: 'get_attr', value: 'list' },
                { type: 'index', value: { value: 0, type: 'number' } },
                { type: 'get_attr', value: 'token' },
              ],
              [{ type: 'get_attr', value: 'gone' }],
            ],
          },
        ],
      },
    ],
  }
  const { secrets } = ending(action, situation(await thing()), {
    ...end,
    state: Buffer.from(JSON.stringify(document)),
  })

  expect(secrets?.map((text) => JSON.parse(text))).toEqual([
    { deep: ['made-by-it', 7_654_321_012] },
    'in-a-resource',
    'in-a-list',
  ])
})

test('a deprovision leaves nothing behind, a failed one leaves the instance usable', async () => {
  const about = situation(await thing(), { carryover: { 'terraform.tfstate': state({ name: 'n' }) } })

  expect(outcome(ending({ kind: 'deprovision' }, about))).toMatchObject({ problems: [], carryover: {} })
  expect(outcome(ending({ kind: 'deprovision' }, about, { exit: 1 }))).toMatchObject({
    usable: true,
    repeatable: true,
  })
})

test.each([
  ['check', 0, 'There is no drift.'],
  ['check', 2, 'There is something to do. Plan: 1 to add, 0 to change, 0 to destroy.'],
  ['preview', 2, 'There is something to do. Plan: 1 to add, 0 to change, 0 to destroy.'],
])('%s with exit %i says: %s', async (name, exit, message) => {
  const about = situation(await thing(), { carryover: { 'terraform.tfstate': state({ name: 'n' }) } })
  const stdout = exit === 0 ? 'No changes.' : 'Plan: 1 to add, 0 to change, 0 to destroy.'
  const result = outcome(ending({ kind: 'invoke', name }, about, { step: 'plan', exit, stdout }))

  expect(result).toMatchObject({ problems: [], message })
  // What a check has found is carried out by the next update.
  expect('carryover' in result).toBe(name === 'check' && exit === 2)
})

const path = (text: string): string =>
  text
    .replace(
      '- {name: tofu, version: 1.6.0, source: https://example.com/tofu.zip}',
      '- {name: tofu, version: 1.7.0}\n- {name: tofu, version: 1.8.0, default: true}',
    )
    .replace(
      'parameters: [{name: API_KEY',
      'terraform_upgrade_path: [{version: 1.7.0}, {version: 1.8.0}]\nparameters: [{name: API_KEY',
    )

function programOf({ program }: Job): unknown {
  return program.kind === 'tools' ? program.tools[0]?.from : undefined
}

test('an upgrade applies with each engine of the path, one after the other', async () => {
  const pkg = await thing(path)
  const about = situation(pkg, { carryover: { 'terraform.tfstate': state({ name: 'n' }, '1.6.2') } })
  const update: Action = { kind: 'update' }
  const first = job(update, about)
  const next = brokerpak.conclude(update, about, report(first, { state: state({ name: 'n' }, '1.7.0') }))
  if (next.kind !== 'next') throw new Error('the chain ended early')
  const later = { ...about, carryover: next.carryover }
  const last = brokerpak.conclude(update, later, report(next.job, { state: state({ name: 'n' }, '1.8.0') }))

  expect(programOf(first)).toMatchObject({ entry: 'bin/linux/amd64/1.7.0/tofu' })
  expect(programOf(next.job)).toMatchObject({ entry: 'bin/linux/amd64/1.8.0/tofu' })
  expect(outcome(last).message).toBe('update succeeded')
  expect(pkg.services[0]?.plans[0]?.maintenance).toEqual({
    version: '1.8.0+aaaaaaaaaaaa',
    description: 'things 1.0.0, tofu 1.8.0',
  })
})

test('upgrades are those of the engine alone where the operator wants it as csb has it', async () => {
  const maintenance = async (change: (text: string) => string) =>
    (await thing(change, { maintenance: 'engine' })).services[0]?.plans[0]?.maintenance

  expect(await maintenance(path)).toEqual({ version: '1.8.0', description: 'tofu 1.8.0' })
  expect(await maintenance((text) => text)).toBeUndefined()
})

describe('what is to be carried out though nobody asks for a change', () => {
  const made = async () => {
    const about = situation(await thing())
    const { carryover = {} } = outcome(ending({ kind: 'provision' }, about, { state: state({ name: 'n' }) }))
    return { ...about, carryover }
  }
  const isDue = (at: Pick<Situation, 'package' | 'carryover'>) => brokerpak.isDue?.(at)
  const invoke = (name: string): Action => ({ kind: 'invoke', name })

  test('is nothing after an apply, and something with another build of the pak', async () => {
    const about = await made()

    expect(isDue(about)).toBe(false)
    expect(isDue({ ...about, package: { ...about.package, digest: `sha256:${'b'.repeat(64)}` } })).toBe(true)
  })

  test.each<readonly [string, Action, object]>([
    ['a failed update', { kind: 'update' }, { exit: 1, state: state({ name: 'n' }) }],
    ['a failed deprovision', { kind: 'deprovision' }, { exit: 1, state: state({ name: 'n' }) }],
    ['a check that found something', invoke('check'), { step: 'plan', exit: 2, stdout: 'Plan: 1 to add' }],
  ])('is there after %s, until it is applied again', async (_, action, end) => {
    const about = await made()
    const { carryover = {} } = outcome(ending(action, about, end))
    const again = outcome(ending(invoke('apply'), { ...about, carryover }, { state: state({ name: 'n' }) }))

    expect(isDue({ ...about, carryover })).toBe(true)
    expect(again).toMatchObject({ problems: [], message: 'update succeeded' })
    expect(isDue({ ...about, carryover: again.carryover ?? {} })).toBe(false)
  })

  test('is there after a state was imported', async () => {
    const about = { ...(await made()), parameters: { state: Buffer.from(state({ name: 'x' })).toString() } }
    const prepared = brokerpak.prepare(invoke('import-state'), about)
    const carryover = prepared.kind === 'nothing-to-run' ? prepared.outcome.carryover : undefined

    expect(isDue({ ...about, carryover: carryover ?? {} })).toBe(true)
  })
})

test('what was printed behind the frame of an error is no part of it', async () => {
  const log = ['╷', '│ Error: in use', '│ ', '│ Wait for it.', '╵', 'thing: Still destroying...'].join('\n')
  const { problems } = outcome(ending(provision, situation(await thing()), { exit: 1, log }))

  expect(problems[0]?.detail).toBe('provision failed: Error: in use: Wait for it. exit status 1')
})

test('an init that fails tells every error, the cause first', async () => {
  const log = [
    'Error: Terraform encountered problems during initialisation, including problems',
    'with the configuration, described below.',
    '',
    'Error: Duplicate variable declaration',
    '',
    '  on main.tf line 3:',
    '',
    'A variable named "x" was already declared.',
  ].join('\n')
  const { problems } = outcome(ending(provision, situation(await thing()), { exit: 1, log }))

  expect(problems[0]?.detail).toMatch(
    /^provision failed: Error: Duplicate variable declaration \(main\.tf line 3\): .*; Error: Terraform encountered problems/,
  )
})

test('a preview names each resource that would change, what of it, and what forces a new one', async () => {
  const about = situation(await thing(), { carryover: { 'terraform.tfstate': state({ name: 'n' }) } })
  const change = {
    actions: ['delete', 'create'],
    before: { size: 1, key: 'secret', same: true },
    after: { size: 2, key: 'other', same: true },
    after_unknown: { id: true },
    replace_paths: [['size']],
  }
  const plan = {
    resource_changes: [
      { address: 'a.b', change },
      { address: 'c.d', change: { actions: ['no-op'], before: {}, after: {} } },
    ],
  }
  const ended = { step: 'plan', exit: 2, stdout: 'Plan: 1 to add.', printed: { show: JSON.stringify(plan) } }
  const { outputs = [] } = outcome(ending({ kind: 'invoke', name: 'preview' }, about, ended))
  const found = outputs.find(({ name }) => name === 'changes.json')

  expect(found?.secret).toBe(false)
  expect(JSON.parse(Buffer.from(found?.content ?? []).toString())).toEqual({
    differs: true,
    changes: [{ address: 'a.b', action: 'replace', attributes: ['id', 'key', 'size'], forces: ['size'] }],
  })
})

test('a state comes in and goes out, and one that cannot be worked on stays outside', async () => {
  const pkg = await thing()
  const invoke = (name: string, more: Partial<Situation>) =>
    brokerpak.prepare({ kind: 'invoke', name }, situation(pkg, more))
  const bytes = state({ name: 'from elsewhere' })
  const document = Buffer.from(bytes).toString()

  expect(invoke('import-state', { parameters: { state: document } })).toMatchObject({
    kind: 'nothing-to-run',
    outcome: { carryover: { 'terraform.tfstate': bytes }, outputs: [{ name: 'name' }] },
  })
  expect(invoke('import-state', { parameters: { state: 'x' } })).toMatchObject({
    problems: [{ code: 'pak.state.unreadable' }],
  })
  expect(
    invoke('import-state', { parameters: { state: Buffer.from(state({}, '1.9.0')).toString() } }),
  ).toMatchObject({ problems: [{ code: 'pak.state.newer' }] })
  expect(invoke('export-state', { carryover: { 'terraform.tfstate': bytes } })).toMatchObject({
    outcome: { outputs: [{ name: 'terraform.tfstate', content: bytes, secret: true }] },
  })
})
