/** Questions outside any transaction, asked in one breath as one message: the failure of one is not the others'. */
import type { ClientBase } from 'pg'
import { type Answer, ask, commands } from './line.ts'
import { executeOn, mergeQuestions, type Question } from './pipelined.ts'
import { isDisconnect } from './problem.ts'

/** Asks them all, and is over when all have their answer. */
export async function askTogether(client: ClientBase, questions: readonly Question[]): Promise<void> {
  const second: Promise<void>[] = []
  const merged = mergeQuestions(client, questions, (asked, error) => {
    second.push(again(client, asked, error))
  })
  const written = merged.map((question) => ({ question, execute: executeOn(client, question) }))
  const together = written.filter(({ execute }) => execute !== undefined)
  const others = written.filter(({ execute }) => execute === undefined)
  if (together.length < 2) await alone(client, merged)
  else {
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
  await Promise.all(second)
}

async function hand(client: ClientBase, asked: readonly Question[], all: readonly Answer[]): Promise<void> {
  // Should the server ever count otherwise than we do, no caller gets another one's answer.
  if (all.length !== asked.length) return alone(client, asked)
  for (const [i, answer] of all.entries()) asked[i]?.answered(answer)
}

async function again(client: ClientBase, asked: readonly Question[], error: unknown): Promise<void> {
  if (!isDisconnect(error)) return alone(client, asked)
  for (const { failed } of asked) failed(error)
}

async function alone(client: ClientBase, questions: readonly Question[]): Promise<void> {
  await Promise.all(
    questions.map(({ text, values, answered, failed }) => ask(client, text, values).then(answered, failed)),
  )
}
