/** What is learned at the end is hidden in what was printed before, whatever else is hidden there already. */
import { expect, test } from 'vitest'
import { makeRandom, type Random } from '../../test/simulation/world.ts'
import { anOperation } from '../../test/support/rows.ts'
import { openTestStore, type TestStore } from '../../test/support/stores.ts'
import { systemClock } from '../kit/clock.ts'
import { maskOf } from '../kit/redact.ts'
import type { Operation } from '../model/operation.ts'
import { hideInLogs } from './late-secrets.ts'
import { openLogSink } from './log-sink.ts'
import { makeLogWriter } from './log-writer.ts'

interface Printing {
  readonly known: readonly string[]
  readonly pieces: readonly Uint8Array[]
}

/** Keeps what a program prints, as it is kept while the program runs. */
async function print({ store }: TestStore, { known, pieces }: Printing): Promise<Operation> {
  const operation = anOperation({ state: 'succeeded' })
  await store.write((tx) => tx.addOperation(operation))
  const sink = await openLogSink({
    store,
    writer: makeLogWriter(store, systemClock),
    mask: maskOf(known),
    operation: operation.id,
    run: `run-${operation.id}`,
    bytesMax: 1024 * 1024,
    lost: (error) => {
      throw error
    },
  })
  for (const bytes of pieces) await sink.take({ step: 'main', stream: 'stdout', bytes })
  await sink.end()
  return operation
}

async function shown({ store }: TestStore, { id }: Operation): Promise<string> {
  const rows = await store.look.log(id, 0, 10_000)
  return Buffer.concat(rows.map(({ bytes }) => bytes)).toString()
}

const token = 'Zt0Wq8Ue5Ir2Op7As4Df1Gh6Jk3Lz9Xc'
const other = 'K7w2Qx9TzR4uVb8nLm3pJc6yHd5gFs1a'
const base64 = (text: string) => Buffer.from(text).toString('base64')
const hex = (text: string) => Buffer.from(text).toString('hex')

test.each([
  [
    'begins like a known one and is broken soon behind that',
    [`host=db.internal user=app password='${other}'`],
    `host=db.internal user=app password='${token}'`,
    (late: string) => `${late.slice(0, 38)}\n${late.slice(38)}`,
  ],
  [
    'holds a known one in its midst',
    [other],
    `user=app;password=${other};token=${token}`,
    (late: string) => late,
  ],
  [
    'holds what is hidden by its looks',
    [],
    `postgres://app:${other}@db.internal/app?sslkey=${token}`,
    (late: string) => `connecting to ${late} now`,
  ],
  ['ends like a known one begins', [`${other}, and more of it`], `${token}${other}`, (late: string) => late],
  [
    'begins like a known one, in hexadecimal',
    [`-----BEGIN PRIVATE KEY----- MIIEvQIBADANBgkqla${other}`],
    `-----BEGIN PRIVATE KEY----- MIIEvQIBADANBgkqma${token}`,
    hex,
  ],
  [
    'begins like a known one, in lines of Base64 behind a prefix',
    [`https://api.internal/v1?access_token=${other}`],
    `https://api.internal/v1?access_token=${token}`,
    (late: string) => base64(late).replace(/.{1,64}/g, 'app | $&\n'),
  ],
  [
    'is a document with a key',
    [],
    JSON.stringify({ inner: JSON.stringify({ key: `-----BEGIN PRIVATE KEY-----\n${token}${other}\n` }) }),
    (late: string) => late,
  ],
])('a secret that %s is hidden when it is learned', async (_, known, late, written) => {
  await using opened = await openTestStore('memory')
  const text = `printed: ${written(late)} end\n`
  const operation = await print(opened, { known, pieces: [Buffer.from(text)] })
  await hideInLogs({ store: opened.store, clock: systemClock }, operation, maskOf([...known, late]))

  const left = await shown(opened, operation)
  for (const form of [token, hex(token), ...[0, 1, 2].map((cut) => base64(token.slice(cut)))])
    for (let at = 0; at + 12 <= form.length - 4; at++) expect(left).not.toContain(form.slice(at, at + 12))
  expect(left).toMatch(/^printed: .* end\n$/s)
})

test.each([0, 60_000, 90_000, 104_000, 800_000])(
  'a secret that begins like a known one is hidden behind %i bytes, where the beginning of a long log ends',
  async (many) => {
    await using opened = await openTestStore('memory')
    const known = `host=db.internal user=app password='${other}'`
    const late = `host=db.internal user=app password='${token}'`
    const pieces = [
      Buffer.from(`${'x'.repeat(79)}\n`.repeat(many / 80)),
      Buffer.from(`printed ${late} .\n`.repeat(1000)),
    ]
    const operation = await print(opened, { known: [known], pieces })
    await hideInLogs({ store: opened.store, clock: systemClock }, operation, maskOf([known, late]))

    const left = await shown(opened, operation)
    expect(left).not.toContain(token.slice(0, 12))
    expect(left).toContain('printed [redacted] .\n')
  },
)

