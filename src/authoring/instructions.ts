/** The instructions of a Dockerfile or Containerfile, as they are written. */

export interface Instruction {
  readonly word: string
  readonly rest: string
  readonly line: number
}

/** One instruction each, its continued lines joined as Docker joins them. */
export function instructionsOf(text: string): readonly Instruction[] {
  const lines = text.split(/\r?\n/)
  const instructions: Instruction[] = []
  let begun: { text: string; readonly line: number } | undefined
  for (const [i, line] of lines.entries()) {
    if (/^\s*#/.test(line) || (begun === undefined && line.trim() === '')) continue
    const isContinued = /\\\s*$/.test(line)
    const piece = line.replace(/\\\s*$/, '')
    begun = begun === undefined ? { text: piece, line: i + 1 } : { ...begun, text: begun.text + piece }
    if (isContinued && i < lines.length - 1) continue
    const [, word = '', rest = ''] = /^\s*(\S+)\s*(.*)$/s.exec(begun.text) ?? []
    instructions.push({ word: word.toUpperCase(), rest: rest.trim(), line: begun.line })
    begun = undefined
  }
  return instructions
}

/** The list in JSON of an instruction that has one. */
export function listOf(text: string): readonly string[] | undefined {
  if (!text.startsWith('[')) return undefined
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) && list.every((word) => typeof word === 'string') ? list : undefined
  } catch {
    // What only looks like a list is a command for a shell.
    return undefined
  }
}
