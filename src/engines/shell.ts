/** Writing lines for /bin/sh: every value quoted, so that none can be more than a value. */

/** A word that the shell takes as it is. */
export function quote(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** A command line. */
export function commandLine(words: readonly string[]): string {
  return words.map(quote).join(' ')
}

const ofShells =
  /^(?:_|PPID|UID|EUID|GROUPS|IFS|OPTIND|OPTARG|LINENO|RANDOM|SECONDS|SHELLOPTS|PS[0-4]|PWD|OLDPWD|SHLVL|BASH.*|DIRSTACK|HIST.*|FUNCNAME|PIPESTATUS)$/

/** Whether shells set a variable of this name themselves, or do something of their own where it is set. */
export function isOfShell(name: string): boolean {
  return ofShells.test(name)
}

/** Whether the shell can carry a variable of this name. */
export function isShellName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
}
