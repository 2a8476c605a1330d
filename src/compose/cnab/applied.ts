/** What an installation was last made of, in a form that can be compared without holding any credential. */
import { type Bundle, type Claim, definitionOf, isInternal, textOfValue } from '../../contracts/cnab/index.ts'
import { sha256 } from '../../kit/hash.ts'
import { canonical } from '../../kit/json.ts'
import type { AppliedState } from './room.ts'

/** The state that an action would leave, or has left. */
export function appliedStateOf({
  digest,
  bundle,
  claim,
  credentials,
}: {
  readonly digest: string
  readonly bundle: Bundle
  readonly claim: Claim
  readonly credentials: Readonly<Record<string, string>>
}): AppliedState {
  const shown = Object.entries(claim.parameters).filter(([name]) => {
    const declared = bundle.parameters[name]
    return declared !== undefined && !isInternal(definitionOf(bundle, declared))
  })
  return {
    digest,
    parameters: Object.fromEntries(shown.map(([name, value]) => [name, textOfValue(value)])),
    credentials: sha256(canonical(credentials)),
  }
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
