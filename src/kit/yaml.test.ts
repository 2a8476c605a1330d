import { expect, test } from 'vitest'
import { readYaml, toldFault, writeYaml } from './yaml.ts'

test('a document is read with places', () => {
  const reading = readYaml('a: 1\nb:\n  - x\n  - y: yes\n')

  expect(reading.value).toEqual({ a: 1, b: ['x', { y: 'yes' }] })
  expect(reading.place('/b/1/y')).toEqual({ line: 4, column: 5 })
  expect(reading.place('/b/1/nothing')).toEqual({ line: 4, column: 5 })
})

test.each([
  ['a: 1\na: 2\n', 'Map keys must be unique', 2],
  ['a: 1\n---\nb: 2\n', 'there is more than one document', 2],
  ['a: [1\n', 'Flow sequence in block collection must be sufficiently indented and end with a ]', 2],
])('%j is refused with its line', (text, message, line) => {
  const [fault] = readYaml(text).faults

  expect(fault?.message).toBe(message)
  expect(fault?.line).toBe(line)
})

test('an alias bomb is refused', () => {
  const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]']
  for (const [i, name] of [...'bcdefgh'].entries()) {
    const before = 'abcdefg'[i]
    bomb.push(`${name}: &${name} [${Array(9).fill(`*${before}`).join(',')}]`)
  }

  expect(readYaml(bomb.join('\n')).value).toBeUndefined()
})

test('an empty document is null', () => {
  expect(readYaml('').value).toBeNull()
})

test('what is written can be read', () => {
  const value = { a: ['x: y', 'yes', '1'], b: { c: null } }

  expect(readYaml(writeYaml(value)).value).toEqual(value)
})

test('exact reading keeps integers of any size, and takes any scalar as a key', () => {
  const reading = readYaml('big: 9007199254740993\nhex: 0x1F\n6379: redis\ntrue: x\n', { exact: true })

  expect(JSON.stringify(reading.value)).toBe('{"6379":"redis","big":9007199254740993,"hex":31,"true":"x"}')
})

test.each([
  ['a: {b: .nan}\n', 'JSON has no infinite number and no "not a number"', { line: 1, column: 5 }],
  ['x: 1\na: -.inf\n', 'JSON has no infinite number and no "not a number"', { line: 2, column: 1 }],
  ['? {a: b}\n: c\n', 'a key must not be a map or list', { line: 1, column: 1 }],
  ['1: a\n"1": b\n', 'two keys are both "1" as text', { line: 1, column: 1 }],
])('%j says what JSON cannot say', (text, message, place) => {
  expect(readYaml(text, { exact: true }).faults).toEqual([{ kind: 'value', message, ...place }])
})

test('a scalar can be asked how it is spelt', () => {
  const reading = readYaml('a: 1.10\nb: "1.10"\nc: [0x1F]\n')

  expect(reading.spelling('/a')).toBe('1.10')
  expect(reading.spelling('/b')).toBe('1.10')
  expect(reading.spelling('/c/0')).toBe('0x1F')
  expect(reading.spelling('/c')).toBeUndefined()
})

test('a merge key may be repeated where merge keys are honoured, and nowhere else', () => {
  const text = 'a: &a {x: 1}\nb: &b {y: 2}\nc:\n  <<: *a\n  <<: *b\n'

  expect(readYaml(text, { merge: true }).value).toMatchObject({ c: { x: 1, y: 2 } })
  expect(readYaml(text).faults[0]?.message).toBe('Map keys must be unique')
})

test('keys are compared by their value at every depth', () => {
  const [fault] = readYaml('a:\n  - {x: 1, "x": 2}\n').faults

  expect(fault).toMatchObject({ kind: 'syntax', message: 'Map keys must be unique', line: 2, column: 12 })
})

test('a text that only opens brackets is refused before it is read', () => {
  expect(readYaml('['.repeat(1_000_000)).faults).toEqual([
    { kind: 'syntax', message: 'the lists and maps are nested too deep', line: 1, column: 1 },
  ])
})

test.each([
  ['a: b: c\n', 'Quote a value that has a colon'],
  ['a: 1\na: 2\n', 'Remove one of the two'],
  ['a: 1\n---\nb: 2\n', 'Keep one of them'],
  ['a:\n\t- b\n', 'Indent with blanks'],
])('%j is told with its place and what to do', (text, hint) => {
  const [fault] = readYaml(text).faults

  expect(fault && toldFault(fault, 'a.yml')).toMatchObject({
    detail: fault?.message,
    where: { source: 'a.yml', line: fault?.line, column: fault?.column },
    hint: expect.stringContaining(hint) as string,
  })
})