test('what another operation of the instance hides stays hidden, though its secret is known no more', async () => {
  await using opened = await openTestStore('memory')
  const pieces = [Buffer.from(`one ${other} two ${token} three\n`)]
  const earlier = await print(opened, { known: [other], pieces })
  const binding = anOperation({ target: { ...earlier.target, binding: 'b-1' }, state: 'succeeded' })
  await opened.store.write((tx) => tx.addOperation(binding))
  await hideInLogs({ store: opened.store, clock: systemClock }, binding, maskOf([token]))

  expect(await shown(opened, earlier)).toBe('one [redacted] two [redacted] three\n')
})

test('a secret whose middle is printed with the next piece is hidden in both', async () => {
  await using opened = await openTestStore('memory')
  const long = token.repeat(4096)
  const text = `${'x'.repeat(60_000)} ${long} end ${other}\n`
  const operation = await print(opened, {
    known: [other],
    pieces: [Buffer.from(text.slice(0, 70_000)), Buffer.from(text.slice(70_000))],
  })
  await hideInLogs({ store: opened.store, clock: systemClock }, operation, maskOf([long]))

  expect((await shown(opened, operation)).replace(/x+/, 'x')).toBe('x [redacted] end [redacted]\n')
})

/** Parts that secrets share: the more of them do, the more marks stand in each other's way. */
const parts = [
  'host=db.internal user=app password=',
  'https://api.internal/v1?access_token=',
  'postgres://app:',
  '@db:5432/app?key=',
  '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
  '"\\',
  'pä',
  '\n',
]

function word(random: Random): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
  return Array.from({ length: random.between(8, 40) }, () => letters[random.between(0, 61)]).join('')
}

function makeSecret(random: Random, others: readonly string[]): string {
  const piece = (): string => {
    const one = random.pick(['word', 'word', 'part', 'part', 'beginning', 'all'])
    const from = others[random.between(0, Math.max(0, others.length - 1))] ?? ''
    if (one === 'part') return random.pick(parts)
    if (one === 'beginning') return from.slice(0, random.between(0, from.length))
    return one === 'all' ? from : word(random)
  }
  const text = Array.from({ length: random.between(1, 4) }, piece).join('')
  return text.trim().length < 12 ? `${text}${word(random)}` : text
}

function makePrinted(random: Random, secret: string): string {
  const [before, wide] = [random.pick(['', 'app | ', '> ']), random.pick([64, 76, random.between(12, 90)])]
  const inLines = (text: string): string =>
    text.replace(new RegExp(`.{1,${wide}}`, 'gs'), (line) => `${before}${line}\n`)
  const written = random.pick([
    (text: string) => text,
    base64,
    hex,
    (text: string) => JSON.stringify({ value: text }),
    encodeURIComponent,
    (text: string) => JSON.stringify(JSON.stringify([text])),
  ])(secret)
  // What is broken within its first signs is found or not, as it comes.
  const place = random.between(Math.min(12, written.length), written.length)
  return random.pick([
    written,
    inLines(written),
    `${written.slice(0, place)}\n${before}${written.slice(place)}`,
    written.slice(0, Math.max(12, place)),
  ])
}

function cutAnywhere(random: Random, text: Uint8Array): readonly Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let from = 0; from < text.length; from += pieces.at(-1)?.length ?? 1)
    pieces.push(text.subarray(from, from + random.between(1, random.pick([9, 90, 900]))))
  return pieces
}

test('whatever was known when it was printed, in the end all is hidden that is hidden where all is known', async () => {
  await using opened = await openTestStore('memory')
  const faults: string[] = []
  for (let seed = 1; seed <= 200; seed++) {
    const random = makeRandom(seed)
    const secrets: string[] = []
    for (let count = random.between(2, 5); count > 0; count--) secrets.push(makeSecret(random, secrets))
    const known = secrets.filter(() => random.between(0, 1) === 0)
    const printed = Array.from({ length: 6 }, () => makePrinted(random, random.pick(secrets))).join(' .\n')
    const operation = await print(opened, { known, pieces: cutAnywhere(random, Buffer.from(printed)) })
    const target = { ...operation.target, instance: 'another' }
    const all = maskOf(secrets)
    await hideInLogs({ store: opened.store, clock: systemClock }, { ...operation, target }, all)

    const wanted = all.text(printed)
    for (const text of (await shown(opened, operation)).split('[redacted]'))
      for (let at = 0; at + 8 <= text.length; at++)
        if (!wanted.includes(text.slice(at, at + 8))) faults.push(`${seed}: ${text.slice(at, at + 8)}`)
  }

  expect(faults).toEqual([])
})
