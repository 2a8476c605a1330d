/** Changes templates where they must: what may not be destroyed is let go, and old syntax runs on a current engine. */
import { type Argument, type Block, readHcl } from './hcl.ts'

export type Rewriting =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'fault'; readonly message: string }

interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Every resource may be destroyed: `prevent_destroy` in its first lifecycle block becomes false. */
export function allowDestroy(template: string): Rewriting {
  const reading = readHcl(template)
  if (reading.kind === 'fault') return { kind: 'fault', message: reading.message }
  const changed = reading.body.blocks.flatMap((block) => (block.type === 'resource' ? guardsOf(block) : []))
  if (changed.length === 0) return { kind: 'text', text: template }
  const changes = changed.map((guard): Change => ({ start: guard.start, end: guard.end, text: 'false' }))
  const spaces = changed.flatMap((guard) => spaced(template, guard))
  return { kind: 'text', text: indented(applied(template, [...changes, ...spaces])) }
}

/** Type constraints of 0.11 without their quotes; the engine of today refuses them. */
export function modernised(template: string): string {
  const reading = readHcl(template)
  if (reading.kind === 'fault') return template
  const today: Readonly<Record<string, string>> = {
    '"string"': 'string',
    '"list"': 'list(any)',
    '"map"': 'map(any)',
  }
  const changes = reading.body.blocks
    .filter(({ type }) => type === 'variable')
    .flatMap(({ body }) => body.arguments.filter(({ name }) => name === 'type'))
    .flatMap(({ start, end }): readonly Change[] => {
      const text = today[template.slice(start, end)]
      return text === undefined ? [] : [{ start, end, text }]
    })
  return applied(template, changes)
}

function guardsOf(block: Block): readonly Argument[] {
  const lifecycle = block.body.blocks.find(({ type }) => type === 'lifecycle')
  return lifecycle?.body.arguments.filter(({ name }) => name === 'prevent_destroy') ?? []
}

/** The original formats what it writes: blanks around the equals sign. */
function spaced(template: string, { name, at, equals, start }: Argument): readonly Change[] {
  const changes: Change[] = []
  if (at + name.length === equals) changes.push({ start: equals, end: equals, text: ' ' })
  if (equals + 1 === start) changes.push({ start, end: start, text: ' ' })
  return template === '' ? [] : changes
}

function applied(template: string, changes: readonly Change[]): string {
  let text = ''
  let at = 0
  for (const change of [...changes].sort((a, b) => a.start - b.start || a.end - b.end)) {
    text += template.slice(at, change.start) + change.text
    at = change.end
  }
  return text + template.slice(at)
}

/** Two blanks per open bracket, none at the end of a line; heredocs keep theirs. */
function indented(template: string): string {
  let depth = 0
  let mark: string | undefined
  return template
    .split('\n')
    .map((line) => {
      if (mark !== undefined) {
        if (line.trim() === mark) mark = undefined
        return line
      }
      const bare = withoutTexts(line)
      mark = /<<-?([\p{L}_][\p{L}\p{N}_-]*)\s*$/u.exec(bare)?.[1]
      const closes = /^\s*[\])}]+/.exec(bare)?.[0].trim().length ?? 0
      const level = Math.max(0, depth - closes)
      depth = Math.max(0, depth + count(bare, /[{[(]/g) - count(bare, /[\])}]/g))
      const ending = line.endsWith('\r') ? '\r' : ''
      const content = line.trim()
      return content === '' ? ending : `${'  '.repeat(level)}${content}${ending}`
    })
    .join('\n')
}

/** The line without what brackets mean nothing in. */
function withoutTexts(line: string): string {
  return line.replace(/"(?:\\.|\$\{[^}]*\}|[^"\\])*"/g, '').replace(/(?:#|\/\/).*$|\/\*.*?\*\//g, '')
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
