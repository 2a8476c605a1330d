/** Reads a pak of any original into a package: manifest, definitions with their templates, programs. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import { readYaml } from '../../kit/yaml.ts'
import type { ArchiveArtifact, Artifact } from '../../model/artifact.ts'
import type { Problem } from '../../model/problem.ts'
import type { Reading, ReadRequest, Recognition } from '../contract.ts'
import { decoder } from './decode.ts'
import { type Definition, type PakAction, readDefinition } from './definition.ts'
import { definitionFaults } from './definition-faults.ts'
import { originOf } from './dialect.ts'
import { type FieldFault, isUuid, listFaults } from './field-faults.ts'
import { installationOf, runsOn } from './install.ts'
import { definitionWarnings } from './lint.ts'
import { type Manifest, type Platform, readManifest, unknownFields } from './manifest.ts'
import { type Dialect, manifestFaults, unknownPlatforms } from './manifest-faults.ts'
import type { Notes } from './notes.ts'
import { optionFaults, type PakOptions, pakOptions } from './options.ts'
import { packageOf } from './package.ts'
import { operatorPlans } from './plans.ts'
import { requiredVersionWarnings } from './required-versions.ts'

const documentBytesMax = 8 * 1024 * 1024

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
  if (faults.length > 0)
    return refused([...wrongOptions, invalid('pak.manifest.invalid', 'manifest.yml', faults, document)])
  const platform = platformOf(request.platform)
  const wrongPlatform =
    runsOn(manifest, platform) || options.engine === 'host' ? [] : [doesNotRun(manifest, platform)]
  const read = await Promise.all(manifest.definitions.map((path) => definitionAt(artifact, path, dialect)))
  const host = hostEngine(options, request)
  const problems = [
    ...wrongOptions,
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
  const repeated = dialect === 'v1' ? [] : repeatedServices(definitions)
  if (repeated.length > 0) return refused([invalid('pak.manifest.invalid', 'manifest.yml', repeated)])
  const wrongPlans = planFaults(definitions, options)
  if (wrongPlans.length > 0) return refused(wrongPlans)
  const notes: Notes = {
    origin: originOf(document.value, manifest),
    manifest,
    definitions,
    installation,
    ...(host.program === undefined ? {} : { hostProgram: host.program }),
    digest: artifact.digest,
  }
  const warnings: readonly Problem[] = [
    ...(dialect === 'v1'
      ? []
      : unknown.map((path) => warn('manifest.yml', `the field ${path} is not known`))),
    ...unknownPlatforms(manifest).map((name) => warn('manifest.yml', `the platform ${name} is not known`)),
    ...(options.engine === 'host'
      ? []
      : installation.faults.map((detail): Problem => ({ code: 'pak.binary.missing', detail }))),
    ...definitions.flatMap((definition) =>
      [
        ...definitionWarnings(definition),
        ...(options.engine === 'host' ? [] : requiredVersionWarnings(manifest, definition)),
      ].map((detail) => warn(definition.name, detail)),
    ),
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

interface ReadDefinition {
  readonly definition?: Definition
  readonly problems: readonly Problem[]
}

async function definitionAt(
  artifact: ArchiveArtifact,
  path: string,
  dialect: Dialect,
): Promise<ReadDefinition> {
  const document = await documentAt(artifact, path, 'pak.definition.missing')
  if ('problems' in document) return document
  const decode = decoder(document.written)
  const read = readDefinition(decode, document.value)
  const provision = await withTemplates(artifact, read.provision, 'provision')
  const bind = await withTemplates(artifact, read.bind, 'bind')
  const definition = { ...read, provision: provision.action, bind: bind.action }
  const faults = [
    ...decode.faults.map(typeFault),
    ...provision.faults,
    ...bind.faults,
    ...definitionFaults(definition, dialect),
  ]
  if (faults.length === 0) return { definition, problems: [] }
  return { problems: [invalid('pak.definition.invalid', path, faults, document)] }
}

/** Packed definitions hold their templates; source folders only refer to them. */
async function withTemplates(
  artifact: ArchiveArtifact,
  action: PakAction,
  path: string,
): Promise<{ readonly action: PakAction; readonly faults: readonly FieldFault[] }> {
  const faults: FieldFault[] = []
  const load = async (ref: string): Promise<string> => {
    const bytes = await inside(artifact, ref)
    if (bytes === undefined) {
      faults.push({ text: 'missing field(s)', path: `${path}.template not loaded from template ref` })
    }
    return Buffer.from(bytes ?? []).toString()
  }
  const template =
    action.template === '' && action.templateRef !== '' ? await load(action.templateRef) : action.template
  const templates = { ...action.templates }
  for (const [name, ref] of Object.entries(action.templateRefs)) templates[name] ??= await load(ref)
  return { action: { ...action, template, templates }, faults }
}

