/** Whatever a form can produce passes the check of the broker: forms of all corpora, filled in at random. */
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/kit/json.ts'
import { compileSchema } from '../../src/kit/schema.ts'
import { fromText, toText } from '../../src/web/form/text.ts'
import { schemasOfCorpora } from './schemas.ts'
import { chanceOf, completed, walked } from './walk.ts'

/** What no field tells of itself: the broker says so, and the form shows it. */
const untold =
  /"(?:exclusiveMinimum|exclusiveMaximum|not|minProperties|maxProperties|propertyNames|contains|contentEncoding|if|dependencies|uniqueItems|patternProperties)":/

/** A choice of which another keyword forbids some. */
function forbidsChoices(schema: string): boolean {
  return schema.includes('"enum"') && /"(?:pattern|maxLength)"/.test(schema)
}

function isUntold(schema: JsonObject): boolean {
  const text = JSON.stringify(schema)
  return untold.test(text) || forbidsChoices(text)
}

test('a form that is filled in by what its fields offer is taken, and reads the same as YAML', () => {
  const judged = { taken: 0, open: 0, untold: 0 }
  const refused: unknown[] = []
  for (const [i, found] of schemasOfCorpora().entries()) {
    const compiled = compileSchema(found.schema)
    // Some schemas take nothing at all.
    if (compiled.kind === 'refused' || !found.examples.some((one) => compiled.check(one).length === 0))
      continue
    for (let seed = 1; seed <= 2; seed++) {
      const chance = chanceOf(1000 * i + seed)
      const done = completed(found, walked(found, chance, 25), chance)
      if (done === undefined) {
        judged.open++
        continue
      }
      const faults = compiled.check(done.value)
      const back = fromText(toText(done.value, [], ''), {}, [])
      if (back.kind !== 'value' || JSON.stringify(back.value) !== JSON.stringify(done.value))
        refused.push({ name: found.name, seed, back })
      if (faults.length === 0) judged.taken++
      else if (isUntold(found.schema)) judged.untold++
      else refused.push({ name: found.name, seed, faults, value: done.value })
    }
  }
  console.log(judged)

  expect(refused).toEqual([])
  expect(judged.taken).toBeGreaterThan(20 * (judged.untold + 1))
})
