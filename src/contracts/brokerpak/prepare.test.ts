import { expect, test } from 'vitest'
import { binding, commandsOf, fileOf, report, situation, state, thing } from '../../../test/brokerpak/pak.ts'
import type { JsonObject } from '../../kit/json.ts'
import { Secret } from '../../kit/secret.ts'
import type { Job } from '../../model/job.ts'
import type { Package } from '../../model/package.ts'
import type { Action, Situation } from '../../model/situation.ts'
import { brokerpak } from './index.ts'

const provision: Action = { kind: 'provision' }
const update: Action = { kind: 'update' }

function job(action: Action, about: Situation): Job {
  const prepared = brokerpak.prepare(action, about)
  if (prepared.kind !== 'job') throw new Error(JSON.stringify(prepared))
  return prepared.job
}

function refusal(action: Action, about: Situation): string {
  const prepared = brokerpak.prepare(action, about)
  return prepared.kind === 'refused'
    ? prepared.problems.map(({ code, detail }) => `${code} ${detail}`).join('\n')
    : prepared.kind
}

function variables(of: Job): JsonObject {
  return JSON.parse(fileOf(of, 'terraform.tfvars.json')) as JsonObject
}

/** An update of an instance that was made so. */
function updating(
  pkg: Package,
  before: JsonObject,
  after: JsonObject,
  more: Partial<Situation> = {},
): Situation {
  const about = situation(pkg, { carryover: { 'terraform.tfstate': state({ name: 'n' }) }, ...more })
  const kept = Object.entries({ ...before, ...after }).filter(([, value]) => value !== null)
  return {
    ...about,
    parameters: Object.fromEntries(kept),
    sent: after,
    before: { parameters: before, plan: about.plan },
  }
}

test('a template becomes a module whose values stand where nothing is evaluated', async () => {
  const evil = '${file("/etc/passwd")} %{ if true }'
  const made = job(provision, situation(await thing(), { parameters: { name: evil, colour: 'red' } }))

  expect(variables(made)).toEqual({ size: 1, name: evil, colour: 'red' })
  expect(fileOf(made, 'instance.tf.json')).not.toContain('passwd')
  expect(JSON.parse(fileOf(made, 'instance.tf.json'))).toMatchObject({
    module: { instance: { source: './brokertemplate', name: '${var.name}' } },
    output: { name: { value: '${module.instance.name}', sensitive: true } },
  })
  expect(fileOf(made, 'brokertemplate/definition.tf')).toContain('variable "size" { type = string }')
  expect(commandsOf(made)).toEqual(['tofu init', 'tofu apply'])
})

