/** The files a pattern announces: names that stay below $OUTPUTS, each once. */
import { isObject, type Json, pointer } from '../../kit/json.ts'
import { strayKeys } from '../../kit/near-keys.ts'
import type { YamlReading } from '../../kit/yaml.ts'
import type { Faults } from '../faults.ts'

export interface FileNote {
  /** Relative to the folder of outputs. */
  readonly filename: string
  readonly summary?: string
  /** Markdown. */
  readonly description?: string
}

const known = ['filename', 'summary', 'description']
const relative = 'Write a path relative to $OUTPUTS: "filename: summary.txt".'

/** The announced files; what is wrong goes to the faults. */
export function readFiles(value: Json, yaml: YamlReading, faults: Faults): readonly FileNote[] {
  if (value === null) return []
  if (!Array.isArray(value)) {
    const [first] = isObject(value) ? Object.keys(value) : []
    const hint = `Write a list: "- filename: ${first ?? 'summary.txt'}", each with its summary.`
    faults.problem('tweed.metadata.bad-files', '/files', 'is no list', hint)
    return []
  }
  const seen = new Set<string>()
  return value.flatMap((entry: Json, i) => readEntry(entry, pointer('/files', i), { yaml, faults, seen }))
}

interface Around {
  readonly yaml: YamlReading
  readonly faults: Faults
  readonly seen: Set<string>
}

function readEntry(entry: Json, place: string, { yaml, faults, seen }: Around): readonly FileNote[] {
  const refuse = (at: string, detail: string, hint: string) => {
    faults.problem('tweed.metadata.bad-files', at, detail, hint)
    return []
  }
  if (!isObject(entry)) {
    const name = typeof entry === 'string' ? entry : 'summary.txt'
    return refuse(place, 'is no map', `Write "filename: ${name}", and its summary below.`)
  }
  const strays = strayKeys(entry, known, fileSynonyms)
  const instead = strays.find(({ meant }) => meant === 'filename')
  if (!('filename' in entry)) {
    return instead === undefined
      ? refuse(place, '"filename" is missing', 'Add "filename: …", relative to $OUTPUTS.')
      : refuse(pointer(place, instead.key), `${instead.detail}; "filename" is missing`, instead.hint)
  }
  for (const { key, detail, hint } of strays)
    faults.warning('tweed.metadata.unknown-key', pointer(place, key), detail, hint)
  const at = `${place}/filename`
  const filename = safeName(entry['filename'], () => yaml.spelling(at))
  if (filename === undefined) {
    const within = relativePart(entry['filename'])
    const hint = within === undefined ? relative : `Write "${within}": names are relative to $OUTPUTS.`
    return refuse(at, '"filename" must be a relative path that stays below $OUTPUTS', hint)
  }
  warnOfName(String(entry['filename']), at, faults)
  if (seen.has(filename)) {
    refuse(
      at,
      `${JSON.stringify(filename)} is listed twice`,
      'Remove one of the two, or give it a name of its own.',
    )
  }
  seen.add(filename)
  return [
    {
      filename,
      ...textOf(entry, 'summary', place, faults),
      ...textOf(entry, 'description', place, faults),
    },
  ]
}

/** What authors of other descriptions call the name. */
const fileSynonyms: Readonly<Record<string, string>> = {
  name: 'filename',
  path: 'filename',
  file: 'filename',
}

/** What lies below the folder of outputs in a name that tells where that is today. */
function relativePart(name: unknown): string | undefined {
  return typeof name === 'string'
    ? /^(?:\/tweed\/outputs|\$\{?OUTPUTS\}?)\/+(.+)$/.exec(name)?.[1]
    : undefined
}

/** Names that are allowed and will never be those of a file that a pattern writes. */
function warnOfName(name: string, at: string, faults: Faults): void {
  const warn = (detail: string, hint: string) => faults.warning('tweed.metadata.doubtful', at, detail, hint)
  const within = relativePart(name)
  if (within !== undefined) {
    warn(
      `${name} is taken as it stands, no variable is looked up`,
      `Write "${within}": names are relative to $OUTPUTS.`,
    )
  } else if (name.endsWith('/')) {
    warn(`${name} names a folder`, 'List each file that is written there.')
  } else if (/[*?]/.test(name)) {
    warn(`${name} is taken as it stands, it stands for no other names`, 'List each file.')
  }
}

/** The name without empty and "." steps; undefined for one that leaves the folder or names it. */
function safeName(value: unknown, spelling: () => string | undefined): string | undefined {
  const name = typeof value === 'number' || typeof value === 'boolean' ? spelling() : value
  if (typeof name !== 'string' || name.startsWith('/') || name.includes('\0')) return undefined
  const steps = name.split('/').filter((step) => step !== '' && step !== '.')
  return steps.length === 0 || steps.includes('..') ? undefined : steps.join('/')
}

function textOf(
  entry: { readonly [key: string]: unknown },
  key: 'summary' | 'description',
  place: string,
  faults: Faults,
): { readonly summary?: string; readonly description?: string } {
  const value = entry[key] ?? null
  if (typeof value === 'string') return { [key]: value }
  if (value !== null)
    faults.warning(
      'tweed.metadata.not-text',
      `${place}/${key}`,
      `"${key}" is left out`,
      `Write a text: ${key}: …`,
    )
  return {}
}
