/** The files a pattern announces: names that stay below $OUTPUTS, each once. */
import { isObject, type Json, pointer } from '../../kit/json.ts'
import type { YamlReading } from '../../kit/yaml.ts'
import type { Faults } from './faults.ts'

export interface FileNote {
  /** Relative to the folder of outputs. */
  readonly filename: string
  readonly summary?: string
  /** Markdown. */
  readonly description?: string
}

/** The announced files; what is wrong goes to the faults. */
export function readFiles(value: Json, yaml: YamlReading, faults: Faults): readonly FileNote[] {
  if (value === null) return []
  if (!Array.isArray(value)) {
    faults.problem('tweed.metadata.bad-files', '/files', 'is no list')
    return []
  }
  const seen = new Set<string>()
  return value.flatMap((entry: Json, i) => {
    const place = pointer('/files', i)
    if (!isObject(entry)) {
      faults.problem('tweed.metadata.bad-files', place, 'is no map')
      return []
    }
    const filename = safeName(entry['filename'], () => yaml.spelling(`${place}/filename`))
    if (filename === undefined) {
      faults.problem(
        'tweed.metadata.bad-files',
        'filename' in entry ? `${place}/filename` : place,
        '"filename" must be a relative path that stays below $OUTPUTS',
      )
      return []
    }
    if (seen.has(filename)) {
      faults.problem(
        'tweed.metadata.bad-files',
        `${place}/filename`,
        `${JSON.stringify(filename)} is listed twice`,
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
  })
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
  if (value !== null) faults.warning('tweed.metadata.not-text', `${place}/${key}`, `"${key}" is left out`)
  return {}
}
