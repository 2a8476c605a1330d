/** The insert keys `<<` and `<<<`: finding them, and what their expression says about the place. */
import type { Run } from './env.ts'
import { readMarks } from './evaluate.ts'
import { exprOf } from './parse-text.ts'
import type { Expr } from './tree.ts'
import type { Cell, Dict } from './value.ts'

/** Older templates rely on `<<: (( merge ))` being optional. */
export function isOptionalInsert(expr: Expr): boolean {
  return expr.kind === 'merge' && !expr.merge.required && !expr.merge.none
}

/** The insert of a map; `both` when there are two. */
export function insertOf(dict: Dict): { key: string; cell: Cell } | 'both' | undefined {
  const short = dict.get('<<')
  const long = dict.get('<<<')
  if (short && long) return 'both'
  if (short) return { key: '<<', cell: short }
  return long && { key: '<<<', cell: long }
}

export interface InsertMarks {
  readonly flags: number
  readonly tag: string
  /** What is left of the insert inside of a template; undefined for a bare marker. */
  readonly template: { readonly rest: string | undefined } | undefined
}

/** The markers an insert carries. */
export function marksOf(run: Run, cell: Cell): InsertMarks {
  const none = { flags: 0, tag: '', template: undefined }
  if (typeof cell.value !== 'string') return none
  const expr = exprOf(run, cell.value)
  if (expr?.kind !== 'marker') return none
  const { marks, a, source } = expr
  const { flags, tag, template } = readMarks(marks)
  const rest = a === undefined ? undefined : `((${source}))`
  return { flags, tag, template: template ? { rest } : undefined }
}
