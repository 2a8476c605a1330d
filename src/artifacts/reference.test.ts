import { expect, test } from 'vitest'
import { toProblem } from '../model/problem.ts'
import { formatReference, parseReference, type ReferenceOptions, wantedOf } from './reference.ts'

const digest = `sha256:${'a'.repeat(64)}`

test.each<[string, object]>([
  [
    'docker://registry.example/name',
    { kind: 'registry', host: 'registry.example', repository: 'name', tag: 'latest' },
  ],
  [
    'docker://registry.example:5000/a/b:1.2',
    { host: 'registry.example:5000', repository: 'a/b', tag: '1.2' },
  ],
  ['docker://localhost/a', { host: 'localhost', repository: 'a', tag: 'latest' }],
  ['docker://localhost:5000/a:v1', { host: 'localhost:5000', repository: 'a', tag: 'v1' }],
  ['docker://[::1]:5000/a:v1', { host: '[::1]:5000', repository: 'a', tag: 'v1' }],
  ['docker://127.0.0.1:5000/a', { host: '127.0.0.1:5000', repository: 'a' }],
  [`docker://r.example/a@${digest}`, { repository: 'a', digest }],
  [`docker://r.example/a:v1@${digest}`, { repository: 'a', tag: 'v1', digest }],
  ['docker://docker.io/redis', { host: 'docker.io', repository: 'library/redis', tag: 'latest' }],
  ['docker://r.example/a__b/c-d/e.f', { repository: 'a__b/c-d/e.f' }],
  ['oci:dir', { kind: 'layout', path: 'dir' }],
  ['oci:./dir:v1', { kind: 'layout', path: './dir', name: 'v1' }],
  ['oci:/d:registry.example/a:1', { kind: 'layout', path: '/d', name: 'registry.example/a:1' }],
  [`oci:dir@${digest}`, { kind: 'layout', path: 'dir', digest }],
  ['oci:di@r:v1', { kind: 'layout', path: 'di@r', name: 'v1' }],
  ['oci-archive:a.tar:v1', { kind: 'layout-archive', path: 'a.tar', name: 'v1' }],
  [`kept:${digest}`, { kind: 'kept-archive', path: digest }],
  [`kept:${digest}@${digest}`, { kind: 'kept-archive', path: digest, digest }],
  [`kept:${digest}:r.example/a:1`, { kind: 'kept-archive', path: digest, name: 'r.example/a:1' }],
  ['docker-archive:a.tar', { kind: 'docker-archive', path: 'a.tar' }],
  ['./redis.brokerpak', { kind: 'path', path: './redis.brokerpak' }],
  ['/a b/bundle.json', { kind: 'path', path: '/a b/bundle.json' }],
  ['https://example.org/a.brokerpak', { kind: 'url', url: 'https://example.org/a.brokerpak' }],
])('%s is understood', (text, expected) => {
  expect(parseReference(text)).toMatchObject(expected)
})

test.each([
  [''],
  ['docker://name'],
  ['docker://r.example/'],
  ['docker://r.example/UPPER'],
  ['docker://r.example/a..b'],
  ['docker://r.example/a/-b'],
  ['docker://r.example/a:'],
  ['docker://r.example/a:bad tag'],
  [`docker://r.example/a:${'t'.repeat(129)}`],
  ['docker://r.example/a@sha256:short'],
  [`docker://r.example/a@md5:${'a'.repeat(32)}`],
  [`docker://r.example/a@sha256:${'A'.repeat(64)}`],
  ['docker://r.example:99999/a'],
  ['docker://r.example:0/a'],
  ['docker://user:password@r.example/a'],
  ['docker://r..example/a'],
  ['docker://-r.example/a'],
  [`docker://r.example/${'a'.repeat(300)}`],
  ['docker://r.example/a\0b'],
  ['kept:bundle.tgz'],
  ['oci:'],
  ['oci::v1'],
  ['ftp:somewhere'],
  ['https://'],
  ['https://user:secret@example.org/a.brokerpak'],
])('%j is refused', (text) => {
  let problem: unknown
  try {
    parseReference(text)
  } catch (error) {
    problem = toProblem(error)
  }

  expect(problem).toMatchObject({ code: 'reference.invalid' })
})

test.each<[string, ReferenceOptions, string]>([
  ['docker://redis', { defaultHost: 'docker.io' }, 'docker://docker.io/library/redis:latest'],
  ['docker://me/redis:7', { defaultHost: 'docker.io' }, 'docker://docker.io/me/redis:7'],
  ['docker://team/app', { defaultHost: 'r.example' }, 'docker://r.example/team/app:latest'],
  ['docker://other.example/app', { defaultHost: 'r.example' }, 'docker://other.example/app:latest'],
])('%s with the default host %j is %s', (text, options, expected) => {
  expect(formatReference(parseReference(text, options))).toBe(expected)
})

test.each([
  [`docker://r.example/a:v1@${digest}`],
  [`oci:dir:v1@${digest}`],
  ['oci-archive:a.tar'],
  ['docker-archive:a.tar:x:1'],
  ['./a'],
  ['https://example.org/x'],
])('%s reads the same after it was written', (text) => {
  expect(formatReference(parseReference(text))).toBe(text)
})

test('a reference with tag and digest wants both, a path nothing', () => {
  expect(wantedOf(parseReference(`docker://r.example/a:v1@${digest}`))).toEqual({ name: 'v1', digest })
  expect(wantedOf(parseReference('./a'))).toEqual({})
})

test.each([['docker://user:hunter2@r.example/app'], ['https://user:hunter2@r.example/app']])(
  'a password in %s is not repeated',
  (text) => {
    expect(() => parseReference(text)).toThrow(/^(?!.*hunter2)/)
  },
)
