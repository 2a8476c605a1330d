import { expect, test } from 'vitest'
import { parseChallenges } from './challenge.ts'

test.each<[string, readonly object[]]>([
  ['Basic realm="x"', [{ kind: 'basic' }]],
  ['basic', [{ kind: 'basic' }]],
  [
    'Bearer realm="https://auth.example/token",service="reg",scope="repository:a/b:pull,push"',
    [
      {
        kind: 'bearer',
        realm: 'https://auth.example/token',
        service: 'reg',
        scopes: ['repository:a/b:pull,push'],
      },
    ],
  ],
  [
    'Bearer realm="https://a/t", scope="repository:a:pull repository:b:pull"',
    [{ kind: 'bearer', realm: 'https://a/t', scopes: ['repository:a:pull', 'repository:b:pull'] }],
  ],
  [
    'Bearer realm="https://a/t",error="invalid_token", Basic realm="b, c"',
    [{ kind: 'bearer', realm: 'https://a/t', scopes: [] }, { kind: 'basic' }],
  ],
  ['Negotiate, Bearer realm="https://a/t"', [{ kind: 'bearer', realm: 'https://a/t', scopes: [] }]],
  ['bearer realm=https://a/t', [{ kind: 'bearer', realm: 'https://a/t', scopes: [] }]],
  ['Bearer realm="a \\"quoted\\" one"', [{ kind: 'bearer', realm: 'a "quoted" one', scopes: [] }]],
  ['Bearer service="no realm"', []],
  ['', []],
])('%j is understood', (header, expected) => {
  expect(parseChallenges(header)).toEqual(expected)
})

test('a header made to take long is read at once', () => {
  expect(parseChallenges(`Bearer realm="${'\\'.repeat(50_000)}`).length).toBeLessThan(2)
})
