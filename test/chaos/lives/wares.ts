/** A package of each contract whose programs do as they are told: end well or badly, at once or slowly, and say that they begin. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { isObject, type JsonObject } from '../../../src/kit/json.ts'
import { thickBundle } from '../../cnab/bundle.ts'
import { hostEngine } from '../../corpus/topics/brokerpak-terraform.ts'
import { busyboxImage } from '../../support/busybox.ts'
import { findProgram } from '../../support/debian.ts'
import { type Verb, verbs, type Wish } from './life.ts'
import type { Traits } from './model.ts'

export const lifeContracts = ['tweed', 'cnab', 'brokerpak'] as const
export type LifeContract = (typeof lifeContracts)[number]

export interface LifeWares {
  readonly contract: LifeContract
  readonly reference: string
  /** At a broker; elsewhere some of it is otherwise. */
  readonly traits: Traits
  /** What the package calls the action that it has beyond the life cycle. */
  readonly action: string
  /** What the programs of a verb say when they begin. */
  readonly begins: Readonly<Record<Verb, RegExp>>
  /** A wish as parameters of an order. */
  parameters(verb: Verb, wish: Partial<Wish>): JsonObject
}

/** How long a slow program takes: long enough to be cut off on a slow host. */
const slowly = 4

const none = {
  answersAtOnce: true,
  staysKnown: false,
  keepsFailedWish: false,
  isDueAfterMove: false,
  bindWishes: false,
} as const

/** Terraform repeats the commands of programs, and what failed ones printed. */
function said(words: Readonly<Partial<Record<Verb, string>>>, before = '^(?:.*: )?'): LifeWares['begins'] {
  return Object.fromEntries(
    verbs.map((verb) => [verb, new RegExp(`${before}begin ${words[verb] ?? 'nothing'}$`, 'gm')]),
  ) as LifeWares['begins']
}

/** Slow programs end soon when they are asked to. */
const linger = `linger() { trap 'exit 143' TERM; sleep ${slowly} & wait $!; trap - TERM; }`

async function tweed(folder: string): Promise<LifeWares> {
  const metadata = {
    pattern: 'tweed/v1',
    name: 'lived',
    version: '1.0.0',
    inputs: { size: { type: 'integer' }, fails: { type: 'string' }, slow: { type: 'string' } },
    outputs: { size: 'What it was told.' },
  }
  const run = `#!/bin/sh
set -eu
test "$1" != metadata || { cat /metadata.yml; exit 0; }
echo "begin $1" >&2
${linger}
if [ "$1" = provision ]; then
  for name in size fails slow; do
    sed -n 's/.*"'$name'": *"\\{0,1\\}\\([^",}]*\\).*/\\1/p' "$INPUTS" | tr -d ' \\n' > "$CREDSTORE/$name"
  done
  cp "$CREDSTORE/size" "$OUTPUTS/size"
fi
test "$(cat "$CREDSTORE/slow")" != "$1" || linger
test "$(cat "$CREDSTORE/fails")" != "$1" || exit 3
test "$1" != bind || printf 'size: %s\\n' "$(cat "$CREDSTORE/size")"
`
  const { reference } = await busyboxImage(folder, 'lived', {
    tree: { pattern: { bytes: run, mode: 0o755 }, 'metadata.yml': stringify(metadata) },
    settings: { entrypoint: ['/pattern'] },
  })
  const steerable = ['provision', 'bind', 'unbind', 'deprovision'] as const
  return {
    contract: 'tweed',
    reference,
    action: 'none',
    begins: said({ provision: 'provision', bind: 'bind', unbind: 'unbind', deprovision: 'deprovision' }),
    parameters: (verb, { size = 0, fails = '', slow = '' }) => (verb === 'bind' ? {} : { size, fails, slow }),
    traits: {
      ...none,
      able: steerable,
      steerable,
      unbindsFirst: false,
      isDueAfterFailure: false,
      leavesTrail: false,
    },
  }
}

