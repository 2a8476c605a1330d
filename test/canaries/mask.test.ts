/** Fifty secrets in every way that programs write them, cut into pieces anywhere: none passes the mask, however many others it knows. */
import { describe, expect, test } from 'vitest'
import { maskOf, printedIn, type Stretch, secretTexts, shownIn } from '../../src/kit/redact.ts'
import { makeRandom } from '../simulation/world.ts'
import { formsOf } from './forms.ts'
import { searchFor } from './search.ts'
import { sentCanaries } from './values.ts'

const canaries = sentCanaries('the mask')
const search = searchFor(canaries)
const known = canaries.flatMap(({ value }) => [
  ...secretTexts(value),
  ...(typeof value === 'object' ? [JSON.stringify(value)] : []),
])

/** Lines of another secret, as many as make the mask look for lines in another way. */
const others = Array.from({ length: 40_000 }, (_, index) =>
  Buffer.from(`${index} of many others, ${index * 7}`)
    .toString('base64')
    .padEnd(64, 'Qx9'),
).join('\n')

describe.each([
  ['alone', known],
  ['among tens of thousands of lines', [...known, others]],
] as const)('%s', (_, secrets) => {
  const mask = maskOf(secrets)
  const told = canaries.flatMap(({ name, value }) =>
    formsOf(value).map(([form, text]) => [`${name} ${form}`, text] as const),
  )

  test.each([0, 1, 2, 3, 7])('behind %i other signs', (front) => {
    const hits = told.flatMap(([name, text]) => {
      const shown = mask.text(`${'log'.repeat(3).slice(0, front)}${text} .\n`)
      return search.in(Buffer.from(shown)).map(({ canary, text: found }) => `${name}: ${canary}: ${found}`)
    })

    expect(hits).toEqual([])
  })

  test('cut anywhere', () => {
    const random = makeRandom(7)
    const log = Buffer.from(told.map(([name, text]) => `telling ${name}: ${text} .\n`).join(''))
    for (let round = 0; round < 3; round++) {
      const one = mask.open()
      const shown: Stretch[] = []
      for (let from = 0; from < log.length; ) {
        const most = random.pick([1, 7, 33, 4096, 65_536])
        const end = Math.min(log.length, from + random.between(1, most))
        shown.push(...one.push(log.subarray(from, end)))
        from = end
      }
      shown.push(...one.end())

      expect(search.in(shownIn(shown))).toEqual([])
      // What is learned later is looked for in it.
      expect(printedIn(shown).equals(log)).toBe(true)
    }
  })
})
