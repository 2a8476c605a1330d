/** Regular expressions of ECMA-262 written by others: linear where RE2 knows them, else stopped when they take too long. */
import { createContext, Script } from 'node:vm'
import { RE2JS } from 're2js'

/** What a hostile expression may cost. */
const patienceMs = 100
const room = createContext({ pattern: '', text: '' })
const matching = new Script('new RegExp(pattern, "u").test(text)')

/** Compiles as a JSON Schema validator expects it, which tells expressions apart by their text. Throws SyntaxError. */
export function ecmaPattern(source: string): { test(text: string): boolean; toString(): string } {
  const linear = linearly(source)
  if (linear) return { test: linear, toString: () => `re2:${source}` }
  new RegExp(source, 'u')
  return { test: (text) => backtracking(source, text), toString: () => `ecma:${source}` }
}

function linearly(source: string): ((text: string) => boolean) | undefined {
  try {
    const expression = RE2JS.compile(RE2JS.translateRegExp(source))
    return (text) => expression.matcher(text).find()
  } catch {
    return undefined
  }
}

/** What takes too long does not match. */
function backtracking(pattern: string, text: string): boolean {
  Object.assign(room, { pattern, text })
  try {
    return matching.runInContext(room, { timeout: patienceMs }) === true
  } catch {
    return false
  }
}
