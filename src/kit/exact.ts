/** Integers that a double cannot hold, kept digit by digit: values that JSON.stringify writes as they were read. */

/** A JSON value that is written as the digits it holds. */
export type ExactNumber = { readonly rawJSON: string }

interface ExactJson {
  rawJSON(text: string): ExactNumber
  isRawJSON(value: unknown): value is ExactNumber
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown
}

/** What the standard offers and the compiler's library does not describe yet. */
const exactJson = (
  'rawJSON' in JSON ? JSON : { rawJSON: (text) => new Digits(text), isRawJSON: isDigits, parse: parseDigits }
) as ExactJson

/** Stands for an exact number on platforms without JSON.rawJSON (Node 20); JSON.stringify writes the nearest double. */
class Digits implements ExactNumber {
  readonly rawJSON: string
  constructor(digits: string) {
    this.rawJSON = digits
  }

  toJSON(): number {
    return Number(this.rawJSON)
  }
}

function isDigits(value: unknown): value is ExactNumber {
  return value instanceof Digits
}

/** Hands a reviver the digits of numbers on platforms that do not: numbers become texts, and texts are told apart by their first sign. */
function parseDigits(text: string, reviver: Parameters<ExactJson['parse']>[1]): unknown {
  JSON.parse(text)
  const marked = text.replace(
    /"((?:[^"\\]|\\.)*)"(\s*:)?|-?\d[\d.eE+-]*/g,
    (token, inner: string | undefined, colon: string | undefined) => {
      if (inner === undefined) return `"n${token}"`
      return colon === undefined ? `"s${inner}"` : token
    },
  )
  return JSON.parse(marked, (key, value: unknown) => {
    if (typeof value !== 'string') return reviver(key, value, {})
    const source = value.slice(1)
    return value.startsWith('n') ? reviver(key, Number(source), { source }) : reviver(key, source, {})
  })
}

/** An integer from its decimal digits: a number where that is exact, else its digits as a JSON value. */
export function exactInteger(digits: string): number | ExactNumber {
  const value = Number(digits)
  return Number.isSafeInteger(value) ? value : exactJson.rawJSON(digits)
}

/** Whether a value stands for a number that a double cannot hold. */
export function isExact(value: unknown): value is ExactNumber {
  return exactJson.isRawJSON(value)
}

/** The reviver costs several times the parse, and few texts hold such numbers; digests hold digits, but do not begin where a value does. */
const mayHoldExact = /(?:^|[[:,\s])-?\d(?:[\d.]*[eE]\+?\d{3}|\d{15})/

/** JSON.parse that loses no digit of an integer. Throws SyntaxError as JSON.parse does. */
export function parseJson(text: string): unknown {
  if (!mayHoldExact.test(text)) return JSON.parse(text)
  return exactJson.parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value
    if (!Number.isFinite(value)) return exactJson.rawJSON(source)
    return /^-?\d+$/.test(source) ? exactInteger(source) : value
  })
}

/** The value with the nearest doubles in place of exact integers, for calculations and comparisons. */
export function approximate(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (isExact(value)) return Number(value.rawJSON)
  if (Array.isArray(value)) return value.map(approximate)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, approximate(item)]))
}
