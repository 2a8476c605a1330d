/** Calls a broker as a platform does; a path goes out as it is written, with whatever dots it has. */
import { Agent, type Dispatcher } from 'undici'
import { parseJson } from '../../src/kit/exact.ts'

export interface Answer {
  readonly status: number
  readonly body: unknown
}

interface Account {
  readonly url: string
  readonly user: string
  readonly password: string
}

const agent = new Agent()

export async function callOsb(
  { url, user, password }: Account,
  method: Dispatcher.HttpMethod,
  path: string,
  body?: string,
): Promise<Answer> {
  const { statusCode, body: answer } = await agent.request({
    origin: url,
    path,
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
      'x-broker-api-version': '2.17',
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body }),
  })
  return { status: statusCode, body: parseJson(await answer.text()) }
}
