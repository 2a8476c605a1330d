/** The metadata document of a pattern: read as written, all problems and warnings at once with their places. */
import { isObject, type Json, type JsonObject, pointer } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { nearest } from '../../kit/text.ts'
import { toldFault, type YamlReading } from '../../kit/yaml.ts'
import type { Problem } from '../../model/problem.ts'
import { readMap, scalarText } from './document.ts'
import { collectFaults, type Faults } from './faults.ts'
import { type FileNote, readFiles } from './files.ts'
import { type Icon, readIcon } from './icon.ts'
import { readInputs } from './inputs.ts'

export interface Metadata {
  readonly name: string
  readonly version: string
  readonly summary?: string
  /** Markdown. */
  readonly description?: string
  readonly icon?: Icon
  readonly copyright?: string
  readonly authors: readonly string[]
  readonly files: readonly FileNote[]
  /** As written: parameter names with their schemas, or one whole schema. */
  readonly inputs: JsonObject
  /** Keys the contract does not know. */
  readonly others?: JsonObject
}

export type MetadataReading =
  | { readonly kind: 'metadata'; readonly metadata: Metadata; readonly warnings: readonly Problem[] }
  | { readonly kind: 'refused'; readonly problems: readonly [Problem, ...Problem[]] }

interface Reader {
  readonly document: JsonObject
  readonly yaml: YamlReading
  readonly faults: Faults
}

const source = 'metadata'
const known = [
  ...['pattern', 'name', 'version', 'summary', 'description', 'icon', 'copyright', 'authors', 'files'],
  'inputs',
]
const nameMax = 255
const descriptionBytesMax = 64 * 1024

/** Reads what the metadata operation printed. */
export function readMetadata(bytes: Uint8Array): MetadataReading {
  const printed = readMap(bytes, { merge: false })
  if (printed.kind === 'fault') {
    const [first, ...rest] = printed.faults.map(
      (fault): Problem => ({ code: `tweed.metadata.${printed.fault}`, ...toldFault(fault, source) }),
    )
    return {
      kind: 'refused',
      problems: [first ?? { code: `tweed.metadata.${printed.fault}`, where: { source } }, ...rest],
    }
  }
  const { value: document, yaml } = printed
  const faults = collectFaults(source, yaml.place)
  const reader: Reader = { document, yaml, faults }
  checkContract(reader)
  const metadata = faults.problems.length > 0 ? undefined : readKeys(reader)
  const [first, ...rest] = faults.problems
  if (metadata === undefined || first !== undefined) {
    return { kind: 'refused', problems: [first ?? { code: 'tweed.metadata.not-a-pattern' }, ...rest] }
  }
  return { kind: 'metadata', metadata, warnings: faults.warnings }
}

/** One identity key was the point of the last draft: whatever else is written, nothing is guessed. */
function checkContract({ document, yaml, faults }: Reader): void {
  const pattern = document['pattern'] ?? null
  if (pattern === 'tweed/v1') return
  if (pattern !== null) {
    const found = yaml.spelling('/pattern') ?? 'no text'
    const draft = 'tweed' in document ? ' (the name of the pattern belongs under "name")' : ''
    faults.problem(
      'tweed.metadata.unsupported-contract',
      '/pattern',
      `found ${JSON.stringify(found)}, supported is "tweed/v1"${draft}`,
    )
  } else if ('backend' in document) {
    faults.problem('tweed.metadata.not-a-pattern', '/backend', 'this is a backend image, not a pattern image')
  } else {
    const draft = 'tweed' in document ? ' ("tweed: v1" is an earlier draft)' : ''
    faults.problem('tweed.metadata.not-a-pattern', '', `"pattern: tweed/v1" is missing${draft}`)
  }
}

