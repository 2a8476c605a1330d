/** Names of client certificates: only what the certificate really says, and of no browser. */
import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { certifiedNames, namesIn } from './client-certificates.ts'

const fingerprint256 = 'AB:CD'

test.each<readonly [alternatives: string, expected: readonly string[]]>([
  ['DNS:cf.example, URI:spiffe://cluster/cf', ['DNS:cf.example', 'URI:spiffe://cluster/cf']],
  ['email:ops@cf.example, IP Address:10.0.0.1', ['email:ops@cf.example']],
  ['DNS:"a, DNS:cf.example, b"', []],
  [String.raw`DNS:"a\", DNS:cf.example, \"b", DNS:other.example`, ['DNS:other.example']],
  ['', []],
])('the alternative names %j are %j', (subjectaltname, expected) => {
  expect(namesIn({ fingerprint256, subjectaltname })).toEqual(['sha256:abcd', ...expected])
})

test('a common name is one only where there is one of it', () => {
  const subject = { C: '', ST: '', L: '', O: '', OU: '', CN: 'cf' }
  expect(namesIn({ fingerprint256, subject })).toContain('CN=cf')
  const twice = { ...subject, CN: ['cf', 'admin'] as unknown as string }
  expect(namesIn({ fingerprint256, subject: twice })).toEqual(['sha256:abcd'])
  expect(namesIn({})).toEqual([])
})

test.each([
  ['no authority signed it', { authorized: false }, {}],
  ['the connection is in the clear', {}, {}],
  ['a page of another site makes the request', { authorized: true }, { origin: 'https://evil.example' }],
  ['a browser makes the request', { authorized: true }, { 'sec-fetch-site': 'none' }],
])('there are none when %s', (_, state, headers) => {
  const socket = { ...state, getPeerCertificate: () => ({ fingerprint256 }) }
  expect(certifiedNames({ socket, headers } as unknown as IncomingMessage)).toEqual([])
})
