/** One container run of the contract: what an operation finds in its environment, and what is kept of it. */
import type { Secret } from '../../kit/secret.ts'
import type { FileIn, Folder, Job, Want } from '../../model/job.ts'
import { limitsOf, type Options } from './options.ts'
import { places, reserved, type TweedOperation } from './places.ts'

export interface Image {
  readonly reference: string
  readonly digest: string
}

export interface Surroundings {
  /** What the operator lends: variables by name, files by `/path` or `~/path` below $HOME. */
  readonly infrastructure: Readonly<Record<string, string | Secret>>
  readonly environment: Readonly<Record<string, string>>
  readonly credstore: { readonly tar: Uint8Array | undefined; readonly readOnly: boolean }
  readonly inputs?: Uint8Array
  readonly binding?: Uint8Array
  readonly outputs: boolean
}

/** Room for headers and padding of a tar, per entry. */
const tarEntryBytes = 2048

/** Describes the image: no network, no secrets, nothing but $HOME; what lies where nothing should is named, too. */
export function metadataJob(image: Image, options: Options): Job {
  const job = jobOf('metadata', image, options)
  const wants: Job['wants'] = [
    { kind: 'files', name: 'reserved', path: reserved, bytesMax: 0, entriesMax: reservedEntries },
  ]
  return { ...job, wants, needs: { ...job.needs, network: 'none' } }
}

/** More than are told of, for what the program wrote to $HOME may be among them. */
const reservedEntries = 100

/** Runs one of the four operations of an instance. */
export function operationJob(
  operation: Exclude<TweedOperation, 'metadata'>,
  image: Image,
  options: Options,
  around: Surroundings,
): Job {
  const { credstore, inputs, binding, outputs, infrastructure } = around
  const lent = Object.entries(infrastructure)
  const job = jobOf(operation, image, options)
  const [step] = job.steps
  return {
    ...job,
    steps: [
      {
        ...step,
        // The last wins: nothing that the operator lends may hide what the contract promises.
        environment: {
          ...Object.fromEntries(lent.filter(([name]) => !isPath(name))),
          ...around.environment,
          ...step.environment,
          CREDSTORE: places.credstore,
          ...(inputs ? { INPUTS: places.inputs } : {}),
          ...(outputs ? { OUTPUTS: places.outputs } : {}),
          ...(binding ? { BINDING: places.binding } : {}),
        },
      },
    ],
    files: [
      ...lent.filter(([name]) => isPath(name)).map(([name, content]) => lentFile(name, content)),
      ...(inputs ? [document(places.inputs, inputs)] : []),
      ...(binding ? [document(places.binding, binding)] : []),
    ],
    folders: [
      ...job.folders,
      credstoreFolder(credstore, options),
      ...(outputs ? [folder(places.outputs)] : []),
    ],
    // One provision differs from the next in its inputs alone, unless it is told for whom it is.
    ...(operation === 'provision' && Object.keys(around.environment).length === 0
      ? { late: { files: [places.inputs] } }
      : {}),
    wants: [
      ...(credstore.readOnly ? [] : [credstoreWant(options)]),
      ...(outputs ? [outputsWant(options)] : []),
    ],
  }
}

function jobOf(
  operation: TweedOperation,
  image: Image,
  options: Options,
): Job & { readonly steps: readonly [Job['steps'][0]] } {
  const printed = operation === 'metadata' || operation === 'bind'
  return {
    program: { kind: 'image', ...image },
    steps: [
      {
        name: operation,
        command: { kind: 'entrypoint', arguments: [operation] },
        environment: { HOME: places.home },
        streams: printed
          ? { kind: 'apart', stdout: { kind: 'captured', bytesMax: options.stdoutBytes } }
          : { kind: 'merged' },
      },
    ],
    files: [],
    folders: [folder(places.home)],
    wants: [],
    needs: { cluster: 'none', network: 'default', readOnlyRoot: false },
    limits: limitsOf(options, operation),
  }
}

function folder(path: string): Folder {
  return { path, mode: 0o755, readOnly: false, content: { kind: 'empty' } }
}

function credstoreFolder({ tar, readOnly }: Surroundings['credstore'], options: Options): Folder {
  return {
    path: places.credstore,
    mode: 0o700,
    readOnly,
    content: tar === undefined ? { kind: 'empty' } : { kind: 'tar', tar },
    bytesMax: options.credstoreBytes,
    entriesMax: options.credstoreEntries,
  }
}

function credstoreWant({ credstoreBytes, credstoreEntries }: Options): Want {
  const bytesMax = credstoreBytes + credstoreEntries * tarEntryBytes
  return { kind: 'tar', name: 'credstore', path: places.credstore, bytesMax }
}

function outputsWant({ outputBytes, outputEntries }: Options): Want {
  return {
    kind: 'files',
    name: 'outputs',
    path: places.outputs,
    bytesMax: outputBytes,
    entriesMax: outputEntries,
  }
}

function document(path: string, bytes: Uint8Array): FileIn {
  return { path, mode: 0o444, owner: 'user', readOnly: true, content: { kind: 'bytes', bytes } }
}

function isPath(name: string): boolean {
  return name.startsWith('/') || name.startsWith('~/')
}

function lentFile(name: string, content: string | Secret): FileIn {
  return {
    path: name.startsWith('~/') ? `${places.home}/${name.slice(2)}` : name,
    mode: 0o600,
    owner: 'user',
    readOnly: false,
    content:
      typeof content === 'string'
        ? { kind: 'bytes', bytes: new TextEncoder().encode(content) }
        : { kind: 'secret', secret: content },
  }
}
