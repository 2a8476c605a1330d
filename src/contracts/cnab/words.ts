/** Names, versions and digests: which texts the specification takes, and which it takes with a frown. */

/** Letters, marks, numbers, punctuation, symbols and blanks; no tab, no line break, nothing invisible. */
export function isGraphic(text: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]+$/u.test(text)
}

const lenient =
  /^v?\d+(?:\.\d+){0,2}(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/
const strict =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/

/** unknown: it is a version, and may hold what we do not know. */
export function judgeSchemaVersion(text: string): 'known' | 'unknown' | 'invalid' {
  if (/^v1$|^v?1\.[012]\.0$/.test(text)) return 'known'
  return lenient.test(text) ? 'unknown' : 'invalid'
}

/** warn: not a full semantic version, but other tools take it. */
export function judgeBundleVersion(text: string): 'ok' | 'warn' | 'invalid' {
  if (strict.test(text)) return 'ok'
  return lenient.test(text) ? 'warn' : 'invalid'
}

/** Whether a text is a digest that can be checked. */
export function isDigest(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$|^sha512:[0-9a-f]{128}$/.test(text)
}
