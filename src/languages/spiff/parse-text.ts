/** The expression a string of a document stands for, parsed once per distinct text of a run. */
import { embedded } from './detect.ts'
import type { Run } from './env.ts'
import { type Parsed, parseExpression } from './parser.ts'
import type { Expr } from './tree.ts'

/** Undefined for plain text. */
export function parseText(run: Run, text: string): Parsed | undefined {
  if (!text.includes('((')) return undefined
  const known = run.parsed.get(text)
  if (known !== undefined) return known
  const code = embedded(text, run.interpolation)
  if (code === undefined) return undefined
  const parsed = parseCode(run, code)
  run.parsed.set(text, parsed)
  return parsed
}

/** Parses the text of an expression within the limits of a run. */
export function parseCode({ budget }: Run, code: string): Parsed {
  budget.parse(code.length)
  return parseExpression(code, () => budget.checkTime())
}

/** The expression alone; undefined for plain text and for what cannot be parsed. */
export function exprOf(run: Run, text: string): Expr | undefined {
  const parsed = parseText(run, text)
  return parsed !== undefined && 'expr' in parsed ? parsed.expr : undefined
}
