/** Templates that are read once, and functions of the host that answer later. */
import { expect, test } from 'vitest'
import { type CompiledTemplate, compile } from './index.ts'

function compiled(text: string): CompiledTemplate {
  const compilation = compile({ name: 'template', text })
  if (compilation.kind === 'failed') throw new Error(compilation.fault.message)
  return compilation.template
}

test('a template runs with other stubs each time', () => {
  const template = compiled('name: x\ngreeting: (( "hello " name ))\n')
  const greetings = ['a', 'b'].map((name) => {
    const result = template.run([{ name: 'stub', text: `name: ${name}\n` }])
    return result.kind === 'done' ? result.documents[0]?.value : result.fault.message
  })

  expect(greetings).toEqual([
    { greeting: 'hello a', name: 'a' },
    { greeting: 'hello b', name: 'b' },
  ])
})

test('a template that cannot be read is a fault with its place', () => {
  expect(compile({ name: 'template', text: 'a: b: c\n' })).toMatchObject({
    kind: 'failed',
    fault: { kind: 'yaml', line: 1, column: 5 },
  })
})

test('functions of the host may answer later, each call once, and on answers of others', async () => {
  const calls: unknown[] = []
  const lookUp = (key: unknown): Promise<unknown> => {
    calls.push(key)
    return Promise.resolve({ next: `${key}!` })
  }
  const template = compiled(
    'a: (( look("x").next ))\nb: (( look(a).next ))\nc: (( look("x").next || "wrong" ))\n',
  )
  const result = await template.runAsync([], { asyncFunctions: { look: lookUp } })

  expect(result.kind === 'done' && result.documents[0]?.value).toEqual({ a: 'x!', b: 'x!!', c: 'x!' })
  expect(calls).toEqual(['x', 'x!'])
})

test('a function of the host that fails is the failure of its call', async () => {
  const template = compiled('a: (( look() || "fallback" ))\nb: (( look() ))\n')
  const result = await template.runAsync([], {
    asyncFunctions: { look: () => Promise.reject(new Error('no answer')) },
  })

  expect(result).toMatchObject({ kind: 'failed', fault: { unresolved: [{ path: 'b', sign: '*' }] } })
})
