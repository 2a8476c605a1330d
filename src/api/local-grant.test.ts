/** Tokens made on the machine: what a signature of the ring says, within its hour, and nothing else. */
import { expect, test } from 'vitest'
import { keyedDigest } from '../kit/hash.ts'
import { localGrantMs, localGrantPrefix } from '../model/account.ts'
import { readLocalGrant, writeLocalGrant } from './local-grant.ts'

const keys: Readonly<Record<string, Uint8Array>> = { a: Buffer.from('key a'), b: Buffer.from('key b') }
const sign = (id: string, text: string) => {
  const key = keys[id]
  return key && keyedDigest(key, text)
}
const grant = { id: 'g-1', reason: 'root@host: away', issuedAt: 1_000_000 }
const text = writeLocalGrant(grant, 'a', sign) ?? ''
const [body = '', signature = ''] = text.slice(localGrantPrefix.length).split('.')
const forged = (said: unknown, signedBy?: string) => {
  const other = Buffer.from(JSON.stringify(said)).toString('base64url')
  return `${localGrantPrefix}${other}.${signedBy === undefined ? signature : sign(signedBy, other)}`
}

test('it is read within its hour, by whichever key of the ring signed it', () => {
  expect(readLocalGrant(text, sign, grant.issuedAt)).toEqual(grant)
  expect(readLocalGrant(text, sign, grant.issuedAt + localGrantMs - 1)).toEqual(grant)
  expect(readLocalGrant(writeLocalGrant(grant, 'b', sign) ?? '', sign, grant.issuedAt)).toEqual(grant)
  expect(writeLocalGrant(grant, 'c', sign)).toBeUndefined()
})

test.each([
  ['its hour is over', text, grant.issuedAt + localGrantMs],
  ['it is of the future', text, grant.issuedAt - 120_000],
  ['the signature is another one', `${text.slice(0, -2)}xx`, grant.issuedAt],
  ['the signature is missing', `${localGrantPrefix}${body}.`, grant.issuedAt],
  ['more follows', `${text}.${signature}`, grant.issuedAt],
  ['it says something else', forged(['a', 'g-1', 'x', grant.issuedAt + 1]), grant.issuedAt],
  ['it is signed by no key of the ring', forged(['c', 'g-1', 'x', 1]), grant.issuedAt],
  ['it is no list', forged({ key: 'a' }, 'a'), grant.issuedAt],
  ['its time is a text', forged(['a', 'g-1', 'x', 'now'], 'a'), grant.issuedAt],
  ['it is no JSON', `${localGrantPrefix}e30x.${sign('a', 'e30x')}`, grant.issuedAt],
  ['its beginning is that of other tokens', text.replace('local_', ''), grant.issuedAt],
])('it is worth nothing when %s', (_, given, now) => {
  expect(readLocalGrant(given, sign, now)).toBeUndefined()
})
