/** What a package can say of a change before it is made: the action that tells, and what it is given. */
import type { JsonObject } from '../kit/json.ts'
import type { CustomAction } from './package.ts'

/** Of brokerpaks, of the CNAB specification, and of bundles that are older than it. */
const names = ['preview', 'io.cnab.dry-run', 'dry-run']

/** The file in which the plan of a change is told, resource by resource; without it, what the action prints is all. */
export const planFile = 'changes.json'

/** The action of an instance that says what a change would do; an action that might do it says nothing. */
export function previewAmong<T extends CustomAction>(actions: readonly T[]): T | undefined {
  return names.flatMap((name) => actions.filter((one) => one.name === name && !one.modifies))[0]
}

/** Of the parameters of a change, those that the action takes. */
export function previewParameters(
  { name, parameters: schema }: CustomAction,
  change: JsonObject,
): JsonObject {
  if (name === 'preview') return change
  const known = Object(schema?.['properties']) as object
  return Object.fromEntries(
    // What the change takes away has no value that could be given.
    Object.entries(change).filter(([member, value]) => Object.hasOwn(known, member) && value !== null),
  )
}
