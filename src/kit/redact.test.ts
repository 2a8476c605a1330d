import { expect, test } from 'vitest'
import { maskOf, printedIn, redactText, secretTexts, shownIn } from './redact.ts'

const secret = 'hünter2/"pass word"'
const bytes = Buffer.from(secret)
/** Long, of all signs, and different everywhere. */
const long = (length: number, seed = 1): string => {
  let state = seed
  const sign = (): string => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'[(state >>> 16) % 64] as string
  }
  return Array.from({ length }, sign).join('')
}
const key = [
  '-----BEGIN EC PRIVATE KEY-----',
  long(64),
  long(64, 2),
  `${long(20, 3)}==`,
  '-----END EC PRIVATE KEY-----',
  '',
].join('\n')
const wrapped = (text: string, width: number): string =>
  Buffer.from(text)
    .toString('base64')
    .replaceAll(new RegExp(`(.{${width}})`, 'g'), '$1\n')
const lines = (text: string, prefix: string): string =>
  text
    .split('\n')
    .map((line) => `${prefix}${line}`)
    .join('\n')

test.each([
  ['itself', secret],
  ['as JSON', JSON.stringify(secret).slice(1, -1)],
  ['as JSON without other letters', 'h\\u00fcnter2/\\"pass word\\"'],
  ['in a URL', encodeURIComponent(secret)],
  [
    'in a URL in small letters',
    encodeURIComponent(secret).replaceAll('%C3%BC', '%c3%bc').replaceAll('%2F', '%2f'),
  ],
  ['in a form', `${encodeURIComponent(secret).replaceAll('%20', '+')}`],
  ['in hex', bytes.toString('hex')],
  ['in hex of large letters', bytes.toString('hex').toUpperCase()],
  ['in Base64 alone', bytes.toString('base64').replace(/=+$/, '')],
  ['in Base64 after one byte', Buffer.from(`x${secret}yy`).toString('base64')],
  ['in Base64 after two bytes', Buffer.from(`xx${secret}y`).toString('base64')],
])('a secret is hidden %s', (_, text) => {
  const shown = redactText(`before ${text} after`, [secret])

  expect(shown).toContain('[redacted]')
  expect(shown.startsWith('before ')).toBe(true)
  expect(shown.endsWith(' after')).toBe(true)
})

test.each([
  ['a word of the shell with its quotes', `it's ${long(12)}`, `'it'\\''s ${long(12)}'`],
  ['Base64 in lines of 64', long(2000), wrapped(long(2000), 64)],
  ['Base64 in lines of 76', long(2000), wrapped(long(2000), 76)],
  [
    'Base64 in lines of 76, each behind a prefix',
    long(2000),
    lines(wrapped(long(2000), 76), '2026-01-01 app | '),
  ],
  [
    'hex in lines of 60',
    long(300),
    Buffer.from(long(300))
      .toString('hex')
      .replaceAll(/(.{60})/g, '$1\n'),
  ],
  ['lines of a key behind a prefix', key, lines(key, '+ ')],
  ['the second line of a key alone', key, long(64, 2)],
  ['a key in JSON', key, JSON.stringify({ key })],
  ['a key with line ends of two signs', key, key.replaceAll('\n', '\r\n')],
  ['half of a long secret', long(100_000), long(100_000).slice(0, 50_000)],
  ['a number', '48151623421', 'port=48151623421,'],
  ['an accent that a program has parted from its letter', 'Zürich-Straße', 'Zürich-Straße'.normalize('NFD')],
  ['an accent that a program has joined with its letter', 'Zürich-Straße'.normalize('NFD'), 'Zürich-Straße'],
])('hidden is %s', (_, value, text) => {
  const shown = redactText(`<${text}>`, [value])
  const pieces = value.split('\n').filter((line) => !line.startsWith('-----') && line !== '')

  expect(shown).toContain('[redacted]')
  const seen = [...pieces, Buffer.from(value).toString('base64'), Buffer.from(value).toString('hex')]
  for (const piece of seen)
    for (let at = 0; at + 24 <= piece.length; at += 12) expect(shown).not.toContain(piece.slice(at, at + 24))
  if (pieces.length === 1) expect(shown).not.toContain(value.slice(0, 24))
})

