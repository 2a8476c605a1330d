/** One connection to PostgreSQL: how it is opened, and how a statement is asked of it. */
import type { Socket } from 'node:net'
import pg from 'pg'
import type { Dialect, Row, Value } from '../database.ts'
import { number } from '../row.ts'

export const dialect: Dialect = {
  name: 'postgres',
  list: '(SELECT value FROM json_array_elements_text(?::json))',
  forUpdate: ' FOR UPDATE',
  skipLocked: ' FOR UPDATE SKIP LOCKED',
  shareKey: ' FOR KEY SHARE OF k',
}

export interface LineOptions {
  readonly url: string
  readonly poolSize: number
  readonly statementMs: number
}

export interface Answer {
  readonly command: string
  readonly rows: readonly Row[]
  readonly changed: number
}

const int8 = 20
const connectMs = 5000
const lockMs = 5000
const idleInTransactionMs = 30_000

/** What every connection is opened with. */
export function configOf(options: LineOptions): pg.ClientConfig {
  return {
    connectionString: options.url,
    application_name: 'chandler',
    // Statements are sent without waiting for the answers of those before.
    pipeline: true,
    connectionTimeoutMillis: connectMs,
    statement_timeout: options.statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    keepAlive: true,
    // The statements are few and each has one good plan: planning the claim costs more than running it. A scan by
    // bitmap marks no entry of a row that is gone: a look at the leases would meet all claims since the last vacuum.
    options: '-c plan_cache_mode=force_generic_plan -c enable_bitmapscan=off',
    types: {
      // All our bigints are counts, and milliseconds since 1970: they fit a number.
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  }
}

const known = new Map<string, pg.QueryConfig>()

const parsed = new WeakMap<pg.ClientBase, Set<string>>()

/** Asks one statement; it is parsed once per connection. */
export async function ask(client: pg.ClientBase, text: string, values: readonly Value[]): Promise<Answer> {
  const { name, text: translated } = prepared(text)
  const answer = await send(client, { name, text: translated, values: values as Value[] })
  const names = parsed.get(client)
  if (names) names.add(text)
  else parsed.set(client, new Set([text]))
  return answer
}

/** The name a connection knows a statement by, once it has parsed it. */
export function nameOn(client: pg.ClientBase, text: string): string | undefined {
  return parsed.get(client)?.has(text) ? prepared(text).name : undefined
}

/** Sends commands without values; the answer is that of the last. */
export async function command(client: pg.ClientBase, text: string): Promise<Answer> {
  const answers = await sendAll(client, { text })
  return answers.at(-1) ?? { command: '', rows: [], changed: 0 }
}

/** Sends commands without values; one answer for each. */
export function commands(client: pg.ClientBase, text: string): Promise<readonly Answer[]> {
  return sendAll(client, { text })
}

/** What is asked in one breath goes out in one piece: each write to the network costs more than a statement. */
function gather(client: pg.ClientBase): void {
  // Not among its types, but there since the library's first days.
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection
  if (gathering.has(stream)) return
  gathering.add(stream)
  stream.cork()
  process.nextTick(() => {
    gathering.delete(stream)
    stream.uncork()
  })
}

const gathering = new WeakSet<Socket>()

async function send(client: pg.ClientBase, query: pg.QueryConfig): Promise<Answer> {
  const [answer] = await sendAll(client, query)
  return answer ?? { command: '', rows: [], changed: 0 }
}

function sendAll(client: pg.ClientBase, query: pg.QueryConfig): Promise<readonly Answer[]> {
  gather(client)
  return new Promise((resolve, reject) => {
    void client.query(query, (error: Error | null, result: pg.QueryResult | readonly pg.QueryResult[]) => {
      if (error) reject(error)
      else resolve((Array.isArray(result) ? result : [result]).map(answerOf))
    })
  })
}

function answerOf(result: pg.QueryResult): Answer {
  return { command: result.command, rows: result.rows as readonly Row[], changed: result.rowCount ?? 0 }
}

function prepared(text: string): { readonly name: string; readonly text: string } {
  const found = known.get(text)
  if (found?.name !== undefined) return { name: found.name, text: found.text }
  const made = { name: `c${known.size}`, text: numbered(text) }
  known.set(text, made)
  return made
}

/** Numbers the placeholders; our texts hold no question mark elsewhere. */
export function numbered(text: string): string {
  let count = 0
  return text.replace(/\?/g, () => `$${++count}`)
}

/** The column `now` of a row. */
export function nowOf(row: Row | undefined): number {
  return number(row ?? {}, 'now')
}
