/** What a registry asks for when it answers 401: the challenges of WWW-Authenticate. */
import { present } from '../../kit/present.ts'

export type Challenge =
  | { readonly kind: 'basic' }
  | {
      readonly kind: 'bearer'
      readonly realm: string
      readonly service?: string
      readonly scopes: readonly string[]
    }

/** Reads all challenges we can meet; a header may hold several, and commas inside quotes. */
export function parseChallenges(header: string): readonly Challenge[] {
  return splitChallenges(header).flatMap(({ scheme, parameters }): readonly Challenge[] => {
    if (scheme === 'basic') return [{ kind: 'basic' }]
    const realm = parameters.get('realm')
    if (scheme !== 'bearer' || realm === undefined) return []
    const service = parameters.get('service')
    const scopes = (parameters.get('scope') ?? '').split(' ').filter((scope) => scope !== '')
    return [{ kind: 'bearer', realm, ...present({ service }), scopes }]
  })
}

interface Parsed {
  readonly scheme: string
  readonly parameters: Map<string, string>
}

function splitChallenges(header: string): readonly Parsed[] {
  const found: Parsed[] = []
  // A parameter, or else a word that starts the next challenge.
  const pieces = /\s*,?\s*(?:([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))|([\w-]+))/gy
  for (const match of header.matchAll(pieces)) {
    const [, name, quoted, plain, scheme] = match
    if (scheme !== undefined) found.push({ scheme: scheme.toLowerCase(), parameters: new Map() })
    else if (name !== undefined) {
      found.at(-1)?.parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '')
    }
  }
  return found
}