test.each([
  ['a private key', key, '[redacted]\n'],
  ['a key in JSON', JSON.stringify(key), '"[redacted]\\n"'],
  ['an authorization header', 'Authorization: Bearer abc.def-123', 'Authorization: Bearer [redacted]'],
  ['the same in JSON', '{"authorization":"Basic dXNlcjpwYXNz"}', '{"authorization":"Basic [redacted]"}'],
  ['a key as header', 'authorization: 0123456789abcdef', 'authorization: [redacted]'],
  ['a word after the header', 'authorization: denied for you', 'authorization: denied for you'],
  [
    'a password in an address',
    'psql postgres://me:s3cr3t@db:5432/x',
    'psql postgres://me:[redacted]@db:5432/x',
  ],
  ['an image with port and digest', 'docker://host:5000/a@sha256:00', 'docker://host:5000/a@sha256:00'],
  ['a signed token', `got ${jwt()}.`, 'got [redacted].'],
  ['what only begins like a token', 'eyJust a word, keyJ', 'eyJust a word, keyJ'],
])('by its looks is judged %s, however it was cut', (_, text, expected) => {
  const mask = maskOf([])
  for (const line of [text, `${text}\n`, `x ${text} y`]) {
    const wanted = line.replace(text, () => expected)
    expect(mask.text(line)).toBe(wanted)
    for (let cut = 1; cut < line.length; cut++)
      expect(inPieces(mask, Buffer.from(line), [cut])).toBe(mask.text(line))
  }
})

