import { expect, test } from 'vitest'
import { archive, definition, manifest, read, thing } from '../../../test/brokerpak/pak.ts'
import { brokerpak } from './index.ts'
import { defaultLabels } from './labels.ts'
import { notesOf } from './notes.ts'

const files = { 'manifest.yml': manifest, 'thing.yml': definition }

async function refusal(change: Record<string, string | undefined>, options = {}): Promise<string> {
  const changed = Object.fromEntries(
    Object.entries({ ...files, ...change }).filter(([, text]) => text !== undefined),
  )
  const reading = await read(changed as Record<string, string>, options)
  return reading.kind === 'refused'
    ? reading.problems.map(({ code, detail }) => `${code} ${detail}`).join('\n')
    : reading.kind
}

test('a pak offers its services with the schemas of their inputs', async () => {
  const pkg = await thing()
  const [service] = pkg.services

  expect(pkg).toMatchObject({ name: 'things', version: '1.0.0', contract: 'brokerpak' })
  expect(service).toMatchObject({ name: 'thing', planUpdatable: true, metadata: { displayName: 'Thing' } })
  expect(service?.plans.map(({ name }) => name)).toEqual(['small', 'large'])
  expect(service?.plans[0]?.schemas.create).toMatchObject({ properties: { colour: { maxLength: 5 } } })
})

test.each([
  ['things.brokerpak', ['manifest.yml'], 'certain'],
  ['folder', ['manifest.yml'], 'likely'],
  ['x.brokerpak', ['other'], 'likely'],
  ['x.zip', ['other'], 'no'],
])('%s with %j is recognised as %s', (reference, paths, recognition) => {
  const entries = paths.map((path) => ({ path, bytes: 0, mode: 0 }))

  expect(brokerpak.recognise({ ...archive(files), reference, entries })).toBe(recognition)
})

test.each([
  ['no manifest', { 'manifest.yml': undefined }, /pak.manifest.missing .*manifest.yml/],
  ['a manifest that is no map', { 'manifest.yml': '[]' }, /pak.document.unreadable/],
  [
    'another packversion',
    { 'manifest.yml': manifest.replace('packversion: 1', 'packversion: 2') },
    /pak.manifest.invalid packversion: 2 is not known here/,
  ],
  [
    'an engine of no version',
    { 'manifest.yml': manifest.replace('1.6.0', 'latest') },
    /latest is no version/,
  ],
  ['a definition that is not there', { 'thing.yml': undefined }, /pak.definition.missing .*thing.yml/],
  [
    'a definition outside',
    { 'manifest.yml': manifest.replace('thing.yml', '../thing.yml') },
    /pak.definition.missing/,
  ],
  [
    'two faults in a definition',
    { 'thing.yml': definition.replace('name: thing', 'x: 1').replace('https://example.com/i.png', 'i.png') },
    /name is missing[\s\S]*"i.png" is no URL/,
  ],
  [
    'a template that does not parse',
    { 'thing.yml': definition.replace('output "name" { value = var.name }', 'output "name" {') },
    /pak.definition.invalid provision.template: Unclosed/,
  ],
  [
    'a template with other outputs',
    { 'thing.yml': definition.replace('output "name" { value = var.name }', '') },
    /provision.outputs\[0\]: the template makes no output name/,
  ],
  ['another platform', { 'manifest.yml': manifest.replace('amd64', 'arm64') }, /pak.platform/],
  [
    'two services of one id',
    { 'manifest.yml': manifest.replace('[thing.yml]', '[thing.yml, thing.yml]') },
    /thing is used twice/,
  ],
])('%s is refused', async (_what, change, message) => {
  expect(await refusal(change)).toMatch(message)
})

test('a pak that wants the engine of the host is refused on a host without one', async () => {
  expect(await refusal({}, { engine: 'host' })).toBe(
    'engine.tool-missing terraform or tofu is not on the path',
  )
})

test('unknown fields are a warning, and refused where csb is asked for strictly', async () => {
  const odd = { 'manifest.yml': `${manifest}foo: 1\n` }
  const reading = await read({ ...files, ...odd })

  expect(reading.kind === 'package' && reading.warnings.map(({ detail }) => detail)).toContain(
    'foo: the field foo is not known and not read',
  )
  expect(await refusal(odd, { strict: 'csb' })).toMatch(/foo/)
})

