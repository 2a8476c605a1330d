/** Dumps and configurations that no original broker wrote: each fault is told, nothing is taken halfway, nothing lands elsewhere. */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import {
  moveBrokerSettings,
  movedInstances,
  readDump,
  specsLeftOut,
  specsOf,
} from '../../src/authoring/apb/moving.ts'
import { register } from '../../src/cli/commands/apb.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import { toProblem } from '../../src/model/problem.ts'
import { freshFolder } from '../support/image.ts'
import { runCommand } from '../support/run-command.ts'

const folder = freshFolder('moving-hostile')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const read = (...items: readonly object[]) => readDump([{ name: 'dump', text: JSON.stringify({ items }) }])
const one = (kind: string, name: string, rest: object = {}, namespace?: string) => ({
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  ...rest,
})
const given = '{"size":2,"_apb_plan_id":"dev","namespace":"old"}'
const instance = (spec: JsonObject = {}, namespace?: string) =>
  one('BundleInstance', 'i', { spec: { bundle: { name: 's' }, parameters: given, ...spec } }, namespace)
const binding = (spec: object = {}) =>
  one('BundleBinding', 'b', { spec: { bundleInstance: { name: 'i' }, parameters: '{}', ...spec } })
const secret = (name: string, text: string, namespace?: string) =>
  one('Secret', name, { data: { credentials: Buffer.from(text).toString('base64') } }, namespace)
const state = (data: object) => one('ConfigMap', 'i-state', { data })

describe('an instance', () => {
  test.each<[string, readonly object[], string, string]>([
    ['parameters that are a list', [instance({ parameters: [1] })], 'i', 'its parameters are no JSON object'],
    ['parameters that are a number', [instance({ parameters: 7 })], 'i', 'its parameters are no JSON object'],
    [
      'parameters that break off',
      [instance({ parameters: '{"size":' })],
      'i',
      'its parameters are no JSON object',
    ],
    ['no parameters', [instance({ parameters: '' })], 'i', 'it does not say its plan (_apb_plan_id)'],
    [
      'a plan that is no text',
      [instance({ parameters: { _apb_plan_id: { x: 1 } } })],
      'i',
      'it does not say its plan',
    ],
    [
      'a namespace that Ansible would evaluate',
      [instance({ context: { namespace: '{{ lookup(1) }}' } })],
      'i',
      '"{{ lookup(1) }}" is no name of a namespace',
    ],
    [
      'an id that Ansible would evaluate',
      [one('BundleInstance', 'i{{ 1 }}', { spec: {} })],
      'i{{ 1 }}',
      '{{',
    ],
    ['no name', [one('BundleInstance', '', { spec: {} })], '', 'it has no id'],
    ['credentials that are no JSON', [instance(), secret('i', 'root')], 'i', 'are no JSON object'],
    ['credentials that are a list', [instance(), secret('i', '["root"]')], 'i', 'are no JSON object'],
    ['a state that is no text', [instance(), state({ made: 5 })], 'i', 'holds what is no text'],
    [
      'a state that would be a file elsewhere',
      [instance(), state({ '../../../root/x': 'y' })],
      'i',
      'no name of a file',
    ],
    ['a binding of no instance', [binding({ bundleInstance: 7 })], 'b', 'its instance  is not in the dump'],
    [
      'a binding with a list for parameters',
      [instance(), binding({ parameters: [] })],
      'b',
      'its parameters are no JSON object',
    ],
    [
      'a binding with broken credentials',
      [instance(), binding(), secret('b', 'x')],
      'b',
      'are no JSON object',
    ],
    [
      'a binding without any credentials',
      [instance(), binding()],
      'b',
      'neither it nor its instance has credentials',
    ],
  ])('with %s is refused by itself', (_, items, id, why) => {
    const { refused } = movedInstances(read(...items))

    expect(refused).toMatchObject([{ id, why: expect.stringContaining(why) }])
  })

  test('whose parameters are an object in place of a text is taken', () => {
    const { instances } = movedInstances(read(instance({ parameters: { size: 2, _apb_plan_id: 'dev' } })))

    expect(instances).toMatchObject([{ instance: 'i', plan: 'dev', parameters: { size: 2 } }])
  })

  test('without a namespace gets that of its operator', () => {
    const { instances } = movedInstances(read(instance({ parameters: { _apb_plan_id: 'dev' } })))

    expect(instances[0]?.memory).not.toHaveProperty('namespace')
  })

  test('is not mixed with others of its name in other namespaces', () => {
    const items = [
      instance({}, 'asb'),
      secret('i', '{"user":"own"}', 'asb'),
      secret('i', '{"user":"x"}', 'b'),
    ]
    const text = (moved: ReturnType<typeof movedInstances>) =>
      Buffer.from(moved.instances[0]?.memory['credentials'] ?? '', 'base64').toString()

    expect(text(movedInstances(read(...items)))).toBe('{"user":"own"}')
    expect(text(movedInstances(read(...items.toReversed())))).toBe('{"user":"own"}')
  })
})

