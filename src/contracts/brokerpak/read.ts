/** Reads a pak of any original into a package: manifest, definitions with their templates, programs. */
import { present } from '../../kit/present.ts'
import { nearest } from '../../kit/text.ts'
import type { Artifact } from '../../model/artifact.ts'
import type { Problem } from '../../model/problem.ts'
import type { Reading, ReadRequest, Recognition } from '../contract.ts'
import { decoder } from './decode.ts'
import type { Definition } from './definition.ts'
import { originOf } from './dialect.ts'
import { type Document, documentAt, located } from './document.ts'
import { type FieldFault, isUuid } from './field-faults.ts'
import { installationOf, runsOn } from './install.ts'
import { type Manifest, manifestFields, type Platform, readManifest, unknownFields } from './manifest.ts'
import { type Dialect, manifestFaults, unknownPlatforms } from './manifest-faults.ts'
import type { Notes } from './notes.ts'
import { optionFaults, type PakOptions, pakOptions } from './options.ts'
import { packageOf } from './package.ts'
import { operatorPlans } from './plans.ts'
import { definitionAt, faultsIn, typeFault } from './read-definition.ts'

/** A zip with a manifest that lists services is one. */
export function recognisePak(artifact: Artifact): Recognition {
  if (artifact.kind !== 'archive') return 'no'
  const hasManifest = artifact.entries.some(({ path }) => path === 'manifest.yml')
  if (/\.brokerpak(?:$|[?#])/.test(artifact.reference)) return hasManifest ? 'certain' : 'likely'
  return hasManifest ? 'likely' : 'no'
}

/** Problems: pak.manifest.*, pak.document.unreadable, pak.definition.*, pak.platform, pak.options.invalid. */
export async function readPak(artifact: Artifact, request: ReadRequest): Promise<Reading> {
  if (artifact.kind !== 'archive') return refused([{ code: 'pak.manifest.missing' }])
  const options = pakOptions(request.options)
  const dialect: Dialect = options.strict ?? 'ours'
  const wrongOptions = optionFaults(request.options)
  const document = await documentAt(artifact, 'manifest.yml', 'pak.manifest.missing')
  if ('problems' in document) return refused([...wrongOptions, ...document.problems])
  const decode = decoder(document.written)
  const manifest = readManifest(decode, document.value)
  const unknown = unknownFields(document.value)
  const strictFaults = dialect === 'csb' ? unknown.map(unknownField) : []
  const faults = [...decode.faults.map(typeFault), ...strictFaults, ...manifestFaults(manifest, dialect)]
  // A field that is missing is often there under another name.
  const strange = unknown.map((path) => strangeField(path, document))
  const wrongManifest = [
    ...faultsIn('pak.manifest.invalid', faults, document, dialect),
    ...(faults.length > 0 && dialect === 'ours' ? strange : []),
  ]
  // The originals stop here.
  if (faults.length > 0 && dialect !== 'ours') return refused([...wrongOptions, ...wrongManifest])
  const platform = platformOf(request.platform)
  const wrongPlatform =
    faults.length > 0 || runsOn(manifest, platform) || options.engine === 'host'
      ? []
      : [doesNotRun(manifest, platform, document)]
  const around = { artifact, manifest, manifestDocument: document, dialect }
  const read = await Promise.all(manifest.definitions.map((path, i) => definitionAt(path, i, around)))
  const host = hostEngine(options, request)
  const problems = [
    ...wrongOptions,
    ...wrongManifest,
    ...wrongPlatform,
    ...host.problems,
    ...read.flatMap((one) => one.problems),
  ]
  if (problems.length > 0) return refused(problems)
  const definitions = read.flatMap(({ definition }) => definition ?? [])
  const installation = installationOf(
    manifest,
    artifact.entries.map(({ path }) => path),
    platform,
  )
  const repeated = dialect === 'v1' ? [] : repeatedServices(definitions, dialect)
  if (repeated.length > 0) return refused(faultsIn('pak.manifest.invalid', repeated, document, dialect))
  const wrongPlans = planFaults(definitions, options)
  if (wrongPlans.length > 0) return refused(wrongPlans)
  const notes: Notes = {
    origin: originOf(document.value, manifest),
    manifest,
    definitions,
    installation,
    ...present({ hostProgram: host.program }),
    digest: artifact.digest,
  }
  const warnings: readonly Problem[] = [
    ...(dialect === 'v1' ? [] : strange),
    ...unknownPlatforms(manifest).map((name) => strangePlatform(name, document)),
    ...(options.engine === 'host'
      ? []
      : installation.faults.map((detail): Problem => ({ code: 'pak.binary.missing', detail }))),
    ...read.flatMap(({ doubts }) => doubts(options.engine === 'host' ? undefined : manifest)),
  ]
  return { kind: 'package', package: packageOf(notes, options), warnings }
}

/** What is wrong with plans of the operator. Problems: pak.options.invalid. */
function planFaults(definitions: readonly Definition[], { plans }: PakOptions): readonly Problem[] {
  const strangers = Object.keys(plans).filter((name) => definitions.every((one) => one.name !== name))
  const details = [
    ...strangers.map((name) => `plans: the pak has no service ${name}`),
    ...definitions.flatMap((one) => {
      const added = operatorPlans(one, plans[one.name])
      const odd = added.plans.filter(({ id }) => !isUuid(id))
      return [
        ...added.faults,
        ...odd.map(({ name }) => `${one.name} custom plan ${name}: field must be a UUID: ID`),
      ]
    }),
  ]
  return details.map((detail) => ({ code: 'pak.options.invalid', detail }))
}

/** Which engine of the host is used, where one is to be. */
function hostEngine(
  { engine, hostProgram }: PakOptions,
  { hasProgram }: ReadRequest,
): { readonly program?: string; readonly problems: readonly Problem[] } {
  if (engine !== 'host' || hasProgram === undefined) return { problems: [] }
  const names = hostProgram === undefined ? ['terraform', 'tofu'] : [hostProgram]
  const program = names.find((name) => hasProgram(name))
  if (program !== undefined) return { program, problems: [] }
  return { problems: [{ code: 'engine.tool-missing', detail: `${names.join(' or ')} is not on the path` }] }
}

function strangeField(path: string, document: Document): Problem {
  const key = path.split('.').at(-1) ?? path
  const meant = nearest(key, manifestFields)
  const fix = meant === undefined ? 'Remove it: it is not read.' : `Write "${meant}".`
  const finding = { text: `the field ${key} is not known and not read`, path, fix }
  return located('pak.definition.questionable', finding, document)
}

const platformFix = 'Write an os and an arch that Terraform is built for, as linux and amd64.'

function strangePlatform(name: string, document: Document): Problem {
  const finding = { text: `the platform ${name} is not known`, path: 'platforms', fix: platformFix }
  return located('pak.definition.questionable', finding, document)
}

function platformOf(text = 'linux/amd64'): Platform {
  const [os = 'linux', arch = 'amd64'] = text.split('/')
  return { os, arch }
}

function doesNotRun(manifest: Manifest, { os, arch }: Platform, document: Document): Problem {
  const detail = `the package "${manifest.name}" doesn't contain binaries compatible with the current platform "${os}/${arch}"`
  const where = { source: document.source, ...document.place('platforms') }
  return {
    code: 'pak.platform',
    detail,
    where,
    ...(unknownPlatforms(manifest).length > 0 ? { hint: platformFix } : {}),
  }
}

function repeatedServices(definitions: readonly Definition[], dialect: Dialect): readonly FieldFault[] {
  const list = dialect === 'ours' ? 'service_definitions' : 'services'
  const of = (values: readonly string[]) =>
    values.flatMap((value, i) =>
      values.indexOf(value) < i
        ? [{ text: `duplicated value, must be unique: ${value}`, path: `${list}[${i}]` }]
        : [],
    )
  return [...of(definitions.map(({ id }) => id)), ...of(definitions.map(({ name }) => name))]
}

function unknownField(path: string): FieldFault {
  return { text: 'field not found', path }
}

function refused(problems: readonly Problem[]): Reading {
  const [first = { code: 'pak.manifest.missing' }, ...rest] = problems
  return { kind: 'refused', problems: [first, ...rest] }
}
