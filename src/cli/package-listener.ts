/** Shows what a package prints while it runs, and stops it when the terminal asks. */
import { printable } from '../kit/text.ts'
import { isTerminal, say } from './terminal.ts'

/** Logs go to standard error: raw where nobody looks, without control characters on a terminal. */
export function packageListener() {
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  return {
    signal: stop.signal,
    log: (piece: { readonly bytes: Uint8Array }) => {
      process.stderr.write(
        isTerminal('stderr') ? printable(Buffer.from(piece.bytes).toString()) : piece.bytes,
      )
      return Promise.resolve()
    },
    progress: (text: string) => say(text),
  }
}