test('several templates are the root itself', async () => {
  const pkg = await thing((text) =>
    text
      .replace('who" { type = string }', 'who" {}')
      .replace(/ {2}template: \|\n( {4}variable "size)/, '  templates:\n    main: |\n  $1')
      .replace(/\n {4}(variable "(?:name|colour)|output "name" \{ value = var)/g, '\n      $1'),
  )
  const made = job(provision, situation(pkg))

  expect(fileOf(made, 'main.tf')).toContain('variable "size"')
  expect(fileOf(made, 'instance.tf.json')).toBe('')
})

test('the environment holds what the manifest declares and the operator lends, and nothing else', async () => {
  const infrastructure = { API_KEY: new Secret('k'), OTHER: 'x' }
  const made = job(provision, situation(await thing(), { infrastructure }))

  expect(made.steps[0].environment).toMatchObject({ API_KEY: new Secret('k'), TF_IN_AUTOMATION: '1' })
  expect(made.steps[0].environment).not.toHaveProperty('OTHER')
})

test('a variable that nothing gives takes the parameter TF_VAR of its name, or null', async () => {
  const pkg = await thing()

  expect(variables(job(provision, situation(pkg)))['colour']).toBeNull()
  expect(
    variables(job(provision, situation(pkg, { infrastructure: { TF_VAR_colour: 'blue' } })))['colour'],
  ).toBe('blue')
})

test.each([
  [{ size: 3 }, 'pak.parameters.plan-defined plan defined properties cannot be changed: size'],
  [{ zzz: 1, aaa: 2 }, 'pak.parameters.unknown additional properties are not allowed: aaa, zzz'],
  [
    { colour: 'yellow' },
    'pak.parameters.refused 1 error(s) occurred: colour: String length must be less than or equal to 5',
  ],
  [
    { colour: 1, name: 2 },
    'pak.parameters.refused 2 error(s) occurred: colour: Invalid type. Expected: string, given: integer; name: Invalid type. Expected: string, given: integer',
  ],
])('the parameters %j are refused', async (parameters, message) => {
  expect(refusal(provision, situation(await thing(), { parameters }))).toBe(message)
})

test('unknown parameters pass where the operator lets them', async () => {
  const pkg = await thing()
  const about = situation(pkg, { parameters: { zzz: 1 } })
  const open = {
    ...about,
    plan: {
      ...about.plan,
      operator: {
        ...about.plan.operator,
        options: { ...about.plan.operator.options, unknown_parameters: 'accept' },
      },
    },
  }

  expect(refusal(provision, open)).toBe('job')
})

test.each([
  ['as it was', { name: 'a', colour: 'red' }],
  ['with another value', { name: 'b' }],
  ['as null', { name: null }],
])('a parameter that prohibits updates is refused %s', async (_how, sent) => {
  expect(refusal(update, updating(await thing(), { name: 'a' }, sent))).toMatch(
    /^pak.parameters.prohibited attempt to update/,
  )
})

test('a parameter that was set once and is not sent again is no attempt to update it', async () => {
  expect(refusal(update, updating(await thing(), { name: 'a' }, { colour: 'red' }))).toBe('job')
})

test('null unsets a parameter that may be null, and its default does not come back', async () => {
  const pkg = await thing((text) =>
    text.replace('details: Colour,', 'details: Colour, nullable: true, default: blue,'),
  )

  expect(variables(job(update, updating(pkg, { colour: 'red' }, { colour: null })))['colour']).toBeNull()
})

test('a preview is judged as the update would be', async () => {
  const carryover = { 'terraform.tfstate': state({ name: 'n' }) }
  const asked = (parameters: JsonObject) =>
    refusal({ kind: 'invoke', name: 'preview' }, situation(pkg, { carryover, parameters }))
  const pkg = await thing()

  expect(asked({ colour: 'red' })).toBe('job')
  expect(asked({ name: 'b' })).toMatch(/^pak.parameters.prohibited/)
  expect(asked({ colour: 'longer than five' })).toMatch(/^pak.parameters.refused/)
})

test('a generated value stays the same on update', async () => {
  const pkg = await thing()
  const made = job(provision, situation(pkg))
  const ended = brokerpak.conclude(provision, situation(pkg), report(made, { state: state({ name: 'n' }) }))
  const carryover = ended.kind === 'done' ? (ended.outcome.carryover ?? {}) : {}
  const again = job(update, updating(pkg, {}, { colour: 'red' }, { carryover }))

  expect(variables(made)['name']).toMatch(/^n-[\w-]{8}$/)
  expect(variables(again)).toMatchObject({ name: variables(made)['name'], colour: 'red' })
})

test('what the operator fixes wins over users, what he suggests does not', async () => {
  const pkg = await thing()
  const about = situation(pkg, { parameters: { colour: 'red' } })
  const operator = { ...about.plan.operator, inputs: { size: 5 }, defaults: { colour: 'blue', name: 'op' } }

  expect(variables(job(provision, { ...about, plan: { ...about.plan, operator } }))).toEqual({
    size: 5,
    colour: 'red',
    name: 'op',
  })
})

test('only declared names of the environment are open to expressions', async () => {
  const read = (name: string) => thing((text) => text.replace('${rand.base64(6)}', `\${env("${name}")}`))
  const infrastructure = { API_KEY: new Secret('k'), HOME: '/root' }

  expect(variables(job(provision, situation(await read('API_KEY'), { infrastructure })))['name']).toBe('n-k')
  expect(refusal(provision, situation(await read('HOME'), { infrastructure }))).toMatch(
    /missing environment variable HOME/,
  )
})

test('an environment variable that the pak requires must be lent', async () => {
  const pkg = await thing((text) =>
    text.replace(
      'parameters: [{name: API_KEY',
      'required_env_variables: [REGION]\nparameters: [{name: API_KEY',
    ),
  )

  expect(refusal(provision, situation(pkg))).toBe('pak.environment.missing missing required env var REGION')
})

test('a vacant instance runs nothing and waits for its state', async () => {
  const prepared = brokerpak.prepare(provision, situation(await thing(), { parameters: { vacant: true } }))

  expect(prepared.kind).toBe('nothing-to-run')
})

test('a deprovision lets go what may not be destroyed, and needs no state', async () => {
  const pkg = await thing((text) =>
    text.replace(
      'output "name" { value = var.name }',
      'output "name" { value = var.name }\n    resource "a" "b" {\n      lifecycle {\n        prevent_destroy = true\n      }\n    }',
    ),
  )
  const carryover = { 'terraform.tfstate': state({ name: 'n' }) }
  const made = job({ kind: 'deprovision' }, situation(pkg, { carryover }))

  expect(fileOf(made, 'brokertemplate/definition.tf')).toContain('prevent_destroy = false')
  expect(commandsOf(made)).toEqual(['tofu init', 'tofu destroy'])
  expect(brokerpak.prepare({ kind: 'deprovision' }, situation(pkg)).kind).toBe('nothing-to-run')
})

test('a destroy whose defaults cannot be computed any more uses the variables of last time', async () => {
  const pkg = await thing((text) => text.replace('${rand.base64(6)}', '${env("API_KEY")}'))
  const generated = Buffer.from(JSON.stringify({ kept: {}, configuration: { name: 'old', size: 1 } }))
  const carryover = { 'terraform.tfstate': state({}), 'generated.json': generated }

  expect(variables(job({ kind: 'deprovision' }, situation(pkg, { carryover })))).toMatchObject({
    name: 'old',
  })
})

test('a binding sees the outputs of its instance, of whatever types they are', async () => {
  const carryover = { 'terraform.tfstate': state({ name: 'x', list: ['a'], map: { k: 1 } }) }
  const about = situation(await thing(), { carryover, binding: binding() })

  expect(variables(job({ kind: 'bind' }, about))).toEqual({ who: 'x' })
})

test('a bind without templates runs nothing: the outputs of the instance are the credentials', async () => {
  const pkg = await thing((text) => text.replace(/bind:\n[\s\S]*?\nexamples/, 'bind: {}\nexamples'))
  const carryover = { 'terraform.tfstate': state({ name: 'x' }) }
  const prepared = brokerpak.prepare({ kind: 'bind' }, situation(pkg, { carryover, binding: binding() }))

  expect(prepared).toMatchObject({
    kind: 'nothing-to-run',
    outcome: { binding: { credentials: { name: 'x' } } },
  })
})

test('an unbind of a bind that left nothing runs nothing', async () => {
  expect(brokerpak.prepare({ kind: 'unbind' }, situation(await thing(), { binding: binding() })).kind).toBe(
    'nothing-to-run',
  )
})

test.each([
  ['newer than the pak', state({}, '1.9.0'), /pak.state.newer/],
  [
    'of another format',
    new Uint8Array(Buffer.from('{"version":9}')),
    /pak.state.unreadable unsupported tfstate version: 9/,
  ],
  ['no JSON', new Uint8Array(Buffer.from('x')), /pak.state.unreadable/],
])('a state that is %s is refused', async (_what, bytes, message) => {
  const about = updating(await thing(), {}, {}, { carryover: { 'terraform.tfstate': bytes } })

  expect(refusal(update, about)).toMatch(message)
})

test('a pak whose engine is missing is refused with the path of the engine', async () => {
  const pkg = await thing((text) =>
    text.replace('version: 1.6.0', 'version: 1.6.9').replace('name: tofu', 'name: terraform'),
  )

  expect(refusal(provision, situation(pkg))).toBe(
    'pak.binary.missing could not find terraform 1.6.9 in brokerpak: bin/linux/amd64/terraform',
  )
})

test('renamed providers are replaced in the state before anything else', async () => {
  const pkg = await thing((text) =>
    text.replace(
      'parameters: [{name: API_KEY',
      'terraform_state_provider_replacements: {a/b/c: a/b/d}\nparameters: [{name: API_KEY',
    ),
  )

  expect(commandsOf(job(update, updating(pkg, {}, { colour: 'red' })))).toEqual([
    'tofu get',
    'tofu state',
    'tofu init',
    'tofu apply',
  ])
  expect(commandsOf(job(provision, situation(pkg)))).toEqual(['tofu init', 'tofu apply'])
})

test('what runs of a plan would do first is known before anybody orders one', async () => {
  const pkg = await thing()
  const { service, plan, infrastructure } = situation(pkg)
  const foreseen = brokerpak.foresee?.({ package: pkg, service, plan, infrastructure })
  const bound = { binding: binding(), carryover: { 'terraform.tfstate': state({ name: 'n' }) } }
  expect(foreseen).toEqual([
    job(provision, situation(pkg, { parameters: { name: 'of a user' } })).beforehand?.job,
    job({ kind: 'bind' }, situation(pkg, bound)).beforehand?.job,
  ])
})

test('init is done beforehand where it is the same for every instance, and sees nothing of one', async () => {
  const made = job(provision, situation(await thing(), { parameters: { name: 'mine' } }))

  expect(made.beforehand?.job.steps.map(({ name }) => name)).toEqual(['init'])
  expect(JSON.stringify(made.beforehand?.job.files)).not.toContain('tfvars')
  expect(made.beforehand?.steps.map(({ command }) => command)).toEqual([
    { kind: 'exec', argv: ['tofu', 'apply', '-auto-approve', '-input=false', '-no-color'] },
  ])
})

test('orders of a plan differ only in what is late, as long as there is no state', async () => {
  const pkg = await thing()
  const ready = (parameters: JsonObject) => {
    const { beforehand, files, ...rest } = job(provision, situation(pkg, { parameters }))
    const late = beforehand?.late?.files ?? []
    return { ...rest, ...beforehand, files: files.filter(({ path }) => !late.includes(path)) }
  }
  const updated = updating(
    pkg,
    {},
    { colour: 'red' },
    { carryover: { 'terraform.tfstate': state({ name: 'n' }) } },
  )

  expect(ready({ name: 'mine' })).toEqual(ready({ name: 'another' }))
  expect(ready({}).late).toEqual({
    files: ['terraform.tfvars.json', '.chandler/generated.json'],
    door: 'terraform.tfvars.json',
  })
  expect(job(update, updated).beforehand?.late).toBeUndefined()
})

test.each([
  [
    'templates fetch modules',
    (text: string) =>
      text.replace(
        'output "name" { value = var.name }',
        '$&\n    module "m" {\n      source = "a/b/c"\n    }',
      ),
    undefined,
  ],
  [
    'the state holds resources of a provider',
    (text: string) => text,
    state({ name: 'n' }, '1.6.0', [{ mode: 'managed', provider: 'provider["registry.terraform.io/a/b"]' }]),
  ],
])('init is done each time where %s', async (_why, change, before) => {
  const pkg = await thing(change)
  const carryover = before === undefined ? {} : { 'terraform.tfstate': before }
  const about = before === undefined ? situation(pkg) : updating(pkg, {}, { colour: 'red' }, { carryover })

  expect(job(before === undefined ? provision : update, about).beforehand).toBeUndefined()
})
