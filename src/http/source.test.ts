import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { networkOf, sourcesOf } from './source.ts'

test.each<[string, readonly string[], readonly [string, string | undefined], string]>([
  ['nobody is trusted', [], ['10.0.0.1', '1.2.3.4'], '10.0.0.1'],
  ['a trusted proxy is believed', ['10.0.0.0/8'], ['10.0.0.1', '1.2.3.4'], '1.2.3.4'],
  ['another one is not', ['10.0.0.0/8'], ['11.0.0.1', '1.2.3.4'], '11.0.0.1'],
  [
    'what the caller made up before counts nothing',
    ['10.0.0.0/8'],
    ['10.0.0.1', '9.9.9.9, 1.2.3.4'],
    '1.2.3.4',
  ],
  ['a chain of own proxies', ['10.0.0.0/8'], ['10.0.0.1', '1.2.3.4, 10.0.0.2'], '1.2.3.4'],
  ['only own proxies', ['10.0.0.0/8'], ['10.0.0.1', '10.0.0.3'], '10.0.0.3'],
  ['no header', ['10.0.0.0/8'], ['10.0.0.1', undefined], '10.0.0.1'],
  ['nonsense', ['10.0.0.1'], ['10.0.0.1', 'unknown'], '10.0.0.1'],
  ['IPv4 in IPv6', ['10.0.0.1'], ['::ffff:10.0.0.1', '2001:db8::1'], '2001:db8::1'],
  ['an IPv6 network', ['fd00::/8'], ['fd00::1', '1.2.3.4'], '1.2.3.4'],
])('the source of a request: %s', (_name, trusted, [remoteAddress, forwarded], expected) => {
  const request = { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }

  expect(sourcesOf(trusted).of(request as unknown as IncomingMessage)).toBe(expected)
})

test.each([
  ['10.0.0.1', '10.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::', 'fe80:0:0:0::/64'],
])('%s is counted as %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
