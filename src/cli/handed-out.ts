/** What an action hands out, as a table for people. */
import type { Output } from '../model/outcome.ts'
import { printTable } from './table.ts'

/** Prints nothing where nothing was handed out; `told` says what is to know of each besides its size. */
export function printHandedOut(
  outputs: readonly Output[],
  heads: { readonly name: string; readonly told: string },
  told: (output: Output) => string,
): void {
  if (outputs.length === 0) return
  printTable(
    [heads.name, 'STATE', 'BYTES', heads.told],
    outputs.map((one) => [
      one.name,
      one.state ?? 'present',
      String(one.bytes ?? one.content.length),
      one.summary ?? told(one),
    ]),
  )
}
