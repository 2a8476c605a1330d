/** Accounts and tokens: what many of them cost a poll, and what guesses of ids learn from the time of the answer. */
import { bench as benchAccess } from '../access/index.ts'

/** Prints the figures. */
export async function bench(): Promise<void> {
  await benchAccess()
}