function readKeys(reader: Reader): Metadata {
  const { document, faults } = reader
  warnOfUnknownKeys(reader)
  const name = required(reader, 'name')
  if (name.length > nameMax) {
    faults.problem('tweed.metadata.bad-name', '/name', `is longer than ${nameMax} characters`)
  }
  const version = required(reader, 'version')
  if (version !== '' && !isVersion(version)) {
    faults.warning('tweed.metadata.version-not-semver', '/version', version)
  }
  const summary = text(reader, 'summary')
  const description = shortened(reader, text(reader, 'description'))
  const copyright = text(reader, 'copyright')
  const icon = iconOf(reader)
  const others = Object.fromEntries(Object.entries(document).filter(([key]) => !known.includes(key)))
  return {
    name,
    version,
    ...present({ summary, description, icon, copyright }),
    authors: authorsOf(reader),
    files: readFiles(document['files'] ?? null, reader.yaml, faults),
    inputs: readInputs(document['inputs'] ?? null, faults),
    ...(Object.keys(others).length === 0 ? {} : { others }),
  }
}

function warnOfUnknownKeys({ document, faults }: Reader): void {
  for (const key of Object.keys(document).filter((key) => !known.includes(key))) {
    const meant = nearest(key, known)
    faults.warning(
      'tweed.metadata.unknown-key',
      pointer('', key),
      JSON.stringify(key),
      meant === undefined ? undefined : `Did you mean "${meant}"?`,
    )
  }
}

/** A key that must be there; `1.10` and `1.1` are different versions, so numbers keep their spelling. */
function required({ document, yaml, faults }: Reader, key: 'name' | 'version'): string {
  const code = `tweed.metadata.bad-${key}` as const
  const value = document[key] ?? null
  if (value === null) {
    faults.problem(code, '', `"${key}" is missing`)
    return ''
  }
  const text = scalarText(value, yaml.spelling(`/${key}`))
  if (text === undefined) faults.problem(code, `/${key}`, 'is a map or list')
  else if (text.trim() === '') faults.problem(code, `/${key}`, 'is empty')
  return text ?? ''
}

function text(
  { document, yaml, faults }: Reader,
  key: 'summary' | 'description' | 'copyright',
): string | undefined {
  const value = document[key] ?? null
  if (value === null) return undefined
  if (typeof value === 'string') return value
  const spelt = scalarText(value, yaml.spelling(`/${key}`))
  if (spelt === undefined) faults.warning('tweed.metadata.not-text', `/${key}`, `"${key}" is left out`)
  else if (key !== 'copyright')
    faults.warning('tweed.metadata.not-text', `/${key}`, 'is taken as it is spelt')
  return spelt
}

function shortened({ faults }: Reader, description: string | undefined): string | undefined {
  if (description === undefined || Buffer.byteLength(description) <= descriptionBytesMax) return description
  faults.warning('tweed.metadata.too-long', '/description', `only ${descriptionBytesMax} bytes are shown`)
  return Buffer.from(description)
    .subarray(0, descriptionBytesMax)
    .toString()
    .replace(/\ufffd+$/, '')
}

function iconOf({ document, faults }: Reader): Icon | undefined {
  const value = document['icon'] ?? null
  if (value === null) return undefined
  const base64 = isObject(value) ? value['base64'] : undefined
  const icon = typeof base64 === 'string' ? readIcon(base64) : 'is no map with a text "base64"'
  if (typeof icon === 'string') {
    faults.warning('tweed.metadata.icon', '/icon', icon)
    return undefined
  }
  if (icon.width !== 128 || icon.height !== 128) {
    faults.warning('tweed.metadata.icon-size', '/icon', `it is ${icon.width}x${icon.height}`)
  }
  return icon
}

function authorsOf({ document, yaml, faults }: Reader): readonly string[] {
  const value = document['authors'] ?? null
  if (value === null) return []
  if (typeof value === 'string') {
    faults.warning('tweed.metadata.authors-not-a-list', '/authors', JSON.stringify(value))
    return [value]
  }
  if (!Array.isArray(value)) {
    faults.problem('tweed.metadata.bad-authors', '/authors', 'is no list')
    return []
  }
  return value.flatMap((author: Json, i) => {
    const place = pointer('/authors', i)
    const name = author === null ? undefined : scalarText(author, yaml.spelling(place))
    if (name !== undefined) return [name]
    faults.problem('tweed.metadata.bad-authors', place, 'is no text')
    return []
  })
}

/** A whole number counts, too: patterns that are numbered 1, 2, 3 lose nothing by it. */
function isVersion(text: string): boolean {
  const part = '(0|[1-9]\\d*)'
  return new RegExp(`^${part}(\\.${part}\\.${part}(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?)?$`).test(text)
}
