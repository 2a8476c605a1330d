/** Takes known secret values out of streams of bytes, whatever way they were split or encoded. */

const mark = '[redacted]'
/** Shorter values would blot out half a log, and these words are secret to nobody. */
const shortest = 6
const harmless = new Set(['true', 'false', 'admin', 'localhost', 'password', 'default', 'secret'])

export interface Redactor {
  /** Gives back what can be shown of the bytes so far; the rest waits for the next piece. */
  push(bytes: Uint8Array): Uint8Array
  /** What is left at the end. */
  end(): Uint8Array
  /** How many bytes wait. */
  readonly held: number
}

/** Whether a value is long and odd enough to be looked for. */
function worthHiding(value: string): boolean {
  return value.length >= shortest && !harmless.has(value.toLowerCase()) && !/^\d{1,7}$/.test(value)
}

/** A one-pass redactor for these values and their usual encodings. */
export function redactor(secrets: Iterable<string>): Redactor {
  const needles = [...new Set([...secrets].flatMap(needlesOf))].sort((a, b) => b.length - a.length)
  const longest = needles[0]?.length ?? 0
  if (longest === 0) return { push: (bytes) => bytes, end: () => new Uint8Array(), held: 0 }
  const pattern = new RegExp(
    needles.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'),
    'g',
  )
  let waiting = ''
  return {
    get held() {
      return waiting.length
    },
    push(bytes) {
      const text = waiting + Buffer.from(bytes).toString('latin1')
      const { shown, rest } = replace(text, pattern, longest - 1)
      waiting = rest
      return new Uint8Array(Buffer.from(shown, 'latin1'))
    },
    end() {
      const shown = waiting.replace(pattern, mark)
      waiting = ''
      return new Uint8Array(Buffer.from(shown, 'latin1'))
    },
  }
}

/** A whole text without these values. */
export function redactText(text: string, secrets: Iterable<string>): string {
  return textRedactor(secrets)(text)
}

/** The same for many texts and the same values. */
export function textRedactor(secrets: Iterable<string>): (text: string) => string {
  const one = redactor(secrets)
  return (text) => Buffer.concat([one.push(Buffer.from(text)), one.end()]).toString()
}

/** The texts in a JSON value that are worth hiding. */
export function* secretTexts(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    yield value
    if (value.includes('\n')) yield* value.split('\n').filter((line) => line.length >= 16)
  } else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) yield* secretTexts(item)
  }
}

/** Replaces what is certain; keeps back as much of the end as could still grow into a needle. */
function replace(text: string, pattern: RegExp, keep: number): { shown: string; rest: string } {
  let shown = ''
  let from = 0
  const safe = text.length - keep
  pattern.lastIndex = 0
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    shown += text.slice(from, found.index) + mark
    from = found.index + found[0].length
  }
  const cut = Math.max(from, safe, 0)
  return { shown: shown + text.slice(from, cut), rest: text.slice(cut) }
}

function needlesOf(value: string): readonly string[] {
  if (!worthHiding(value)) return []
  const bytes = Buffer.from(value)
  return [
    bytes.toString('latin1'),
    latin1(JSON.stringify(value).slice(1, -1)),
    encodeURIComponent(value.toWellFormed()),
    bytes.toString('hex'),
    ...[0, 1, 2].flatMap((shift) => base64Cores(bytes, shift)),
  ]
}

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** The part of the Base64 text that does not depend on what stands around the value. */
function base64Cores(bytes: Buffer, shift: number): readonly string[] {
  const whole = bytes.subarray(shift === 0 ? 0 : 3 - shift)
  const core = whole.subarray(0, whole.length - (whole.length % 3))
  if (core.length < 6) return []
  return [core.toString('base64'), core.toString('base64url')]
}
