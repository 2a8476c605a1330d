/** Bindings of CNAB bundles, and parameters that earlier orders or the operator gave. */
import { describe, expect, test } from 'vitest'
import { fragment, jobFor, out, outcomeOf, packageOf, seenBy, situation } from '../../../test/cnab/stage.ts'
import { cnab } from './index.ts'

const binding = { id: 'b1', context: {}, resource: { app_guid: 'a1' }, carryover: {} }

describe('bindings', () => {
  const bindable = {
    ...fragment,
    outputs: {
      credentials: { definition: 'status', path: '/cnab/app/outputs/credentials', applyTo: ['bind'] },
      syslog_drain_url: out('text', { applyTo: ['bind'] }),
    },
    actions: { bind: { modifies: true }, unbind: {} },
  }

  test('are made by the action for them, with what it wrote', async () => {
    const at = situation(await packageOf(bindable), { binding, parameters: { text: 'for b1' } })
    const outcome = outcomeOf({ kind: 'bind' }, at, {
      written: { credentials: '{"user":"u"}', syslog_drain_url: 'syslog://x\n' },
    })

    expect(seenBy(jobFor({ kind: 'bind' }, at)).env).toMatchObject({
      CNAB_ACTION: 'bind',
      TEXT: 'for b1',
      CHANDLER_BINDING_ID: 'b1',
      CHANDLER_BIND_RESOURCE: '{"app_guid":"a1"}',
    })
    expect(outcome.binding).toEqual({ credentials: { user: 'u' }, syslogDrainUrl: 'syslog://x' })
    expect(Object.keys(outcome.bindingCarryover ?? {})).toEqual([
      'outputs/credentials',
      'outputs/syslog_drain_url',
    ])
    expect(Object.keys(outcome.carryover ?? {}).sort()).toEqual(['claim', 'result'])
  })

  test('that failed hand nothing out', async () => {
    const at = situation(await packageOf(bindable), { binding })
    const outcome = outcomeOf({ kind: 'bind' }, at, {
      exit: 1,
      written: { credentials: '{}', syslog_drain_url: '' },
    })

    expect(outcome).not.toHaveProperty('binding')
    expect(outcome.problems).toHaveLength(1)
  })

  test('find when they go what they were given', async () => {
    const at = situation(await packageOf(bindable), { binding: { ...binding, credentials: { user: 'u' } } })

    expect(seenBy(jobFor({ kind: 'unbind' }, at)).files['/cnab/app/chandler/binding.json']).toBe(
      '{"user":"u"}',
    )
  })

  test('are else what the installation wrote, without any run', async () => {
    const custom = {
      'io.chandler.service': {
        bindings: {
          outputs: ['count', 'text'],
          credentials: { n: '${outputs.count}', url: 'x://${outputs.text}', none: '${outputs.missing}' },
        },
      },
    }
    const outputs = { count: out('count'), text: out('text') }
    const pkg = await packageOf({ ...fragment, outputs, actions: {}, custom })
    const carryover = { 'outputs/count': Buffer.from('5\n'), 'outputs/text': Buffer.from('here\n') }

    expect(cnab.prepare({ kind: 'bind' }, situation(pkg, { binding, carryover }))).toEqual({
      kind: 'nothing-to-run',
      outcome: { problems: [], binding: { credentials: { n: 5, url: 'x://here' } } },
    })
    expect(cnab.prepare({ kind: 'unbind' }, situation(pkg, { binding, carryover })).kind).toBe(
      'nothing-to-run',
    )
    expect(cnab.prepare({ kind: 'bind' }, situation(pkg, { binding, parameters: { x: 1 } })).kind).toBe(
      'refused',
    )
  })
})

describe('parameters of earlier orders', () => {
  test('are there when the instance goes, below what the operator fixed', async () => {
    const pkg = await packageOf(fragment)
    const at = situation(pkg, { instance: { id: 'i1', context: {}, parameters: { text: 'mine' } } })
    const plan = {
      ...at.plan,
      operator: { ...at.plan.operator, defaults: { text: 'default', secret: 'preset' } },
    }

    expect(seenBy(jobFor({ kind: 'deprovision' }, { ...at, plan })).env).toMatchObject({
      TEXT: 'mine',
      SECRET: 'preset',
    })
    const fixed = { ...plan, operator: { ...plan.operator, inputs: { text: 'fixed' } } }
    expect(seenBy(jobFor({ kind: 'deprovision' }, { ...at, plan: fixed })).env['TEXT']).toBe('fixed')
  })

  test.each([
    ['an action of its own', { kind: 'invoke', name: 'look' }, undefined],
    ['a binding', { kind: 'bind' }, binding],
  ] as const)('what the operator fixed or did not open cannot be sent with %s', async (_, action, bound) => {
    const actions = { look: { modifies: false }, 'io.chandler.bind': { modifies: false } }
    const custom = { 'io.chandler.service': { bindings: { action: 'io.chandler.bind' } } }
    const pkg = await packageOf({ ...fragment, actions, custom })
    const at = situation(pkg, { parameters: { text: 'mine' }, ...(bound ? { binding: bound } : {}) })
    const choosing = (choice: object) =>
      cnab.prepare(action, { ...at, plan: { ...at.plan, operator: { ...at.plan.operator, ...choice } } })

    expect(choosing({}).kind).not.toBe('refused')
    for (const choice of [{ inputs: { text: 'fixed' } }, { allow: ['secret'] }])
      expect(choosing(choice)).toMatchObject({
        kind: 'refused',
        problems: [{ code: 'parameters.invalid', where: { pointer: '/text' } }],
      })
  })
})
