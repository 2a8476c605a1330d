/** The version of a pattern: any text, and what would be a semantic version. */

const part = '(0|[1-9]\\d*)'
const semantic = new RegExp(`^${part}(\\.${part}\\.${part}(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?)?$`)

/** A whole number counts, too: patterns that are numbered 1, 2, 3 lose nothing by it. */
export function isVersion(text: string): boolean {
  return semantic.test(text)
}

/** The semantic version that was probably meant. */
export function semanticVersion(text: string): string | undefined {
  const [, numbers = '', rest = ''] = /^v?(\d+(?:\.\d+){0,2})(-[0-9A-Za-z.-]+)?$/i.exec(text.trim()) ?? []
  if (numbers === '') return undefined
  const [major = 0, minor = 0, patch = 0] = numbers.split('.').map(Number)
  const meant = `${major}.${minor}.${patch}${rest}`
  return isVersion(meant) ? meant : undefined
}
