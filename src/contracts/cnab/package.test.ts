import { describe, expect, test } from 'vitest'
import { packageOf } from '../../../test/cnab/stage.ts'
import { compileSchema } from '../../kit/schema.ts'
import { noChoice, type Plan } from '../../model/package.ts'
import { cnab } from './index.ts'

const definitions = {
  size: { type: 'integer', minimum: 1, default: 1 },
  text: { type: 'string' },
  secret: { type: 'string', writeOnly: true },
  fixed: { type: 'string', readOnly: true },
  own: {
    type: 'boolean',
    default: false,
    $comment: 'porter-internal',
    $id: 'https://porter.sh/generated-bundle/#porter-debug',
  },
  pair: {
    $ref: '#/definitions/both',
    definitions: { both: { type: 'object', properties: { a: { const: 1 } } } },
  },
}
const parameters = Object.fromEntries(
  Object.keys(definitions).map((name) => [
    name,
    {
      definition: name,
      destination: { env: name.toUpperCase() },
      description: `The ${name}.`,
      required: name === 'secret',
    },
  ]),
)
const sourced = {
  ...{ definition: 'text', destination: { env: 'SOURCED' } },
}
const fragment = {
  description: 'Things of  all\nkinds.',
  keywords: ['one', 'two'],
  maintainers: [{ name: 'Ann', email: 'ann@example.com' }],
  license: 'MIT',
  definitions,
  parameters: { ...parameters, sourced },
  outputs: { uri: { definition: 'text', path: '/cnab/app/outputs/uri' } },
  actions: { 'io.cnab.help': { stateless: true, title: 'Help' }, bind: { modifies: true } },
  custom: {
    'io.cnab.parameter-sources': { sourced: { priority: ['output'], sources: { output: { name: 'uri' } } } },
  },
}

async function planOf(more: object = {}): Promise<Plan> {
  const pkg = await packageOf({ ...fragment, ...more })
  const [plan] = pkg.services[0]?.plans ?? []
  if (plan === undefined) throw new Error('no plan')
  return plan
}

describe('a bundle as a service', () => {
  test('tells platforms who it is', async () => {
    const { services, actions, papers } = await packageOf(fragment)

    expect(services[0]).toMatchObject({
      name: 'app',
      description: 'Things of all kinds.',
      tags: ['one', 'two'],
      bindable: true,
    })
    expect(actions.map(({ name }) => name)).toEqual(['io.cnab.help'])
    expect(papers).toMatchObject({ authors: ['Ann <ann@example.com>'], copyright: 'MIT' })
  })

  test('shows what users may set, and nothing else', async () => {
    const { schemas } = await planOf()

    expect(schemas.create).toMatchObject({
      required: ['secret'],
      additionalProperties: false,
      properties: {
        size: { type: 'integer', default: 1, description: 'The size.' },
        secret: { writeOnly: true },
        pair: { $ref: '#/properties/pair/definitions/both' },
      },
    })
    expect(Object.keys(schemas.create?.['properties'] ?? {})).toEqual([
      'size',
      'text',
      'secret',
      'fixed',
      'pair',
    ])
    expect(Object.keys(schemas.update?.['properties'] ?? {})).toEqual(['size', 'text', 'secret', 'pair'])
  })

  test('shows schemas that hold for themselves', async () => {
    const compiled = compileSchema((await planOf()).schemas.create ?? false)

    expect(compiled.kind === 'check' && compiled.check({ secret: 's', pair: { a: 1 } })).toEqual([])
    expect(compiled.kind === 'check' && compiled.check({ secret: 's', pair: { a: 2 } })).toHaveLength(1)
  })

  test('shows the outline of a schema that is too large for platforms, and still what is secret', async () => {
    const text = { type: 'string', enum: ['x'.repeat(70_000)] }

    expect((await planOf({ definitions: { ...definitions, text } })).schemas.create).toMatchObject({
      required: ['secret'],
      properties: {
        text: { type: 'string' },
        secret: { type: 'string', writeOnly: true },
        size: { type: 'integer' },
      },
    })
  })

  test.each([
    ['nothing of what the operator fixed', { inputs: { size: 3 } }, ['text', 'secret', 'fixed', 'pair']],
    ['only what the operator opened', { allow: ['text'] }, ['text']],
  ])('lets users send %s', async (_, choice, names) => {
    const pkg = await packageOf(fragment)
    const fit = cnab.offer?.(pkg, { ...(await planOf()), operator: { ...noChoice, ...choice } })

    expect(fit?.problems).toEqual([])
    expect(Object.keys(fit?.plan.schemas.create?.['properties'] ?? {})).toEqual(names)
  })

  test('tells the operator of values that cannot be', async () => {
    const operator = {
      ...noChoice,
      inputs: { size: 0, nobody: 1 },
      defaults: { text: 5 },
      options: { cpus: 0 },
    }
    const pkg = await packageOf(fragment)

    const judge = (more: object) =>
      cnab
        .offer?.(pkg, { ...({} as Plan), operator: { ...operator, ...more } })
        .problems.map(({ detail }) => detail)
    expect(judge({})).toEqual(['must be > 0'])
    expect(judge({ options: {} })).toEqual([
      'size must be >= 1',
      'undefined parameter nobody',
      'text must be string',
    ])
  })

  test('has the plans that it, its operator or parameter sets name', async () => {
    const set = { name: 'large', parameters: [{ name: 'size', source: { value: '9' } }] }
    const pkg = await packageOf(
      {
        ...fragment,
        custom: { 'io.chandler.service': { plans: [{ name: 'small', parameters: { size: 1 } }] } },
      },
      { options: { parameterSets: [set] } },
    )

    expect(pkg.services[0]?.plans.map(({ name, operator }) => [name, operator.inputs])).toEqual([
      ['small', { size: 1 }],
      ['large', { size: 9 }],
    ])
  })

  test('is no binding where nothing could be bound to', async () => {
    const pkg = await packageOf({ ...fragment, outputs: {}, actions: {}, custom: {} })

    expect(pkg.services[0]?.bindable).toBe(false)
  })
})
