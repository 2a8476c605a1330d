/** What a program needs before its first line runs: the interpreter of a script, the loader of a binary. */

/** How much of a program tells it. */
export const headBytes = 4096

const elfMagic = 0x7f454c46
const interpreterSegment = 3

/** The path that the kernel will look for, or why it will not even look. */
export type Starter =
  | { readonly kind: 'none'; readonly path: '' }
  | { readonly kind: 'needs'; readonly path: string; readonly what: 'interpreter' | 'loader' }
  | { readonly kind: 'carriage-return'; readonly path: string }

const none: Starter = { kind: 'none', path: '' }

/** Reads it from the beginning of a program; what is neither script nor a binary of 64 bits is left to the kernel. */
export function starterOf(head: Buffer): Starter {
  if (head.toString('latin1', 0, 2) === '#!') return starterOfScript(head)
  return head.length >= 64 && head.readUInt32BE(0) === elfMagic ? starterOfBinary(head) : none
}

function starterOfScript(head: Buffer): Starter {
  const [line = ''] = head.toString('latin1', 2).split('\n')
  const path = line.trimStart().split(/[ \t]/)[0] ?? ''
  if (path.endsWith('\r')) return { kind: 'carriage-return', path: path.slice(0, -1) }
  return path.startsWith('/') ? { kind: 'needs', path, what: 'interpreter' } : none
}

/** Program headers stand right behind the header in all that linkers write; others are left to the kernel. */
function starterOfBinary(head: Buffer): Starter {
  const isSmall = head[5] === 1 && head[4] === 2
  if (!isSmall) return none
  const table = Number(head.readBigUInt64LE(32))
  const size = head.readUInt16LE(54)
  const count = head.readUInt16LE(56)
  for (let i = 0; i < count; i++) {
    const at = table + i * size
    if (at + 40 > head.length) return none
    if (head.readUInt32LE(at) !== interpreterSegment) continue
    const from = Number(head.readBigUInt64LE(at + 8))
    const end = from + Number(head.readBigUInt64LE(at + 32))
    if (end > head.length) return none
    return { kind: 'needs', path: head.toString('latin1', from, end).replace(/\0.*$/s, ''), what: 'loader' }
  }
  return none
}

/** What the kernel would only say of the program itself: that it is not there. */
export function starterFault(program: string, starter: Starter): string {
  const { path } = starter
  return starter.kind === 'carriage-return'
    ? `${program} ends its first line as Windows does: there is no ${path} with a carriage return in its name`
    : `${program} needs the ${starter.kind === 'needs' ? starter.what : 'program'} ${path}, which the image lacks`
}
