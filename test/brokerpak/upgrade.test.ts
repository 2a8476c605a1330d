/** From one pak to the next over OSB: each engine of the path in turn, a provider that was renamed, the state migrated. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/kit/json.ts'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { newFolder, startTestBroker, type TestBroker } from '../support/broker.ts'
import { installedProgram } from '../support/installed.ts'
import { chandler } from './command.ts'
import { Customer, offering, providerInTheClear } from './offline.ts'
import { layOutTools, pack } from './packed.ts'

const engine = hostEngine() ?? ''
const instance = '0a0b0c0d-1111-4222-8333-444455556699'
const [old, middle, latest] = ['1.9.0', '1.10.0', '1.11.0'] as const

describe.skipIf(engine === '')('with terraform or tofu on the path', () => {
  let home: string
  let program: string
  let running: TestBroker
  let customer: Customer

  beforeAll(async () => {
    home = newFolder()
    program = installedProgram()
    const notYet = /^terraform_state_provider_replacements:\n.*\n/m
    const before = await makePak('before', (manifest) => manifest.replace(notYet, ''), [old])
    running = await startTestBroker('', home, offering(before, undefined, providerInTheClear))
    customer = new Customer(running, 'offline-password')
  })

  afterAll(async () => {
    await running.stop()
    rmSync(dirname(dirname(program)), { recursive: true, force: true })
    rmSync(home, { recursive: true, force: true })
  })

  test('an instance moves along the path, keeps what it is, and can be bound, unbound and removed after it', async () => {
    const made = await customer.take({ op: 'provision', instance, plan: 'only', expect: {} })
    const bound = await customer.take({ op: 'bind', instance, binding: 'early', expect: {} })
    const [stateBefore, early] = [
      await state(),
      await customer.take({ op: 'update', instance, maintenance: latest, expect: {} }),
    ]

    const path = `terraform_upgrade_path: [${[old, middle, latest].map((version) => `{version: ${version}}`)}]`
    const after = await makePak('after', (manifest) => `${manifest}${path}\n`, [old, middle, latest])
    await running.reload(offering(after, undefined, providerInTheClear))
    const wrong = await customer.take({ op: 'update', instance, maintenance: middle, expect: {} })
    const grown = await customer.take({ op: 'update', instance, params: { length: 12 }, expect: {} })
    const version = await customer.upgradeTo(latest)
    const dry = await cli('instance', 'update', instance, '--maintenance', version, '--dry-run')
    const stateAfterLook = await state()
    const moved = await customer.take({ op: 'update', instance, maintenance: latest, expect: {} })
    const shown = JSON.parse((await cli('instance', 'show', instance, '-o', 'json')).stdout)

    expect([made, bound, grown, moved].map(({ state: one, said }) => [one, said])).toEqual([
      ['succeeded', expect.anything()],
      ['succeeded', expect.anything()],
      ['succeeded', expect.anything()],
      ['succeeded', expect.anything()],
    ])
    // What is not offered cannot be moved to.
    expect([early, wrong].map(({ status }) => status)).toEqual([422, 422])
    // An update that does not ask for it stays with the pak it was made from.
    expect(enginesIn(grown.log)).toEqual([old])
    expect(dry).toMatchObject({ code: 0, stdout: 'Nothing would change.\n' })
    expect(stateBefore).toMatchObject({ terraform_version: old })
    expect(providersOf(stateBefore)).toEqual(['provider["registry.terraform.io/acme/random"]'])
    expect(providersOf(stateAfterLook)).toEqual(['provider["registry.terraform.io/acme/random"]'])
    expect(enginesIn(moved.log)).toEqual([old, middle, latest])
    expect(moved.outputs).toEqual(grown.outputs)
    const stateAfter = await state()
    expect(stateAfter).toMatchObject({ terraform_version: latest })
    expect(providersOf(stateAfter)).toEqual(['provider["registry.terraform.io/hashicorp/random"]'])
    expect(shown).toMatchObject({ maintenance: version })

    const again = await customer.take({ op: 'update', instance, maintenance: latest, expect: {} })
    const late = await customer.take({ op: 'bind', instance, binding: 'late', expect: {} })
    const ends = [
      await customer.take({ op: 'unbind', instance, binding: 'early', expect: {} }),
      await customer.take({ op: 'unbind', instance, binding: 'late', expect: {} }),
      await customer.take({ op: 'deprovision', instance, expect: {} }),
    ]

    expect(again.status).toBe(200)
    expect([late, ...ends].map(({ state: one, said }) => (one === 'succeeded' ? one : said))).toEqual(
      Array(4).fill('succeeded'),
    )
    expect(enginesIn(late.log)).toEqual([latest])
  })

  function cli(...args: readonly string[]) {
    return chandler({ home, program, url: running.url }, args)
  }

  async function state(): Promise<JsonObject> {
    return JSON.parse((await cli('instance', 'export-state', instance)).stdout) as JsonObject
  }

  /** A pak with engines of these versions, the last one the default; before its provider was renamed it had another source. */
  async function makePak(
    name: 'before' | 'after',
    change: (manifest: string) => string,
    versions: readonly string[],
  ): Promise<string> {
    const source = layOutTools(join(home, name), engine, 'real-engine')
    for (const version of versions) {
      mkdirSync(join(source, 'tools', version))
      writeFileSync(join(source, 'tools', version, 'tofu'), engineSaying(version), { mode: 0o755 })
    }
    const engines = versions.map(
      (version) =>
        `- {name: tofu, version: ${version}, default: ${version === versions.at(-1)}, url_template: './tools/\${version}/\${name}'}\n`,
    )
    const real = "- {name: real-engine, version: 1.0.0, url_template: './tools/${name}'}\n"
    const manifest = readFileSync(join(source, 'manifest.yml'), 'utf8')
      .replace(/- name: tofu\n.*\n.*\n/, () => `${engines.join('')}${real}`)
      .replace(
        /(name: terraform-provider-random\n)/,
        `$1${name === 'before' ? '  provider: acme/random\n' : ''}`,
      )
      .replace('service_definitions: [password.yml, adopt-string.yml]', 'service_definitions: [password.yml]')
    writeFileSync(join(source, 'manifest.yml'), change(manifest))
    if (name === 'before') fromElsewhere(join(source, 'password.yml'))
    return pack(source, join(home, name))
  }
})