function jwt(): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'HS256' })}.${part({ sub: '1234567890' })}.${long(43).replace(/[+/]/g, '_')}`
}

function inPieces(mask: ReturnType<typeof maskOf>, text: Buffer, cuts: readonly number[]): string {
  const one = mask.open()
  const ends = [...cuts, text.length]
  let from = 0
  let given = 0
  let told = 0
  const shown = ends.map((end) => {
    const before = one.held
    const stretches = one.push(text.subarray(from, end))
    given += end - from
    told += before + (end - from) - one.held
    expect(told + one.held).toBe(given)
    from = end
    return stretches
  })
  const all = [...shown.flat(), ...one.end()]
  expect(Buffer.concat(all.map(({ shown: bytes, hidden = bytes }) => hidden)).equals(text)).toBe(true)
  return shownIn(all).toString()
}

test.each([24, 30, 40, 64])('a secret of %i signs that a program breaks in its midst is hidden', (length) => {
  const value = long(length)
  for (const odd of [value, `pä${value}ß`, `<${value.slice(1)}`, `\\${value}`]) {
    const half = Math.ceil(odd.length / 2)
    for (const front of ['', 'x', ': ', 'abc'])
      expect(redactText(`${front}${odd.slice(0, half)}\n${odd.slice(half)} end`, [odd])).toBe(
        `${front}[redacted] end`,
      )
  }
})

test.each([
  ['keys', (index: number) => long(64, index)],
  ['small letters', (index: number) => long(64, index).toLowerCase()],
  ['hexadecimal', (index: number) => Buffer.from(long(32, index)).toString('hex')],
  ['short lines', (index: number) => long(20, index)],
])('of tens of thousands of lines of %s, each is hidden alone, wherever it stands', (_, line) => {
  const mask = maskOf([Array.from({ length: 40_000 }, (_unused, index) => line(index + 1)).join('\n')])
  for (let index = 5; index < 40_000; index += 999) {
    const before = 'x: '.repeat(index % 23)
    expect(mask.text(`${before}${line(index)} behind`)).toBe(`${before}[redacted] behind`)
  }
  expect(
    mask.text('module.database.instance.main["K7"]: Still creating... [10s elapsed]\n'.repeat(999)),
  ).not.toContain('[redacted]')
})

test.each([
  ['quotes', `"${long(20)}" and "${long(20, 2)}"`],
  ['lines', `${long(20)}\n${long(20, 2)}\n${long(20, 3)}`],
  ['other letters', `ä${long(20)}ß${long(20, 2)}`],
])('in Base64 of a document, a secret with %s is hidden', (_, value) => {
  const ascii = (text: string): string =>
    text.replace(/[^\0-\x7f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
  for (const write of [JSON.stringify, (one: unknown) => ascii(JSON.stringify(one))])
    for (const name of ['a', 'ab', 'abc']) {
      const plain = Buffer.from(write({ [name]: value, z: 1 }))
      const shown = redactText(plain.toString('base64'), [value])
      const left = shown.split('[redacted]').map((part) => Buffer.from(part, 'base64').toString('latin1'))

      expect(left.join(' ')).not.toContain(long(20, 2).slice(2, 8))
      expect(shown).toMatch(/^[\w+/]+\[redacted\][\w+/]+=*$/)
    }
})

test('a secret that is split anywhere is hidden', () => {
  const text = Buffer.from(`log ${secret} end ${secret}`)
  const mask = maskOf([secret])
  for (let cut = 1; cut < text.length; cut++)
    expect(inPieces(mask, text, [cut])).toBe('log [redacted] end [redacted]')
})

test('however a text is cut, it is shown the same', () => {
  const secrets = [
    secret,
    long(40),
    long(40).slice(10, 30),
    long(5000, 2),
    long(5000, 2).slice(0, 64),
    'abcdef',
    'abcdefghi',
    'ghijkl',
  ]
  const mask = maskOf(secrets)
  const text = Buffer.from(
    [
      'abcdefghijkl abcdefgh abcde\nf',
      `${long(40)}${long(40)}\n`,
      `x${long(5000, 2)}y${long(5000, 2).slice(0, 100)}z`,
      wrapped(long(5000, 2), 76),
      key,
      `${secret}`,
    ].join(' | '),
  )
  const expected = mask.text(text.toString())
  expect(expected).not.toContain(long(5000, 2).slice(40, 80))
  let state = 7
  for (let round = 0; round < 300; round++) {
    const cuts = new Set<number>()
    for (let count = 0; count < 1 + (round % 40); count++) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      cuts.add(1 + ((state >>> 8) % (text.length - 1)))
    }
    expect(
      inPieces(
        mask,
        text,
        [...cuts].sort((a, b) => a - b),
      ),
    ).toBe(expected)
  }
})

test('of secrets that overlap nothing is shown and each byte is given back once, however a text is cut', () => {
  const first = long(300, 4)
  const second = `${first.slice(-24)}${long(400, 5)}`
  const text = Buffer.from(`before ${first}${second.slice(24)} after`)
  const mask = maskOf([first, second])

  for (let at = 1; at < text.length; at++) {
    const one = mask.open()
    const stretches = [...one.push(text.subarray(0, at)), ...one.push(text.subarray(at)), ...one.end()]
    const printed = printedIn(stretches).toString()

    expect([at, printed]).toEqual([at, text.toString()])
    expect([at, shownIn(stretches).toString()]).toEqual([at, 'before [redacted] after'])
  }
})

test.each([
  ['short', [long(12, 6)], long(12, 6)],
  ['long', [long(200, 7)], long(200, 7)],
  ['one of very many lines', Array.from({ length: 16 }, (_, seed) => long(60_000, seed + 10)), ''],
])(
  'a secret that is %s is found at every place of a long text, wherever that stands in memory',
  (_, values, value) => {
    const mask = maskOf(values)
    const form = value || Buffer.from(long(60_000, 12)).toString('base64').slice(6400, 6464)
    for (let before = 4096 - 48; before < 4096 + 16; before++) {
      const memory = Buffer.from(`${'.'.repeat(before % 16)}${'-'.repeat(before)}${form} and after`)
      const one = mask.open()
      const shown = shownIn([...one.push(memory.subarray(before % 16)), ...one.end()]).toString()

      expect([shown.lastIndexOf('-') + 1, shown.slice(before)]).toEqual([before, '[redacted] and after'])
    }
  },
)

test('a line appears at once, however long the secrets are', () => {
  const one = maskOf([long(1_000_000), key]).open()

  expect(shownIn(one.push(Buffer.from('a line\n'))).toString()).toBe('a line\n')
  expect(shownIn(one.push(Buffer.from(`${long(1_000_000).slice(0, 600_000)}`))).toString()).toBe('')
  expect(shownIn(one.push(Buffer.from('\nanother\n'))).toString()).toBe('[redacted]\nanother\n')
})

test('what waits for the next bytes is at most a few of them', () => {
  const one = maskOf([long(1_000_000)]).open()

  one.push(Buffer.from(`x${long(1_000_000).slice(0, 31)}`))
  expect(one.held).toBe(31)
})

test('thousands of secrets with one beginning are told apart', () => {
  const values = Array.from({ length: 2000 }, (_, index) => `${long(500)}-${index}-${long(30, index)}`)
  const shown = redactText(`a ${values[1234]} b ${values[7]} c`, values)

  expect(shown).toBe('a [redacted] b [redacted] c')
})

test('bytes that are no text pass unharmed', () => {
  const odd = new Uint8Array([0, 255, 254, 10, 128])
  const one = maskOf([secret]).open()

  expect(shownIn([...one.push(odd), ...one.end()])).toEqual(Buffer.from(odd))
})

test('short and common words are left alone', () => {
  expect(redactText('admin true 12345 abc', ['admin', 'true', '12345', 'abc'])).toBe('admin true 12345 abc')
})

test('the texts and numbers of a value are found', () => {
  expect([...secretTexts({ a: ['x', { b: 12_345_678, c: true, d: null }] })]).toEqual(['x', '12345678'])
})

test('and however deep a program has nested it', () => {
  const text = `${'['.repeat(100_000)}"x"${']'.repeat(100_000)}`

  expect([...secretTexts({ a: 'before', b: JSON.parse(text) as unknown, c: 'after' })]).toEqual([
    'before',
    'x',
    'after',
  ])
})

test('Base64 of a large value is hidden behind whatever stands before each line, however it is cut', () => {
  const value = long(100_000)
  const mask = maskOf([value, long(40, 9)])
  for (const width of [60, 100]) {
    const text = Buffer.from(`${wrapped(value, width).replace(/^/gm, '2026-01-01T00:00:00Z app | ')} end\n`)
    const shown = mask.text(text.toString())
    expect(new Set(shown.split('\n').slice(0, -2))).toEqual(
      new Set(['2026-01-01T00:00:00Z app | [redacted]']),
    )
    for (const size of [1000, 8192, 65_536]) {
      const cuts = Array.from({ length: text.length / size }, (_, index) => (index + 1) * size)
      expect(inPieces(mask, text, cuts)).toBe(shown)
    }
  }
})

test('of a file whose lines others print, too, only what is encoded is hidden', () => {
  const text = 'Plan: 1 to add, 0 to change\nkey: none of it is secret\nanother line\n'
  const mask = maskOf([], [text])

  expect(mask.text(text)).toBe(text)
  expect(mask.text(`a ${Buffer.from(text).toString('base64')} b`)).toMatch(/^a \[redacted\].{0,4} b$/)
  expect(mask.text(`a ${Buffer.from(text.trim()).toString('hex')} b`)).toBe('a [redacted] b')
})
