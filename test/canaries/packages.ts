/** A package of each contract that is given every canary, tells all of them, and hands back secrets of its own. */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { Json, JsonObject } from '../../src/kit/json.ts'
import { bundleImage } from '../apb/image.ts'
import { thickBundle } from '../cnab/bundle.ts'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { busyboxImage } from '../support/busybox.ts'
import { findProgram } from '../support/debian.ts'
import { componentIn, componentName, executorRef } from '../toi/component.ts'
import { tellInShell, telltaleTree, veiled, type Words } from './telltale.ts'
import { type Canary, sentCanaries, wordCanary } from './values.ts'

export interface Told {
  readonly contract: string
  readonly reference: string
  /** The entry of a catalog that offers it as the service `telltale` with the plan `only`. */
  readonly entry: object
  readonly parameters: JsonObject
  readonly bindParameters: JsonObject
  /** What makes the program fail, beside the parameters. */
  readonly failing: JsonObject
  /** What is secret from the beginning. */
  readonly given: readonly Canary[]
  /** What becomes known as secret when it is handed back. */
  readonly made: readonly Canary[]
  /** Whether its program speaks. */
  readonly speaks: boolean
  /** What a command hands it beside parameters. */
  readonly lent: readonly { readonly name: string; readonly value: string }[]
}

export const contracts = ['sim', 'tweed', 'cnab', 'apb', 'toi', 'brokerpak'] as const
export type ContractName = (typeof contracts)[number]

/** Makes the package in a folder. */
export function makePackage(contract: ContractName, folder: string, set: string): Promise<Told> {
  mkdirSync(folder, { recursive: true })
  return makers[contract]({
    folder,
    sent: sentCanaries(set),
    bound: sentCanaries(`${set} bound`),
    made: sentCanaries(`${set} made`),
    lent: lentFor(set),
  })
}

interface Making {
  readonly folder: string
  readonly sent: readonly Canary[]
  /** For bindings, where they take parameters. */
  readonly bound: readonly Canary[]
  readonly made: readonly Canary[]
  readonly lent: Canary & { readonly value: string }
}

const lentFor = (set: string) => wordCanary(`${set} lent by the operator`)

function keyOf(index: number): string {
  return `c${String(index).padStart(2, '0')}`
}

/** The canaries as members of a document. */
function membersOf(canaries: readonly Canary[], keys = keyOf): JsonObject {
  return Object.fromEntries(canaries.map(({ value }, index) => [keys(index), value]))
}

function boundKeyOf(index: number): string {
  return `b${keyOf(index)}`
}

function wordsOf({ sent, bound, made, lent }: Making, documents: Readonly<Record<string, string>>): Words {
  const told = [...sent, lent]
  const reason = told
    .filter(({ value }) => typeof value === 'string' && value.length < 100)
    .map(({ value }) => String(value).trim())
    .slice(0, 12)
    .join(' and ')
  return { told, bound, made, reason: `cannot go on with ${reason}`, documents }
}

const made = (canaries: readonly Canary[]) => JSON.stringify(membersOf(canaries))

const sim = (making: Making): Promise<Told> => {
  const { sent, bound } = making
  const hidden = {
    type: 'object',
    properties: { token: { $ref: '#/definitions/hidden' } },
    additionalProperties: true,
  }
  const schema = {
    $schema: 'http://json-schema.org/draft-04/schema#',
    type: 'object',
    definitions: { hidden: { allOf: [{ writeOnly: true }] } },
    properties: {
      sim: { type: 'object' },
      nested: hidden,
      ...Object.fromEntries(
        sent.map((_, index) => [
          keyOf(index),
          index % 2 ? { writeOnly: true } : { $ref: '#/definitions/hidden' },
        ]),
      ),
    },
    additionalProperties: false,
  }
  const bind = {
    ...schema,
    properties: {
      sim: { type: 'object' },
      ...Object.fromEntries(bound.map((_, index) => [keyOf(index), { $ref: '#/definitions/hidden' }])),
    },
  }
  const plan = { name: 'only', from: 'default', schemas: { create: schema, update: schema, bind } }
  return Promise.resolve({
    contract: 'sim',
    reference: 'sim:telltale',
    entry: { package: 'sim:telltale', plans: [plan] },
    parameters: {
      ...membersOf(sent),
      nested: { token: making.lent.value },
      sim: { create: { ms: 500 }, update: { ms: 1 } },
    },
    bindParameters: membersOf(bound),
    failing: { sim: { create: { ms: 300, outcome: 'fail' } } },
    given: [...sent, ...bound, making.lent],
    made: [],
    speaks: false,
    lent: [],
  })
}

