/** The inputs of a constructor: files, folders, texts and artifacts that become blobs of the new version. */
import { readFile, realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { isObject, type JsonObject } from '../../kit/json.ts'
import { compilePattern } from '../../kit/pattern.ts'
import { writeYaml } from '../../kit/yaml.ts'
import { fail } from '../../model/problem.ts'
import { archiveFormat } from '../archive/archive-artifact.ts'
import { packFolder } from '../archive/pack-folder.ts'
import { fileBytes } from '../content/durable.ts'
import type { WantedManifest } from '../oci/place.ts'
import { parseReference, wantedOf } from '../reference.ts'
import { openSource } from '../sources.ts'
import type { Content, ContentOptions } from './content.ts'

/** Processes a template with settings, without a way to the host. */
export type Template = (text: string, source: string, values: JsonObject) => string

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

/** Opens an input. Problems: ocm.constructor.invalid, artifact.not-found, archive.*. */
export async function openInput(spec: Spec, options: InputOptions): Promise<Input> {
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
    default:
      return fail('ocm.constructor.invalid', `inputs of type ${spec.type} are not supported`, {
        hint: 'Use file, dir, utf8, binary, spiff or ociArtifact, or an access.',
      })
  }
}

function text(spec: Spec, key: string): string {
  const value = spec[key]
  return typeof value === 'string'
    ? value
    : fail('ocm.constructor.invalid', `an input of type ${spec.type} needs "${key}"`)
}

async function fileInput(spec: Spec, { folder }: InputOptions): Promise<Input> {
  const path = await within(folder, text(spec, 'path'))
  return { content: blobOf(spec, () => fileBytes(path), 'application/octet-stream') }
}

/** Paths lead where the author says, on the author's own machine; a missing file is told by its name. */
async function within(folder: string, path: string): Promise<string> {
  const whole = isAbsolute(path) ? path : join(folder, path)
  return await realpath(whole).catch(() =>
    fail('artifact.not-found', undefined, { where: { source: whole } }),
  )
}

async function folderInput(spec: Spec, { folder }: InputOptions): Promise<Input> {
  const path = await within(folder, text(spec, 'path'))
  if ((await archiveFormat(path)) !== 'folder') return fail('ocm.constructor.invalid', `${path} is no folder`)
  if (spec['followSymlinks'] === true)
    return fail('ocm.constructor.invalid', 'links are kept as links: followSymlinks is not supported')
  const include = patterns(spec, 'includeFiles')
  const exclude = patterns(spec, 'excludeFiles')
  const name = path.split('/').at(-1) ?? ''
  const leaveOut = (inner: string): boolean =>
    exclude.some((fits) => fits(inner)) || (include.length > 0 && !include.some((fits) => fits(inner)))
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
  if (Array.isArray(spec['libraries']) && spec['libraries'].length > 0)
    return fail('ocm.constructor.invalid', 'libraries of a spiff input are not supported')
  const own = spec['values']
  const bindings = { values, inputvalues: isObject(own) ? (own as JsonObject) : {} }
  const done = template(await readFile(path, 'utf8'), path, bindings)
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
