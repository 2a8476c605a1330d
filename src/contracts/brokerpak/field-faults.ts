/** Faults of documents as the originals list them: equal texts merged, sorted, one line each. */

export interface FieldFault {
  readonly text: string
  /** Where; empty for the document itself. */
  readonly path: string
}

/** `TEXT: path, path`, one line per text. */
export function listFaults(faults: readonly FieldFault[]): string {
  const paths = new Map<string, string[]>()
  for (const { text, path } of faults) paths.set(text, [...(paths.get(text) ?? []), path])
  return [...paths]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([text, places]) => `${text}: ${places.sort().join(', ')}`)
    .join('\n')
}

export function missing(path: string): FieldFault {
  return { text: 'missing field(s)', path }
}

/** A fault for each of these fields that is blank. */
export function blankFields(
  fields: Readonly<Record<string, string | undefined>>,
  base = '',
): readonly FieldFault[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === '' ? [missing(base === '' ? name : `${base}.${name}`)] : [],
  )
}

/** Whether a text is a UUID as both originals understand it. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

/** Whether a text is a URL as both originals understand it: it parses, and it has a scheme. */
export function isUrl(text: string): boolean {
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(text) ?? []
  if (scheme === undefined || /%(?![0-9a-f]{2})/i.test(rest)) return false
  const host = /^\/\/([^/?#]*)/.exec(rest)?.[1] ?? ''
  const tail = rest.replace(/^\/\/[^/?#]*/, '')
  if (/[\s<>"{}|\\^`]/.test(host) || hasControl(text)) return false
  if (host.includes('[') && !/\[[0-9a-f:.%]+\](?::\d*)?$/i.test(host)) return false
  if (/:\D/.test(host.replace(/^.*@/, '').replace(/^\[.*\]/, ''))) return false
  return !(rest.startsWith('//') ? host : tail).includes(' ')
}

function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text)
}