const tweed = async (making: Making): Promise<Told> => {
  const { folder, sent } = making
  const inputs = {
    ...Object.fromEntries(sent.map((_, index) => [keyOf(index), { writeOnly: true }])),
    mode: { type: 'string' },
  }
  const metadata = { pattern: 'tweed/v1', name: 'telltale', version: '1.0.0', inputs }
  const run = `#!/bin/sh
${tellInShell}
case $1 in
  metadata) cat /metadata.yml; exit 0 ;;
  bind) { tell; hand made; } >&2; hand credentials; exit 0 ;;
esac
cat "$INPUTS"
env
tell
grep -q '"mode": *"fail"' "$INPUTS" || hand made
cp "$INPUTS" "$CREDSTORE/inputs"
hand credentials > "$OUTPUTS/made.json"
sleep 1
! grep -q '"mode": *"fail"' "$INPUTS" || { hand reason; hand reason >&2; exit 7; }
`
  const words = wordsOf(making, { credentials: made(making.made) })
  const image = await busyboxImage(folder, 'telltale', {
    tree: {
      ...telltaleTree(words),
      pattern: { bytes: run, mode: 0o755 },
      'metadata.yml': stringify(metadata),
    },
    settings: { entrypoint: ['/pattern'] },
  })
  return {
    contract: 'tweed',
    reference: image.reference,
    entry: {
      package: image.reference,
      contract: 'tweed',
      infrastructure: [{ name: 'lent', value: making.lent.value }],
    },
    parameters: membersOf(sent),
    bindParameters: {},
    failing: { mode: 'fail' },
    given: [...sent, making.lent],
    made: making.made,
    speaks: true,
    lent: [{ name: 'lent', value: making.lent.value }],
  }
}

const cnab = async (making: Making): Promise<Told> => {
  const { folder, sent, bound } = making
  const run = `
${tellInShell}
out=/cnab/app/outputs
env
cat /in/* /secret/* /cnab/claim.json
tell
case "$CNAB_ACTION" in
  bind) test -z "$BC00" || hand bound; hand credentials > $out/credentials ;;
  *) hand credentials > $out/made ;;
esac
sleep 1
test "$MODE" != fail || { hand reason >&2; hand reason; exit 7; }
hand made
`
  const values = { ...membersOf(sent), ...membersOf(bound, boundKeyOf) }
  const typeOf = (value: Json) => (Array.isArray(value) ? 'array' : typeof value)
  const definitions = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, { type: typeOf(value), writeOnly: true }]),
  )
  // What is large has no place in the environment.
  const parametersOf = (canaries: readonly Canary[], keys: typeof keyOf, more: JsonObject) =>
    Object.fromEntries(
      canaries.map((_, index) => {
        const key = keys(index)
        const destination = index % 2 || index > 40 ? { path: `/in/${key}` } : { env: key.toUpperCase() }
        return [key, { definition: key, destination, ...more }]
      }),
    )
  const parameters = {
    ...parametersOf(sent, keyOf, {}),
    ...parametersOf(bound, boundKeyOf, { applyTo: ['bind'] }),
  }
  const applyTo = ['install', 'upgrade', 'uninstall']
  const bundle = {
    description: 'Tells everything.',
    definitions: {
      ...definitions,
      text: { type: 'string', default: '' },
      made: { type: 'object', writeOnly: true },
      access: { type: 'object', writeOnly: true },
    },
    parameters: { ...parameters, mode: { definition: 'text', destination: { env: 'MODE' } } },
    credentials: { lent: { env: 'LENT', path: '/secret/lent', required: true } },
    outputs: {
      made: { definition: 'made', path: '/cnab/app/outputs/made', applyTo },
      credentials: { definition: 'access', path: '/cnab/app/outputs/credentials', applyTo: ['bind'] },
    },
    actions: { bind: { modifies: false }, unbind: { modifies: false } },
  }
  const image = telltaleTree(wordsOf(making, { credentials: made(making.made) }))
  const { folder: reference } = await thickBundle(folder, { name: 'telltale', run, bundle, tree: image })
  const lent = [{ name: 'lent', value: making.lent.value }]
  return {
    contract: 'cnab',
    reference,
    entry: { package: reference, infrastructure: lent },
    parameters: membersOf(sent),
    bindParameters: membersOf(bound, boundKeyOf),
    failing: { mode: 'fail' },
    given: [...sent, ...bound, making.lent],
    made: making.made,
    speaks: true,
    lent,
  }
}

