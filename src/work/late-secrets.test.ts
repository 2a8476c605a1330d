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
