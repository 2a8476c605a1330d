/** A request that was sent and its answer, as a finding shows them: without what must not be seen. */
import { isObject, type Json } from '../../kit/json.ts'
import { shorten } from '../../kit/text.ts'
import type { BrokerAnswer, BrokerRequest } from '../broker-connection.ts'

export interface Exchange {
  readonly request: BrokerRequest
  readonly answer: BrokerAnswer
}

export interface ShownExchange {
  readonly request: {
    readonly method: string
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
  }
  readonly answer: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
}

const mostCharacters = 2000
const hidden = '***'

/** What a report may keep: no credentials, neither the ones that were sent nor the ones that were handed out. */
export function shown({ request, answer }: Exchange): ShownExchange {
  const { Authorization: sent, ...headers } = request.headers
  return {
    request: {
      method: request.method,
      path: request.path,
      headers: { ...headers, ...(sent === undefined ? {} : { Authorization: hidden }) },
      ...(request.body === undefined ? {} : { body: shorten(request.body, mostCharacters) }),
    },
    answer: {
      status: answer.status,
      headers: answer.headers,
      body: shorten(textOf(answer), mostCharacters),
    },
  }
}

/** Status and body in one line. */
export function saidBy(answer: BrokerAnswer): string {
  return shorten(`${answer.status} ${textOf(answer)}`.trim(), 200)
}

function textOf({ body, text }: BrokerAnswer): string {
  return isObject(body) ? JSON.stringify(masked(body as Json)) : text
}

function masked(value: Json): Json {
  if (Array.isArray(value)) return value.map(masked)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      name === 'credentials' && isObject(one) ? hidden : masked(one as Json),
    ]),
  )
}

/** A member of a body that is an object. */
export function member(answer: BrokerAnswer, name: string): unknown {
  return isObject(answer.body) ? answer.body[name] : undefined
}
