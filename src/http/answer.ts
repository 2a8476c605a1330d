/** Answers: JSON with its length, and the one place where a problem becomes a status. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describeProblem, type Problem } from '../model/problem.ts'
import { problemCodes } from '../model/problem-codes.ts'

export interface Answer {
  readonly status: number
  readonly body?: Readonly<Record<string, unknown>>
  /** The body already printed. */
  readonly text?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

const json = 'application/json; charset=utf-8'

/** Whether a body was announced that has not arrived completely. */
export function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/** A client that is answered before its body has arrived would send the rest in vain: the connection ends with the answer. */
export function closeIfUnread(response: ServerResponse): void {
  if (hasUnreadBody(response.req)) response.shouldKeepAlive = false
}

/** Sends an answer whole. */
export function send(response: ServerResponse, answer: Answer): void {
  closeIfUnread(response)
  const text = answer.text ?? (answer.body === undefined ? undefined : JSON.stringify(answer.body))
  if (text === undefined) {
    response.writeHead(answer.status, answer.headers).end()
    return
  }
  const length = Buffer.byteLength(text)
  response
    .writeHead(answer.status, { ...answer.headers, 'Content-Type': json, 'Content-Length': length })
    .end(text)
}

/** The status of a problem. */
export function statusOf({ code }: Problem): number {
  return problemCodes[code].status
}

/** All sentences of a problem: what, where, and the rest of the same document. */
export function sentences(problem: Problem): string {
  return [problem, ...(problem.others ?? [])].map((one) => describeProblem(one)).join('; ')
}
