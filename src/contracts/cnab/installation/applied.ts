/** What an installation was last made of, in a form that can be compared without holding any credential. */
import { sha256 } from '../../../kit/hash.ts'
import { canonical, type JsonObject } from '../../../kit/json.ts'
import { type Bundle, defaultOf, definitionOf, isInternal } from '../bundle.ts'
import { sourcesOf } from '../sources.ts'
import { textOfValue } from '../texts.ts'

/** What an installation was like when it last changed, to find out later whether it is still so. */
export interface AppliedState {
  readonly digest: string
  /** Texts of all parameters that people decide: not of those that outputs supply, or the authoring tool. */
  readonly parameters: Readonly<Record<string, string>>
  /** A hash over the sorted credentials. */
  readonly credentials: string
}

export interface Wanted {
  readonly digest: string
  readonly bundle: Bundle
  /** Typed, by people; defaults stand for the rest. */
  readonly given: JsonObject
  readonly credentials: Readonly<Record<string, string>>
}

/** The state that an action would leave, or has left; the same whichever action brings it about. */
export function appliedStateOf({ digest, bundle, given, credentials }: Wanted): AppliedState {
  const parameters = Object.entries(bundle.parameters).flatMap(([name, parameter]) => {
    const definition = definitionOf(bundle, parameter)
    const isGiven = Object.hasOwn(given, name)
    if (isInternal(definition) || (!isGiven && sourcesOf(bundle, name).length > 0)) return []
    const value = isGiven ? { value: given[name] ?? null } : defaultOf(definition)
    return value === undefined ? [] : [[name, textOfValue(value.value)] as const]
  })
  return { digest, parameters: Object.fromEntries(parameters), credentials: sha256(canonical(credentials)) }
}

/** What differs, in words for people. */
export function changesBetween(before: AppliedState | undefined, after: AppliedState): readonly string[] {
  if (before === undefined) return ['nothing is known of how it was made']
  const names = new Set([...Object.keys(before.parameters), ...Object.keys(after.parameters)])
  return [
    ...(before.digest === after.digest ? [] : ['bundle digest']),
    ...[...names]
      .sort()
      .filter((name) => before.parameters[name] !== after.parameters[name])
      .map((name) => `parameter ${name}`),
    ...(before.credentials === after.credentials ? [] : ['credentials']),
  ]
}
