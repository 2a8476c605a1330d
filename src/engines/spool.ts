/**
 * What a program prints, on its way to the follower: a row of files, of which only the newest are there. A writer that is
 * too far ahead waits, and the program with it, so that a log takes a bounded part of the disk however slowly it is read.
 * The first file has the name of the stream; each later one has the position of its first byte behind that name.
 */
import { readdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { quote } from './shell.ts'

/** A file of the row is closed at the first look at which it has so many bytes; it is looked at after as many at the latest. */
const fileBytes = 1024 * 1024
const blockBytes = 16 * 1024

/**
 * Functions for /bin/sh, which read standard input. `spool FILE` keeps a row of at most four files, each removed by the reader.
 * `capture FILE BYTES` keeps one file whole, of a little more than so many bytes at the most; what comes after them is lost.
 * Where the disk is full, what follows is lost and the file `whole` is removed, which needs no room.
 */
export const spoolFunctions: readonly string[] = [
  'lose() { rm -f whole; exec cat >/dev/null; }',
  // Answers whether there may be more: dd tells, perhaps behind a warning, how many blocks it took, whole ones and parts of one.
  `take() { told=$(LC_ALL=C dd bs=${blockBytes} count=${fileBytes / blockBytes} 2>&1 >>"$1") || lose; told=\${told%% records in*}; [ $(( \${told##*[!0-9+]} )) -ge ${fileBytes / blockBytes} ]; }`,
  'spool() {',
  'at=0 file=$1 old= older= oldest=',
  // One that took over from another goes on with its last file.
  `for there in "$1"@*; do [ -e "$there" ] && [ "\${there##*@}" -gt $at ] && at=\${there##*@} file=$there; done`,
  'while take "$file"; do',
  'bytes=$(wc -c <"$file")',
  `[ $(( bytes )) -ge ${fileBytes} ] || continue`,
  'while [ -n "$oldest" ] && [ -e "$oldest" ]; do sleep 0.02; done',
  'at=$((at + bytes)) oldest=$older older=$old old=$file',
  'file=$1@$at',
  'done; }',
  'capture() {',
  'while take "$1"; do [ $(($(wc -c <"$1"))) -le "$2" ] || exec cat >/dev/null; done; }',
]

/** The call of the function that writes a stream. */
export function writerOf(file: string, captured: { readonly bytesMax: number } | undefined): string {
  return captured === undefined ? `spool ${quote(file)}` : `capture ${quote(file)} ${captured.bytesMax}`
}

/** One file of a row, and the position of its first byte in the stream. */
export interface SpoolFile {
  readonly path: string
  readonly start: number
}

/** What follows a file that is at its end, if anything does. */
export function fileAfter(stream: string, position: number): SpoolFile {
  return { path: `${stream}@${position}`, start: position }
}

/** The files of a stream that are there, in their order. */
export async function spoolFiles(stream: string): Promise<readonly SpoolFile[]> {
  const name = basename(stream)
  const names = await readdir(dirname(stream)).catch((): readonly string[] => [])
  return names
    .flatMap((there) => {
      if (there === name) return [{ path: stream, start: 0 }]
      const position = there.startsWith(`${name}@`) ? Number(there.slice(name.length + 1)) : Number.NaN
      return Number.isSafeInteger(position) ? [{ path: `${stream}@${position}`, start: position }] : []
    })
    .sort((a, b) => a.start - b.start)
}
