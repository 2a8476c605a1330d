/** A shell script that dispatches by its first argument: what it does for each operation. */

export interface Script {
  readonly lines: readonly string[]
  /** Where the dispatch begins. */
  readonly dispatch?: { readonly line: number; readonly subject: string }
  readonly branches: readonly Branch[]
}

export interface Branch {
  readonly labels: readonly string[]
  /** Of the label. */
  readonly line: number
  readonly body: readonly { readonly text: string; readonly line: number }[]
}

const word = String.raw`["']?[\w*-]+["']?`
const label = new RegExp(String.raw`^\s*\(?\s*(${word}(?:\s*\|\s*${word})*)\s*\)(?!\))(.*)$`)
const opening = /^\s*case\s+"?\$\{?(\w+)\}?"?\s+in\b/

/** Reads it as far as lines tell; undefined for what is no shell script. */
export function readScript(text: string): Script | undefined {
  const lines = text.split('\n')
  if (!/^#!.*\b(sh|bash|dash|ash)\b/.test(lines[0] ?? '')) return undefined
  const start = lines.findIndex((line) => opening.test(line))
  if (start < 0) return { lines, branches: [] }
  const subject = opening.exec(lines[start] ?? '')?.[1] ?? ''
  return { lines, dispatch: { line: start + 1, subject }, branches: branchesOf(lines, start + 1) }
}

function branchesOf(lines: readonly string[], from: number): readonly Branch[] {
  const branches: { labels: string[]; line: number; body: { text: string; line: number }[] }[] = []
  let depth = 1
  let open = false
  for (const [i, text] of lines.entries()) {
    if (i < from || depth === 0) continue
    const line = i + 1
    const found: RegExpExecArray | null = depth === 1 && !open ? label.exec(text) : null
    if (found !== null) {
      const labels: string = found[1] ?? ''
      const rest: string = found[2] ?? ''
      const names = labels.split('|').map((one) => one.trim().replaceAll(/["']/g, ''))
      branches.push({ labels: names, line, body: [{ text: rest, line }] })
      open = !rest.includes(';;')
      continue
    }
    if (/^\s*case\b.*\bin\b/.test(text)) depth += 1
    if (/^\s*esac\b/.test(text)) depth -= 1
    if (depth === 0) break
    branches.at(-1)?.body.push({ text, line })
    if (depth === 1 && /;;\s*$/.test(text)) open = false
  }
  return branches
}
