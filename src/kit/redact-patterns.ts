/** What is secret by its looks, wherever it comes from: private keys, authorization headers, passwords in addresses, signed tokens. */

export interface Found {
  /** From, to. */
  readonly ranges: readonly (readonly [number, number])[]
  /** From here on the next bytes decide; the length of the text where nothing waits. */
  readonly open: number
}

/** Longer ones are not waited for: what is there of them is hidden. */
const keyMax = 16 * 1024
const tokenMax = 8 * 1024
const wordMax = 512

const keyStart = Buffer.from('-----BEGIN ')
const headerStarts = [Buffer.from('uthorization'), Buffer.from('UTHORIZATION')]
const tokenStart = Buffer.from('eyJ')
const [at, capitalJ] = [0x40, 0x4a]

const gap = String.raw`(?:\s|\\[nrt])`
const privateKey = new RegExp(
  String.raw`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----${gap}*(?:(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]{1,80}${gap}+)*(?:[A-Za-z0-9+/=]{16,}${gap}+)*[A-Za-z0-9+/=]*${gap}*(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----)?`,
  'y',
)
const keyEnd = /-----END [A-Z0-9 ]*-----$/
/** How the rest of a text may go on to its end. */
const keyRest = /^(?:\\|-{1,5}|-----E(?:N(?:D[A-Z0-9 ]*-{0,5})?)?)?$/
const keyTitle = /^-----BEGIN [A-Z0-9 ]*-{0,5}$/
const header =
  /uthorization["']?[ \t]*[:=][ \t]*["']?(?:(?:basic|bearer|token|digest|negotiate|apikey)[ \t]+([^\s"',;]+)|((?=[^\s"',;]*\d)[^\s"',;]{16,}))/iy
const headerSoFar = /^uthorization["']?[ \t]*(?:[:=][ \t]*["']?(?:[a-z]+[ \t]+)?[^\s"',;]*)?$/i
const token = /eyJ[\w-]{8,}\.eyJ[\w-]{4,}\.[\w-]*/y
const tokenSoFar = /eyJ[\w-]*(?:\.(?:e|ey|eyJ[\w-]*(?:\.[\w-]*)?)?)?$/
const credentials = /:\/\/[^\s/?#@:"'<>]{0,256}:([^\s/?#@"'<>]{1,512})@/g
const credentialsSoFar = /:\/\/[^\s/?#@"'<>]*$/
/** Beginnings of what is looked for that a text may end in. */
const beginnings =
  /(?:-{1,5}|-----B(?:E(?:G(?:I(?:N ?)?)?)?)?|[uU][tT]?[hH]?[oO]?[rR]?[iI]?[zZ]?[aA]?[tT]?[iI]?[oO]?|e|ey|:|:\/)$/

/** Words that patterns begin with and that the index of secrets looks for, so that the text need not be searched once more. */
export const triggers: readonly Uint8Array[] = [keyStart, ...headerStarts]

export interface Patterns {
  /** Looks at a place where one of the triggers may stand. */
  at(start: number): void
  /** Looks for all others, and answers everything that was found. */
  found(): Found
}

/** Finds what looks secret in a text; `isLast`: nothing follows. */
export function openPatterns(text: Buffer, isLast: boolean): Patterns {
  const ranges: [number, number][] = []
  const opens: number[] = []
  const wait = (from: number, most: number): void => {
    if (!isLast && text.length - from < most) opens.push(from)
  }
  return {
    at(start) {
      if (standsAt(text, start, keyStart)) findKey(text, start, ranges, wait)
      else if (headerStarts.some((word) => standsAt(text, start, word))) findHeader(text, start, ranges, wait)
    },
    found() {
      findTokens(text, ranges)
      findCredentials(text, ranges)
      if (!isLast) waitAtEnd(text, wait)
      return { ranges, open: Math.min(text.length, ...opens) }
    },
  }
}

function standsAt(text: Buffer, start: number, word: Buffer): boolean {
  return text[start] === word[0] && text.subarray(start, start + word.length).equals(word)
}

type Wait = (from: number, most: number) => void

function findKey(text: Buffer, from: number, ranges: [number, number][], wait: Wait): void {
  const window = latin1(text, from, from + keyMax)
  const found = matchAt(privateKey, window, 0)
  if (found === undefined) {
    // Its title is not there yet.
    if (keyTitle.test(window)) wait(from, 128)
    return
  }
  ranges.push([from, from + found[0].length])
  if (!keyEnd.test(found[0]) && keyRest.test(window.slice(found[0].length))) wait(from, keyMax)
}

function findHeader(text: Buffer, from: number, ranges: [number, number][], wait: Wait): void {
  const window = latin1(text, from, from + tokenMax)
  if (headerSoFar.test(window)) wait(from, tokenMax)
  const found = matchAt(header, window, 0)
  if (found === undefined) return
  const end = from + found[0].length
  ranges.push([end - (found[1] ?? found[2] ?? '').length, end])
}

function findTokens(text: Buffer, ranges: [number, number][]): void {
  for (let rare = text.indexOf(capitalJ, 2); rare >= 0; rare = text.indexOf(capitalJ, rare + 1)) {
    const from = rare - 2
    if (text[from] !== tokenStart[0] || text[from + 1] !== tokenStart[1]) continue
    const found = matchAt(token, latin1(text, from, from + tokenMax), 0)
    if (found === undefined) continue
    ranges.push([from, from + found[0].length])
    rare = from + found[0].length - 1
  }
}

function findCredentials(text: Buffer, ranges: [number, number][]): void {
  for (let sign = text.indexOf(at); sign >= 0; sign = text.indexOf(at, sign + 1)) {
    const from = Math.max(0, sign - 2 * wordMax)
    for (const found of latin1(text, from, sign + 1).matchAll(credentials)) {
      const end = from + found.index + found[0].length - 1
      ranges.push([end - (found[1]?.length ?? 0), end])
    }
  }
}

/** What the end of the text may be the beginning of. */
function waitAtEnd(text: Buffer, wait: Wait): void {
  const from = Math.max(0, text.length - wordMax)
  const word = latin1(text, from)
  for (const found of [beginnings.exec(word), credentialsSoFar.exec(word)])
    if (found) wait(from + found.index, wordMax)
  let begin = text.length
  while (begin > 0 && text.length - begin < tokenMax && isTokenSign(text[begin - 1] ?? 0)) begin--
  const open = tokenSoFar.exec(latin1(text, begin))
  if (open) wait(begin + open.index, tokenMax)
}

/** A letter, a digit, or one of `-._`. */
function isTokenSign(byte: number): boolean {
  const letter = byte | 0x20
  return (
    (letter >= 0x61 && letter <= 0x7a) ||
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2d ||
    byte === 0x2e ||
    byte === 0x5f
  )
}

function latin1(text: Buffer, from: number, to = text.length): string {
  return text.toString('latin1', from, Math.min(to, text.length))
}

function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | undefined {
  pattern.lastIndex = index
  return pattern.exec(text) ?? undefined
}
