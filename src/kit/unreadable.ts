/** Why a file cannot be read, in words. */

const words: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is no folder',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
}

/** The reason in words; the code of the system where it is a rarer one. */
export function whyUnreadable(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'not readable'
  return words[code] ?? code
}