interface Document {
  readonly value: JsonObject
  written(path: string): string | undefined
  /** Where a field stands, or the nearest thing around it that is there. */
  place(path: string): { readonly line: number; readonly column: number } | undefined
}

async function documentAt(
  artifact: ArchiveArtifact,
  path: string,
  code: 'pak.manifest.missing' | 'pak.definition.missing',
): Promise<Document | { readonly problems: readonly Problem[] }> {
  const bytes = await inside(artifact, path)
  if (bytes === undefined) {
    return {
      problems: [{ code, detail: `couldn't find the file with the name "${path}"`, where: { source: path } }],
    }
  }
  const text = Buffer.from(bytes).toString()
  const reading = readYaml(text, { merge: true })
  const unreadable = reading.faults.map(
    ({ message, line, column }): Problem => ({
      code: 'pak.document.unreadable',
      detail: message,
      where: { source: path, line, column },
    }),
  )
  if (unreadable.length > 0) return { problems: unreadable }
  if (!isObject(reading.value))
    return { problems: [{ code: 'pak.document.unreadable', where: { source: path } }] }
  return {
    value: reading.value as JsonObject,
    written: (field) => writtenAt(text, reading.place(pointerOf(field)), field),
    place: (field) => {
      for (let at = pointerOf(field); at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
        const place = reading.place(at)
        if (place !== undefined) return place
      }
      return undefined
    },
  }
}

/** A file of the archive; paths that lead out of it, and files too big for a document, are not there. */
async function inside(artifact: ArchiveArtifact, path: string): Promise<Uint8Array | undefined> {
  const plain = path.replace(/^(?:\.\/)+/, '')
  if (plain.startsWith('/') || plain.split('/').includes('..')) return undefined
  const entry = artifact.entries.find((one) => one.path === plain)
  return entry === undefined || entry.bytes > documentBytesMax ? undefined : await artifact.file(plain)
}

function pointerOf(path: string): string {
  return `/${path
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.')
    .join('/')}`
}

/** The scalar behind a key, as it stands in the text. */
function writtenAt(
  text: string,
  place: { readonly line: number; readonly column: number } | undefined,
  field: string,
): string | undefined {
  if (place === undefined) return undefined
  const line = text.split('\n')[place.line - 1]?.slice(place.column - 1) ?? ''
  const name = field.split('.').at(-1) ?? ''
  return line.startsWith(name) ? /^[^:]*:\s*([^\s,}\]#]+)/.exec(line)?.[1] : undefined
}

function platformOf(text = 'linux/amd64'): Platform {
  const [os = 'linux', arch = 'amd64'] = text.split('/')
  return { os, arch }
}

function doesNotRun(manifest: Manifest, { os, arch }: Platform): Problem {
  const detail = `the package "${manifest.name}" doesn't contain binaries compatible with the current platform "${os}/${arch}"`
  return { code: 'pak.platform', detail }
}

function repeatedServices(definitions: readonly Definition[]): readonly FieldFault[] {
  const of = (values: readonly string[]) =>
    values.flatMap((value, i) =>
      values.indexOf(value) < i
        ? [{ text: `duplicated value, must be unique: ${value}`, path: `services[${i}]` }]
        : [],
    )
  return [...of(definitions.map(({ id }) => id)), ...of(definitions.map(({ name }) => name))]
}

function typeFault({ path, message }: { readonly path: string; readonly message: string }): FieldFault {
  return { text: message, path }
}

function unknownField(path: string): FieldFault {
  return { text: 'field not found', path }
}

function invalid(
  code: 'pak.manifest.invalid' | 'pak.definition.invalid',
  source: string,
  faults: readonly FieldFault[],
  document?: Document,
): Problem {
  // All that is wrong stands in one text, as the originals print it; the place is that of the first.
  const place = faults.map(({ path }) => document?.place(path.toLowerCase())).find((one) => one !== undefined)
  return { code, detail: listFaults(faults), where: { source, ...place } }
}

function warn(source: string, detail: string): Problem {
  return { code: 'pak.definition.questionable', detail, where: { source } }
}

function refused(problems: readonly Problem[]): Reading {
  const [first = { code: 'pak.manifest.missing' }, ...rest] = problems
  return { kind: 'refused', problems: [first, ...rest] }
}
