/** The rules of reading, naming and publishing a spec, a row each, as the original broker has them or as its defects are mended. */
import { expect, test } from 'vitest'
import { catalogOffers } from '../../../test/apb/offers.ts'
import { image, packageOf, readSpecOf } from '../../../test/apb/stage.ts'
import { yamlScalars } from '../../../test/support/yaml-scalars.ts'
import type { Json, JsonObject } from '../../kit/json.ts'
import { apb } from './index.ts'

const head = 'version: 1.0\nname: q-apb\ndescription: d\nbindable: true\nasync: optional\n'
const withParameter = (fields: string): string =>
  `${head}plans: [{name: p, description: d, free: true, parameters: [{name: a, ${fields}}]}]`
const original = { registry: 'dh', schemas: 'original' }

async function planOf(spec: string, options: JsonObject = {}) {
  const [service] = (await packageOf(spec, options)).services
  const [plan] = service?.plans ?? []
  if (service === undefined || plan === undefined) throw new Error('it offers no plan')
  return { service, plan }
}

async function propertyOf(fields: string, options: JsonObject = {}): Promise<Json | undefined> {
  const { plan } = await planOf(withParameter(fields), options)
  const properties = plan.schemas.create?.['properties'] as JsonObject | undefined
  return properties?.['a']
}

test.each<readonly [string, Json | undefined]>([
  ...yamlScalars,
  ['9.60', 9.6],
  ['off', false],
  ["''", ''],
  ['~', undefined],
  ["'yes'", 'yes'],
])('a default written as %s is the value of YAML 1.1: %j', async (text, value) => {
  expect(((await propertyOf(`type: string, default: ${text}`, original)) as JsonObject)['default']).toEqual(
    value,
  )
})

test.each<readonly [string, JsonObject]>([
  ['type: string, maxLength: 9, minLength: 2', { maxLength: 9, minLength: 2 }],
  ['type: string, minlength: 3', { minLength: 3 }],
  ['type: string, maxlength: 8, maxLength: 9', { maxLength: 8 }],
  ['type: string, maxLength: 9, max_length: 8', { maxLength: 8 }],
])(
  '%s says %j in a spelling that other brokers ignore, unless schemas are to be theirs',
  async (fields, said) => {
    const property = (await propertyOf(fields)) as JsonObject
    const theirs = (await propertyOf(fields, original)) as JsonObject

    expect(property).toEqual({ type: 'string', ...said })
    expect(theirs['minLength']).toBeUndefined()
    expect(theirs['maxLength']).not.toBe(9)
  },
)

test('Parameters are parameters where there are no others, and that is told', async () => {
  const capital = withParameter('type: string, required: true').replace('parameters:', 'Parameters:')
  const both = capital.replace('Parameters:', 'parameters: [], Parameters:')
  const schemaOf = async (spec: string, options: JsonObject = {}) =>
    (await planOf(spec, options)).plan.schemas.create ?? {}
  const reading = await readSpecOf(capital)

  expect(await schemaOf(capital)).toMatchObject({ required: ['a'] })
  expect(await schemaOf(both)).not.toHaveProperty('properties')
  expect(await schemaOf(capital, original)).not.toHaveProperty('properties')
  expect(reading).toMatchObject({
    warnings: [
      { detail: 'Parameters is no key of a plan and is read as parameters, but by no other broker' },
    ],
  })
})

test('values of an enum keep how they are spelt, and get the type of their parameter', async () => {
  const values = 'enum: [10, 9.60, yes, 1.0, ~]'

  expect(await propertyOf(`type: enum, ${values}`)).toMatchObject({ enum: ['10', '9.60', 'yes', '1.0', ''] })
  expect(await propertyOf('type: int, enum: [10, 9]')).toMatchObject({ enum: [10, 9] })
  expect(await propertyOf('type: int, enum: [10, 9]', original)).toMatchObject({ enum: ['10', '9'] })
})

