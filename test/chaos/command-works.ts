/** A package of each contract whose program says when it begins, and the commands that make and remove an instance of it. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { bundleImage } from '../apb/image.ts'
import { thickBundle } from '../cnab/bundle.ts'
import { busyboxImage } from '../support/busybox.ts'
import { componentIn, componentName, executorRef } from '../toi/component.ts'

export interface CommandWork {
  make(instance: string): readonly string[]
  remove(instance: string): readonly string[]
  /** How to see whether it is there; absent: as every instance. */
  readonly shown?: { words(instance: string): readonly string[]; readonly isThere: RegExp }
  /** Leaves nothing behind when it ends. */
  readonly trial?: readonly string[]
}

export const commandContracts = ['sim', 'tweed', 'cnab', 'apb', 'toi', 'brokerpak'] as const
export type CommandContract = (typeof commandContracts)[number]

/** Makes the package of a contract in a folder. */
export function makeWork(contract: CommandContract, folder: string): Promise<CommandWork> {
  mkdirSync(folder, { recursive: true })
  return makers[contract](folder)
}

const pause = 'sleep 1'

async function sim(): Promise<CommandWork> {
  const run = (action: string, instance: string) => ['run', 'sim:', action, '--name', instance]
  return {
    make: (instance) => [
      ...run('provision', instance),
      '-p',
      'sim:={"create":{"ms":1000},"delete":{"ms":1000}}',
    ],
    remove: (instance) => run('deprovision', instance),
  }
}

async function tweed(folder: string): Promise<CommandWork> {
  const metadata = { pattern: 'tweed/v1', name: 'killed', version: '1.0.0', inputs: {} }
  const run = `#!/bin/sh
test "$1" != metadata || { cat /metadata.yml; exit 0; }
echo "begin $1"
${pause}
`
  const { reference } = await busyboxImage(folder, 'killed', {
    tree: { pattern: { bytes: run, mode: 0o755 }, 'metadata.yml': stringify(metadata) },
    settings: { entrypoint: ['/pattern'] },
  })
  const words = (action: string, instance: string) => ['tweed', 'run', action, reference, '--name', instance]
  return {
    make: (instance) => words('provision', instance),
    remove: (instance) => words('deprovision', instance),
  }
}

async function cnab(folder: string): Promise<CommandWork> {
  const run = `echo "begin $CNAB_ACTION"\n${pause}\n`
  const { folder: reference } = await thickBundle(folder, { name: 'killed', run, bundle: {} })
  return {
    make: (instance) => ['cnab', 'install', instance, reference],
    remove: (instance) => ['cnab', 'uninstall', instance],
    // Its record stays until it is deleted.
    shown: { words: (instance) => ['cnab', 'show', instance, '-o', 'json'], isThere: /"state": "installed"/ },
  }
}

async function apb(folder: string): Promise<CommandWork> {
  const plan = { name: 'only', description: 'Only', free: true, metadata: {}, parameters: [] }
  const spec = stringify({
    version: '1.0',
    name: 'killed-apb',
    description: 'Killed',
    bindable: false,
    async: 'optional',
    metadata: {},
    plans: [plan],
  })
  const { reference } = await bundleImage(folder, 'killed', {
    spec,
    entrypoint: `echo "begin $1"\n${pause}\n`,
  })
  const words = (action: string, instance: string) => ['apb', 'run', action, reference, '--name', instance]
  return {
    make: (instance) => words('provision', instance),
    remove: (instance) => words('deprovision', instance),
  }
}

async function toi(folder: string): Promise<CommandWork> {
  const executors = [{ actions: ['install', 'uninstall'], resourceRef: executorRef, outputs: {} }]
  const ctf = await componentIn(folder, {
    run: `echo "begin $1"\n${pause}\n`,
    package: { executors, configTemplate: {} },
  })
  const reference = `${ctf}//${componentName}:1.0.0`
  return {
    make: (instance) => ['toi', 'package', 'install', reference, '--name', instance],
    remove: (instance) => ['toi', 'package', 'uninstall', instance],
  }
}

async function brokerpak(folder: string): Promise<CommandWork> {
  const ids = ['service', 'plan'].map((_, i) => `c0ffee00-0000-4000-8000-00000000010${i}`)
  const pages = {
    display_name: 'Killed',
    image_url: 'https://example.com/i.png',
    documentation_url: 'https://example.com',
    support_url: 'https://example.com/support.html',
  }
  writeFileSync(
    join(folder, 'manifest.yml'),
    stringify({
      packversion: 1,
      name: 'killed',
      version: '1.0.0',
      platforms: [{ os: 'linux', arch: 'amd64' }],
      terraform_binaries: [{ name: 'terraform', version: '1.6.0', source: 'https://example.com/t.zip' }],
      service_definitions: ['killed.yml'],
    }),
  )
  const template = `resource "terraform_data" "thing" {
  provisioner "local-exec" {
    command = "echo begin provision; ${pause}"
  }
  provisioner "local-exec" {
    when = destroy
    command = "echo begin deprovision; ${pause}"
  }
}
output "made" { value = terraform_data.thing.id }`
  const made = [{ field_name: 'made', type: 'string', details: 'Made' }]
  writeFileSync(
    join(folder, 'killed.yml'),
    stringify({
      version: 1,
      name: 'killed-pak',
      id: ids[0],
      description: 'Killed.',
      ...pages,
      plans: [{ name: 'only', id: ids[1], description: 'Only.', display_name: 'Only', properties: {} }],
      provision: { plan_inputs: [], user_inputs: [], template, outputs: made },
      bind: {
        plan_inputs: [],
        user_inputs: [],
        template: 'output "uri" { value = "thing://" }',
        outputs: [{ field_name: 'uri', type: 'string', details: 'Where' }],
      },
      examples: [{ name: 'one', description: 'One', plan_id: ids[1], provision_params: {}, bind_params: {} }],
    }),
  )
  const words = (action: string, instance: string) => ['run', folder, action, '--name', instance]
  return {
    make: (instance) => words('provision', instance),
    remove: (instance) => words('deprovision', instance),
    trial: ['pak', 'test', folder, '--engine', 'host'],
  }
}

const makers: Readonly<Record<CommandContract, (folder: string) => Promise<CommandWork>>> = {
  sim,
  tweed,
  cnab,
  apb,
  toi,
  brokerpak,
}
