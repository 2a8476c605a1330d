/** Paths of layers are byte strings, one character per byte; the file system gets them byte for byte. */

/** A path below a root as the file system takes it. */
export function onDisk(root: string, path: string): string | Buffer {
  if (path === '') return root
  return isAscii(path)
    ? `${root}/${path}`
    : Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')])
}

/** A link's target as the file system takes it. */
export function bytesOf(text: string): string | Buffer {
  return isAscii(text) ? text : Buffer.from(text, 'latin1')
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false
  return true
}
