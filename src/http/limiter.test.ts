import type { IncomingMessage } from 'node:http'
import { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { type Limits, makeLimiter } from './limiter.ts'

const generous: Limits = { requestsPerSecond: 0, failedLoginsPerSecond: 1000, concurrentRequests: 1000 }

test('only so many requests are in the house at once; polls and deletes pass', () => {
  const { send } = limiting({ concurrentRequests: 2 })
  const first = send()
  send()

  expect(send().problem).toMatchObject({ code: 'request.too-many', detail: 'more than 2 at once' })
  expect(send({ method: 'DELETE' }).problem).toBeUndefined()
  expect(send({ url: '/v2/service_instances/i/last_operation?operation=x' }).problem).toBeUndefined()
  expect(send({ url: '/v2/x/last_operations' }).problem).toBeDefined()

  first.answer(200)
  // The delete and the poll are still inside.
  expect(send().problem).toBeDefined()
})

test('an account has a rate and a burst, and another account has its own', () => {
  const { send, pass } = limiting({ requestsPerSecond: 2 })
  const sent = Array.from({ length: 9 }, () => send({ authorization: 'Basic a' }).problem)

  expect(sent.filter((problem) => problem === undefined).length).toBe(8)
  expect(send({ authorization: 'Basic b' }).problem).toBeUndefined()
  pass(500)
  expect(send({ authorization: 'Basic a' }).problem).toBeUndefined()
  expect(send({ authorization: 'Basic a' }).problem).toMatchObject({ detail: 'more than 2 a second' })
})

test('an address that guesses must wait, but whoever is known there passes', () => {
  const { send, pass } = limiting({ failedLoginsPerSecond: 2 })
  for (let i = 0; i < 2; i++) send({ authorization: 'Basic guess' }).answer(401)

  expect(send({ authorization: 'Basic guess' }).problem).toMatchObject({ code: 'request.too-many' })
  expect(send({ authorization: 'Basic known' }).problem).toBeUndefined()
  expect(send({ authorization: 'Basic guess', from: '10.0.0.2' }).problem).toBeUndefined()
  pass(1000)
  expect(send({ authorization: 'Basic guess' }).problem).toBeUndefined()
})

test('limits change while requests are inside', () => {
  const { send, limiter } = limiting({ concurrentRequests: 1 })
  send()
  limiter.change({ ...generous, concurrentRequests: 2 })

  expect(send().problem).toBeUndefined()
  expect(send().problem).toBeDefined()
})

interface Sent {
  readonly method?: string
  readonly url?: string
  readonly authorization?: string
  readonly from?: string
}

function limiting(limits: Partial<Limits>) {
  let now = 0
  const limiter = makeLimiter(
    {
      gate: { knows: (header) => header === 'Basic known' },
      clock: { monotonic: () => now },
      source: (request) => String(request.headers['x-from']),
    },
    { ...generous, ...limits },
  )
  const send = ({ method = 'GET', url = '/v2/catalog', authorization, from = '10.0.0.1' }: Sent = {}) => {
    const headers = { authorization, 'x-from': from }
    const request = { method, url, headers } as unknown as IncomingMessage
    const response = new ServerResponse(request)
    const problem = limiter.enter(request, response)
    const answer = (status: number) => {
      response.statusCode = status
      response.emit('close')
    }
    return { problem, answer }
  }
  return { limiter, send, pass: (ms: number) => (now += ms) }
}