/** There is one engine here: it stands for others that write their own version into the state. */
function engineSaying(version: string): string {
  return `#!/bin/sh
[ "$1" != apply ] || echo "engine ${version}"
real-engine "$@"
code=$?
[ ! -s terraform.tfstate ] || sed -i 's/"terraform_version": "[^"]*"/"terraform_version": "${version}"/' terraform.tfstate
exit $code
`
}

function enginesIn(log: string): readonly string[] {
  return [...log.matchAll(/^engine (.*)$/gm)].map(([, version]) => version ?? '')
}

/** The templates as they were while the provider had another name. */
function fromElsewhere(definition: string): void {
  const source = 'terraform {\n@required_providers {\n@@random = { source = "acme/random" }\n@}\n}\n'
  const lines = (indent: string) =>
    source
      .split('\n')
      .map((line) => (line === '' ? '' : `${indent}${line.replaceAll('@', '  ')}\n`))
      .join('')
  const text = readFileSync(definition, 'utf8')
    .replace(/^( +)variable "length"/m, (found, indent: string) => `${lines(indent)}${found}`)
    .replace(/^( +)variable "pw_length"/m, (found, indent: string) => `${lines(indent)}${found}`)
  writeFileSync(definition, text)
}

function providersOf(state: JsonObject): readonly string[] {
  const resources = state['resources'] as readonly JsonObject[]
  return resources.map(({ provider: of }) => String(of))
}
