/** What is asked in one breath: in order, what is alike as one statement, and in as few messages as it can be. */
import type { ClientBase } from 'pg'
import { InvariantError } from '../../kit/assert.ts'
import type { Row, Value } from '../database.ts'
import { bytesMax, executeText } from './batch.ts'
import { type Answer, ask, commands, nameOn } from './line.ts'
import { askMany, changeMany, columnsOf } from './many.ts'

export interface Statement {
  readonly text: string
  readonly values: readonly Value[]
}

export interface Question extends Statement {
  /** Only its first row is wanted, so that it can be asked together with others like it. */
  readonly first?: true
  answered(answer: Answer): void
  failed(error: unknown): void
}

/**
 * Asks in order; what the connection has not parsed yet goes alone. The last may be a command without values. Over when
 * everyone has an answer.
 */
export async function runPipelined(
  client: ClientBase,
  questions: readonly Question[],
  last?: Question,
): Promise<void> {
  const heard: Promise<void>[] = []
  let known: { readonly question: Question; readonly execute: string }[] = []
  const fire = (): void => {
    if (known.length === 0) return
    const asked = known
    known = []
    const answers = commands(client, asked.map(({ execute }) => execute).join(';\n'))
    const told = answers.then(
      (all) => {
        for (const [i, { question }] of asked.entries()) {
          // Should the server ever count otherwise than we do, no caller gets another one's answer.
          const answer = all.length === asked.length ? all[i] : undefined
          if (answer) question.answered(answer)
          else question.failed(new InvariantError(`${all.length} answers to ${asked.length} statements`))
        }
      },
      (error: unknown) => {
        for (const { question } of asked) question.failed(error)
      },
    )
    heard.push(told)
  }
  for (const question of questions) {
    const execute = executeOn(client, question)
    if (execute !== undefined) {
      known.push({ question, execute })
      continue
    }
    fire()
    heard.push(ask(client, question.text, question.values).then(question.answered, question.failed))
  }
  if (last) known.push({ question: last, execute: last.text })
  fire()
  await Promise.all(heard)
}

/** The text that executes a statement on a connection that has parsed it. */
export function executeOn(client: ClientBase, { text, values }: Statement): string | undefined {
  const name = nameOn(client, text)
  return name === undefined ? undefined : executeText(name, values)
}

/** The changes of several, each in their own order; what several want to do alike is one statement. */
export function mergeChanges(
  client: ClientBase,
  lists: readonly (readonly Statement[])[],
): readonly Statement[] {
  const left = lists.map((list) => ({ list, at: 0 }))
  const merged: Statement[] = []
  for (;;) {
    const text = left.map(({ list, at }) => list[at]).find((head) => head !== undefined)?.text
    if (text === undefined) return merged
    const alike: Statement[] = []
    for (const one of left) {
      const head = one.list[one.at]
      if (head?.text !== text) continue
      alike.push(head)
      one.at++
    }
    merged.push(...asOne(client, alike))
  }
}

function asOne(client: ClientBase, alike: readonly Statement[]): readonly Statement[] {
  const [{ text } = { text: '' }] = alike
  const types = alike.length > 1 && !alike.some(isLarge) ? typesOf(client, text) : undefined
  const many = types && manyOf(text, types)
  return many === undefined ? alike : [{ text: many, values: columnsOf(alike.map(({ values }) => values)) }]
}

/** Questions for first rows as one question for all of the same text; the order is that of the first of each. */
export function mergeQuestions(
  client: ClientBase,
  questions: readonly Question[],
  failed: (asked: readonly Question[], error: unknown) => void,
): readonly Question[] {
  const groups = new Map<string, Question[]>()
  const merged: (Question | Question[])[] = []
  for (const question of questions) {
    const group = question.first ? groups.get(question.text) : undefined
    if (group) group.push(question)
    else {
      const begun = [question]
      if (question.first) groups.set(question.text, begun)
      merged.push(question.first ? begun : question)
    }
  }
  return merged.flatMap((item) => (Array.isArray(item) ? together(client, item, failed) : item))
}

function together(
  client: ClientBase,
  asked: readonly Question[],
  failed: (asked: readonly Question[], error: unknown) => void,
): readonly Question[] {
  const [{ text } = { text: '' }] = asked
  const types = asked.length > 1 && !asked.some(isLarge) ? typesOf(client, text) : undefined
  if (types === undefined || types.length === 0) return asked
  return [
    {
      text: askMany(text, types),
      values: columnsOf(asked.map(({ values }) => values)),
      answered: ({ command, rows }) => {
        const found = new Map<unknown, Row>()
        for (const { n, ...row } of rows) if (!found.has(n)) found.set(n, row)
        for (const [i, question] of asked.entries()) {
          const row = found.get(i + 1)
          question.answered({ command, rows: row ? [row] : [], changed: row ? 1 : 0 })
        }
      },
      failed: (error) => failed(asked, error),
    },
  ]
}

function isLarge({ values }: Statement): boolean {
  return values.some((value) => value instanceof Uint8Array && value.length > bytesMax)
}

const changes = new Map<string, string | undefined>()

function manyOf(text: string, types: readonly string[]): string | undefined {
  if (!changes.has(text)) changes.set(text, changeMany(text, types))
  return changes.get(text)
}

const learned = new Map<string, readonly string[] | 'asked'>()

/** The types the server has found for the parameters of a statement; it is asked once, and not waited for. */
function typesOf(client: ClientBase, text: string): readonly string[] | undefined {
  const known = learned.get(text)
  if (known !== undefined) return known === 'asked' ? undefined : known
  const name = nameOn(client, text)
  if (name === undefined) return undefined
  learned.set(text, 'asked')
  ask(client, parameterTypes, [name]).then(
    ({ rows }) => {
      const types = rows[0]?.['types']
      if (typeof types === 'string') learned.set(text, types === '' ? [] : types.split(','))
      else learned.delete(text)
    },
    () => learned.delete(text),
  )
  return undefined
}

const parameterTypes = `SELECT array_to_string(parameter_types::text[], ',') AS types FROM pg_prepared_statements
  WHERE name = ?`
