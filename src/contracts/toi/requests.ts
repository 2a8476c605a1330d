/** Which credentials an executor gets: what the package asks for, what the executor asks for, and how their names go together. */
import type { Problem } from '../../model/problem.ts'
import type { CredentialRequest, Requests } from './format.ts'

export interface Wanted {
  /** As the operator gives it. */
  readonly name: string
  /** As the executor sees it. */
  readonly as: string
  readonly request: CredentialRequest
}

/** Problems: toi.credentials.mismatch. */
export function wantedCredentials(
  asked: Requests,
  executor: Requests,
  mapping: Readonly<Record<string, string>> | undefined,
): { readonly wanted: readonly Wanted[]; readonly problems: readonly Problem[] } {
  const has = (requests: object, name: string): boolean => Object.hasOwn(requests, name)
  // An image says nothing of what it needs: the mapping chooses and renames.
  if (Object.keys(executor).length === 0) {
    const names =
      mapping === undefined ? Object.keys(asked) : Object.keys(asked).filter((name) => has(mapping, name))
    return {
      wanted: sorted(
        names.map((name) => ({ name, as: mapping?.[name] ?? name, request: asked[name] ?? none })),
      ),
      problems: [],
    }
  }
  const problems: Problem[] = []
  const wanted = Object.entries(executor).flatMap(([as, needed]): readonly Wanted[] => {
    const name = nameFor(as, mapping)
    if (name === undefined) {
      problems.push({
        code: 'toi.credentials.mismatch',
        detail: `credential mapping missing for executor credential key ${JSON.stringify(as)}`,
      })
      return []
    }
    if (!has(asked, name))
      return needed.optional && Object.keys(asked).length > 0 ? [] : [{ name, as, request: needed }]
    const own = asked[name] ?? none
    const unlike = mismatchOf(own, needed)
    if (unlike !== undefined)
      problems.push({
        code: 'toi.credentials.mismatch',
        detail: `credential ${JSON.stringify(name)} does not match executor setting ${JSON.stringify(as)}: ${unlike.text}`,
      })
    return [{ name, as, request: own }]
  })
  return { wanted: sorted(wanted), problems }
}

const none: CredentialRequest = { properties: {}, optional: false }

/** The same name, unless the mapping says another one or gives that name to something else. */
function nameFor(as: string, mapping: Readonly<Record<string, string>> | undefined): string | undefined {
  const [named] = Object.entries(mapping ?? {}).find(([, target]) => target === as) ?? []
  if (named !== undefined) return named
  return mapping !== undefined && Object.hasOwn(mapping, as) && mapping[as] !== as ? undefined : as
}

export interface Mismatch {
  /** The field of the package's request. */
  readonly field: 'consumerId' | 'properties' | 'optional'
  readonly text: string
  readonly fix: string
}

/** In what the package's request does not fit what the executor asks for. */
export function mismatchOf(own: CredentialRequest, needed: CredentialRequest): Mismatch | undefined {
  const text = (id: CredentialRequest['consumerId']): string =>
    JSON.stringify(Object.entries(id ?? {}).toSorted())
  if (text(own.consumerId) !== text(needed.consumerId))
    return {
      field: 'consumerId',
      text: 'consumer id mismatch',
      fix: `Write the consumerId that the executor has: ${JSON.stringify(needed.consumerId ?? {})}`,
    }
  const missing = Object.keys(needed.properties).find((property) => !Object.hasOwn(own.properties, property))
  if (missing !== undefined)
    return {
      field: 'properties',
      text: `property ${JSON.stringify(missing)} not declared`,
      fix: `Add "${missing}" to the properties of the request.`,
    }
  return own.optional && !needed.optional
    ? { field: 'optional', text: 'cannot be optional', fix: 'Take "optional" out: the executor needs it.' }
    : undefined
}

function sorted(wanted: readonly Wanted[]): readonly Wanted[] {
  return wanted.toSorted((a, b) => Number(a.name > b.name) - Number(a.name < b.name))
}
