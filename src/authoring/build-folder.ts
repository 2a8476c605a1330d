/** Builds the image of a package's folder as its `image.yml` says, into a layout on this machine. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { findHostTools, putHostTools } from '../artifacts/host-tools.ts'
import { buildPackage } from '../artifacts/packages.ts'
import { registriesOfCommand } from '../host/registries.ts'
import { isObject, type JsonObject } from '../kit/json.ts'
import { nearKeys } from '../kit/near-keys.ts'
import { present } from '../kit/present.ts'
import { checkerOf } from '../kit/schema.ts'
import { readYaml, toldFault } from '../kit/yaml.ts'
import { fail, failAll, type Problem } from '../model/problem.ts'
import { toolsBelow } from './tools-image.ts'

/** What `image.yml` may say. */
export interface ImageFile {
  /** The folder beside it that becomes the file system; `root` when absent. */
  readonly root?: string
  /** The image to build upon. */
  readonly base?: string
  /** Programs of this machine to put in, where there is no base. */
  readonly tools?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly user?: string
  readonly workingFolder?: string
  readonly labels?: Readonly<Record<string, string>>
}

const text = { type: 'string' }
const texts = { type: 'array', items: text }
const map = { type: 'object', additionalProperties: text }
const properties = {
  root: text,
  base: text,
  tools: texts,
  entrypoint: texts,
  command: texts,
  environment: map,
  user: text,
  workingFolder: text,
  labels: map,
}
const keys = Object.keys(properties)
const check = checkerOf({ type: 'object', additionalProperties: false, properties })

/** What to write, by the last word of what the check says. */
const wanted: Readonly<Record<string, string>> = {
  array: 'Write a list: [..., ...].',
  object: 'Write a map: {NAME: value}.',
  string: 'Write a text, in quotation marks where it looks like a number.',
  'known here': `Take it out; what is known here is ${keys.join(', ')}.`,
}

export interface FolderBuild {
  readonly folder: string
  /** Where to; a layout named after the folder when absent. */
  readonly to?: string
  readonly dataDir: string
  /** The image to build upon instead of the one that `image.yml` names. */
  readonly base?: string
  /** Labels over those of `image.yml`. */
  readonly labels?: Readonly<Record<string, string>>
}

/** Whether a reference is a folder with an `image.yml`. */
export function isImageFolder(reference: string): boolean {
  return existsSync(join(reference, 'image.yml'))
}

/** Builds and answers the reference. Problems: package.invalid, file.unreadable, those of building. */
export async function buildFolder(build: FolderBuild): Promise<string> {
  const { folder } = build
  const file = readImageFile(join(folder, 'image.yml'))
  const reference = builtReference(build)
  const named = build.base ?? file.base
  const scratch = mkdtempSync(join(tmpdir(), 'chandler-folder-'))
  try {
    cpSync(join(folder, file.root ?? 'root'), scratch, { recursive: true })
    const base = named ?? (await toolsBelow(scratch, file.tools ?? [], build.dataDir))
    // Upon a base they are not put in: it brings its own, with the libraries that they were made for.
    if (base === undefined) await putHostTools(scratch, await findHostTools(file.tools ?? []))
    const { entrypoint, command, environment, user, workingFolder } = file
    const labels =
      file.labels === undefined && build.labels === undefined
        ? undefined
        : { ...file.labels, ...build.labels }
    const settings = { entrypoint, command, user, workingFolder, labels }
    await buildPackage(
      {
        root: scratch,
        to: reference,
        ...present({ base }),
        settings: {
          ...Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
          ...(environment
            ? { environment: Object.entries(environment).map(([key, value]) => `${key}=${value}`) }
            : {}),
        },
      },
      { registries: registriesOfCommand(process.env), scratchFolder: scratch },
    )
    return reference
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Where the image of a folder goes: a layout in the data folder, named after the folder, unless it is said. */
export function builtReference({ folder, to, dataDir }: FolderBuild): string {
  return to ?? `oci:${join(resolve(dataDir), 'built')}:${basename(resolve(folder))}`
}

function readImageFile(source: string): ImageFile {
  const { value, faults, place } = readYaml(read(source))
  const syntax = faults.map((fault) => toldFault(fault, source))
  const checked = faults.length === 0 ? check(value ?? {}) : []
  const near = new Map(
    (isObject(value) ? nearKeys(value as JsonObject, keys) : []).map(({ key, meant }) => [`/${key}`, meant]),
  )
  const shape = checked.map(({ message, pointer }) => {
    const meant = near.get(pointer)
    const wants = Object.keys(wanted).find((word) => message.endsWith(word))
    const hint = meant === undefined ? wants && wanted[wants] : `Write "${meant}" instead.`
    return {
      detail: `${pointer.slice(1)} ${message}`.trim(),
      where: { source, pointer, ...place(pointer) },
      ...present({ hint }),
    }
  })
  failAll([...syntax, ...shape].map((one): Problem => ({ code: 'package.invalid', ...one })))
  return (value ?? {}) as JsonObject as ImageFile
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    return fail('file.unreadable', file, { cause })
  }
}