test.each<[string, JsonObject]>([
  ['type: String', { type: 'string' }],
  ['type: enum', { type: 'string' }],
  ['type: int', { type: 'integer' }],
  ['type: Integer', { type: 'integer' }],
  ['type: number', { type: 'number' }],
  ['type: BOOL', { type: 'boolean' }],
  ['type: boolean', { type: 'boolean' }],
  ['type: object', { type: 'object', additionalProperties: false }],
  ['type: array', { type: 'array', additionalItems: false }],
  ["type: 'null'", { type: 'null' }],
  ['type: nil', { type: 'null' }],
  ['type: string, maxlength: 9', { type: 'string', maxLength: 9 }],
  [
    'type: string, maxlength: 9, max_length: 5, min_length: 2',
    { type: 'string', maxLength: 5, minLength: 2 },
  ],
  ['type: string, maxLength: 9, minlength: 1, max_length: 0', { type: 'string' }],
  ["type: string, maxlength: '63'", { type: 'string' }],
  ['type: int, max_length: 5, pattern: x', { type: 'integer' }],
  ['type: string, minimum: 5', { type: 'string' }],
  [
    'type: int, minimum: 0, maximum: 9, multiple_of: 3',
    { type: 'integer', minimum: 0, maximum: 9, multipleOf: 3 },
  ],
  ['type: number, minimum: 0, exclusive_minimum: 1', { type: 'number', minimum: 1, exclusiveMinimum: true }],
  ['type: number, multiple_of: 0', { type: 'number' }],
  ['type: string, pattern: "^a+$"', { type: 'string', pattern: '^a+$' }],
  ['type: string, pattern: "(?=a)"', { type: 'string' }],
  ['type: string, title: T, description: D, maximum: 1', { type: 'string', title: 'T', description: 'D' }],
])('a parameter with %s is published as %j', async (fields, property) => {
  expect(await propertyOf(fields, original)).toEqual(property)
})

test.each<[string, JsonObject]>([
  ['bindable: yes', { bindable: true }],
  ['bindable: "True"', { bindable: false }],
  ['bindable: 1', { bindable: false }],
  ['tags: database', { tags: [] }],
  ['tags: [a, 1.10, yes]', { tags: ['a', '1.10', 'yes'] }],
  ['metadata: {nested: {deep: {er: 1}}}', { metadata: { nested: { deep: { er: 1 } } } }],
  ['description: ""', { description: 'q-apb' }],
  ['_p: &p {x: 1}\nmetadata: {<<: *p}', { metadata: { x: 1 } }],
])('a spec with %j offers a service with %j', async (line, wanted) => {
  const [key = ''] = line.split(':')
  const kept = head.split('\n').filter((one) => !one.startsWith(`${key}:`))
  const { service } = await planOf(`${kept.join('\n')}${line}\nplans: [{name: p}]`, { registry: 'dh' })

  expect(service).toMatchObject(wanted)
})

test('what the original overwrites changes nothing: id, runtime, delete', async () => {
  const plain = `${head}plans: [{name: p}]`
  const { service } = await planOf(`id: mine\nruntime: 7\ndelete: true\n${plain}`)

  expect(service).toEqual((await planOf(plain)).service)
})

test.each(['1.0', "'1.0'", '1.0.0'])('the version %s is valid', async (version) => {
  expect((await readSpecOf(`${head.replace('1.0', version)}plans: [{name: p}]`)).kind).toBe('package')
})

test.each(['1', "'1'", '1.1', '1.00', 'v1.0.0', '2.0', '1.0.0-beta', "'1.0 '", "''"])(
  'the version %s is not',
  async (version) => {
    const reading = await readSpecOf(`${head.replace('1.0', version)}plans: [{name: p}]`)

    expect(reading).toMatchObject({ problems: [{ detail: 'Spec [q-apb] failed version validation' }] })
  },
)

test.each([
  ['1', 'package'],
  ['2', 'package'],
  ['3', 'refused'],
  ['0', 'refused'],
])('the runtime %s: %s', async (runtime, kind) => {
  expect((await readSpecOf(`${head}plans: [{name: p}]`, {}, runtime)).kind).toBe(kind)
})

const encoded = Buffer.from(`${head}plans: [{name: p}]`).toString('base64')

test.each<[string, Readonly<Record<string, string>>, string]>([
  ['no spec', {}, 'no'],
  ['an empty spec', { 'com.redhat.apb.spec': '' }, 'no'],
  ['a spec in lines', { 'com.redhat.apb.spec': encoded.replace(/(.{20})/g, '$1 \n') }, 'package'],
  ['no runtime, which is the first', { 'com.redhat.apb.spec': encoded }, 'package'],
  [
    'a runtime that the other label overrides',
    {
      'com.redhat.apb.spec': encoded,
      'com.redhat.apb.runtime': '9',
      'com.redhat.bundle.runtime': '2',
      'com.redhat.apb.version': '0.1.0',
    },
    'package',
  ],
  ['a spec that is no base64', { 'com.redhat.apb.spec': '%%%' }, 'refused'],
])('an image with %s', async (_, labels, kind) => {
  const artifact = image(labels)
  const seen = apb.recognise(artifact) === 'no' ? 'no' : (await apb.read(artifact, { options: {} })).kind

  expect(seen).toBe(kind)
})