test.each([
  ['required_version = ">= 1.6"', undefined],
  ['required_version = "~> 1.7"', 'required_version is "~> 1.7", and the pak brings 1.6.0'],
  ['required_version = "newest"', 'required_version cannot be read as a constraint: "newest"'],
  ['required_version = var.v', undefined],
])('a template that says %s is held against the engine of the pak', async (line, warning) => {
  const text = definition.replace('  template: |\n', `  template: |\n    terraform {\n      ${line}\n    }\n`)
  const reading = await read({ ...files, 'thing.yml': text })
  const warnings = reading.kind === 'package' ? reading.warnings : []
  const told = warnings.filter(({ detail }) => detail?.includes('required_version'))

  expect(told.map(({ code, detail }) => `${code} ${detail}`)).toEqual(
    warning === undefined ? [] : [`pak.definition.questionable provision.template: ${warning}`],
  )
})

test.each([
  ['random = { source = "hashicorp/random", version = "~> 3.5" }', undefined],
  [
    'random = { source = "hashicorp/random", version = "< 3" }',
    'required_providers random is "< 3", and the pak brings 3.6.0',
  ],
  ['random = "< 3"', 'required_providers random is "< 3", and the pak brings 3.6.0'],
  ['aws = { version = "~> 5" }', undefined],
])('a template that needs the provider %s is held against those of the pak', async (line, warning) => {
  const need = `    terraform {\n      required_providers {\n        ${line}\n      }\n    }\n`
  const provider = '- name: terraform-provider-random\n  version: 3.6.0\n'
  const reading = await read({
    'manifest.yml': manifest.replace('terraform_binaries:\n', `terraform_binaries:\n${provider}`),
    'thing.yml': definition.replace('  template: |\n', `  template: |\n${need}`),
  })
  const warnings = reading.kind === 'package' ? reading.warnings.map(({ detail }) => detail) : [reading]

  expect(warnings.filter((one) => JSON.stringify(one).includes('required_providers'))).toEqual(
    warning === undefined ? [] : [`provision.template: ${warning}`],
  )
})

test('V1 is held to its own rules where it is asked for', async () => {
  expect(
    await refusal({ 'thing.yml': definition.replace('type = "string"', 'type = string') }, { strict: 'v1' }),
  ).toMatch(/Unknown token: 1:26 IDENT string/)
})

test.each([[{ speed: 1 }], [{ engine: 'moon' }], [{ strict: 'v3' }]])(
  'the option %j is refused',
  async (options) => {
    expect(await refusal({}, options)).toMatch(/pak.options.invalid/)
  },
)

