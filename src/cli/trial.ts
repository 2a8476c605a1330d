/** The dry run of an order: what would refuse it, in the words in which it would be refused. */
import type { DryRun } from '../api/instance.ts'
import { problemFrom } from '../client/problem.ts'
import { ProblemError } from '../model/problem.ts'
import { type Form, printDocument } from './output.ts'
import { print } from './terminal.ts'

/** Throws what would refuse the order; else says that nothing would. */
export async function showDryRun({ accepted, problem }: DryRun, form: Form): Promise<void> {
  if (problem !== undefined) throw new ProblemError(problemFrom(problem, 400))
  if (form === 'json' || form === 'yaml') await printDocument(form, 'DryRun', { accepted })
  else print('The order would be taken. Nothing was ordered.')
}
