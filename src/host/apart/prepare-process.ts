/** The process that prepares actions of packages that hold programs. It is asked by text, and goes when its parent goes. */
import process from 'node:process'
import type { Prepared } from '../../contracts/contract.ts'
import { systemChance } from '../../kit/clock.ts'
import { decode, encode } from '../../kit/codec.ts'
import type { Action, Situation } from '../../model/situation.ts'
import { contractNamed } from '../read-package.ts'

export interface Question {
  readonly contract: string
  readonly action: Action
  /** Randomness does not travel: the process draws its own. */
  readonly situation: Omit<Situation, 'random'>
}

export type Reply =
  | { readonly kind: 'prepared'; readonly prepared: Prepared }
  /** A defect of ours: what was thrown, with its stack. */
  | { readonly kind: 'thrown'; readonly error: string }

function reply(text: string): Reply {
  try {
    const { contract, action, situation } = decode<Question>(text)
    const random = (count: number): Uint8Array => systemChance.bytes(count)
    return {
      kind: 'prepared',
      prepared: contractNamed(contract).prepare(action, { ...situation, random }),
    }
  } catch (error) {
    return { kind: 'thrown', error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

// A signal to the whole group leaves the answer wanted: the parent decides when this process ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.on('disconnect', () => process.exit(0))
process.on('message', (text: string) => process.send?.(encode(reply(text))))
process.send?.('ready')
