/** Whether an instance is as its pak would make it now: what is still to be carried out although no change was asked for. */
import { canonical, isObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { Carryover } from '../../model/outcome.ts'
import type { Action, Situation } from '../../model/situation.ts'

/** imported: a state from elsewhere was put in. drifted: a check has found differences. failed: a change was not finished. */
type Due = 'imported' | 'drifted' | 'failed'

const entry = 'applied.json'

/** For an update that asks for nothing: whether it has something to do all the same. */
export function isDuePak({
  carryover,
  package: { digest },
}: Pick<Situation, 'package' | 'carryover'>): boolean {
  const applied = appliedIn(carryover)
  if (applied === undefined) return false
  return applied.due !== undefined || (applied.digest !== undefined && applied.digest !== digest)
}

/** After an apply that went well. */
export function asApplied(carryover: Carryover, digest: string): Carryover {
  return { ...carryover, [entry]: Buffer.from(canonical({ digest })) }
}

export function asDue(carryover: Carryover, due: Due): Carryover {
  const { digest } = appliedIn(carryover) ?? {}
  return {
    ...carryover,
    [entry]: Buffer.from(canonical({ due, ...present({ digest }) })),
  }
}

function appliedIn(
  carryover: Carryover,
): { readonly digest?: string | undefined; readonly due?: string | undefined } | undefined {
  const bytes = carryover[entry]
  // Written by the functions above and by nothing else.
  const value: unknown = bytes && JSON.parse(Buffer.from(bytes).toString())
  if (!isObject(value)) return undefined
  const text = (key: string) => (typeof value[key] === 'string' ? value[key] : undefined)
  return { digest: text('digest'), due: text('due') }
}

/** Applying again is an update that asks for nothing. */
export function asCarriedOut(
  action: Action,
  situation: Situation,
): { readonly action: Action; readonly situation: Situation } {
  if (action.kind !== 'invoke' || action.name !== 'apply') return { action, situation }
  const { instance, plan } = situation
  const { parameters } = instance
  const before = { parameters, plan }
  return { action: { kind: 'update' }, situation: { ...situation, parameters, sent: {}, before } }
}
