/** Whether what cannot be undone is meant: by `--yes`, or by the person at the terminal. */
import { fail } from '../model/problem.ts'
import { confirm, isTerminal } from './terminal.ts'

/** Goes on when it is meant. Problems: usage.invalid. */
export async function mayGoOn(question: string, { yes }: { readonly yes?: boolean }): Promise<void> {
  if (yes) return
  if (!isTerminal('stdin'))
    fail('usage.invalid', 'nobody can be asked here', { hint: 'Add --yes if you mean it.' })
  if (!(await confirm(question))) fail('usage.invalid', 'not confirmed', { hint: 'Nothing was changed.' })
}
