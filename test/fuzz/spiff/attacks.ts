/** Documents that were written to crash the evaluation, to keep it busy or to eat memory; strict limits must end each. */
import { processSpiff } from '../../../src/languages/spiff/index.ts'
import type { Attack } from '../topic.ts'

const lines = (n: number, line: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => `${line(i)}\n`).join('')
/** A text of a thousand characters, doubled so often. */
const doubled = (times: number): string =>
  `s0: ${'x'.repeat(1000)}\n${lines(times, (i) => `s${i + 1}: (( s${i} s${i} ))`)}`

const limitMs = 10_000

const documents: Readonly<Record<string, string>> = {
  'a text that is shared sixty times': `${doubled(13)}m: (( map[[1..60]|x|->s13] ))\n`,
  'endless recursion': 'f: (( |x|->_(x) ))\na: (( .f(1) ))\n',
}

export const attacks: readonly Attack[] = Object.entries(documents).map(([name, text]) => ({
  name,
  limitMs,
  run: () => {
    const result = processSpiff({ name: 'template', text })
    if (result.kind === 'failed') return `${result.fault.kind}: ${result.fault.message.slice(0, 200)}`
    return `done: ${result.documents.reduce((sum, one) => sum + (one?.yaml().length ?? 0) + (one?.json().length ?? 0), 0)} characters`
  },
}))
