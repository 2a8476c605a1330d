/** The newest lines of many, bounded by the characters they take. */

export interface LatestLines {
  add(line: string): void
  /** Oldest first. */
  all(): readonly string[]
}

/** Forgets the oldest whenever there are more characters than that. */
export function keepLatest(charactersMax: number): LatestLines {
  let lines: string[] = []
  let held = 0
  return {
    add(line) {
      lines.push(line)
      held += line.length
      if (held <= charactersMax) return
      // Half is forgotten at once, so that a line costs nothing on the average.
      let gone = 0
      while (held > charactersMax / 2 && gone < lines.length) held -= lines[gone++]?.length ?? 0
      lines = lines.slice(gone)
    },
    all: () => lines,
  }
}
