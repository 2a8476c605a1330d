/** The documents of a pak with the places of their fields, and what is wrong with them said with file, line and a fix. */
import { isObject, type JsonObject, at as valueAt } from '../../kit/json.ts'
import { readYaml, toldFault } from '../../kit/yaml.ts'
import type { ArchiveArtifact } from '../../model/artifact.ts'
import type { Problem } from '../../model/problem.ts'
import { type FieldFault, listFaults } from './field-faults.ts'
import { explain, type Finding, pointerOf } from './finding.ts'

const documentBytesMax = 8 * 1024 * 1024

export interface Document {
  /** Its path in the pak. */
  readonly source: string
  readonly text: string
  readonly value: JsonObject
  written(path: string): string | undefined
  /** Where a field stands, or the nearest thing around it that is there. */
  place(path: string): { readonly line: number; readonly column: number } | undefined
}

/** Reads a document. Problems: pak.manifest.missing, pak.definition.missing, pak.document.unreadable. */
export async function documentAt(
  artifact: ArchiveArtifact,
  path: string,
  code: 'pak.manifest.missing' | 'pak.definition.missing',
): Promise<Document | { readonly problems: readonly Problem[] }> {
  const bytes = await inside(artifact, path)
  if (bytes === undefined) {
    const detail = `couldn't find the file with the name "${path}"`
    return { problems: [{ code, detail, where: { source: path } }] }
  }
  const text = Buffer.from(bytes).toString()
  const reading = readYaml(text, { merge: true })
  const unreadable = reading.faults.map(
    (fault): Problem => ({ code: 'pak.document.unreadable', ...toldFault(fault, path) }),
  )
  if (unreadable.length > 0) return { problems: unreadable }
  if (!isObject(reading.value))
    return { problems: [{ code: 'pak.document.unreadable', where: { source: path } }] }
  return {
    source: path,
    text,
    value: reading.value as JsonObject,
    written: (field) => writtenAt(text, reading.place(pointerOf(field)), field),
    place: (field) => {
      // The originals lower the names of fields that they tell.
      const own = pointerOf(field)
      return reading.place(valueAt(reading.value, own) === undefined ? own.toLowerCase() : own)
    },
  }
}

/** A file of the archive; paths that lead out of it, and files too big for a document, are not there. */
export async function inside(artifact: ArchiveArtifact, path: string): Promise<Uint8Array | undefined> {
  const plain = path.replace(/^(?:\.\/)+/, '')
  if (plain.startsWith('/') || plain.split('/').includes('..')) return undefined
  const entry = artifact.entries.find((one) => one.path === plain)
  return entry === undefined || entry.bytes > documentBytesMax ? undefined : await artifact.file(plain)
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

type Refusal = 'pak.manifest.invalid' | 'pak.definition.invalid'

/** All that is wrong in one text, as the originals print it; the place is that of the first. */
export function listed(code: Refusal, faults: readonly FieldFault[], document: Document): Problem {
  const place = faults.map(({ path }) => document.place(path)).find((one) => one !== undefined)
  return { code, detail: listFaults(faults), where: { source: document.source, ...place } }
}

/** Each fault by itself, in words for the author. */
export function explained(
  code: Refusal,
  faults: readonly FieldFault[],
  document: Document,
): readonly Problem[] {
  return faults.map((fault) => located(code, explain(fault, document.value), document))
}

/** A finding with its place. `fileOf` answers the file of a template that does not stand in the document itself. */
export function located(
  code: Refusal | 'pak.definition.questionable',
  { text, path, fix, within }: Finding,
  document: Document,
  fileOf: (path: string) => string | undefined = () => undefined,
): Problem {
  const detail = path === '' ? text : `${path}: ${text}`
  const file = within === undefined ? undefined : fileOf(path)
  if (file !== undefined)
    return {
      code,
      detail,
      hint: fix,
      where: { source: file, line: within?.line ?? 1, column: within?.column ?? 1 },
    }
  const place = document.place(path)
  const where = within === undefined ? place : (inBlock(document, place, within.line) ?? place)
  return { code, detail, hint: fix, where: { source: document.source, ...where } }
}

/** The line of a text that stands as a block below its key. */
function inBlock(
  { text }: Document,
  place: { readonly line: number } | undefined,
  line: number,
): { readonly line: number } | undefined {
  if (place === undefined) return undefined
  const key = text.split('\n')[place.line - 1] ?? ''
  return /[|>][-+0-9]*\s*(?:#.*)?$/.test(key) ? { line: place.line + line } : { line: place.line }
}
