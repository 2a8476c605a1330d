/** Writing lines for /bin/sh: every value quoted, so that none can be more than a value. */

/** A word that the shell takes as it is. */
export function quote(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** A command line. */
export function commandLine(words: readonly string[]): string {
  return words.map(quote).join(' ')
}

/** Whether the shell can carry a variable of this name. */
export function isShellName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
}
