/** Shows what a package prints while it runs; the terminal may stop it, or leave it running. */
import { printable } from '../kit/text.ts'
import { isTerminal, say } from './terminal.ts'

/** Logs go to standard error: raw where no person looks, without control characters on a terminal. */
export function packageListener() {
  return {
    ...terminalSignals(),
    log: (piece: { readonly bytes: Uint8Array }) => {
      process.stderr.write(
        isTerminal('stderr') ? printable(Buffer.from(piece.bytes).toString()) : piece.bytes,
      )
      return Promise.resolve()
    },
    progress: (text: string) => say(text),
  }
}

/** An interrupt stops what runs; a terminal that goes, or a polite kill, leaves it to go on. */
export function terminalSignals(): { readonly signal: AbortSignal; readonly leave: AbortSignal } {
  const stop = new AbortController()
  const leave = new AbortController()
  process.once('SIGINT', () => stop.abort())
  process.once('SIGHUP', () => leave.abort())
  process.once('SIGTERM', () => leave.abort())
  return { signal: stop.signal, leave: leave.signal }
}
