/** A file of variables as shells and tools write them: assignments, with or without `export`, in quotes where need be. */

export interface EnvironmentFile {
  readonly variables: Readonly<Record<string, string>>
  /** Lines that assign nothing, counted from 1; comments and empty ones are none of them. */
  readonly unread: readonly number[]
}

/** Reads such a file; a value in quotes may have several lines. */
export function readEnvironmentFile(text: string): EnvironmentFile {
  const lines = text.split(/\r?\n/)
  const variables: Record<string, string> = {}
  const unread: number[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? '').trim()
    if (line === '' || line.startsWith('#')) continue
    const [, name, begun = ''] = /^(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(line) ?? []
    if (name === undefined) {
      unread.push(at + 1)
      continue
    }
    const { value, last } = valueFrom(lines, at, begun)
    variables[name] = value
    at = last
  }
  return { variables, unread }
}

/** A quote that is never closed belongs to the value of its line. */
function valueFrom(lines: readonly string[], at: number, begun: string) {
  const quote = begun[0]
  if (quote !== '"' && quote !== "'") return { value: begun, last: at }
  let whole = begun
  for (let last = at; last < lines.length; last++) {
    if (last > at) whole += `\n${lines[last]}`
    const inner = quote === '"' ? inDouble.exec(whole)?.[1] : inSingle.exec(whole)?.[1]
    if (inner === undefined) continue
    const value =
      quote === '"' ? inner.replace(/\\(["\\$`])/g, '$1') : inner.replaceAll(String.raw`'\''`, "'")
    return { value, last }
  }
  return { value: begun, last: at }
}

const inDouble = /^"((?:[^"\\]|\\[\s\S])*)"\s*$/
const inSingle = /^'((?:[^']|'\\'')*)'\s*$/
