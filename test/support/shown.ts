/** What documents show of the command line, and what of it tests play: read from the pages, judged by the tree of commands. */
import type { Command } from 'commander'

export interface Call {
  /** Names of the command and of those above it. */
  readonly path: readonly string[]
  readonly words: readonly string[]
  readonly isGroup: boolean
}

const fence = /^ *```(\S*)(?: (\S+))?\n(.*?)^ *```$/gms

export interface Block {
  readonly kind: string
  /** The file of the reader that it is; undefined: it is none. */
  readonly file: string | undefined
  readonly text: string
}

export function blocksOf(page: string): readonly Block[] {
  return [...page.matchAll(fence)].map(([, kind = '', called, text = '']) => ({
    kind,
    file: called ?? /^# (\S+\.yml)\n/.exec(text)?.[1],
    text,
  }))
}

/** What stands between backticks outside of blocks. */
export function spansOf(page: string): readonly string[] {
  const spans = page.replaceAll(fence, '').matchAll(/`([^`]+)`/g)
  return [...spans].map(([, text = '']) => text.replaceAll(/\s+/g, ' ').trim())
}

/** The commands of a line for a shell that call this program. */
export function callsIn(root: Command, line: string): readonly Call[] {
  const calls = line.matchAll(/(?:^|[\s($/])chandler ((?:'[^']*'|"[^"]*"|[^|;&>)'"])*)/g)
  return [...calls].map(([, rest = '']) => callOf(root, rest))
}

/** What a text calls, whose first word may be that of a command. */
export function callOf(root: Command, text: string): Call {
  const words = (text.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []).map((word) =>
    word.replace(/^(['"])(.*)\1$/s, '$2'),
  )
  const path: string[] = []
  let command = root
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word))
    if (next === undefined) break
    command = next
    path.push(next.name())
  }
  return { path, words: words.slice(path.length), isGroup: command.commands.length > 0 }
}

/** What is written large, or left out, stands for what the reader has. */
const placeholder = /^[A-Z][A-Z0-9-]*(?:=[A-Z]+)?$|…/

/** Whether a command that was played is the one that is shown, with all its options and values. */
export function isPlayedBy(shown: Call, played: Call): boolean {
  const isSame = shown.path.every((name, i) => played.path[i] === name)
  return (
    isSame &&
    (shown.isGroup || shown.path.length === played.path.length) &&
    shown.words.every((word) => placeholder.test(word) || played.words.includes(word))
  )
}
