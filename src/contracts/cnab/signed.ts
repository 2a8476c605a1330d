/** Bundles that old tools signed in clear: the text between the armour; the signature says nothing to anybody here. */

/** The bundle in a clear-signed text; undefined for what is none. */
export function signedText(bytes: Uint8Array): Uint8Array | undefined {
  const text = Buffer.from(bytes).toString().replaceAll('\r\n', '\n')
  const begin = /^-----BEGIN PGP SIGNED MESSAGE-----\n(?:[A-Za-z]+: [^\n]*\n)*\n/.exec(text)
  const end = text.indexOf('\n-----BEGIN PGP SIGNATURE-----')
  if (begin === null || end < begin[0].length) return undefined
  const lines = text.slice(begin[0].length, end).split('\n')
  // Lines that begin with a dash were escaped with another one.
  return new TextEncoder().encode(lines.map((line) => line.replace(/^- /, '')).join('\n'))
}
