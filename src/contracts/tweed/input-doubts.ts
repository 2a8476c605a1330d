/** What users would trip over in a parameter whose schema is well-formed: a password that is shown. */
import { type JsonObject, pointer } from '../../kit/json.ts'
import type { Faults } from '../faults.ts'

/** Warns of a secret that nothing hides; the place is that of all parameters. */
export function warnOfPlainSecret(
  name: string,
  { type, writeOnly, enum: values }: JsonObject,
  place: string,
  faults: Faults,
): void {
  const isSecret = /(^|[-_a-z])(pass(word|wd|phrase)|secret|token|api[-_]?key)$/i.test(name)
  if (!isSecret || type !== 'string' || writeOnly !== undefined || values !== undefined) return
  const hint = 'Add "writeOnly: true": its values are hidden then, and kept sealed.'
  faults.warning('tweed.metadata.doubtful', pointer(place, name), `${name} is not hidden`, hint)
}
