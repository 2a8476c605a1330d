/** Operations: what a driver of the ecosystem is told on its standard input, and the job that this means here. */
import { parseJson } from '../../kit/exact.ts'
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { FileIn, Job } from '../../model/job.ts'
import type { Problem } from '../../model/problem.ts'
import type { Bundle } from './bundle.ts'
import type { Claim, Reading } from './claims.ts'
import { limitsOf, type Options } from './options.ts'
import { outputNames } from './outputs.ts'
import { isBelow, places } from './places.ts'
import { file } from './run.ts'

export interface Operation {
  readonly installation: string
  readonly revision: string
  readonly action: string
  readonly parameters: JsonObject
  readonly image: OperationImage
  readonly environment: Readonly<Record<string, string>>
  readonly files: Readonly<Record<string, string>>
  /** The names of outputs by their paths. */
  readonly outputs: Readonly<Record<string, string>>
  readonly bundle?: JsonObject
}

export interface OperationImage {
  readonly image: string
  readonly imageType: string
  readonly contentDigest?: string
}

/** The types of images that engines run. */
export const handledTypes: readonly string[] = ['docker', 'oci']

/** The operation of a job; texts of secrets are in clear in it. */
export function operationOf(
  job: Job,
  { bundle, claim }: { readonly bundle: Bundle; readonly claim: Claim },
): Operation {
  const { program, steps, files } = job
  const [{ environment }] = steps
  const [declared] = bundle.invocationImages
  return {
    installation: claim.installation,
    revision: claim.revision,
    action: claim.action,
    parameters: claim.parameters,
    image: {
      image: program.kind === 'image' ? withoutTransport(program.reference) : '',
      imageType: declared?.imageType ?? 'oci',
      ...(program.kind === 'image' ? { contentDigest: program.digest } : {}),
    },
    environment: Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : value.reveal(),
      ]),
    ),
    files: Object.fromEntries(files.map((one) => [one.path, textOf(one)])),
    outputs: Object.fromEntries(
      outputNames(bundle, claim.action).map((name) => [bundle.outputs[name]?.path ?? '', name]),
    ),
    bundle: claim.bundle,
  }
}

function withoutTransport(reference: string): string {
  return reference.replace(/^docker:\/\//, '')
}

function textOf({ content }: FileIn): string {
  if (content.kind === 'bytes') return new TextDecoder().decode(content.bytes)
  return content.kind === 'secret' ? content.secret.reveal() : ''
}

/** As drivers read it. */
export function operationDocument(operation: Operation): JsonObject {
  const { installation, revision, action, parameters, image, environment, files, outputs, bundle } = operation
  return {
    installation_name: installation,
    revision,
    action,
    parameters,
    image: { ...image },
    environment,
    files,
    outputs,
    ...present({ Bundle: bundle }),
  }
}

/** Reads an operation of any tool. Problems: cnab.operation.invalid, all at once. */
export function readOperation(bytes: Uint8Array): Reading<Operation> {
  const problems: Problem[] = []
  const fault = (pointer: string, detail: string): void => {
    problems.push({ code: 'cnab.operation.invalid', detail, where: { pointer } })
  }
  let document: unknown
  try {
    document = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    document = undefined
  }
  if (!isObject(document))
    return { kind: 'refused', problems: [{ code: 'cnab.operation.invalid', detail: 'it is no JSON object' }] }
  const text = (key: string): string => {
    const value = document[key]
    if (typeof value === 'string') return value
    fault(`/${key}`, 'must be a text')
    return ''
  }
  const texts = (key: string): Readonly<Record<string, string>> => {
    const value = document[key] ?? {}
    if (isObject(value) && Object.values(value).every((one) => typeof one === 'string'))
      return value as Readonly<Record<string, string>>
    fault(`/${key}`, 'must be a map of texts')
    return {}
  }
  const operation: Operation = {
    installation: text('installation_name'),
    revision: typeof document['revision'] === 'string' ? document['revision'] : '',
    action: text('action'),
    parameters: isObject(document['parameters']) ? (document['parameters'] as JsonObject) : {},
    image: imageOf(document['image'] as Json, fault),
    environment: texts('environment'),
    files: texts('files'),
    outputs: texts('outputs'),
    ...(isObject(document['Bundle']) ? { bundle: document['Bundle'] as JsonObject } : {}),
  }
  for (const path of [...Object.keys(operation.files), ...Object.keys(operation.outputs)])
    if (!isPlain(path)) fault('', `Path ${JSON.stringify(path)} must be an absolute, clean path`)
  for (const path of Object.keys(operation.outputs))
    if (isPlain(path) && !isBelow(path, places.outputs))
      fault('/outputs', `path ${JSON.stringify(path)} must be a clean path under "${places.outputs}/"`)
  // Where outputs are written to on the host is said by the tool, never by a bundle.
  if (Object.keys(operation.environment).some((name) => /^CNAB_(?:OUTPUT_DIR|VARS)(?:=|$)/.test(name)))
    fault(
      '/environment',
      'CNAB_OUTPUT_DIR and CNAB_VARS are the names of the tool that calls, not of a bundle',
    )
  const [first, ...rest] = problems
  return first ? { kind: 'refused', problems: [first, ...rest] } : { kind: 'read', value: operation }
}

function imageOf(value: Json, fault: (pointer: string, detail: string) => void): OperationImage {
  const { image, imageType, image_type: older, contentDigest } = isObject(value) ? value : {}
  const type = imageType ?? older ?? ''
  if (typeof image !== 'string' || image === '') fault('/image/image', 'must be a text')
  // None named means the type that the specification says.
  const named = type === '' ? 'oci' : String(type)
  if (!handledTypes.includes(named))
    fault('/image/imageType', `${named} is not one of ${handledTypes.join(', ')}`)
  return {
    image: typeof image === 'string' ? image : '',
    imageType: named,
    ...(typeof contentDigest === 'string' && contentDigest !== '' ? { contentDigest } : {}),
  }
}

function isPlain(path: string): boolean {
  const [root, ...parts] = path.split('/')
  return (
    root === '' && parts.length > 0 && parts.every((part) => part !== '' && part !== '.' && part !== '..')
  )
}

/** The job of an operation, with its image found. */
export function jobOfOperation(
  operation: Operation,
  image: { readonly reference: string; readonly digest: string },
  options: Options,
): Job {
  return {
    program: { kind: 'image', ...image },
    steps: [
      {
        name: operation.action,
        command: { kind: 'exec', argv: [places.run] },
        environment: operation.environment,
        streams: { kind: 'apart', stdout: { kind: 'logged' } },
      },
    ],
    files: Object.entries(operation.files).map(([path, content]) => file(path, 0o600, content)),
    folders: [{ path: places.outputs, mode: 0o755, readOnly: false, content: { kind: 'empty' } }],
    wants: Object.entries(operation.outputs).map(([path, name]) => ({
      kind: 'file',
      name,
      path,
      bytesMax: options.outputBytes,
    })),
    needs: { cluster: 'none', network: 'default', readOnlyRoot: false },
    limits: limitsOf(options),
  }
}
