/** Streams, tags across documents, and state. */
import { expect, test } from 'vitest'
import { below, parseSpiff, processSpiff, type SpiffOptions } from './index.ts'

function documents(text: string, options: SpiffOptions = {}, stubs: readonly string[] = []): unknown {
  const sources = stubs.map((stub, i) => ({ name: `stub${i + 1}`, text: stub }))
  const result = processSpiff({ name: 'template', text }, sources, options)
  return result.kind === 'done' ? result.documents.map((document) => document?.value) : result.fault.message
}

test('documents of a stream share stubs and see each other by number', () => {
  expect(documents('a: (( merge ))\n---\nb: (( doc.1::a + doc.-1::a ))\n', {}, ['a: 2'])).toEqual([
    { a: 2 },
    { b: 4 },
  ])
})

test('a temporary document is left out, its tags stay', () => {
  expect(documents('<<: (( &temporary ))\nd: (( &tag:p(1) ))\n---\nr: (( p::. ))\n')).toEqual([{ r: 1 }])
})

test('a partial run keeps what is escaped in a stream while one of its documents is open', () => {
  const stream = "a: '((!x))'\n---\nb: (( nosuch ))\n"

  expect(documents(stream, { partial: true })).toEqual([{ a: '((!x))' }, { b: '(( nosuch ))' }])
  expect(documents(stream.replace('nosuch', '1'), { partial: true })).toEqual([{ a: '((x))' }, { b: 1 }])
})

test('an empty document stays empty', () => {
  expect(documents('a: 1\n---\n---\nb: 2\n')).toEqual([{ a: 1 }, undefined, { b: 2 }])
})

test('a tag set by a function is found from anywhere', () => {
  expect(documents('a: (( lib::x ))\nz: (( tagdef("lib", { "x" = 5 }) ))\n')).toEqual([{ a: 5, z: { x: 5 } }])
})

test('global tags of stubs are visible in the template, plain ones are not', () => {
  const stub = 'a: (( &tag:*g(1) ))\nb: (( &tag:p(2) ))\n'

  expect(documents('g: (( g::. ))\np: (( p::. || "no" ))\n', {}, [stub])).toEqual([{ g: 1, p: 'no' }])
})

test('state is what is marked, and the strongest stub of the next run', () => {
  const template = { name: 'template', text: 's: (( &state(merge || 1) ))\no: (( s + 1 ))\n' }
  const first = processSpiff(template)
  const state = first.kind === 'done' ? (first.state?.yaml() ?? '') : ''

  const next = processSpiff(template, [], { state: { name: 'state', text: state.replace('1', '41') } })

  expect(state).toBe('s: 1\n')
  expect(next.kind === 'done' && next.documents[0]?.value).toEqual({ o: 42, s: 41 })
})

test('a document that was read once can be processed often, and be put below a field', () => {
  const parsed = parseSpiff({ name: 'data', text: 'x: 3' })
  if (parsed.kind === 'failed') throw new Error(parsed.fault.message)
  const template = { name: 'template', text: 'document: (( merge ))\nr: (( document.x ))\n' }

  const run = (): unknown => {
    const result = processSpiff(template, [below('document', parsed)])
    return result.kind === 'done' && result.documents[0]?.value
  }

  expect([run(), run()]).toEqual(Array(2).fill({ document: { x: 3 }, r: 3 }))
})

test.each([
  ['a: (( 1 + (2 * nosuch) ))', ' 1 + (2 * nosuch) ', 11],
  ['a: (( length(5) ))', ' length(5) ', 2],
  ['f: (( |x|->1 / x ))\na: (( "x" .f(0) ))', ' "x" .f(0) ', 6],
  ['a: (( 1 / 0 ))', ' 1 / 0 ', 2],
  ['a: (( 1 + ))', ' 1 + ', 6],
  ['a: (( "x" eval("nosuch") ))', ' "x" eval("nosuch") ', 6],
])('%j tells the part that failed', (text, code, column) => {
  const result = processSpiff({ name: 'template', text })

  const [first] = result.kind === 'failed' ? result.fault.unresolved : []
  expect(first?.code).toMatchObject({ text: code, place: { line: 1 } })
  expect(first?.code?.place.column).toBe(column)
})
