/** The line and column of a path in the text of a document. */
import { isMap, isNode, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml'
import type { Place } from '../place.ts'

/** The place of the value at a path, or of its nearest ancestor. */
export function locate(text: string, steps: readonly string[]): Place {
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, {
    schema: 'failsafe',
    uniqueKeys: false,
    logLevel: 'silent',
    lineCounter: lines,
  })
  let here: unknown = Array.isArray(documents) ? documents[0]?.contents : undefined
  let offset = 0
  for (const step of steps.flatMap((one) => one.split(/(?<=\])\.(?=<<)/))) {
    if (isMap(here)) {
      const pair = here.items.find((item) => isScalar(item.key) && item.key.source === step)
      here = pair?.value
    } else if (isSeq(here)) here = here.items[Number(step.slice(1, -1))]
    if (!isNode(here) || !here.range) break
    offset = here.range[0]
  }
  const { line, col } = lines.linePos(offset)
  return { line: Math.max(line, 1), column: Math.max(col, 1) }
}
