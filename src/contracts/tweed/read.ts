/** Reads a pattern image: its configuration first, then what its metadata operation prints when it is run. */
import type { Json, JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { Artifact, ImageArtifact } from '../../model/artifact.ts'
import type { Package, Papers, Plan, Service } from '../../model/package.ts'
import { noChoice } from '../../model/package.ts'
import type { Problem } from '../../model/problem.ts'
import type { Report } from '../../model/report.ts'
import type { Reading, ReadRequest, Recognition } from '../contract.ts'
import { stdoutOf, verdictOf } from './endings.ts'
import { type Metadata, readMetadata } from './format.ts'
import { inputSchema } from './inputs.ts'
import { metadataJob } from './job.ts'
import { faultsOfOptions, type Options, optionsOf } from './options.ts'
import { publishedSchema } from './osb-schema.ts'
import { places, reserved } from './places.ts'

/** What this contract remembers of a package. */
export interface Notes {
  readonly reference: string
  readonly metadata: Metadata
}

/** Nothing but running it tells a pattern from another image; images that say what else they are, are none. */
export function recogniseTweed(artifact: Artifact): Recognition {
  if (artifact.kind !== 'image' || 'com.redhat.apb.spec' in artifact.config.labels) return 'no'
  return artifact.config.entrypoint.length > 0 ? 'likely' : 'no'
}

export function readTweed(artifact: Artifact, request: ReadRequest): Promise<Reading> {
  return Promise.resolve(reading(artifact, request))
}

function reading(artifact: Artifact, { options, described }: ReadRequest): Reading {
  if (artifact.kind !== 'image') {
    return refused([{ code: 'artifact.kind', detail: 'a pattern is an image' }])
  }
  const faults = [...faultsOfImage(artifact), ...faultsOfOptions(options)]
  if (faults.length > 0) return refused(faults)
  const { reference, digest } = artifact
  const chosen = optionsOf(options)
  if (described === undefined) {
    return { kind: 'describe-first', job: metadataJob({ reference, digest }, chosen) }
  }
  return readDescribed(artifact, described, chosen)
}

/** What can be said of an image without running it. */
function faultsOfImage({ config }: ImageArtifact): readonly Problem[] {
  return config.entrypoint.length === 0 ? [{ code: 'tweed.no-entrypoint' }] : []
}

function readDescribed(artifact: ImageArtifact, report: Report, options: Options): Reading {
  const failure = verdictOf(report, 'metadata', options)
  // What is doubtful about the image may be why it failed.
  if (failure) return refused([failure, ...warningsOfImage(artifact)])
  const metadata = readMetadata(stdoutOf(report))
  if (metadata.kind === 'refused') return refused([...metadata.problems, ...warningsOfImage(artifact)])
  return {
    kind: 'package',
    package: packageOf(artifact, metadata.metadata),
    warnings: [...warningsOfImage(artifact), ...warningsOfReserved(report), ...metadata.warnings],
  }
}

/** `/bin/sh -c TEXT` makes the operation `$0` of a text that was not written for it. */
function warningsOfImage({ config }: ImageArtifact): readonly Problem[] {
  const [program = '', flag] = config.entrypoint
  const shell = /(^|\/)(ba|da|a|k|z)?sh$/.test(program) && flag === '-c'
  return shell ? [{ code: 'tweed.entrypoint-shell', detail: config.entrypoint.join(' ') }] : []
}

/** Files of the image where the contract puts its own; those of $HOME are the program's. */
function warningsOfReserved({ got }: Report): readonly Problem[] {
  const found = got.get('reserved')
  const home = `${places.home.slice(reserved.length + 1)}/`
  const paths =
    found?.kind === 'files'
      ? found.files.flatMap(({ path }) => (path.startsWith(home) ? [] : [`${reserved}/${path}`]))
      : []
  if (paths.length === 0) return []
  const shown = paths.slice(0, reservedShown).join(', ')
  const more = paths.length > reservedShown ? ` and ${paths.length - reservedShown} more` : ''
  return [{ code: 'tweed.reserved-folder', detail: shown + more }]
}

const reservedShown = 3

function packageOf({ reference, digest }: ImageArtifact, metadata: Metadata): Package {
  const notes: Notes = { reference, metadata }
  return {
    contract: 'tweed',
    name: metadata.name,
    version: metadata.version,
    digest,
    actions: [],
    services: [serviceOf(metadata)],
    papers: papersOf(metadata),
    notes: notes as unknown as Json,
  }
}

function serviceOf(metadata: Metadata): Service {
  const { name, summary } = metadata
  return {
    name: serviceName(name),
    description: oneLine(summary ?? name),
    bindable: true,
    tags: [],
    requires: [],
    metadata: serviceMetadata(metadata),
    planUpdatable: false,
    instancesRetrievable: true,
    bindingsRetrievable: true,
    contextUpdates: false,
    plans: [planOf(metadata)],
  }
}

function planOf(metadata: Metadata): Plan {
  const create = publishedSchema(inputSchema(metadata.inputs), noChoice)
  return {
    name: 'default',
    description: oneLine(metadata.summary ?? metadata.name),
    free: true,
    bindingRotatable: false,
    schemas: present({ create }),
    requiresApp: false,
    mode: { instance: 'async', binding: 'auto' },
    operator: noChoice,
  }
}

function serviceMetadata({ name, description, icon, authors }: Metadata): JsonObject {
  return {
    displayName: name,
    ...present({ longDescription: description }),
    ...(icon === undefined ? {} : { imageUrl: `data:image/png;base64,${icon.base64}` }),
    ...present({ providerDisplayName: authors[0] }),
  }
}

function papersOf({ summary, description, authors, copyright, icon, files }: Metadata): Papers {
  return {
    ...present({ summary, description }),
    ...(authors.length === 0 ? {} : { authors }),
    ...present({ copyright }),
    ...(icon === undefined ? {} : { icon: { mediaType: 'image/png', base64: icon.base64 } }),
    ...(files.length === 0
      ? {}
      : { files: files.map(({ filename, ...note }) => ({ name: filename, ...note })) }),
  }
}

/** The display name in the letters that platforms accept; the operator usually names the service. */
function serviceName(name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return plain.replace(/^-|-$/g, '') || 'pattern'
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function refused(problems: readonly Problem[]): Reading {
  const [first, ...rest] = problems
  return { kind: 'refused', problems: [first ?? { code: 'package.invalid' }, ...rest] }
}
