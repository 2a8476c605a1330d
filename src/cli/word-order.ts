/** The order of words on the command line: options that many commands share may stand before, between and after the words of a command. */
import type { Command } from 'commander'

/** Those that take a value, which must not be taken for a command. */
const withValue: ReadonlySet<string> = new Set([
  ...['--server', '--user', '--password-file', '--ca-file', '--context', '--platform'],
  ...['-o', '--output', '-c', '--config', '--set', '--timeout'],
])

/** The first word that is neither an option nor the value of one. */
export function firstWord(args: readonly string[]): string | undefined {
  for (let i = 0; i < args.length; i++) {
    const word = args[i] ?? ''
    if (!word.startsWith('-')) return word
    if (withValue.has(word)) i++
  }
  return undefined
}

/** The same words with those that name the command first; options that stood between them follow at once. */
export function commandFirst(args: readonly string[], program: Command): readonly string[] {
  const path: string[] = []
  const options: string[] = []
  let here = program
  let i = 0
  while (i < args.length && args[i] !== '--') {
    const word = args[i] ?? ''
    if (word.startsWith('-')) {
      options.push(word)
      if (withValue.has(word) && i + 1 < args.length) options.push(args[++i] ?? '')
    } else {
      const child = here.commands.find((one) => one.name() === word || one.aliases().includes(word))
      if (child === undefined) break
      path.push(word)
      here = child
    }
    i++
  }
  return [...path, ...options, ...args.slice(i)]
}
