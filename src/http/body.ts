/** Reads a request body: bounded, UTF-8, one JSON object, no part of it too much. */
import type { IncomingMessage } from 'node:http'
import { parseJson } from '../kit/exact.ts'
import { isObject, type JsonObject } from '../kit/json.ts'
import { fail, type Problem, ProblemError } from '../model/problem.ts'
import { type BodyLimits, refuseTooMuch } from './body-limits.ts'

/** The object in the body, whatever its content type says. Problems: request.too-large, request.malformed. */
export async function readObject(request: IncomingMessage, limits: BodyLimits): Promise<JsonObject> {
  const bytes = await readBytes(request, limits.bytes)
  const value = parse(bytes)
  if (!isObject(value)) fail('request.malformed', 'the body must be a JSON object')
  refuseTooMuch(value, limits)
  return value as JsonObject
}

function parse(bytes: Buffer): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return fail('request.malformed', bytes.length === 0 ? 'the body is missing' : 'the body is not JSON')
  }
}

async function readBytes(request: IncomingMessage, most: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > most) throw new ProblemError(tooLarge(most))
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      size += piece.length
      if (size > most) throw new ProblemError(tooLarge(most))
      pieces.push(piece)
    }
  } catch (error) {
    if (size > most) throw error
    fail('request.malformed', 'the body did not arrive completely', { cause: error })
  }
  return Buffer.concat(pieces)
}

/** What is told of a body with more bytes than that. */
export function tooLarge(most: number): Problem {
  return { code: 'request.too-large', detail: `more than ${most} bytes (http.bodyLimit)` }
}
