/** What exists already is taken over by an import, or left alone. */
import { expect, test } from 'vitest'
import { job, outcome } from '../../../test/brokerpak/conclusions.ts'
import { commandsOf, fileOf, report, situation, state, thing } from '../../../test/brokerpak/pak.ts'
import type { Job } from '../../model/job.ts'
import type { Package } from '../../model/package.ts'
import type { Action, Situation } from '../../model/situation.ts'
import { brokerpak } from './index.ts'

const provision: Action = { kind: 'provision' }

const adopting = (text: string): string =>
  text
    .replace('properties: {size: 1}', 'properties: {size: 1, subsume: true}')
    .replace(
      'plan_inputs: [{field_name: size',
      'plan_inputs: [{field_name: subsume, type: boolean, details: S}, {field_name: size',
    )
    .replace(
      /( {2}user_inputs:\n)/,
      '  import_inputs: [{field_name: old, type: string, details: Id, tf_resource: a.b}]\n  import_parameters_to_delete: [a.b.id, a.b.deep.secret]\n  import_parameter_mappings: [{tf_variable: label, parameter_name: var.name}]\n  import_parameters_to_add: [{tf_variable: extra, parameter_name: var.colour}]\n$1',
    )
    .replace(
      / {2}template: \|\n {4}variable "size"[\s\S]*?( {2}outputs: \[\{field_name: name, type: string, details: Name\}\]\nbind)/,
      '  templates:\n    main: resource "a" "b" {}\n    variables: |\n      variable "size" {}\n      variable "name" {}\n      variable "colour" {}\n      output "name" { value = var.name }\n$1',
    )

const shown = `# a.b:
resource "a" "b" {
    id    = "old-1"
    label = "was so"
    count = 3
    text  = <<-EOT
        a } brace
    EOT
    token = (sensitive value)

    deep {
        keep   = true
        secret = "s"
    }
}

# data.c.d:
data "c" "d" {
    id = "x"
}


Outputs:

name = "n"
`

async function imported(): Promise<{
  readonly about: Situation
  readonly first: Job
  readonly pkg: Package
}> {
  const pkg = await thing(adopting)
  const about = situation(pkg, { parameters: { old: 'old-1' } })
  return { pkg, about, first: job(provision, about) }
}

test('an import takes over what exists: import, configuration of what was found, plan, apply', async () => {
  const { about, first } = await imported()
  const planned = brokerpak.conclude(
    provision,
    about,
    report(first, { stdout: shown, state: state({ name: 'n' }) }),
  )
  if (planned.kind !== 'next') throw new Error('no plan')
  const main = fileOf(planned.job, 'main.tf')
  const later = { ...about, carryover: planned.carryover }
  const applied = brokerpak.conclude(
    provision,
    later,
    report(planned.job, { stdout: 'Plan: 0 to add, 1 to change, 0 to destroy.' }),
  )
  if (applied.kind !== 'next') throw new Error('no apply')
  const end = { ...later, carryover: applied.carryover }
  const last = outcome(
    brokerpak.conclude(provision, end, report(applied.job, { state: state({ name: 'n' }) })),
  )

  expect(commandsOf(first)).toEqual(['tofu init', 'tofu import', 'tofu show'])
  expect(main).toBe(
    'resource "a" "b" {\n    extra = var.colour\n    label = var.name\n    count = 3\n    text  = <<-EOT\n        a } brace\n    EOT\n\n    deep {\n        keep   = true\n    }\n}\n',
  )
  expect(JSON.parse(fileOf(planned.job, 'terraform.tfvars.json'))).toMatchObject({ name: 'was so' })
  expect(fileOf(applied.job, 'main.tf')).toBe(main)
  expect(Object.keys(last.carryover ?? {}).sort()).toEqual([
    'applied.json',
    'generated.json',
    'imported-main.tf',
    'terraform.tfstate',
  ])
})

test('an import that would destroy something is called off', async () => {
  const { about, first } = await imported()
  const planned = brokerpak.conclude(provision, about, report(first, { stdout: shown, state: state({}) }))
  if (planned.kind !== 'next') throw new Error('no plan')
  const plan = report(planned.job, { stdout: 'Plan: 1 to add, 0 to change, 1 to destroy.' })

  expect(
    outcome(brokerpak.conclude(provision, { ...about, carryover: planned.carryover }, plan)).problems,
  ).toMatchObject([{ code: 'pak.import.destroys' }])
})

test('an import that fails forgets what it found, so that a deprovision destroys nothing', async () => {
  const { about, first } = await imported()
  const found = state({ name: 'n' })
  const planned = brokerpak.conclude(provision, about, report(first, { stdout: shown, state: found }))
  if (planned.kind !== 'next') throw new Error('no plan')
  const later = { ...about, carryover: planned.carryover }
  const ends = [
    outcome(brokerpak.conclude(provision, about, report(first, { exit: 1, state: found }))),
    outcome(brokerpak.conclude(provision, later, report(planned.job, { exit: 1 }))),
    outcome(
      brokerpak.conclude(
        provision,
        later,
        report(planned.job, { stdout: 'Plan: 0 to add, 0 to change, 1 to destroy.' }),
      ),
    ),
  ]

  expect(planned.unstarted).toEqual({})
  for (const { carryover, problems } of ends) {
    expect(problems).toHaveLength(1)
    expect(
      brokerpak.prepare({ kind: 'deprovision' }, { ...about, carryover: carryover ?? later.carryover }).kind,
    ).toBe('nothing-to-run')
  }
})

test('an import must name everything, and nobody moves to its plan later', async () => {
  const { pkg, about } = await imported()
  const large = pkg.services[0]!.plans[1]!
  const moving = {
    ...about,
    before: { parameters: {}, plan: large },
    carryover: { 'terraform.tfstate': state({}) },
  }

  expect(brokerpak.prepare(provision, { ...about, parameters: {} })).toMatchObject({
    problems: [
      { code: 'pak.import.incomplete', detail: 'must provide values for all import parameters: old' },
    ],
  })
  expect(brokerpak.prepare({ kind: 'update' }, moving)).toMatchObject({
    problems: [{ detail: 'cannot update to subsume plan small' }],
  })
})
