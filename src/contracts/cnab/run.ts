/** One run of a bundle: the container that carries out an action, and everything it finds. */
import { canonical, type JsonObject } from '../../kit/json.ts'
import { Secret } from '../../kit/secret.ts'
import type { FileIn, Job } from '../../model/job.ts'
import type { Bundle } from './bundle.ts'
import { extensionNames, extensionOf, requires } from './extensions.ts'
import type { Injected } from './inject.ts'
import { limitsOf, type Options } from './options.ts'
import { outputWants } from './outputs.ts'
import { places } from './places.ts'

export interface Run {
  readonly bundle: Bundle
  /** bundle.json byte for byte. */
  readonly bytes: Uint8Array
  /** What is run. */
  readonly image: { readonly reference: string; readonly digest: string }
  /** Where images are now, by what the bundle calls them; empty: all are where it says. */
  readonly relocation: Readonly<Record<string, string>>
  readonly action: string
  readonly installation: string
  readonly revision: string
  /** The record of this very run; absent for runs that leave none. */
  readonly claim?: JsonObject
  readonly injected: Injected
  /** Beyond what the specification names. */
  readonly environment?: Readonly<Record<string, string | Secret>>
  readonly files?: readonly FileIn[]
  readonly options: Options
}

/** Version of the claims specification that run tools are told. */
const claimsVersion = 'CNAB-Claims-1.0.0'

/** The job of a run. */
export function jobOf(run: Run): Job {
  const { bundle, action, image, injected, options } = run
  return {
    program: { kind: 'image', ...image },
    steps: [
      {
        name: action,
        command: { kind: 'exec', argv: [places.run] },
        // The last wins: a bundle cannot hide from its run tool what the runtime says.
        environment: { ...injected.environment, ...run.environment, ...standardEnvironment(run) },
        streams: { kind: 'apart', stdout: { kind: 'logged' } },
      },
    ],
    files: [
      ...standardFiles(run),
      ...Object.entries(injected.files).map(([path, content]) => file(path, 0o600, content)),
      ...(run.files ?? []),
    ],
    secrets: [...Object.values(injected.environment), ...Object.values(injected.files)].filter(
      (text) => text instanceof Secret,
    ),
    folders: [{ path: places.outputs, mode: 0o755, readOnly: false, content: { kind: 'empty' } }],
    wants: outputWants(bundle, action, options),
    needs: {
      cluster: 'none',
      network: 'default',
      readOnlyRoot: false,
      ...(requires(bundle, extensionNames.docker) ? { engineSocket: true } : {}),
    },
    limits: limitsOf(options),
  }
}

/** The variables of the specification, and those that run tools of Porter look at instead. */
export function standardEnvironment({
  bundle,
  action,
  installation,
  revision,
}: Pick<Run, 'bundle' | 'action' | 'installation' | 'revision'>): Readonly<Record<string, string>> {
  return {
    CNAB_ACTION: action,
    CNAB_BUNDLE_NAME: bundle.name,
    CNAB_BUNDLE_VERSION: bundle.version,
    CNAB_CLAIMS_VERSION: claimsVersion,
    CNAB_INSTALLATION_NAME: installation,
    CNAB_REVISION: revision,
    ...(extensionOf(bundle, extensionNames.porter) === undefined
      ? {}
      : {
          PORTER_INSTALLATION_ID: installation,
          ...porterNames(installation),
        }),
  }
}

/** A namespace stands before a slash. */
function porterNames(installation: string): Readonly<Record<string, string>> {
  const slash = installation.indexOf('/')
  return {
    PORTER_INSTALLATION_NAME: installation.slice(slash + 1),
    PORTER_INSTALLATION_NAMESPACE: installation.slice(0, Math.max(0, slash)),
  }
}

function standardFiles({ bytes, claim, relocation, bundle }: Run): readonly FileIn[] {
  return [
    file(places.bundle, 0o644, bytes),
    file(places.imageMap, 0o644, canonical(imageMapOf(bundle))),
    ...(claim === undefined ? [] : [file(places.claim, 0o600, canonical(claim))]),
    ...(Object.keys(relocation).length === 0 ? [] : [file(places.relocation, 0o644, canonical(relocation))]),
  ]
}

/** Run tools of older years read the images there. */
function imageMapOf({ images }: Bundle): JsonObject {
  return Object.fromEntries(
    Object.entries(images).map(([name, { labels: _, ...image }]) => [name, { ...image }]),
  )
}

/** A file of the run, of the container's user; always a copy, whatever the run tool does with it. */
export function file(path: string, mode: number, content: Uint8Array | string | Secret): FileIn {
  return { path, mode, owner: 'user', readOnly: false, content: contentOf(content) }
}

function contentOf(content: Uint8Array | string | Secret): FileIn['content'] {
  if (typeof content === 'string') return { kind: 'bytes', bytes: new TextEncoder().encode(content) }
  return content instanceof Uint8Array
    ? { kind: 'bytes', bytes: content }
    : { kind: 'secret', secret: content }
}
