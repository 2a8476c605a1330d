/** chandler ocm verify, sign, transfer and build. */
import { type Command, Option } from 'commander'
import type { verify as verifyVersion } from '../../authoring/ocm/make.ts'
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { plural } from '../../kit/text.ts'
import { normalisations, signatureAlgorithms } from '../../languages/ocm/index.ts'
import { fail } from '../../model/problem.ts'
import { add } from '../command.ts'
import { type Form, printDocument } from '../output.ts'
import { parametersOf } from '../parameters.ts'
import { printTable } from '../table.ts'
import { print, say } from '../terminal.ts'
import {
  collect,
  type PlaceOptions,
  placeOf,
  progress,
  spiffTemplate,
  type Templater,
  templateFor,
  templaters,
  withPlace,
} from './options.ts'

export function registerMakes(group: Command): void {
  registerVerify(group)
  registerSign(group)
  registerTransfer(group)
  registerBuild(group)
}

interface VerifyOptions extends PlaceOptions {
  readonly signature?: readonly string[]
  readonly key?: readonly string[]
  readonly ca?: readonly string[]
  readonly issuer?: readonly string[]
  readonly digestsOnly?: boolean
}

function registerVerify(group: Command): void {
  const command = add(group, {
    usage: 'verify <reference>',
    summary: 'Check digests and signatures of a component version and all it references',
    description:
      'Without --signature every signature is judged for which there is a key, and at least one must be valid. Keys and roots of the configuration count, too.',
    examples: [
      'ocm verify ./ctf//example.org/chandler/echo:1.0.0 --signature acme --key acme.pub',
      'ocm verify registry.example/team//example.org/chandler/echo --ca root.pem --issuer CN=acme',
      'ocm verify ./ctf//example.org/chandler/echo --digests-only',
    ],
  })
    .option('-s, --signature <name>', 'a signature that must be there and valid (repeatable)', collect)
    .option(
      '-k, --key <[name=]file>',
      'a public key or certificate (PEM), for all or one name (repeatable)',
      collect,
    )
    .option('--ca <file>', 'certificates (PEM) that chains may end at (repeatable)', collect)
    .option(
      '--issuer <[name=]subject>',
      'whose certificate a signature may bring, as CN=acme,O=Acme (repeatable)',
      collect,
    )
    .option('--digests-only', 'look at no signature')
  withPlace(command).action(async (reference: string, options: VerifyOptions) => {
    const { verify } = await import('../../authoring/ocm/make.ts')
    const { signature = [], key = [], ca = [], issuer = [], digestsOnly = false } = options
    const wish = {
      reference,
      signatures: signature,
      keys: key,
      roots: ca,
      issuers: issuer,
      digestsOnly,
      progress,
    }
    await tellVerified(options.output, await verify(wish, placeOf(options)))
  })
}

type Verified = Awaited<ReturnType<typeof verifyVersion>>

async function tellVerified(form: Form, verified: Verified): Promise<void> {
  if (form === 'json' || form === 'yaml') return await printDocument(form, 'ComponentVerification', verified)
  const { versions, signatures, unjudged } = verified
  if (form === 'name') return print(signatures.map(({ name }) => name).join('\n'))
  printTable(
    ['COMPONENT', 'VERSION', 'RESOURCES', 'WITHOUT DIGEST'],
    versions.map((one) => [one.name, one.version, String(one.resources), one.unprotected.join(', ')]),
  )
  for (const { name, by } of signatures) say(`signature ${name} is valid, by ${by}`)
  for (const { name, why } of unjudged) say(`signature ${name} was not judged: ${why}`)
}

interface SignOptions extends PlaceOptions {
  readonly signature: string
  readonly key?: string
  readonly certificates?: string
  readonly issuer?: string
  readonly algorithm: (typeof signatureAlgorithms)[number]
  readonly normalisation: (typeof normalisations)[number]
}

function registerSign(group: Command): void {
  const command = add(group, {
    usage: 'sign <reference>',
    summary: 'Sign a component version where it lies',
    description:
      'Resources and references that have no digest get theirs first; versions that are referenced stay as they are.',
    examples: [
      'ocm sign ./ctf//example.org/chandler/echo:1.0.0 --signature acme --key acme.pem',
      'ocm sign registry.example/team//example.org/chandler/echo:1.0.0 --signature acme --key acme.pem --certificates chain.pem --issuer CN=acme',
    ],
  })
    .requiredOption('-s, --signature <name>', 'the name of the signature; one of this name is replaced')
    .option('-k, --key <file>', 'the private key (PEM); absent: what the configuration has under the name')
    .option('--certificates <file>', 'a chain of certificates (PEM) to write with it, the own one first')
    .option('--issuer <subject>', 'the name to write with it, as CN=acme')
    .addOption(
      new Option('--algorithm <name>', 'how to sign')
        .choices([...signatureAlgorithms])
        .default('RSASSA-PKCS1-V1_5'),
    )
    .addOption(
      new Option('--normalisation <name>', 'over which normal form')
        .choices([...normalisations])
        .default('jsonNormalisation/v3'),
    )
  withPlace(command).action(async (reference: string, options: SignOptions) => {
    const { sign } = await import('../../authoring/ocm/make.ts')
    const { signature: name, key, certificates, issuer, algorithm, normalisation } = options
    const wish = {
      reference,
      name,
      algorithm,
      normalisation,
      progress,
      ...present({ key, certificates, issuer }),
    }
    const done = await sign(wish, placeOf(options))
    if (options.output === 'json' || options.output === 'yaml')
      return await printDocument(options.output, 'ComponentSignature', { name, ...done })
    if (options.output === 'name') return print(name)
    say(`signed as ${name}: ${done.digest}`)
  })
}

