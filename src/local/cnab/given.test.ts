import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CnabNotes, ValueSet } from '../../contracts/cnab/index.ts'
import type { JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { toProblem } from '../../model/problem.ts'
import { type GivenValue, givenValues } from './given.ts'
import { resolveSets } from './sets.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-given-'))
  writeFileSync(join(folder, 'hello.txt'), 'Hello World!')
  writeFileSync(join(folder, 'map.json'), '{"a":[1]}')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function notes(custom: JsonObject, dependencies: CnabNotes['dependencies'] = []): CnabNotes {
  const destination = (env: string) => ({ destination: { env } })
  const bundle = {
    schemaVersion: '1.2.0',
    name: 'given',
    version: '1.0.0',
    invocationImages: [{ image: 'example/a:1' }],
    definitions: {
      port: { type: 'integer' },
      file: { type: 'string', contentEncoding: 'base64' },
      map: { type: 'object' },
    },
    parameters: {
      port: { definition: 'port', ...destination('PORT') },
      file: { definition: 'file', ...destination('FILE') },
      map: { definition: 'map', ...destination('MAP') },
    },
    custom,
    requiredExtensions: Object.keys(custom),
  }
  return {
    text: JSON.stringify(bundle),
    relocation: {},
    image: { reference: '' },
    reference: '',
    dependencies,
  }
}

const noSets = { values: {}, files: {} }
const files = { 'sh.porter.file-parameters': {} }

test.each<[string, JsonObject, Readonly<Record<string, GivenValue>>, JsonObject]>([
  ['what is typed as its definition says', {}, { port: { typed: '80' } }, { port: 80 }],
  ['texts of documents, too', {}, { port: { value: '80' } }, { port: 80 }],
  ['typed values as they are', {}, { map: { value: { a: 1 } } }, { map: { a: 1 } }],
  ['what does not fit as it is, to be judged later', {}, { port: { typed: 'x' } }, { port: 'x' }],
  ['names that nobody knows, to be judged later', {}, { prot: { typed: '1' } }, { prot: '1' }],
  ['a name of no file as the text it is', files, { file: { typed: 'SGVsbG8=' } }, { file: 'SGVsbG8=' }],
])('takes %s', (_, custom, given, expected) => {
  expect(givenValues(notes(custom), { sets: noSets, given })['']).toEqual(expected)
})

test('takes the bytes of a file where parameters are files, and its name elsewhere', () => {
  const given = { file: { typed: join(folder, 'hello.txt') } }

  expect(givenValues(notes(files), { sets: noSets, given })['']).toEqual({ file: 'SGVsbG8gV29ybGQh' })
  expect(givenValues(notes({}), { sets: noSets, given })['']).toEqual({ file: join(folder, 'hello.txt') })
})

test('takes the bytes of a file that a set names where parameters are files, and its text elsewhere', async () => {
  writeFileSync(join(folder, 'bytes'), Buffer.from([0, 255, 10]))
  const set = (source: ValueSet['entries'][number]['source']): ValueSet => ({
    name: 's',
    namespace: '',
    labels: {},
    entries: [{ name: 'file', ...present({ source }) }],
  })
  const at = { environment: {}, folder, secret: () => undefined }
  const ofSets = async (custom: JsonObject, ...sources: readonly ValueSet['entries'][number]['source'][]) =>
    givenValues(notes(custom), { sets: await resolveSets(sources.map(set), at), given: {} })['']
  const text = { kind: 'value', value: 'YQ==' } as const

  expect(await ofSets(files, { kind: 'path', value: 'bytes' })).toEqual({ file: 'AP8K' })
  expect(await ofSets({}, { kind: 'path', value: 'hello.txt' })).toEqual({ file: 'Hello World!' })
  expect(await ofSets(files, { kind: 'path', value: 'bytes' }, text)).toEqual({ file: 'YQ==' })
  await expect(ofSets(files, { kind: 'path', value: 'gone' })).rejects.toThrow(
    'unable to resolve s.file from path',
  )
})

test('takes JSON of a file after an at sign', () => {
  const given = { map: { typed: `@${join(folder, 'map.json')}` } }

  expect(givenValues(notes({}), { sets: noSets, given })['']).toEqual({ map: { a: [1] } })
})

test('lets what is typed win over sets, and leaves alone what is of other bundles', () => {
  const sets = { values: { port: '1', stranger: 'x' }, files: {} }

  expect(givenValues(notes({}), { sets, given: {} })['']).toEqual({ port: 1 })
  expect(givenValues(notes({}), { sets, given: { port: { typed: '2' } } })['']).toEqual({ port: 2 })
})

test('hands dependencies what is theirs, and knows which there are', () => {
  const family = notes({}, [
    { ...notes({}), alias: 'db/disk' },
    { ...notes({}), alias: 'db' },
  ])
  const at = (given: Readonly<Record<string, GivenValue>>) => givenValues(family, { sets: noSets, given })

  expect(at({ 'db#port': { typed: '5' } })).toEqual({ '': {}, db: { port: 5 } })
  expect(at({ 'db#disk#port': { typed: '6' } })).toEqual({ '': {}, 'db/disk': { port: 6 } })
  expect(() => at({ 'mail#port': { typed: '5' } })).toThrow('no dependency "mail"')
  try {
    at({ 'mail#port': { typed: '5' } })
  } catch (error) {
    expect(toProblem(error).code).toBe('cnab.parameter.undefined')
  }
})
