/** What Terraform says when it fails: the first error with the resource it belongs to, without its frames. */
import { shorten } from '../../kit/text.ts'

export interface TerraformError {
  readonly summary: string
  readonly detail: string
  /** The resource or place that it names. */
  readonly address: string | undefined
}

const detailMax = 2000
const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g')

/** The errors in a log, in order. */
export function errorsOf(log: string): readonly TerraformError[] {
  const lines = log
    .replace(colours, '')
    .split('\n')
    .map((line) => line.replace(/^\s*[│|]\s?/, '').trimEnd())
  const starts = lines.flatMap((line, i) => (/^Error: /.test(line) ? [i] : []))
  return starts.map((start, i) => errorAt(lines.slice(start, starts[i + 1] ?? lines.length)))
}

/** One line for the person waiting. */
export function describeError({ summary, detail, address }: TerraformError): string {
  const place = address === undefined ? '' : ` (${address})`
  return shorten(`Error: ${summary}${place}${detail === '' ? '' : `: ${detail}`}`, detailMax)
}

function errorAt(lines: readonly string[]): TerraformError {
  const [head = '', ...rest] = lines
  // Behind the frame goes on what was printed beside the error.
  const end = rest.findIndex((line) => /^Warning: |^\s*[╷╵]/.test(line))
  const body = end < 0 ? rest : rest.slice(0, end)
  const address = body.map((line) => /^\s*with ([^,]+),?$/.exec(line)?.[1]).find((one) => one !== undefined)
  const place = body.map((line) => /^\s*on (.+ line \d+)/.exec(line)?.[1]).find((one) => one !== undefined)
  const words = body.filter((line) => !/^\s*(?:with [^,]+,?$|on .+ line \d+|\d+:|├|│)/.test(line))
  return {
    summary: head.replace(/^Error: /, '').trim(),
    detail: words
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join(' '),
    address: address ?? place,
  }
}