test('templates that a source folder refers to are loaded', async () => {
  const source = definition.replace(
    / {2}template: \|\n( {4}.*\n)+( {2}outputs: \[\{field_name: uri)/,
    '  template_refs: {main: bind.tf}\n$2',
  )
  const bind = 'variable "who" {}\noutput "uri" { value = 1 }\noutput "name" { value = 1 }\n'
  const reading = await read({ ...files, 'thing.yml': source, 'bind.tf': bind })

  expect(reading.kind === 'package' && notesOf(reading.package).definitions[0]?.bind.templates).toEqual({
    main: bind,
  })
  expect(await refusal({ 'thing.yml': source })).toMatch(/not loaded from template ref/)
})

test('versions keep the digits they were written with', async () => {
  const pkg = await thing((text) => text.replace('version: 1.0.0', 'version: 1.10'))

  expect(pkg.version).toBe('1.10')
})

test.each([
  ['no plans', (text: string) => text.replace(/plans:\n(- .*\n)+/, ''), 'there are no plans'],
  [
    'a bad expression',
    (text: string) => text.replace('${rand.base64(6)}', '${rand.base65(6)}'),
    'there is no function rand.base65',
  ],
  [
    'a bad pattern',
    (text: string) => text.replace('maxLength: 5', "pattern: '(['"),
    'the constraints make no valid schema',
  ],
  [
    'a default against its constraints',
    (text: string) =>
      text.replace('constraints: {maxLength: 5}', 'default: yellow, constraints: {maxLength: 5}'),
    'breaks its own constraints',
  ],
  [
    'a property nobody declares',
    (text: string) => text.replace('{size: 1}', '{size: 1, odd: 2}'),
    'no input declares the property odd',
  ],
])('%s is a warning', async (_what, change, said) => {
  const reading = await read({ ...files, 'thing.yml': change(definition) })

  expect(reading.kind === 'package' && reading.warnings.map(({ detail }) => detail).join('\n')).toContain(
    said,
  )
})

test('a service without plans has a pattern that tells what it demands', async () => {
  const pkg = await thing((text) => text.replace(/plans:\n(- .*\n)+/, ''))
  const [plan] = pkg.services[0]!.plans

  expect(plan?.name).toBe('default')
  expect(brokerpak.offer?.(pkg, plan!).problems).toMatchObject([
    { code: 'pak.plan.incomplete', detail: 'default: size (Size)' },
  ])
})

test('names get the prefix of the operator, services can be left out, plans added', async () => {
  const id = '00000000-0000-4000-8000-000000000009'
  const added = { thing: [{ id, name: 'huge', size: 99 }] }
  const pkg = await thing(undefined, { service_prefix: 'my-', plans: added })
  const none = await thing(undefined, { excluded_services: ['00000000-0000-4000-8000-000000000000'] })

  expect(pkg.services[0]).toMatchObject({
    name: 'my-thing',
    plans: [{ name: 'small' }, { name: 'large' }, { name: 'huge', id, free: true }],
  })
  expect(none.services).toEqual([])
})

test.each([
  [{ thing: [{ id: 'p-9', name: 'huge', size: 9 }] }, 'thing custom plan huge: field must be a UUID: ID'],
  [{ thing: [{ name: 'huge', size: 9 }] }, 'is missing an id'],
  [
    { thing: [{ id: '00000000-0000-4000-8000-000000000009', name: 'x' }] },
    'is missing required property size',
  ],
  [{ other: [] }, 'the pak has no service other'],
])('plans of the operator that cannot be are refused: %j', async (plans, detail) => {
  const files = { 'manifest.yml': manifest, 'thing.yml': definition }

  expect(await read(files, { plans })).toMatchObject({
    kind: 'refused',
    problems: [{ code: 'pak.options.invalid', detail: expect.stringContaining(detail) }],
  })
})

test.each([
  [undefined, true],
  [null, true],
  [true, true],
  [false, false],
  ['false', false],
])('a plan of the operator with free %j is offered as free: %j', async (free, offered) => {
  const own = { id: '00000000-0000-4000-8000-000000000009', name: 'huge', size: 9 }
  const plan = free === undefined ? own : { ...own, free }
  const pkg = await thing(undefined, { plans: { thing: [plan] } })

  expect(pkg.services[0]?.plans.at(-1)?.free).toBe(offered)
})

test("the operator's own labels stay as they are", () => {
  expect(defaultLabels('i 1', { organization_guid: 'o/1' }, { 'cost centre': 'x y' })).toEqual({
    'cost centre': 'x y',
    'pcf-organization-guid': 'o_1',
    'pcf-space-guid': '',
    'pcf-instance-id': 'i_1',
  })
})

test('an upgrade path that names a version twice is refused', async () => {
  const twice = manifest.replace(
    'parameters:',
    'terraform_upgrade_path: [{version: 1.6.0}, {version: 1.6.0}]\nparameters:',
  )

  expect(await refusal({ 'manifest.yml': twice })).toContain('1.6.0 is used twice')
})

test.each([
  ['a wrong id', 'thing.yml', (text: string) => text.replace(/^id: .*$/m, 'id: x'), 3],
  [
    'a wrong type of an input',
    'thing.yml',
    (text: string) => text.replace('type: integer', 'type: float'),
    14,
  ],
  [
    'a wrong packversion',
    'manifest.yml',
    (text: string) => text.replace('packversion: 1', 'packversion: 2'),
    1,
  ],
])('%s is told with its file and line', async (_, source, change, line) => {
  const texts: Record<string, string> = { 'manifest.yml': manifest, 'thing.yml': definition }
  const reading = await read({ ...texts, [source]: change(texts[source] ?? '') })
  const wheres = reading.kind === 'refused' ? reading.problems.map(({ where }) => where) : []

  expect(wheres).toMatchObject([{ source, line }])
})