test.each([
  ['dh', 'postgresql-apb', 'dh-postgresql-apb', '1dda1477cace09730bd8ed7a6505607e'],
  ['my.registry', 'a.b:c/d-apb', 'my-registry-a-b-c-d-apb', undefined],
  ['dh', 'Under_Score-APB', 'dh-Under_Score-APB', undefined],
  ['dh', `${'x'.repeat(47)}--y`, `dh-${'x'.repeat(47)}`, undefined],
  ['dh', '', 'dh', undefined],
  ['dh', '-', 'dh-', undefined],
])('the registry %s and the spec %s make the service %s', async (registry, spec, name, id) => {
  const text = head.replace('q-apb', JSON.stringify(spec))
  const { service } = await planOf(`${text}plans: [{name: p}]`, { registry })

  expect(service.name).toBe(name)
  if (id !== undefined) expect(service.id).toBe(id)
})

test('ids of plans are those of the original', async () => {
  const text = head.replace('q-apb', 'postgresql-apb')
  const [service] = (await packageOf(`${text}plans: [{name: dev}, {name: prod}]`, { registry: 'dh' }))
    .services

  expect(service?.plans.map(({ id }) => id)).toEqual([
    '7f4a5e35e4af2beb70076e72fab0b7ff',
    'ea4c99bb7d7d0d492ce55a8ac8c75373',
  ])
})

test('the catalog says what is false, and which plans may be moved to', async () => {
  const { document } = await catalogOffers(
    `${head}plans: [{name: a, updates_to: [b], free: false, bindable: false}, {name: b, free: true}]`,
  )

  expect(document).toMatchObject({
    services: [
      {
        instances_retrievable: true,
        bindings_retrievable: true,
        plan_updateable: true,
        plans: [
          { free: false, bindable: false, updates_to: ['b'], plan_updateable: true },
          { free: true, plan_updateable: false },
        ],
      },
    ],
  })
  const [service] = document['services'] as readonly JsonObject[]
  const [, second] = (service?.['plans'] ?? []) as readonly JsonObject[]
  expect(second).not.toHaveProperty('bindable')
})

const formed = `${head}plans:
  - name: p
    metadata: {displayName: P, schemas: of the author}
    parameters:
      - {name: a, type: string, required: true}
      - {name: b, type: string, display_group: G, updatable: true, required: true}
      - {name: c, type: string, display_group: G, display_type: password}
      - {name: d, type: string}
      - {name: e, type: string, display_group: G}
    bind_parameters: [{name: f, type: int}]
`

test('forms keep the order, and only neighbours share a fieldset', async () => {
  const { plan } = await planOf(formed)
  const group = (...items: readonly Json[]): JsonObject => ({ title: 'G', type: 'fieldset', items })
  const form = (...items: readonly Json[]) => ({ openshift_form_definition: items })

  expect(plan.metadata).toEqual({
    displayName: 'P',
    schemas: {
      service_instance: {
        create: form('a', group('b', { key: 'c', type: 'password' }), 'd', group('e')),
        update: form(group('b')),
      },
      service_binding: { create: form('f') },
    },
  })
})

test('an update demands nothing that it does not change', async () => {
  const { plan } = await planOf(formed)

  expect(plan.schemas.create).toMatchObject({ required: ['a', 'b'] })
  expect(plan.schemas.update).not.toHaveProperty('required')
  expect((await planOf(formed, original)).plan.schemas.update).toMatchObject({ required: ['b'] })
})

test('what an operator lends is in no schema and no form', async () => {
  const { plan } = await planOf(formed, { secrets: ['b', 'c'] })

  expect(JSON.stringify([plan.schemas, plan.metadata])).not.toMatch(/"[bc]"/)
})

test.each([
  ['without choices', ''],
  ['with choices', ', enum: [x, y]'],
])('what depends on a parameter %s may be given, and need not be', async (_, choices) => {
  const spec = `${head}plans: [{name: p, parameters: [{name: k, type: enum${choices}},
    {name: c, type: string, required: true, dependencies: [{key: k, value: x}]}]}]`
  const { create } = (await planOf(spec)).plan.schemas

  expect(Object.keys((create?.['properties'] ?? {}) as JsonObject)).toEqual(['k', 'c'])
  expect(create).not.toHaveProperty('required')
  expect(create).not.toHaveProperty('dependencies')
  expect((await planOf(spec, original)).plan.schemas.create).toHaveProperty('dependencies')
})
