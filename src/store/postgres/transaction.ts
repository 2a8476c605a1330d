/** One transaction on one connection, its statements sent without waiting where nobody needs the answer. */
import type { ClientBase } from 'pg'
import { invariant } from '../../kit/assert.ts'
import type { Session, Value } from '../database.ts'
import { executeText } from './batch.ts'
import { ask, command, dialect, nameOn, nowOf } from './line.ts'
import { isDisconnect } from './problem.ts'
import type { ServerTime } from './server-time.ts'

type Committed =
  | { readonly kind: 'committed' }
  | { readonly kind: 'refused'; readonly error: unknown }
  /** The connection broke under the commit: only the server knows, by the transaction's number. */
  | { readonly kind: 'unknown'; readonly number: string; readonly error: unknown }

export interface OpenTransaction {
  readonly session: Session
  commit(): Promise<Committed>
  /** Ends it without keeping anything; false: the connection is of no more use. */
  rollback(): Promise<boolean>
  /** What really went wrong, when later statements only say that something had. */
  firstError(): unknown
}

/** Begins; the first statement does not wait for it. */
export function begin(client: ClientBase, time: ServerTime): OpenTransaction {
  let isOver = false
  let firstError: unknown
  const heard: Promise<void>[] = []
  const watched = <T>(answer: Promise<T>): Promise<T> => {
    const noting = answer.then(
      () => undefined,
      (error: unknown) => {
        firstError ??= error
      },
    )
    heard.push(noting)
    return answer
  }
  const opened = watched(
    command(client, 'BEGIN; SELECT pg_current_xact_id()::text AS number, now_ms() AS now'),
  )
  opened.then(({ rows }) => time.told(nowOf(rows[0]))).catch(() => undefined)
  let deferred: string[] = []
  const flush = (): void => {
    if (deferred.length > 0) watched(command(client, deferred.join(';\n'))).catch(() => undefined)
    deferred = []
  }
  const inTime = (text: string, values: readonly Value[]): ReturnType<typeof ask> => {
    invariant(!isOver, 'a transaction is not used after its end')
    flush()
    return watched(ask(client, text, values))
  }
  return {
    session: {
      dialect,
      now: async () => Math.max(nowOf((await opened).rows[0]), time.reckoned() ?? 0),
      get: async (text, ...values) => (await inTime(text, values)).rows[0],
      all: async (text, ...values) => (await inTime(text, values)).rows,
      run: async (text, ...values) => (await inTime(text, values)).changed,
      // Its failure is seen at the next question or the commit.
      send: async (text, ...values) => {
        invariant(!isOver, 'a transaction is not used after its end')
        const name = nameOn(client, text)
        const execute = name === undefined ? undefined : executeText(name, values)
        if (execute === undefined) inTime(text, values).catch(() => undefined)
        else deferred.push(execute)
      },
    },
    commit: async () => {
      isOver = true
      let number: string
      try {
        // Without its number the fate of a broken commit could not be asked for.
        number = String((await opened).rows[0]?.['number'])
      } catch (error) {
        return { kind: 'refused', error }
      }
      try {
        const { command: done } = await command(client, [...deferred, 'COMMIT'].join(';\n'))
        if (done !== 'COMMIT') await Promise.all(heard)
        // A transaction in which something failed is rolled back by its commit, without an error.
        return done === 'COMMIT' ? { kind: 'committed' } : { kind: 'refused', error: firstError }
      } catch (error) {
        await Promise.all(heard)
        if (firstError !== undefined && !isDisconnect(firstError))
          return { kind: 'refused', error: firstError }
        return isDisconnect(error) ? { kind: 'unknown', number, error } : { kind: 'refused', error }
      }
    },
    rollback: async () => {
      isOver = true
      try {
        await command(client, 'ROLLBACK')
        return true
      } catch {
        return false
      }
    },
    firstError: () => firstError,
  }
}
