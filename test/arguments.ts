/** Arguments of the programs that developers start: one that is not known is told with the usage. */
import { type ParseArgsConfig, parseArgs } from 'node:util'

type Parsed<T extends ParseArgsConfig> = ReturnType<typeof parseArgs<T>>

/** The arguments of this process; ends it where they do not fit. */
export function argumentsOf<T extends ParseArgsConfig>(config: T, usage: string): Parsed<T> {
  try {
    return parseArgs(config)
  } catch (error) {
    return misused(error instanceof Error ? error.message : String(error), usage)
  }
}

/** An option that counts; ends this process where it is no number. */
export function countOf(name: string, text: string, usage: string): number {
  return /^\d+$/.test(text) ? Number(text) : misused(`--${name} takes a number, not ${text}`, usage)
}

/** Ends this process. */
export function misused(why: string, usage: string): never {
  console.error(`${why}\n${usage}`)
  process.exit(2)
}
