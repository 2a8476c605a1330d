/** Every schema of the corpora is a form: it is shown, its examples can be entered, and what comes out passes the check of the broker. */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileSchema } from '../../src/kit/schema.ts'
import { everyField } from '../../src/web/form/field.ts'
import { same } from '../../src/web/form/resolve.ts'
import { beginForm, fieldsOf } from '../../src/web/form/state.ts'
import { fromText, toText } from '../../src/web/form/text.ts'
import { entered } from './enter.ts'
import { schemasOfCorpora, shared } from './schemas.ts'

const all = schemasOfCorpora()
if (!existsSync(shared)) console.log(`skipped: ${shared} is not here; only our own corpora are tried`)

test('the corpora hold schemas', () => {
  const fields = all.flatMap((found) => [...everyField(fieldsOf(found, beginForm(found)))])
  const raw = fields.filter(({ kind }) => kind === 'raw')
  console.log(
    `${all.length} schemas, ${fields.length} fields at first, ${raw.length} of them as text, ${all.flatMap(({ examples }) => examples).length} examples`,
  )
  expect(all.length).toBeGreaterThan(20)
})

test.each(all.map((found) => [found.name, found] as const))('%s', (_name, found) => {
  const compiled = compileSchema(found.schema)
  const start = beginForm(found)
  expect([...everyField(fieldsOf(found, start))].length).toBeGreaterThan(0)

  for (const example of found.examples) {
    if (compiled.kind === 'refused' || compiled.check(example).length > 0) continue
    const { value, texts } = entered(found, example)

    expect([value, texts]).toEqual([example, {}])
    expect(compiled.check(value)).toEqual([])
    const back = fromText(toText(value, [], ''), value, [])
    expect(back.kind === 'value' && same(back.value, value)).toBe(true)
  }
})
