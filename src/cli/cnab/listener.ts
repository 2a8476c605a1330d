/** Shows what a bundle prints while it runs, each stream where it belongs. */
import { printable } from '../../kit/text.ts'
import type { Form } from '../output.ts'
import { terminalSignals } from '../package-listener.ts'
import { isTerminal, say } from '../terminal.ts'

interface Piece {
  readonly stream: 'stdout' | 'stderr' | 'system'
  readonly bytes: Uint8Array
}

/** Where results are printed for programs, what bundles print must not get among them. */
export function bundleListener(form: Form) {
  return {
    ...terminalSignals(),
    log: ({ stream, bytes }: Piece) => {
      const to = stream === 'stdout' && form === 'table' ? 'stdout' : 'stderr'
      process[to].write(isTerminal(to) ? printable(Buffer.from(bytes).toString()) : bytes)
      return Promise.resolve()
    },
    progress: (text: string) => say(text),
  }
}