const bundleWords = {
  provision: 'install',
  update: 'upgrade',
  act: 'tune',
  deprovision: 'uninstall',
} as const

async function cnab(folder: string): Promise<LifeWares> {
  const run = `
echo "begin $CNAB_ACTION"
${linger}
test "$SLOW" != "$CNAB_ACTION" || linger
printf '%s' "$SIZE" > /cnab/app/outputs/size
printf '%s' "$TRAIL $CNAB_ACTION" > /cnab/app/outputs/trail
test "$FAILS" != "$CNAB_ACTION" || exit 4
`
  const texts = { type: 'string', default: '' }
  const source = { priority: ['output'], sources: { output: { name: 'trail' } } }
  const { folder: reference } = await thickBundle(folder, {
    name: 'lived',
    run,
    bundle: {
      actions: { tune: { modifies: true, description: 'Changes something.' } },
      definitions: { size: { type: 'integer', default: 0 }, text: texts },
      parameters: {
        size: { definition: 'size', destination: { env: 'SIZE' } },
        fails: { definition: 'text', destination: { env: 'FAILS' } },
        slow: { definition: 'text', destination: { env: 'SLOW' } },
        trail: { definition: 'text', destination: { env: 'TRAIL' } },
      },
      outputs: {
        size: { definition: 'size', path: '/cnab/app/outputs/size' },
        trail: { definition: 'text', path: '/cnab/app/outputs/trail' },
      },
      requiredExtensions: ['io.cnab.parameter-sources'],
      custom: {
        'io.cnab.parameter-sources': { trail: source },
        'io.chandler.service': { bindings: { credentials: { size: `\${outputs.size}` } } },
      },
    },
  })
  // Verbs that no bundle carries out keep their names, so that another wish is another order.
  const word = (verb: Verb | '' = ''): string =>
    Object.entries(bundleWords).find(([name]) => name === verb)?.[1] ?? verb
  return {
    contract: 'cnab',
    reference,
    action: 'tune',
    begins: said({ ...bundleWords, repeat: 'upgrade' }),
    parameters: (verb, { size, fails, slow }) =>
      verb === 'bind' ? {} : { size: size ?? 0, fails: word(fails), slow: word(slow) },
    traits: {
      ...none,
      able: ['provision', 'update', 'repeat', 'act', 'bind', 'unbind', 'deprovision'],
      steerable: ['provision', 'update', 'act', 'deprovision'],
      unbindsFirst: true,
      isDueAfterFailure: false,
      leavesTrail: true,
    },
  }
}

const pakIds = ['service', 'plan'].map((_, i) => `11fe0000-0000-4000-8000-00000000010${i}`)

/** One thing that says when it is made and destroyed, and one that is made anew with each change. */
const pakTemplate = `variable "size" { type = number }
variable "fails" { type = string }
variable "slow" { type = string }
resource "terraform_data" "thing" {
  input = { size = var.size, fails = var.fails, slow = var.slow }
  provisioner "local-exec" {
    when    = destroy
    command = "echo begin deprovision; test '\${self.output.slow}' != deprovision || sleep ${slowly}; test '\${self.output.fails}' != deprovision"
  }
}
resource "terraform_data" "change" {
  triggers_replace = [var.size, var.fails, var.slow]
  depends_on       = [terraform_data.thing]
  provisioner "local-exec" {
    command = "echo begin change; test '\${var.slow}' != change || sleep ${slowly}; test '\${var.fails}' != change"
  }
}
output "size" { value = terraform_data.thing.output.size }
output "made" { value = terraform_data.thing.id }`

const pakBind = `variable "size" { type = number }
variable "fails" { type = string }
variable "slow" { type = string }
resource "terraform_data" "account" {
  provisioner "local-exec" {
    command = "echo begin bind; test '\${var.slow}' != bind || sleep ${slowly}; test '\${var.fails}' != bind"
  }
  provisioner "local-exec" {
    when    = destroy
    command = "echo begin unbind"
  }
}
output "size" { value = var.size }`

