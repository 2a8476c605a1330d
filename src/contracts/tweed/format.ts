/** The metadata document of a pattern: read as written, all problems and warnings at once with their places. */
import { isObject, type Json, type JsonObject, pointer } from '../../kit/json.ts'
import { type StrayKey, strayKeys } from '../../kit/near-keys.ts'
import { present } from '../../kit/present.ts'
import { toldFault, type YamlReading } from '../../kit/yaml.ts'
import type { Problem } from '../../model/problem.ts'
import { collectFaults, type Faults } from '../faults.ts'
import { type DocumentFault, readMap, scalarText } from './document.ts'
import { type FileNote, readFiles } from './files.ts'
import { type Icon, readIcon } from './icon.ts'
import { readInputs } from './inputs.ts'
import { isVersion, semanticVersion } from './version.ts'

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
  readonly strays: readonly StrayKey[]
}

const source = 'metadata'
const known = [
  ...['pattern', 'name', 'version', 'summary', 'description', 'icon', 'copyright', 'authors', 'files'],
  'inputs',
]
/** What authors of other descriptions call them. */
const synonyms: Readonly<Record<string, string>> = {
  ...{ title: 'name', displayName: 'name', display_name: 'name', parameters: 'inputs', params: 'inputs' },
  ...{ outputs: 'files', logo: 'icon', image: 'icon', maintainers: 'authors', contract: 'pattern' },
}
const nameMax = 255
const descriptionBytesMax = 64 * 1024

/** What mends a document that has no better hint of its own. */
const hints: Readonly<Partial<Record<DocumentFault, string>>> = {
  'not-json': 'Write finite numbers, and texts as keys; leave out what JSON cannot say.',
}

/** Reads what the metadata operation printed. */
export function readMetadata(bytes: Uint8Array): MetadataReading {
  const printed = readMap(bytes, { merge: false })
  if (printed.kind === 'fault') {
    const [first, ...rest] = printed.faults.map(
      (fault): Problem => ({
        code: `tweed.metadata.${printed.fault}`,
        ...present({ hint: hints[printed.fault] }),
        ...toldFault(fault, source),
      }),
    )
    return {
      kind: 'refused',
      problems: [first ?? { code: `tweed.metadata.${printed.fault}`, where: { source } }, ...rest],
    }
  }
  const { value: document, yaml } = printed
  const faults = collectFaults(source, yaml.place)
  const reader: Reader = { document, yaml, faults, strays: strayKeys(document, known, synonyms) }
  checkContract(reader)
  const metadata = faults.problems.length > 0 ? undefined : readKeys(reader)
  const [first, ...rest] = faults.problems
  if (metadata === undefined || first !== undefined) {
    return { kind: 'refused', problems: [first ?? { code: 'tweed.metadata.not-a-pattern' }, ...rest] }
  }
  return { kind: 'metadata', metadata, warnings: faults.warnings }
}

