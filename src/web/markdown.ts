/** A small safe part of Markdown as a tree: what it does not know stays text, and no markup of others is ever taken over. */

export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis'; readonly parts: readonly Inline[] }
  | { readonly kind: 'link'; readonly to: string; readonly parts: readonly Inline[] }

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly parts: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly parts: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly (readonly Inline[])[])[] }
  | { readonly kind: 'rule' }

const depthMax = 6
const charactersMax = 200_000

/** The blocks of a document; a longer one is cut. */
export function readMarkdown(text: string): readonly Block[] {
  return blocksIn(text.slice(0, charactersMax).replaceAll('\r\n', '\n').split('\n'), 0)
}

const bullet = /^(\s{0,3})([-*+]|\d{1,9}[.)])(\s+)(.*)$/

function blocksIn(lines: readonly string[], depth: number): readonly Block[] {
  const blocks: Block[] = []
  let rest = lines
  while (rest.length > 0) {
    const [line = ''] = rest
    const taken = line.trim() === '' ? { count: 1 } : blockAt(rest, depth)
    if (taken.block !== undefined) blocks.push(taken.block)
    rest = rest.slice(taken.count)
  }
  return blocks
}

interface Taken {
  readonly block?: Block
  readonly count: number
}

function blockAt(lines: readonly string[], depth: number): Taken {
  const [line = ''] = lines
  const fence = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1]
  if (fence !== undefined) return fenced(lines, fence)
  const heading = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*$/.exec(line)
  if (heading) {
    const level = heading[1]?.length ?? 1
    return { block: { kind: 'heading', level, parts: inlineOf(heading[2] ?? '', 0) }, count: 1 }
  }
  if (/^\s{0,3}([-*_])(\s*\1){2,}\s*$/.test(line)) return { block: { kind: 'rule' }, count: 1 }
  if (depth < depthMax && line.startsWith('>')) {
    const count = spanOf(lines, (one) => one.startsWith('>'))
    const inner = lines.slice(0, count).map((one) => one.replace(/^>\s?/, ''))
    return { block: { kind: 'quote', blocks: blocksIn(inner, depth + 1) }, count }
  }
  if (depth < depthMax && bullet.test(line)) return listAt(lines, depth)
  if (line.includes('|') && /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(lines[1] ?? ''))
    return tableAt(lines)
  const count = Math.max(1, spanOf(lines, isRunningText))
  const text = lines.slice(0, count).map((one) => one.trim())
  return { block: { kind: 'paragraph', parts: inlineOf(text.join(' '), 0) }, count }
}

function isRunningText(line: string): boolean {
  return line.trim() !== '' && !/^\s{0,3}(#{1,6}\s|`{3}|~{3}|>)/.test(line) && !bullet.test(line)
}

function spanOf(lines: readonly string[], belongs: (line: string) => boolean): number {
  const end = lines.findIndex((line) => !belongs(line))
  return end < 0 ? lines.length : end
}

function fenced(lines: readonly string[], fence: string): Taken {
  const inside = lines.slice(1)
  const end = inside.findIndex((line) => line.trim().startsWith(fence))
  const body = end < 0 ? inside : inside.slice(0, end)
  return { block: { kind: 'code', text: body.join('\n') }, count: body.length + (end < 0 ? 1 : 2) }
}

function listAt(lines: readonly string[], depth: number): Taken {
  const isOrdered = /^\s*\d/.test(lines[0] ?? '')
  const items: string[][] = []
  let count = 0
  let indent = 2
  for (const line of lines) {
    const marked = bullet.exec(line)
    if (marked && (marked[1]?.length ?? 0) < indent && /^\s*\d/.test(line) === isOrdered) {
      indent = (marked[1]?.length ?? 0) + (marked[2]?.length ?? 1) + 1
      items.push([marked[4] ?? ''])
    } else if (line.trim() === '' || /^\s{2,}/.test(line)) {
      items.at(-1)?.push(line.replace(new RegExp(`^\\s{0,${indent}}`), ''))
    } else if (items.at(-1)?.at(-1)?.trim() !== '' && isRunningText(line)) items.at(-1)?.push(line)
    else break
    count++
  }
  return {
    block: { kind: 'list', isOrdered, items: items.map((item) => blocksIn(item, depth + 1)) },
    count,
  }
}

function tableAt(lines: readonly string[]): Taken {
  const count = spanOf(lines, (line) => line.includes('|'))
  const rows = lines.slice(0, count).filter((_, i) => i !== 1)
  const cells = (row: string) =>
    row
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => inlineOf(cell.trim(), 0))
  return { block: { kind: 'table', rows: rows.map(cells) }, count }
}

/** Each sign of markup, the most telling first; none can be slow on a long text. */
const marks =
  /`([^`\n]{1,500})`|!\[([^\]\n]{0,300})\]\([^)\s]{0,2000}\)|\[([^\]\n]{1,300})\]\(([^)\s]{1,2000})\)|<(https?:\/\/[^>\s]{1,2000})>|\*\*([^*\n]{1,500})\*\*|__([^_\n]{1,500})__|\*([^*\s][^*\n]{0,500})\*|\b(https?:\/\/[^\s<>()"']{1,2000}[^\s<>()"'.,;:!?])/

function inlineOf(text: string, depth: number): readonly Inline[] {
  const parts: Inline[] = []
  let rest = text
  while (rest !== '') {
    const found = depth < depthMax ? marks.exec(rest) : null
    if (found === null) break
    if (found.index > 0) parts.push({ kind: 'text', text: rest.slice(0, found.index) })
    parts.push(markedPart(found, depth))
    rest = rest.slice(found.index + found[0].length)
  }
  return rest === '' ? parts : [...parts, { kind: 'text', text: rest }]
}

function markedPart(found: RegExpExecArray, depth: number): Inline {
  const [whole, code, picture, label, target, address, strong, stronger, emphasis, bare] = found
  if (code !== undefined) return { kind: 'code', text: code }
  // A picture would be a request to elsewhere.
  if (picture !== undefined) return { kind: 'text', text: picture }
  const inner = (text: string) => inlineOf(text, depth + 1)
  const bold = strong ?? stronger
  if (bold !== undefined) return { kind: 'strong', parts: inner(bold) }
  if (emphasis !== undefined) return { kind: 'emphasis', parts: inner(emphasis) }
  const to = target ?? address ?? bare ?? ''
  const parts: readonly Inline[] = label === undefined ? [{ kind: 'text', text: to }] : inner(label)
  return isHarmless(to) ? { kind: 'link', to, parts } : { kind: 'text', text: label ?? whole }
}

/** Whether a link may be followed: the web and mail, nothing that runs. */
export function isHarmless(link: string): boolean {
  return /^(https?:\/\/|mailto:)[^\s]+$/i.test(link)
}
