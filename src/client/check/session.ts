/** One check of one broker: the account and version of its requests, and what is written down of every answer. */
import type { Clock } from '../../kit/clock.ts'
import { uuidOf } from '../../kit/hash.ts'
import { isObject, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { fail } from '../../model/problem.ts'
import type { BrokerConnection } from '../broker-connection.ts'
import { authorizationOf } from '../credentials.ts'
import type { Book } from './book.ts'
import { type Exchange, member } from './exchange.ts'
import type { Ledger, Thing } from './ledger.ts'
import type { Minor, RuleId } from './rules.ts'

export interface Setting {
  readonly connection: BrokerConnection
  readonly minor: Minor
  readonly book: Book
  readonly ledger: Ledger
  readonly clock: Clock
  /** Ids are derived from it, so that the same run can be found again at the broker. */
  readonly run: string
  /** Milliseconds that one operation of the broker may take. */
  readonly waitMs: number
  /** Throws once the check has to end: its time is over, or it was interrupted. */
  readonly mayGoOn: () => void
  /** Wakes the waiting poll. */
  readonly stop?: AbortSignal
}

export interface Sent {
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** Beside the usual ones; undefined leaves a usual one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: JsonObject
  /** A body that is no JSON. */
  readonly raw?: string
  /** What a PUT would make, if it were accepted. */
  readonly makes?: Thing
}

/** What was expected; what came instead, where status and body alone do not show it. */
export interface Told {
  readonly expected: string
  readonly got: string
}

export interface Session extends Setting {
  readonly subject: string
  send(sent: Sent): Promise<Exchange>
  judge(rule: RuleId, exchange: Exchange, kept: boolean, told: string | Told): boolean
  miss(rule: RuleId, reason: string): void
  /** A fresh id, the same for the same words in the same run. */
  id(...words: readonly string[]): string
}

/** The requests and judgements about one plan, or about the broker as such. */
export function sessionFor(subject: string, setting: Setting): Session {
  const { book, connection, ledger, minor } = setting
  const judge: Session['judge'] = (rule, exchange, kept, told) =>
    book.judge({
      rule,
      subject,
      exchange,
      kept,
      ...(typeof told === 'string' ? { expected: told } : told),
    })
  return {
    ...setting,
    subject,
    judge,
    miss: (rule, reason) => book.miss(rule, subject, reason),
    id: (...words) => uuidOf(setting.run, subject, ...words),
    async send(sent) {
      setting.mayGoOn()
      if (sent.makes !== undefined) ledger.ordered(sent.makes)
      const request = requestOf(sent, minor, connection)
      const answer = await connection.send(request).catch((cause: unknown) => {
        book.judge({
          rule: 'answer.given',
          subject,
          kept: false,
          expected: `an answer to ${sent.method} ${request.path}`,
          got: cause instanceof Error ? cause.message : String(cause),
        })
        return fail('server.unreachable', `${sent.method} ${request.path}`, { cause })
      })
      if (sent.makes !== undefined) ledger.answered(sent.makes.path, answer)
      const exchange = { request, answer }
      judgeAnswer(exchange, judge)
      return exchange
    },
  }
}

function requestOf(sent: Sent, minor: Minor, connection: BrokerConnection): Exchange['request'] {
  const { method, path, query = {}, body, raw } = sent
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const words = new URLSearchParams(query).toString()
  const headers: Record<string, string | undefined> = {
    'X-Broker-API-Version': `2.${minor}`,
    Accept: 'application/json',
    ...(text === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(connection.credentials ? { Authorization: authorizationOf(connection.credentials) } : {}),
    ...sent.headers,
  }
  return {
    method,
    path: words === '' ? path : `${path}?${words}`,
    headers: Object.fromEntries(
      Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    ...present({ body: text }),
  }
}

/** What holds for every answer, whatever was asked. */
function judgeAnswer(exchange: Exchange, judge: Session['judge']): void {
  const { answer } = exchange
  const { status, text, headers } = answer
  if (status >= 300 && status < 400) return
  judge('answer.object', exchange, isObject(answer.body), 'a JSON object')
  if (text !== '') {
    const type = headers['content-type'] ?? ''
    judge('answer.content-type', exchange, /^application\/(?:[\w.-]+\+)?json\b/i.test(type), {
      expected: 'application/json',
      got: type,
    })
  }
  if (status < 400) return
  const flawed = ['error', 'description'].filter((name) => {
    const word = member(answer, name)
    return word !== undefined && (typeof word !== 'string' || word === '')
  })
  judge('answer.error', exchange, flawed.length === 0, {
    expected: 'texts, or nothing',
    got: `${status} with ${flawed.join(', ')}`,
  })
  judgeFlags(exchange, judge)
}

function judgeFlags(exchange: Exchange, judge: Session['judge']): void {
  const { request, answer } = exchange
  const ofInstance = !request.path.includes('/service_bindings/')
  const allowed = {
    instance_usable: ofInstance && (request.method === 'PATCH' || request.method === 'DELETE'),
    update_repeatable: ofInstance && request.method === 'PATCH',
  }
  const flawed = Object.entries(allowed).filter(([name, fits]) => {
    const flag = member(answer, name)
    return flag !== undefined && (!fits || typeof flag !== 'boolean')
  })
  judge('answer.flags', exchange, flawed.length === 0, {
    expected: 'booleans, on failed updates and deprovisions only',
    got: flawed.map(([name]) => `${name}: ${JSON.stringify(member(answer, name))}`).join(', '),
  })
}
