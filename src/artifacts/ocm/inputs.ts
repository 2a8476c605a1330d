/** The inputs of a constructor: files, folders, texts and artifacts that become blobs of the new version. */
import { readdir, readFile, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { isObject, type JsonObject } from '../../kit/json.ts'
import { compilePattern } from '../../kit/pattern.ts'
import { nearest } from '../../kit/text.ts'
import { writeYaml } from '../../kit/yaml.ts'
import { fail } from '../../model/problem.ts'
import { archiveFormat } from '../archive/archive-artifact.ts'
import { packFolder } from '../archive/pack-folder.ts'
import { fileBytes } from '../content/durable.ts'
import type { WantedManifest } from '../oci/place.ts'
import { parseReference, wantedOf } from '../reference.ts'
import { openSource } from '../sources.ts'
import { type Content, type ContentOptions, describeAccess } from './access.ts'
import { contentOf } from './content.ts'
import { chartOf } from './helm-chart.ts'
import type { StoredVersion } from './repository.ts'

/** Processes a template with settings and libraries, without a way to the host. */
export type Template = (
  text: string,
  source: string,
  values: JsonObject,
  libraries?: readonly { readonly name: string; readonly text: string }[],
) => string

export interface InputOptions extends ContentOptions {
  /** Where relative paths begin: the folder of the constructor. */
  readonly folder: string
  readonly template: Template
  readonly values: JsonObject
}

export interface Input {
  readonly content: Exclude<Content, { kind: 'none' }>
  /** `repository:tag`, the name it gets when it is unpacked into a registry. */
  readonly name?: string
  close?(): Promise<void>
}

type Spec = JsonObject & { readonly type: string }

/** What cannot be had here, and what does instead. */
const elsewhere: Readonly<Record<string, string>> = {
  docker:
    'Save the image (docker save NAME -o image.tar) and use ociArtifact with the path docker-archive:image.tar.',
  dockermulti: 'Push the images and their index to a registry, and use ociArtifact with its reference.',
  git: 'Clone the repository and use dir, or use the access gitHub.',
  s3: 'Fetch the object and use file.',
}

/** Opens an input of a version that is being made. Problems: ocm.constructor.invalid, ocm.access.*, artifact.not-found, archive.*. */
export async function openInput(spec: Spec, options: InputOptions, version: StoredVersion): Promise<Input> {
  const type = spec.type.replace(/\/v\d+\w*$/, '')
  switch (type.charAt(0).toLowerCase() + type.slice(1)) {
    case 'file':
      return await fileInput(spec, options)
    case 'dir':
      return await folderInput(spec, options)
    case 'utf8':
      return bytesInput(spec, Buffer.from(textOf(spec)), 'text/plain')
    case 'binary':
      return bytesInput(spec, Buffer.from(text(spec, 'data'), 'base64'), 'application/octet-stream')
    case 'spiff':
      return await templateInput(spec, options)
    case 'ociArtifact':
    case 'ociImage':
      return await artifactInput(spec, options)
    case 'helm':
      return await chartInput(spec, options, version)
    case 'npm':
    case 'maven':
    case 'wget':
    case 'ocm':
      return await fetchedInput(spec, options, version)
    default:
      return fail('ocm.constructor.invalid', `inputs are not taken from ${describeAccess(spec)}`, {
        hint:
          elsewhere[type.toLowerCase()] ??
          nearType(type) ??
          'Use file, dir, utf8, binary, spiff, ociArtifact, helm, npm, maven, wget or ocm, or an access.',
      })
  }
}

function nearType(type: string): string | undefined {
  const meant = nearest(type, ['file', 'dir', 'utf8', 'binary', 'spiff', 'ociArtifact', 'helm', 'wget'])
  return meant === undefined ? undefined : `Write type: ${JSON.stringify(meant)} instead.`
}

/** What lies elsewhere, as the access of that type finds it. */
async function fetchedInput(spec: Spec, options: InputOptions, version: StoredVersion): Promise<Input> {
  const content = await contentOf(spec, version, options)
  return content.kind === 'none'
    ? fail('ocm.constructor.invalid', `${spec.type} has no content`)
    : { content }
}

/** A chart of a folder, an archive or a repository becomes the artifact that registries have of it. */
async function chartInput(spec: Spec, options: InputOptions, version: StoredVersion): Promise<Input> {
  const { helmRepository, repository } = spec
  const path = text(spec, 'path')
  const named = typeof repository === 'string' && repository !== '' ? repository : undefined
  let bytes: AsyncIterable<Uint8Array>
  if (typeof helmRepository === 'string' && helmRepository !== '') {
    const access = { ...spec, type: 'helm', helmChart: path }
    const content = await contentOf(access, version, options)
    if (content.kind === 'artifact') return { content, name: named ?? path }
    if (content.kind === 'none') return fail('artifact.not-found', path)
    bytes = content.open()
  } else {
    const whole = await within(options.folder, path)
    const isFolder = (await archiveFormat(whole)) === 'folder'
    const prefix = basename(whole)
    bytes = isFolder ? gzipped(packFolder(whole, { mtime: 0, plainModes: true, prefix })) : fileBytes(whole)
  }
  const { content, name, close } = await chartOf(bytes, path, options.scratchFolder)
  return { content, name: named ?? name, close }
}

function text(spec: Spec, key: string): string {
  const value = spec[key]
  return typeof value === 'string'
    ? value
    : fail('ocm.constructor.invalid', `an input of type ${spec.type} needs "${key}"`, {
        hint: `Add "${key}" to the input.`,
      })
}

async function fileInput(spec: Spec, { folder }: InputOptions): Promise<Input> {
  const path = await within(folder, text(spec, 'path'))
  return { content: blobOf(spec, () => fileBytes(path), 'application/octet-stream') }
}

/** Paths lead where the author says, on the author's own machine; a missing file is told by its name. */
async function within(folder: string, path: string): Promise<string> {
  const whole = isAbsolute(path) ? path : join(folder, path)
  return await realpath(whole).catch(async () =>
    fail('artifact.not-found', undefined, { where: { source: whole }, hint: await nearFile(path, folder) }),
  )
}

/** The file that is probably meant: of a name that is near, or of the same name directly in the folder. */
async function nearFile(path: string, folder: string): Promise<string> {
  const names = async (at: string): Promise<readonly string[]> => await readdir(at).catch(() => [])
  const own = await names(folder)
  const parent = dirname(path)
  const beside = parent === '.' ? own : await names(isAbsolute(parent) ? parent : join(folder, parent))
  const near = nearest(basename(path), beside)
  if (near !== undefined) return `Write "${join(parent, near)}" instead.`
  return own.includes(basename(path))
    ? `Write "${basename(path)}": paths begin at the folder of the constructor.`
    : 'Add the file, or name another one: paths begin at the folder of the constructor.'
}

async function folderInput(spec: Spec, { folder }: InputOptions): Promise<Input> {
  const path = await within(folder, text(spec, 'path'))
  if ((await archiveFormat(path)) !== 'folder') return fail('ocm.constructor.invalid', `${path} is no folder`)
  if (spec['followSymlinks'] === true)
    return fail('ocm.constructor.invalid', 'links are kept as links: followSymlinks is not supported')
  const include = patterns(spec, 'includeFiles')
  const exclude = patterns(spec, 'excludeFiles')
  const name = path.split('/').at(-1) ?? ''
  // A folder is gone through for what is wanted of it.
  const leaveOut = (inner: string, isFolder: boolean): boolean =>
    exclude.some((fits) => fits(inner)) ||
    (!isFolder && include.length > 0 && !include.some((fits) => fits(inner)))
  const pack = () =>
    packFolder(path, { mtime: 0, leaveOut, ...(spec['preserveDir'] === true ? { prefix: name } : {}) })
  return { content: blobOf(spec, pack, 'application/x-tar') }
}

function patterns(spec: Spec, key: string): readonly ((path: string) => boolean)[] {
  const list = spec[key]
  if (!Array.isArray(list)) return []
  return list.map((one) => {
    const compiled = compilePattern(String(one))
    if (compiled.kind === 'refused') return fail('ocm.constructor.invalid', `${key}: ${compiled.message}`)
    return compiled.found
  })
}

function textOf(spec: Spec): string {
  const forms = ['text', 'json', 'formattedJson', 'yaml'].filter((key) => spec[key] !== undefined)
  const [form, second] = forms
  if (form === undefined || second !== undefined)
    return fail(
      'ocm.constructor.invalid',
      'an input of type utf8 needs exactly one of text, json, formattedJson and yaml',
    )
  const value = spec[form] ?? null
  if (form === 'text')
    return typeof value === 'string' ? value : fail('ocm.constructor.invalid', '"text" must be a text')
  if (form === 'yaml') return writeYaml(value)
  return JSON.stringify(value, null, form === 'json' ? undefined : 2)
}

function bytesInput(spec: Spec, bytes: Uint8Array, usual: string): Input {
  return { content: blobOf(spec, () => once(bytes), usual) }
}

async function templateInput(spec: Spec, { folder, template, values }: InputOptions): Promise<Input> {
  const path = await within(folder, text(spec, 'path'))
  const { libraries: said, values: own } = spec
  const names = Array.isArray(said) ? said.map(String) : []
  const libraries = await Promise.all(
    names.map(async (name) => ({ name, text: await readFile(await within(folder, name), 'utf8') })),
  )
  const bindings = { values, inputvalues: isObject(own) ? (own as JsonObject) : {} }
  const done = template(await readFile(path, 'utf8'), path, bindings, libraries)
  return bytesInput(spec, Buffer.from(done), 'application/octet-stream')
}

async function artifactInput(spec: Spec, options: InputOptions): Promise<Input> {
  const path = text(spec, 'path')
  const isStored = /^(?:oci|oci-archive|docker-archive):/.test(path)
  const [word = '', rest = ''] = isStored
    ? [path.slice(0, path.indexOf(':') + 1), path.slice(path.indexOf(':') + 1)]
    : []
  const reference = isStored
    ? parseReference(`${word}${resolve(options.folder, rest)}`)
    : parseReference(`docker://${path.replace(/^docker:\/\//, '')}`, { defaultHost: 'docker.io' })
  const source = await openSource(reference, options)
  const wanted: WantedManifest = wantedOf(reference)
  const { repository } = spec
  const plain = isStored ? relative(options.folder, rest) : path.slice(path.indexOf('/') + 1)
  const name = typeof repository === 'string' && repository !== '' ? repository : plain
  return { content: { kind: 'artifact', source, wanted, name: path }, name, close: () => source.close() }
}

function blobOf(
  spec: Spec,
  open: () => AsyncIterable<Uint8Array>,
  usual: string,
): Exclude<Content, { kind: 'none' }> {
  const compress = spec['compress'] === true
  const said = spec['mediaType']
  const plain = typeof said === 'string' && said !== '' ? said : usual
  const squeezed =
    compress && plain === usual
      ? `${usual === 'application/octet-stream' ? 'application/gzip' : `${usual}+gzip`}`
      : plain
  return {
    kind: 'blob',
    mediaType: compress ? squeezed : plain,
    open: compress ? () => gzipped(open()) : open,
  }
}

async function* gzipped(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  yield* Readable.from(bytes).compose(createGzip()) as AsyncIterable<Uint8Array>
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}
