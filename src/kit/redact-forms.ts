/** The ways in which programs write a value: as it is, escaped, quoted, in hex, in Base64, or one line of it at a time. */

/** The bytes of one way to write a value; those of encodings are made piece by piece as they are looked at. */
export interface Form {
  readonly length: number
  at(index: number): number
  /** Bytes from an index on, as many as are at hand. */
  run(index: number): Uint8Array
}

/** Shorter values would blot out half a log, and these words are never secret. */
const shortest = 6
const harmless = new Set(['true', 'false', 'admin', 'localhost', 'password', 'default', 'secret'])
/** A line of a text that stands alone must be longer to be told from an ordinary word. */
const shortestLine = 8
/** Programs break Base64 after 64 or 76 characters: these are the bytes on a line. */
const wraps = [48, 57]
/** Of a longer value any beginning is looked for, so that its last signs do not matter. */
const shortMax = 64
/** Longer values are looked for in fewer ways. */
const longMax = 64 * 1024
/** A multiple of three, so that pieces of Base64 join without a gap. */
const blockBytes = 1536

/** Whether a value is long and odd enough to be looked for. */
function worthHiding(value: string): boolean {
  return value.length >= shortest && !harmless.has(value.toLowerCase()) && !/^\d{1,7}$/.test(value)
}

/** Every form of a value that is looked for. */
export function* formsOf(value: string): Generator<Form> {
  const trimmed = value.trim()
  if (!worthHiding(trimmed)) return
  const bytes = Buffer.from(trimmed)
  yield whole(bytes)
  for (const text of writings(trimmed)) yield whole(Buffer.from(text))
  yield hex(bytes, 'lower')
  yield hex(bytes, 'upper')
  for (const alphabet of ['base64', 'base64url'] as const) {
    yield base64(bytes, alphabet)
    for (const begin of [0, 2, 1]) {
      // What stands around the value changes the signs at both its ends.
      const core = bytes.subarray(begin, bytes.length - ((bytes.length - begin) % 3))
      if (core.length >= shortest && (begin > 0 || core.length < shortMax)) yield base64(core, alphabet)
    }
  }
  if (bytes.length <= longMax) yield* wrappedLines(bytes)
  if (trimmed.includes('\n')) for (const line of linesOf(trimmed)) yield whole(Buffer.from(line))
}

/** The lines of a text that may be seen alone. */
export function* linesOf(text: string): Generator<string> {
  for (const part of text.split('\n')) {
    const line = part.trim()
    // The frame of a PEM block says nothing.
    if (line.length >= shortestLine && worthHiding(line) && !line.startsWith('-----')) yield line
  }
}

/** The value inside other texts, where that changes it: JSON as several languages write it, shell words, addresses. */
function writings(value: string): ReadonlySet<string> {
  const texts = new Set<string>()
  if (/^[\w.-]*$/.test(value)) return texts
  const json = JSON.stringify(value).slice(1, -1)
  const address = encodeURIComponent(value.toWellFormed())
  const all = [json, address, value.replaceAll('\n', '\r\n')]
  if (value.length <= longMax) all.push(...rarer(value, json, address))
  for (const text of all) if (text !== value) texts.add(text)
  return texts
}

function rarer(value: string, json: string, address: string): readonly string[] {
  const unicode = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
  const query = address.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  const form = query.replaceAll('%20', '+')
  return [
    json.replace(/[<>&\u2028\u2029]/g, unicode),
    json.replace(/[^\0-\x7f]/g, unicode),
    json.replaceAll('/', '\\/'),
    value.replaceAll("'", "'\\''"),
    value.replaceAll("'", `'"'"'`),
    value.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r'),
    query,
    form,
    ...[address, query, form].map(lowerEscapes),
  ]
}

function lowerEscapes(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
}

/** The lines of wrapped Base64 after the first, which is the beginning of the whole. */
function* wrappedLines(bytes: Buffer): Generator<Form> {
  for (const width of wraps) {
    for (let from = width; from + shortest <= bytes.length; from += width)
      yield whole(Buffer.from(bytes.toString('base64', from, from + width).replace(/=+$/, '')))
  }
}

function whole(bytes: Uint8Array): Form {
  return { length: bytes.length, at: (index) => bytes[index] ?? -1, run: (index) => bytes.subarray(index) }
}

function hex(bytes: Buffer, letters: 'lower' | 'upper'): Form {
  return encoded(bytes.length * 2, 2 * blockBytes, (block) => {
    const text = bytes.toString('hex', block * blockBytes, (block + 1) * blockBytes)
    return Buffer.from(letters === 'upper' ? text.toUpperCase() : text)
  })
}

function base64(bytes: Buffer, alphabet: 'base64' | 'base64url'): Form {
  const length = Math.ceil((bytes.length * 4) / 3)
  return encoded(length, (blockBytes / 3) * 4, (block) =>
    Buffer.from(bytes.toString(alphabet, block * blockBytes, (block + 1) * blockBytes)),
  )
}

/** A form that is made block by block; the last one looked at is kept. */
function encoded(length: number, size: number, make: (block: number) => Uint8Array): Form {
  let bytes = make(0)
  let from = 0
  const load = (index: number): void => {
    from = Math.floor(index / size) * size
    bytes = make(from / size)
  }
  return {
    length,
    at(index) {
      if (index < from || index >= from + size) load(index)
      return bytes[index - from] ?? -1
    },
    run(index) {
      if (index < from || index >= from + size) load(index)
      return bytes.subarray(index - from, Math.min(bytes.length, length - from))
    },
  }
}
