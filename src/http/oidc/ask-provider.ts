/** Asks an identity provider, within bounds; its certificate is checked against what this machine trusts and a file of the settings. */
import { readFileSync } from 'node:fs'
import { request as plain } from 'node:http'
import { request as encrypted } from 'node:https'
import { getCACertificates } from 'node:tls'
import { present } from '../../kit/present.ts'
import { fail } from '../../model/problem.ts'
import type { AskProvider } from './provider.ts'

const withinMs = 10_000
const bytesMax = 1_048_576

/** No redirect is followed: what a provider names is asked, and nothing else. */
export function makeAskProvider(caFile: () => string | undefined): AskProvider {
  return async (url, form) => {
    const signal = AbortSignal.timeout(withinMs)
    const body = form?.body.toString()
    const isEncrypted = url.startsWith('https:')
    const headers = {
      accept: 'application/json',
      ...present({ authorization: form?.authorization }),
      ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    }
    const method = body === undefined ? 'GET' : 'POST'
    return new Promise((resolve, reject) => {
      const ask = isEncrypted ? encrypted : plain
      const trusted = isEncrypted ? { ca: authoritiesWith(caFile()) } : {}
      ask(url, { method, headers, signal, agent: false, ...trusted }, (answer) => {
        bounded(answer).then(
          (text) => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) as unknown }),
          reject,
        )
      })
        .once('error', reject)
        .end(body)
    })
  }
}

function authoritiesWith(file: string | undefined): string[] {
  const usual = [...getCACertificates('default'), ...getCACertificates('system')]
  if (file === undefined) return usual
  try {
    return [...usual, readFileSync(file, 'utf8')]
  } catch (cause) {
    return fail('login.provider-away', 'auth.oidc.caFile cannot be read', { cause })
  }
}

async function bounded(answer: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of answer) {
    size += piece.length
    if (size > bytesMax) fail('login.provider-away', 'it says too much')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}