const apb = async (making: Making): Promise<Told> => {
  const { folder } = making
  // Its parameters are texts; all of them, and what it hands back, go to the command line of the program, which has a limit.
  const small = making.made.filter(({ value }) => JSON.stringify(value).length < 10_000)
  const isParameter = ({ value }: Canary) =>
    typeof value === 'string' && value.length < 20_000 && !/\{\{|\{%/.test(value)
  const sent = making.sent.filter(isParameter)
  const bound = making.bound.filter(isParameter)
  const passwords = (canaries: readonly Canary[], keys: typeof keyOf) =>
    canaries.map((_, index) => ({ name: keys(index), type: 'string', display_type: 'password' }))
  const spec = stringify({
    version: '1.0',
    name: 'telltale-apb',
    description: 'Tells everything',
    bindable: true,
    async: 'optional',
    plans: [
      {
        name: 'only',
        description: 'Only',
        free: true,
        parameters: [...passwords(sent, keyOf), { name: 'mode', type: 'string', default: 'ok' }],
        bind_parameters: passwords(bound, boundKeyOf),
      },
    ],
  })
  const entrypoint = `
${tellInShell}
echo "$@"
tell
case "$3" in *'"bc00"'*) hand bound ;; esac
annotate apb_last_operation "$(hand reason | cut -c1-60)"
sleep 1
case "$3" in *'"mode":"fail"'*) hand reason > /dev/termination-log; exit 7 ;; esac
case $1 in provision|bind|update) credentials "$(hand credentials)" ;; esac
hand made
`
  const tree = telltaleTree(wordsOf({ ...making, sent, bound, made: small }, { credentials: made(small) }))
  const { reference } = await bundleImage(folder, 'telltale', { spec, entrypoint, tree })
  return {
    contract: 'apb',
    reference,
    entry: { package: reference, options: { registry: 'dh', namespace: 'target' } },
    parameters: membersOf(sent),
    bindParameters: membersOf(bound, boundKeyOf),
    failing: { mode: 'fail' },
    given: [...sent, ...bound],
    made: small,
    speaks: true,
    lent: [],
  }
}

const toi = async (making: Making): Promise<Told> => {
  const { folder, sent } = making
  const run = `
${tellInShell}
cat /toi/inputs/parameters /toi/inputs/config /toi/inputs/ocmconfig
tell
case $1 in
  bind) hand credentials > /toi/outputs/access ;;
  *) hand credentials > /toi/outputs/made ;;
esac
sleep 1
! grep -q 'mode.*fail' /toi/inputs/parameters || { hand reason; exit 3; }
hand made
`
  const actions = (names: readonly string[], outputs: JsonObject) => ({
    actions: [...names],
    resourceRef: executorRef,
    parameterMapping: {
      ...Object.fromEntries(sent.map((_, index) => [keyOf(index), '(( merge ))'])),
      mode: '(( merge ))',
    },
    credentialMapping: { target: 'cluster' },
    outputs,
  })
  const schemas = Object.fromEntries(sent.map((_, index) => [keyOf(index), { writeOnly: true }]))
  const ctf = await componentIn(folder, {
    run,
    tree: telltaleTree(wordsOf(making, { credentials: made(making.made) })),
    executor: { credentials: { cluster: { properties: { KUBECONFIG: 'where' } } } },
    package: {
      description: 'Tells everything.',
      executors: [
        actions(['install', 'uninstall'], { made: 'made' }),
        actions(['bind', 'unbind'], { access: 'access' }),
      ],
      configTemplate: { ...Object.fromEntries(sent.map((_, index) => [keyOf(index), ''])), mode: 'ok' },
      configScheme: { type: 'object', properties: { ...schemas, mode: { type: 'string' } } },
      credentials: { target: { description: 'The cluster.', properties: { KUBECONFIG: 'where' } } },
    },
  })
  const lent = [{ name: 'target.KUBECONFIG', value: making.lent.value }]
  return {
    contract: 'toi',
    reference: `${ctf}//${componentName}:1.0.0`,
    entry: { package: `ocm:${ctf}//${componentName}:1.0.0`, infrastructure: lent },
    parameters: membersOf(sent),
    bindParameters: {},
    failing: { mode: 'fail' },
    given: [...sent, making.lent],
    made: making.made,
    speaks: true,
    lent,
  }
}

/** What people see as one sign may be several characters; Terraform turns texts round by signs. */
function signsOf(text: string): readonly string[] {
  return Array.from(new Intl.Segmenter('en').segment(text), ({ segment }) => segment)
}

const brokerpak = (making: Making): Promise<Told> => {
  const { folder } = making
  const variables = making.sent.filter(({ value }) => typeof value === 'string' && value.length < 20_000)
  const names = variables.map((_, index) => `TELLTALE_${keyOf(index).toUpperCase()}`)
  // Outputs of the definition are texts, and Terraform composes letters of two parts: those would not be what it hands out.
  const texts = making.made.filter(
    ({ value }) => typeof value === 'string' && value === value.normalize('NFC'),
  )
  const pak = join(folder, 'pak')
  mkdirSync(pak, { recursive: true })
  const reversed = (value: Json) =>
    JSON.stringify(signsOf(String(value)).toReversed().join(''))
      .replaceAll('${', '$${')
      .replaceAll('%{', '%%{')
  const outputs = texts.map((_, index) => ({
    field_name: keyOf(index),
    type: 'string',
    details: 'Made',
  }))
  const outputsOf = texts
    .map(
      ({ value }, index) =>
        `output "${keyOf(index)}" {\n  sensitive = true\n  value = strrev(${reversed(value)})\n}`,
    )
    .join('\n')
  writeFileSync(
    join(pak, 'manifest.yml'),
    stringify({
      packversion: 1,
      name: 'telltale',
      version: '1.0.0',
      platforms: [{ os: 'linux', arch: 'amd64' }],
      terraform_binaries: [
        { name: 'terraform', version: '1.6.0', source: 'https://example.com/terraform.zip' },
      ],
      service_definitions: ['telltale.yml'],
      parameters: names.map((name) => ({ name, description: 'A secret' })),
      required_env_variables: names,
    }),
  )
  writeFileSync(
    join(pak, 'telltale.yml'),
    stringify({
      version: 1,
      name: 'telltale-pak',
      id: 'c0ffee00-0000-4000-8000-000000000000',
      description: 'Tells everything.',
      display_name: 'Telltale',
      image_url: 'https://example.com/i.png',
      documentation_url: 'https://example.com',
      support_url: 'https://example.com/support.html',
      plan_updateable: true,
      plans: [
        {
          name: 'only',
          id: 'c0ffee00-0000-4000-8000-000000000001',
          description: 'Only.',
          display_name: 'Only',
          properties: {},
        },
      ],
      provision: {
        plan_inputs: [],
        user_inputs: [{ field_name: 'mode', type: 'string', details: 'How it ends', default: 'ok' }],
        template: `variable "mode" { type = string }
resource "terraform_data" "thing" {
  input = var.mode
  provisioner "local-exec" {
    command = "test $MODE != fail"
    environment = { MODE = var.mode }
  }
}
${outputsOf}`,
        outputs,
      },
      bind: { plan_inputs: [], user_inputs: [], template: outputsOf, outputs },
      examples: [
        {
          name: 'one',
          description: 'One',
          plan_id: 'c0ffee00-0000-4000-8000-000000000001',
          provision_params: {},
          bind_params: {},
        },
      ],
    }),
  )
  const program = join(folder, 'programs', hostEngine() ?? 'terraform')
  const words = wordsOf({ ...making, sent: variables, made: texts }, {})
  writeProgram(program, words)
  const lent = variables.map(({ value }, index) => ({ name: names[index] ?? '', value: String(value) }))
  return Promise.resolve({
    contract: 'brokerpak',
    reference: pak,
    entry: {
      package: pak,
      options: { engine: 'host', host_program: hostEngine() ?? 'terraform' },
      infrastructure: lent,
    },
    parameters: {},
    bindParameters: {},
    failing: { mode: 'fail' },
    given: variables,
    made: texts,
    speaks: true,
    lent,
  })
}

/** Stands before the engine of this machine; its words are part of it, for it can read nothing else. */
function writeProgram(program: string, words: Words): void {
  mkdirSync(join(program, '..'), { recursive: true })
  const tree = telltaleTree(words)
  const real = realpathSync(findProgram(hostEngine() ?? 'terraform') ?? '/bin/false')
  const said = (name: string) => `${String(tree[`telltale/${name}`])}`
  writeFileSync(
    program,
    `#!/bin/sh
${real} "$@"
status=$?
case $1 in
version) exit $status ;;
esac
env
case "$*" in *version*) ;; *) tr 'A-Za-z0-9' 'N-ZA-Mn-za-m5-90-4' >&2 <<'${veiled('end of the telling')}'
${said('lines')}${said('made')}
${veiled('end of the telling')}
esac
case $1 in
apply) cat *.tfvars.json terraform.tfstate; sleep 1 ;;
esac
exit $status
`,
    { mode: 0o755 },
  )
}

const makers: Readonly<Record<ContractName, (making: Making) => Promise<Told>>> = {
  sim,
  tweed,
  cnab,
  apb,
  toi,
  brokerpak,
}