function pakDefinition(): JsonObject {
  const field = (name: string, type: string, more: JsonObject = {}) => ({
    field_name: name,
    type,
    details: name,
    ...more,
  })
  const wish = [field('fails', 'string', { default: '' }), field('slow', 'string', { default: '' })]
  const pages = {
    display_name: 'Lived',
    image_url: 'https://example.com/i.png',
    documentation_url: 'https://example.com',
    support_url: 'https://example.com/support.html',
  }
  const plan = {
    name: 'only',
    id: pakIds[1] ?? '',
    description: 'Only.',
    display_name: 'Only',
    properties: {},
  }
  return {
    version: 1,
    name: 'lived-pak',
    id: pakIds[0] ?? '',
    description: 'Lived.',
    ...pages,
    plans: [plan],
    provision: {
      plan_inputs: [],
      user_inputs: [field('size', 'number', { default: 0 }), ...wish],
      template: pakTemplate,
      outputs: [field('size', 'number'), field('made', 'string')],
    },
    bind: {
      plan_inputs: [],
      user_inputs: wish,
      computed_inputs: [
        { name: 'size', type: 'number', default: '${instance.details["size"]}', overwrite: true },
      ],
      template: pakBind,
      outputs: [field('size', 'number')],
    },
    examples: [
      { name: 'one', description: 'One', plan_id: pakIds[1] ?? '', provision_params: {}, bind_params: {} },
    ],
  }
}

/** A pak whose engine is older than the one that wrote a state is refused. */
function versionOf(engine: string): string {
  const said: unknown = JSON.parse(
    execFileSync(engine, ['version', '-json'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
  return isObject(said) ? String(said['terraform_version']) : ''
}

async function brokerpak(folder: string): Promise<LifeWares> {
  const reference = join(folder, 'pak')
  const programs = join(reference, 'bin/linux/amd64')
  mkdirSync(programs, { recursive: true })
  const engine = realpathSync(findProgram(hostEngine() ?? '') ?? '')
  cpSync(engine, join(programs, 'terraform'))
  writeFileSync(
    join(reference, 'manifest.yml'),
    stringify({
      packversion: 1,
      name: 'lived',
      version: '1.0.0',
      platforms: [{ os: 'linux', arch: 'amd64' }],
      terraform_binaries: [
        { name: 'terraform', version: versionOf(engine), source: 'https://example.com/t.zip' },
      ],
      service_definitions: ['lived.yml'],
    }),
  )
  writeFileSync(join(reference, 'lived.yml'), stringify(pakDefinition()))
  const word = (verb: Verb, wish: Verb | '' | undefined): string => {
    if (wish === undefined || wish === '') return ''
    if (wish === verb && verb !== 'bind') return 'change'
    return wish
  }
  return {
    contract: 'brokerpak',
    reference,
    action: 'apply',
    begins: said(
      {
        ...{ provision: 'change', update: 'change', repeat: 'change', act: 'change' },
        ...{ bind: 'bind', unbind: 'unbind', deprovision: 'deprovision' },
      },
      String.raw`\(local-exec\): `,
    ),
    parameters: (verb, { size, fails, slow }) => ({
      ...(verb === 'bind' ? {} : { size: size ?? 0 }),
      fails: word(verb, fails),
      slow: word(verb, slow),
    }),
    traits: {
      ...none,
      able: ['provision', 'update', 'repeat', 'act', 'bind', 'unbind', 'deprovision', 'move'],
      steerable: ['provision', 'update', 'bind', 'deprovision'],
      bindWishes: true,
      unbindsFirst: true,
      isDueAfterFailure: true,
      isDueAfterMove: true,
      leavesTrail: false,
    },
  }
}

const makers: Readonly<Record<LifeContract, (folder: string) => Promise<LifeWares>>> = {
  tweed,
  cnab,
  brokerpak,
}

/** Makes the package of a contract in a folder. */
export function makeLifeWares(contract: LifeContract, folder: string): Promise<LifeWares> {
  mkdirSync(folder, { recursive: true })
  return makers[contract](folder)
}
