/** Reads figures when they are scraped: what cannot be read is told once, until it can be read again. */

export type Read = <T>(figure: string, ask: () => T | Promise<T>) => Promise<T | undefined>

/** Undefined: it cannot be read now, and the figure stays as it was. */
export function figureReader(unread: (figure: string, error: unknown) => void): Read {
  const missing = new Set<string>()
  return async (figure, ask) => {
    try {
      const value = await ask()
      missing.delete(figure)
      return value
    } catch (error) {
      if (!missing.has(figure)) unread(figure, error)
      missing.add(figure)
      return undefined
    }
  }
}
