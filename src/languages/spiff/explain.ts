/** Where a value came from: the chain from the result back to template, stubs and expressions. */
import { present } from '../../kit/present.ts'
import { temporaryOrLocal } from './cleanup.ts'
import { stepIntoCell } from './step.ts'
import { type Cell, Dict, List, looksLikeCode, type Origin } from './value.ts'
import { shortText } from './yaml-write.ts'

/** One link of the chain, the newest first. */
export interface Explanation {
  readonly how: Origin['how']
  readonly source: string
  readonly path: string
  readonly expression?: string
  readonly instead?: string
}

export interface Explained {
  readonly value: string
  readonly steps: readonly Explanation[]
  /** Seen during the run only. */
  readonly temporary: boolean
  /** Of a map or list, where each entry came from last. */
  readonly entries: readonly { readonly step: string; readonly from: Explanation }[]
}

/** The steps of `a.b[0].c`; a dot in a key is written `\.`. */
export function pathSteps(text: string): readonly string[] {
  return [...text.matchAll(/\[-?[0-9]+\]|(?:\\.|[^.[\\])+/g)].map(([step]) => step.replace(/\\(.)/g, '$1'))
}

/** Explains a place of a result that was processed with `trace`; undefined where there is nothing. */
export function explain(document: Cell, path: readonly string[]): Explained | undefined {
  let at: Cell | undefined = document
  let nearest = document.origin
  let left: string[] = []
  for (const step of path) {
    at = at && stepIntoCell(at, step)
    if (at === undefined) return undefined
    left = at.origin === undefined ? [...left, step] : []
    nearest = at.origin ?? nearest
  }
  if (at === undefined) return undefined
  const temporary = (at.flags & temporaryOrLocal) !== 0
  return { value: shortText(at.value), steps: chain(nearest, left), temporary, entries: entriesOf(at) }
}

function entriesOf({ value }: Cell): Explained['entries'] {
  const cells = value instanceof Dict ? [...value.cells] : []
  const items = value instanceof List ? value.cells.map((cell, i) => [`[${i}]`, cell] as const) : []
  return [...cells, ...items].flatMap(([step, cell]) => {
    const [from] = chain(cell.origin, [])
    return from === undefined ? [] : [{ step, from }]
  })
}

function chain(origin: Origin | undefined, rest: readonly string[]): readonly Explanation[] {
  const steps: Explanation[] = []
  for (let one = origin; one !== undefined; one = one.from) {
    steps.push({
      how: one.how,
      source: one.source,
      path: [...one.path, ...rest].join('.'),
      ...present({ expression: one.expression, instead: one.instead }),
    })
  }
  return steps
}

/** The chain as text for people. */
export function explanationText({ value, steps, temporary, entries }: Explained): string {
  return [
    value,
    ...(temporary ? ['  temporary: seen during the run, not printed'] : []),
    ...steps.map((step) => `  ${sentence(step)}`),
    ...(steps.length === 0 ? ['  made by the run itself'] : []),
    ...entries.map(({ step, from }) => `  ${step}: ${sentence(from)}`),
  ].join('\n')
}

function sentence({ how, source, path, expression, instead }: Explanation): string {
  const place = `${source}${path === '' ? '' : ` at ${path}`}`
  switch (how) {
    case 'stub': {
      const replaced =
        instead === undefined
          ? ''
          : `, in place of ${looksLikeCode(instead) ? instead : JSON.stringify(instead)}`
      return `from the stub ${place}${replaced}`
    }
    case 'expression':
      return `computed in ${place} by (( ${expression ?? ''} ))`
    case 'control':
      return `chosen in ${place}`
    case 'literal':
      return `written in ${place}`
  }
}