/** One identity key was the point of the last draft: whatever else is written, nothing is guessed. */
function checkContract({ document, yaml, faults, strays }: Reader): void {
  const pattern = document['pattern'] ?? null
  if (pattern === 'tweed/v1') return
  const instead = strays.find(({ meant }) => meant === 'pattern')
  if (pattern !== null) {
    const found = yaml.spelling('/pattern') ?? 'no text'
    const draft = 'tweed' in document ? ' (the name of the pattern belongs under "name")' : ''
    faults.problem(
      'tweed.metadata.unsupported-contract',
      '/pattern',
      `found ${JSON.stringify(found)}, supported is "tweed/v1"${draft}`,
      draft === '' ? 'Write "pattern: tweed/v1".' : undefined,
    )
  } else if ('backend' in document) {
    faults.problem('tweed.metadata.not-a-pattern', '/backend', 'this is a backend image, not a pattern image')
  } else if (instead !== undefined) {
    const detail = `${instead.detail}; "pattern: tweed/v1" is missing`
    faults.problem('tweed.metadata.not-a-pattern', pointer('', instead.key), detail, instead.hint)
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
    const hint = 'Shorten it; what it is for belongs under "summary".'
    faults.problem('tweed.metadata.bad-name', '/name', `is longer than ${nameMax} characters`, hint)
  }
  const version = required(reader, 'version')
  if (version !== '' && !isVersion(version)) {
    const meant = semanticVersion(version)
    const hint = meant === undefined ? undefined : `Write ${meant}, a version of MAJOR.MINOR.PATCH.`
    faults.warning('tweed.metadata.version-not-semver', '/version', version, hint)
  }
  const summary = text(reader, 'summary')
  if (summary?.trim().includes('\n')) {
    const hint = 'Say it in one line; more belongs under "description".'
    faults.warning('tweed.metadata.doubtful', '/summary', 'the summary has several lines', hint)
  }
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

/** One that stands for a key that must be there is told as its absence. */
function warnOfUnknownKeys({ document, faults, strays }: Reader): void {
  for (const { key, meant = '', detail, hint } of strays) {
    if (isRequired(meant) && !Object.hasOwn(document, meant)) continue
    faults.warning('tweed.metadata.unknown-key', pointer('', key), detail, hint)
  }
}

const examples = { name: 'Guestbook', version: '1.0.0' } as const

function isRequired(key: string): boolean {
  return Object.hasOwn(examples, key)
}

/** A key that must be there; `1.10` and `1.1` are different versions, so numbers keep their spelling. */
function required({ document, yaml, faults, strays }: Reader, key: keyof typeof examples): string {
  const code = `tweed.metadata.bad-${key}` as const
  const line = `"${key}: ${examples[key]}"`
  const value = document[key] ?? null
  if (value === null) {
    const [instead] = strays.filter(({ meant }) => meant === key)
    const detail = `"${key}" is missing`
    if (instead === undefined) {
      const there = Object.hasOwn(document, key)
      faults.problem(code, there ? `/${key}` : '', detail, `${there ? 'Write' : 'Add'} ${line}.`)
    } else {
      faults.problem(code, pointer('', instead.key), `${instead.detail}; ${detail}`, instead.hint)
    }
    return ''
  }
  const text = scalarText(value, yaml.spelling(`/${key}`))
  if (text === undefined) faults.problem(code, `/${key}`, 'is a map or list', `Write a text: ${line}.`)
  else if (text.trim() === '') faults.problem(code, `/${key}`, 'is empty', `Write ${line}.`)
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
  if (spelt === undefined) {
    faults.warning('tweed.metadata.not-text', `/${key}`, `"${key}" is left out`, `Write a text: ${key}: …`)
  } else if (key !== 'copyright') {
    faults.warning('tweed.metadata.not-text', `/${key}`, `"${key}" is taken as it is spelt`)
  }
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

const wholeIcon = 'Write "icon: {base64: …}" with what "base64 -w0 icon.png" prints.'

function iconOf({ document, faults }: Reader): Icon | undefined {
  const value = document['icon'] ?? null
  if (value === null) return undefined
  const base64 = isObject(value) ? value['base64'] : undefined
  if (typeof base64 !== 'string') {
    const [stray] = isObject(value) ? strayKeys(value, ['base64'], { png: 'base64', data: 'base64' }) : []
    if (stray?.meant === undefined)
      faults.warning('tweed.metadata.icon', '/icon', 'is no map with a text "base64"', wholeIcon)
    else {
      const at = pointer('/icon', stray.key)
      faults.warning('tweed.metadata.icon', at, `${stray.detail}; "base64" is missing`, stray.hint)
    }
    return undefined
  }
  const icon = readIcon(base64)
  if ('fault' in icon) {
    faults.warning('tweed.metadata.icon', '/icon/base64', icon.fault, icon.hint)
    return undefined
  }
  if (icon.width !== 128 || icon.height !== 128) {
    faults.warning('tweed.metadata.icon-size', '/icon/base64', `it is ${icon.width}x${icon.height}`)
  }
  return icon
}

function authorsOf({ document, yaml, faults }: Reader): readonly string[] {
  const value = document['authors'] ?? null
  const list = 'Write a list: authors: [Ada]'
  if (value === null) return []
  if (typeof value === 'string') {
    const hint = `Write a list: authors: [${value}]`
    faults.warning('tweed.metadata.authors-not-a-list', '/authors', JSON.stringify(value), hint)
    return [value]
  }
  if (!Array.isArray(value)) {
    faults.problem('tweed.metadata.bad-authors', '/authors', 'is no list', list)
    return []
  }
  return value.flatMap((author: Json, i) => {
    const place = pointer('/authors', i)
    const name = author === null ? undefined : scalarText(author, yaml.spelling(place))
    if (name !== undefined) return [name]
    faults.problem('tweed.metadata.bad-authors', place, 'is no text', authorHint(author))
    return []
  })
}

/** A map of name and address as one text. */
function authorHint(author: Json): string {
  if (author === null) return 'Write a text, or remove the dash.'
  const { name, email } = isObject(author) ? author : {}
  if (typeof name !== 'string') return 'Write a text: "Name <address>".'
  return `Write a text: "${typeof email === 'string' ? `${name} <${email}>` : name}".`
}
