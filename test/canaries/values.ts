/** Fifty secrets of every kind that people and programs have; parts of each are told by tokens that stand nowhere else. */
import { createHash } from 'node:crypto'
import type { Json } from '../../src/kit/json.ts'

export interface Canary {
  readonly name: string
  readonly value: Json
  /** Words of letters and digits within the value: a reader of one has seen a part of the secret. */
  readonly tokens: readonly string[]
}

type Token = (length: number) => string
/** Makes a value of words and of digits. */
type Make = (token: Token, digits: (length: number) => string) => Json

/** What is a secret because it was sent, lent or set. */
export function sentCanaries(set: string): readonly Canary[] {
  return kinds.map(([name, make], index) => canaryOf(`${set} ${index} ${name}`, make))
}

/** One secret text. */
export function wordCanary(name: string): Omit<Canary, 'value'> & { readonly value: string } {
  return { ...canaryOf(name, (t) => t(24)), value: signs(`${name} 0`, 24) }
}

function canaryOf(name: string, make: Make): Canary {
  const tokens: string[] = []
  const token: Token = (length) => {
    const made = signs(`${name} ${tokens.length}`, length)
    tokens.push(made)
    return made
  }
  let numbers = 0
  const value = make(token, (length) => digits(`${name} ${numbers++}`, length))
  return { name, value, tokens }
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Letters and digits that are the same in every run. */
function signs(seed: string, length: number): string {
  let text = ''
  for (let round = 0; text.length < length; round++)
    for (const byte of createHash('sha512').update(`${seed} ${round}`).digest())
      if (byte < 248) text += letters[byte % 62]
  return text.slice(0, length)
}

function digits(seed: string, length: number): string {
  const number = BigInt(`0x${createHash('sha512').update(seed).digest('hex')}`)
  return `9${number}`.slice(0, length)
}

function pem(title: string, t: Token): string {
  return [`-----BEGIN ${title}-----`, t(64), t(64), t(64), `${t(30)}==`, `-----END ${title}-----`, ''].join(
    '\n',
  )
}

const kinds: readonly (readonly [string, Make])[] = [
  ['six signs', (t) => t(6)],
  ['seven signs', (t) => t(7)],
  ['eight digits as a text', (_, d) => d(8)],
  ['a word', (t) => t(24)],
  ['a long word', (t) => t(400)],
  ['words and blanks', (t) => `${t(12)} ${t(12)} ${t(12)}`],
  ['blanks around it', (t) => `  ${t(16)}\t`],
  ['a line end behind it', (t) => `${t(20)}\n`],
  ['quotes', (t) => `${t(12)}'s "${t(12)}"`],
  ['a quote in front', (t) => `"${t(14)}`],
  ['backslashes', (t) => `\\${t(12)}\\n${t(12)}\\`],
  ['a word with odd signs', (t) => `${t(10)}!#%&/()=?*+~^|<>@${t(10)}`],
  ['signs of markup', (t) => `<${t(12)}>&amp;'"${t(12)}`],
  ['signs of the shell', (t) => `\${${t(12)}} $(${t(12)}) \`x\`; %{${t(12)}}`],
  ['a percent sign', (t) => `100%${t(12)}%20%2F`],
  ['an option', (t) => `--flag=${t(16)}`],
  ['a tab', (t) => `${t(12)}\t${t(12)}`],
  ['lines', (t) => `${t(20)}\n${t(20)}\n${t(20)}`],
  ['lines of Windows', (t) => `${t(20)}\r\n${t(20)}\r\n`],
  ['indented lines', (t) => `${t(18)}:\n    ${t(18)}\n    ${t(18)}\n`],
  ['signs that move the cursor', (t) => `\u001b[31m${t(12)}\u0007${t(12)}`],
  ['letters of other languages', (t) => `pä${t(12)}ßwörd-${t(12)}`],
  ['Chinese', (t) => `密码${t(12)}是${t(12)}`],
  ['pictures', (t) => `🔑${t(12)}🗝️${t(12)}`],
  ['letters of two parts', (t) => `e\u0301${t(12)}n\u0303${t(12)}`],
  ['right to left', (t) => `\u202e${t(12)}\u202cסיסמה${t(12)}`],
  ['signs without width', (t) => `${t(12)}\u200b${t(12)}\u2028${t(12)}`],
  ['hexadecimal', (t) => Buffer.from(t(24)).toString('hex')],
  ['Base64', (t) => Buffer.from(`${t(31)}??>>`).toString('base64')],
  [
    'a UUID',
    (t) =>
      Buffer.from(t(16))
        .toString('hex')
        .replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5'),
  ],
  ['an address with a password', (t) => `postgres://app:${t(20)}@db.internal:5432/app?sslmode=verify-full`],
  ['an address with a token', (t) => `https://api.internal/v1?access_token=${t(32)}&user=a%20b`],
  ['pairs', (t) => `host=db.internal user=app password='${t(20)}' sslkey=${t(20)}`],
  ['a private key', (t) => pem('EC PRIVATE KEY', t)],
  ['a certificate', (t) => pem('CERTIFICATE', t)],
  ['a key of SSH', (t) => `ssh-ed25519 ${t(68)} ${t(14)}`],
  [
    'a document',
    (t) => JSON.stringify({ type: 'account', password: t(20), private_key: pem('PRIVATE KEY', t) }),
  ],
  [
    'a document in a document',
    (t) => JSON.stringify({ inner: JSON.stringify({ token: t(24), list: [`"${t(12)}`] }) }),
  ],
  [
    'a document of YAML',
    (t) => `users:\n- name: admin\n  user:\n    token: ${t(30)}\n    password: "${t(20)}"\n`,
  ],
  ['variables', (t) => `export DB_PASSWORD='${t(20)}'\nexport API_TOKEN=${t(20)}\n`],
  ['a number of twelve digits', (_, d) => Number(d(12))],
  ['a number of nine digits', (_, d) => Number(d(9))],
  ['a negative number', (_, d) => -Number(d(10))],
  ['a fraction', (_, d) => Number(`${d(6)}.${d(6)}1`)],
  ['a list of texts', (t) => [t(14), `${t(14)} "x"`, t(14)]],
  ['a map in a map', (t) => ({ a: { b: t(16), c: [{ d: `ä${t(16)}` }] }, e: t(16) })],
  ['truths among texts', (t) => ({ enabled: true, disabled: false, none: null, pin: t(12) })],
  ['sixteen KiB', (t) => t(16_384)],
  ['many lines', (t) => Array.from({ length: 600 }, () => t(76)).join('\n')],
  ['a long text', (t) => Array.from({ length: 400 }, () => `${t(400)} `).join('')],
]