interface TransferOptions extends PlaceOptions {
  readonly to: string
  readonly recursive?: boolean
  readonly byValue?: boolean
  readonly keepGlobalAccess?: boolean
  readonly overwrite?: boolean
}

function registerTransfer(group: Command): void {
  const command = add(group, {
    usage: 'transfer <reference>',
    summary: 'Copy a component version to another repository',
    description:
      'What is there already is not moved again, so a transfer that was stopped goes on where it was. Signatures stay valid.',
    examples: [
      'ocm transfer ./ctf//example.org/chandler/echo:1.0.0 --to registry.example/team --recursive',
      'ocm transfer registry.example/team//example.org/chandler/echo:1.0.0 --to ./airgap.tgz --recursive --by-value',
    ],
  })
    .requiredOption('--to <repository>', 'the repository: an archive by its path, or a registry as host/path')
    .option('-r, --recursive', 'also what it references')
    .option('--by-value', 'fetch resources that lie elsewhere and store them with the version')
    .option('--keep-global-access', 'keep where local blobs can be had from outside, too')
    .option('-f, --overwrite', 'replace another version of the same name')
  withPlace(command).action(async (from: string, options: TransferOptions) => {
    const { transfer } = await import('../../authoring/ocm/make.ts')
    const { to, recursive = false, byValue = false, keepGlobalAccess = false, overwrite = false } = options
    const items = await transfer(
      { from, to, recursive, byValue, keepGlobalAccess, overwrite, progress },
      placeOf(options),
    )
    await tellVersions(options.output, 'ComponentTransfer', items)
    if (options.output === 'table')
      say(`${plural(items.filter(({ present }) => !present).length, 'version')} transferred to ${to}`)
  })
}

interface Told {
  readonly name: string
  readonly version: string
  readonly digest: string
  readonly present?: boolean
}

async function tellVersions(form: Form, kind: string, items: readonly Told[]): Promise<void> {
  if (form === 'json' || form === 'yaml') return await printDocument(form, kind, { items })
  if (form === 'name') return print(items.map(({ name, version }) => `${name}:${version}`).join('\n'))
  printTable(
    ['COMPONENT', 'VERSION', 'MANIFEST', 'STATE'],
    items.map(({ name, version, digest, present = false }) => [
      name,
      version,
      digest.slice(0, 19),
      present ? 'was there' : 'written',
    ]),
  )
}

interface BuildOptions extends PlaceOptions {
  readonly to: string
  readonly componentVersion?: string
  readonly templater: Templater
  readonly settings?: string
  readonly addenv?: boolean
  readonly skipDigestGeneration?: boolean
  readonly overwrite?: boolean
  readonly creationTime?: string
}

function registerBuild(group: Command): void {
  const command = add(group, {
    usage: 'build <constructor> [settings...]',
    summary: 'Build component versions as a constructor says',
    description:
      'The constructor is a template: a name in braces behind a dollar sign stands for a setting (subst), or it is processed by spiff, which sees them as "values". Settings come from the environment (--addenv), a file (--settings) and NAME=VALUE, the last one wins.',
    examples: [
      'ocm build component-constructor.yaml --to ./ctf VERSION=1.0.0',
      'ocm build component-constructor.yaml --to ./component.tgz --templater spiff --settings values.yaml',
    ],
  })
    .requiredOption('--to <repository>', 'the repository to write to: an archive by its path, or a registry')
    .option('--component-version <version>', 'for components that say none')
    .addOption(
      new Option('--templater <name>', 'how the constructor becomes a document')
        .choices([...templaters])
        .default('subst'),
    )
    .option('--settings <file>', 'settings of the template, as YAML')
    .option('--addenv', 'the environment as settings, too')
    .option('--skip-digest-generation', 'write no digests')
    .option(
      '--creation-time <time>',
      'the time to write into the versions (RFC 3339); without it the same input is the same version',
    )
    .option('-f, --overwrite', 'replace versions that are there')
  withPlace(command).action(async (file: string, settings: readonly string[], options: BuildOptions) => {
    const { build } = await import('../../authoring/ocm/make.ts')
    const { to, componentVersion, creationTime, skipDigestGeneration = false, overwrite = false } = options
    const values = await settingsOf(settings, options)
    const template = await templateFor(options.templater)
    const wish = {
      file,
      to,
      overwrite,
      skipDigests: skipDigestGeneration,
      template: (text: string, source: string) => template(text, source, values),
      inputTemplate: await spiffTemplate(),
      values,
      progress,
      ...present({ version: componentVersion }),
      ...(creationTime === undefined ? {} : { creationTime: timeOf(creationTime) }),
    }
    await tellVersions(options.output, 'ComponentBuild', await build(wish, placeOf(options)))
  })
}

async function settingsOf(pairs: readonly string[], { settings, addenv }: BuildOptions): Promise<JsonObject> {
  const environment = addenv ? (process.env as Readonly<Record<string, string>>) : {}
  const document = settings === undefined ? {} : ((await parametersOf({ parameters: settings })) ?? {})
  const given = pairs.map((pair): readonly [string, Json] => {
    const at = pair.indexOf('=')
    if (at < 1) return fail('usage.invalid', `${JSON.stringify(pair)} is not NAME=VALUE`)
    return [pair.slice(0, at), pair.slice(at + 1)]
  })
  return { ...environment, ...(isObject(document) ? document : {}), ...Object.fromEntries(given) }
}

function timeOf(text: string): string {
  const time = Date.parse(text)
  if (Number.isNaN(time)) return fail('usage.invalid', `--creation-time ${text} is no time`)
  return new Date(time).toISOString().replace(/\.000Z$/, 'Z')
}
