import { expect, test } from 'vitest'
import { faultOfAddress } from './web-address.ts'

test.each([
  'r.example',
  'r.example:5000',
  'my_registry:5000',
  '127.0.0.1:5000',
  '[::1]:5000',
  'http://127.0.0.1:5000',
  'https://quay.io/',
  'https://quay.io/api/v1',
])('%s is an address', (text) => {
  expect(faultOfAddress(text)).toBeUndefined()
})

test.each([
  [' r.example', 'has blanks in it'],
  ['r.example\n', 'has blanks in it'],
  ['docker://r.example', 'has the scheme "docker"; http and https are known'],
  ['HTTPS://r.example', 'has the scheme "HTTPS"; http and https are known'],
  ['https:/r.example', 'names "https:", which is no host'],
  ['https://', 'names no host'],
  ['//r.example', 'names no host'],
  ['/team', 'names no host'],
  [':5000', 'names ":5000", which is no host'],
  ['r.example:99999', 'names "r.example:99999", which is no host'],
  ['::1', 'names "::1", which is no host'],
  ['oci:folder', 'names "oci:folder", which is no host'],
  ['r.example?n=1', 'goes on behind the host with what no address has'],
])('%j is none', (text, message) => {
  expect(faultOfAddress(text)).toMatchObject({ message, hint: expect.stringContaining('Write host:port') })
})

test.each(['https://u:p@r.example', 'u@r.example:5000', 'ftp://u:p@r.example', 'u:p/q@r.example'])(
  'what may be a password in %s is not repeated',
  (text) => {
    const told = JSON.stringify(faultOfAddress(text))

    expect(told).toContain('user and password')
    expect(told).not.toMatch(/u:p|u@|[?#]/)
  },
)
