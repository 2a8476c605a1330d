/** Regular expressions of ECMA-262 written by others: linear where RE2 knows them, else given up when they take too long. */
import { RE2JS } from 're2js'
import { patiently } from './patience.ts'

/** What a hostile expression may cost. */
const patienceMs = 100

/** Compiles as a JSON Schema validator expects it, which tells expressions apart by their text. Throws SyntaxError. */
export function ecmaPattern(source: string): { test(text: string): boolean; toString(): string } {
  const linear = linearly(source)
  if (linear) return { test: linear, toString: () => `re2:${source}` }
  const expression = new RegExp(source, 'u')
  return {
    test: (text) => patiently(() => expression.test(text), patienceMs) ?? false,
    toString: () => `ecma:${source}`,
  }
}

function linearly(source: string): ((text: string) => boolean) | undefined {
  try {
    const expression = RE2JS.compile(RE2JS.translateRegExp(source))
    return (text) => expression.matcher(text).find()
  } catch {
    return undefined
  }
}
