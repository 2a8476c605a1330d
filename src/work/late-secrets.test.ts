import { expect, test } from 'vitest'
import { systemClock } from '../kit/clock.ts'
import { makeMask } from '../kit/redact.ts'
import { withRests } from './late-secrets.ts'

const head = '-----BEGIN PRIVATE KEY----- MIIEvQIBADANBgkq'
const hex = (text: string) => Buffer.from(text).toString('hex')

test.each([
  ['differ in the whole next byte', 'zz', 'AA'],
  ['share half of the next byte', 'la', 'ma'],
])('of two keys that %s, the one that is learned late is hidden in hexadecimal', async (_, one, other) => {
  const known = `${head}${one}K7w2Qx9TzR4uVb8nLm3pJc6yHd5gFs1a`
  const late = `${head}${other}Zt0Wq8Ue5Ir2Op7As4Df1Gh6Jk3Lz9Xc`
  const kept = (await makeMask([known], systemClock)).text(hex(late))
  const shown = (await makeMask(withRests([late], [known]), systemClock)).text(kept)

  expect(kept).not.toContain(hex(late))
  expect(shown).not.toContain(hex(late.slice(head.length + 3)))
})

const address = 'https://api.internal/v1?access_token='

test.each([64, 76])(
  'of two addresses that begin alike, the token of the late one is hidden in Base64 in lines of %i behind a prefix',
  async (width) => {
    const [known, late] = ['Zt0Wq8Ue5Ir2Op7As4Df1Gh6Jk3Lz9Xc', 'K7w2Qx9TzR4uVb8nLm3pJc6yHd5gFs1a'].map(
      (token) => `${address}${token}`,
    ) as [string, string]
    const encoded = Buffer.from(late).toString('base64')
    const log = encoded.replace(new RegExp(`.{1,${width}}`, 'g'), 'app | $&\n')
    const kept = (await makeMask([known], systemClock)).text(log)
    const shown = (await makeMask(withRests([late], [known]), systemClock)).text(kept)
    // The sign in which the beginning and the token meet may stay.
    const rest = encoded.slice(Math.ceil((address.length * 8) / 6) + 1, width)

    expect(kept).toContain(rest)
    expect(shown).not.toContain(rest.slice(0, 12))
  },
)

test('of a document whose key has a frame that is hidden already, the lines of the key are hidden, too', async () => {
  const line = 'MIIEvQIBADANBgkqZt0Wq8Ue5Ir2Op7As4Df1Gh6Jk3Lz9XcK7w2Qx9TzR4uVb8n'
  const key = `-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----\n`
  const late = JSON.stringify({ type: 'account', inner: JSON.stringify({ key }) })
  const kept = `{"printed": "[redacted]\\\\n${line}\\\\n"}`
  const shown = (await makeMask(withRests([late], []), systemClock)).text(kept)

  expect(shown).not.toContain(line)
})
