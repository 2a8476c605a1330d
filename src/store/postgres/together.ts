/** Questions asked in one breath go as one message and come back as one: most of a small question's cost is the way. */
import type { ClientBase } from 'pg'
import type { Value } from '../database.ts'
import { executeText } from './batch.ts'
import { type Answer, ask, commands, nameOn } from './line.ts'
import { isDisconnect } from './problem.ts'

export interface Question {
  readonly text: string
  readonly values: readonly Value[]
  answered(answer: Answer): void
  failed(error: unknown): void
}

/** Asks them all, and is over when all have their answer; the failure of one is not the others'. */
export async function askTogether(client: ClientBase, questions: readonly Question[]): Promise<void> {
  const written = questions.map((question) => ({ question, execute: executeOn(client, question) }))
  const together = written.filter(({ execute }) => execute !== undefined)
  if (together.length < 2) return alone(client, questions)
  const others = written.filter(({ execute }) => execute === undefined)
  const asked = together.map(({ question }) => question)
  const answers = commands(client, together.map(({ execute }) => execute).join(';\n'))
  await Promise.all([
    alone(
      client,
      others.map(({ question }) => question),
    ),
    answers.then(
      (all) => hand(client, asked, all),
      (error: unknown) => again(client, asked, error),
    ),
  ])
}

async function hand(client: ClientBase, asked: readonly Question[], all: readonly Answer[]): Promise<void> {
  // Should the server ever count otherwise than we do, nobody gets an answer that is not his.
  if (all.length !== asked.length) return alone(client, asked)
  for (const [i, answer] of all.entries()) asked[i]?.answered(answer)
}

async function again(client: ClientBase, asked: readonly Question[], error: unknown): Promise<void> {
  if (!isDisconnect(error)) return alone(client, asked)
  for (const { failed } of asked) failed(error)
}

function executeOn(client: ClientBase, { text, values }: Question): string | undefined {
  const name = nameOn(client, text)
  return name === undefined ? undefined : executeText(name, values)
}

async function alone(client: ClientBase, questions: readonly Question[]): Promise<void> {
  await Promise.all(
    questions.map(({ text, values, answered, failed }) => ask(client, text, values).then(answered, failed)),
  )
}