describe('a dump', () => {
  const fault = (...items: readonly object[]) => {
    try {
      return read(...items)
    } catch (error) {
      const { code, detail, hint } = toProblem(error)
      return { code, detail, hint }
    }
  }
  test.each<[string, readonly object[], string]>([
    ['two brokers', [instance({}, 'a'), instance({}, 'b')], 'it holds brokers of the namespaces a, b'],
    [
      'an instance twice, in two ways',
      [instance(), instance({ dashboardUrl: 'x' })],
      'BundleInstance i is in it twice, in two ways',
    ],
    [
      'Secrets of several namespaces and no broker',
      [secret('login', '{}', 'a'), secret('login', '{}', 'b')],
      'Secret login is in it twice, in two ways',
    ],
  ])('of %s is refused whole, with what to do', (_, items, detail) => {
    const hint = expect.stringContaining('Dump the namespace of one broker')
    expect(fault(...items)).toMatchObject({ code: 'file.unreadable', detail, hint })
  })

  test('with the same twice, and with what is nothing to it, is read once', () => {
    const pods = [one('Pod', 'p', {}, 'a'), one('Pod', 'p', { spec: { other: 1 } }, 'b'), 'text', null]
    const { instances, refused: none } = movedInstances(
      readDump([
        { name: 'a', text: JSON.stringify({ items: [instance(), ...pods] }) },
        { name: 'b', text: JSON.stringify({ items: [instance()] }) },
      ]),
    )

    expect(instances).toHaveLength(1)
    expect(none).toEqual([])
  })

  test.each([
    ['[]', 'it holds no objects'],
    ['{"items":', 'dump'],
    ['null', 'it holds no objects'],
  ])('that is %s is refused', (text, words) => {
    expect(() => readDump([{ name: 'dump', text }])).toThrow(words)
  })

  test('of etcd that is nested deep, or names rooms of JavaScript, holds nothing', () => {
    const leaf = { key: '/constructor/i', value: '{"kind":"BundleInstance"}' }
    const found = readDump([
      { name: 'a', text: `{"node":${'{"nodes":['.repeat(50)}${JSON.stringify(leaf)}${']}'.repeat(50)}}` },
      { name: 'b', text: JSON.stringify({ node: { nodes: [leaf] } }) },
    ])

    expect(found.instances).toEqual([])
  })

  test('of twenty thousand instances is read in one go', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => ({
      ...instance(),
      metadata: { name: `i-${i}` },
    }))

    expect(movedInstances(read(...many)).instances).toHaveLength(20_000)
  })
})

test.each(['dh-../../outside', 'dh-..', 'dh-a/b', 'dh-', `dh-${'x'.repeat(300)}`, 'quay-db'])(
  'a spec of the name %j is written nowhere, which is told',
  (name) => {
    const dump = read(one('Bundle', 's', { spec: { fq_name: name, plans: [] } }))

    expect(specsOf(dump, ['dh'])).toEqual([])
    expect(specsLeftOut(dump, ['dh'])).toEqual([
      expect.stringContaining(`spec ${name} is left out: its name`),
    ])
  },
)

test.each(['constructor', '__proto__', 'toString'])('a registry of the type %s is unknown', (type) => {
  const text = `registry: [{name: a, type: ${type}, url: x, toString: y}]`
  const { faults } = moveBrokerSettings({ text, dump: read(), read: () => undefined })

  expect(faults).toEqual([`registry a: Unknown registry type ${type}`])
})

test('the value of a Secret is written into the folder of secrets or not at all', async () => {
  const config = join(folder, 'config.yaml')
  const dump = join(folder, 'dump.json')
  writeFileSync(
    config,
    'registry: [{name: dh, type: dockerhub, org: o, white_list: ["."]}]\nsecrets: [{title: t, apb_name: dh-q, secret: s}]\n',
  )
  writeFileSync(dump, JSON.stringify({ items: [one('Secret', 's', { data: { '/../../outside': 'eA==' } })] }))

  await expect(
    runCommand(register, ['apb', 'import-settings', config, '--dump', dump, '--folder', join(folder, 'to')]),
  ).rejects.toThrow('is no name of a file')
  expect(existsSync(join(folder, 'outside'))).toBe(false)
  expect(readdirSync(folder).toSorted()).toEqual(['config.yaml', 'dump.json'])
})
