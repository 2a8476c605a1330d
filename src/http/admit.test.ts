import type { IncomingMessage } from 'node:http'
import { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { present } from '../kit/present.ts'
import { accessOf, roles } from '../model/access.ts'
import { ProblemError, toProblem } from '../model/problem.ts'
import { type AdmissionLimits, makeAdmission } from './admit.ts'
import { makeGate } from './authenticate.ts'
import { makeJudge } from './judge.ts'

const generous: AdmissionLimits = {
  requestsPerSecond: 0,
  failedLoginsPerSecond: 1000,
  concurrentRequests: 1000,
  concurrentPerAccount: 1000,
  concurrentPerSource: 1000,
  followersPerAccount: 1000,
}

const tooMany = (detail: string) => ({ code: 'request.too-many', detail })

test('only so many requests are carried out at once; polls and deletes need no place', () => {
  const { send } = admitting({ concurrentRequests: 2 })
  const first = send()
  send()

  expect(send()).toMatchObject(tooMany('more than 2 at once'))
  expect(send({ method: 'DELETE' }).code).toBeUndefined()
  expect(send({ url: '/v2/service_instances/i/last_operation?operation=x' }).code).toBeUndefined()
  expect(send({ url: '/v2/x/last_operations' }).code).toBeDefined()
  expect(send({ method: 'PUT', url: '/v2/service_instances/i?x=/last_operation' }).code).toBeDefined()

  first.answer()
  expect(send().code).toBeUndefined()
})

test('an account, and an address, has its share of the places', () => {
  const { send } = admitting({ concurrentPerAccount: 2, concurrentPerSource: 3 })
  const first = send()
  send()

  expect(send()).toMatchObject(tooMany('more than 2 of this account at once'))
  expect(send({ user: 'b' }).code).toBeUndefined()
  expect(send({ user: 'b' })).toMatchObject(tooMany('more than 3 from this address at once'))
  expect(send({ user: 'b', from: '10.0.0.2' }).code).toBeUndefined()
  first.answer()
  expect(send().code).toBeUndefined()
})

test('who follows takes no place of other requests', () => {
  const { send } = admitting({ concurrentRequests: 1, followersPerAccount: 1 })
  const follow = { accept: 'text/event-stream' }
  const first = send(follow)

  expect(send(follow)).toMatchObject(tooMany('this account follows 1 logs already'))
  expect(send({ ...follow, user: 'b' }).code).toBeUndefined()
  expect(send().code).toBeUndefined()
  first.answer()
  expect(send(follow).code).toBeUndefined()
})

test('an account has a rate and a burst, and another account has its own', () => {
  const { send, pass } = admitting({ requestsPerSecond: 2 })
  const sent = Array.from({ length: 9 }, () => send().code)

  expect(sent.filter((code) => code === undefined).length).toBe(8)
  expect(send({ user: 'b' }).code).toBeUndefined()
  pass(500)
  expect(send().code).toBeUndefined()
  expect(send()).toMatchObject(tooMany('more than 2 a second'))
})

test('guesses at an account from an address are counted before they are judged', () => {
  const { send, pass } = admitting({ failedLoginsPerSecond: 2 })
  const guess = { password: 'guess' }
  send({ from: '10.0.0.9' })

  expect([send(guess).code, send(guess).code]).toEqual(['request.unauthenticated', 'request.unauthenticated'])
  expect(send(guess)).toMatchObject(tooMany('too many refused credentials from this address'))
  // Also one that is right is not judged there, and one that was right elsewhere before is none.
  expect(send().code).toBe('request.too-many')
  expect(send({ from: '10.0.0.9' }).code).toBeUndefined()
  expect(send({ user: 'b' }).code).toBeUndefined()
  pass(1000)
  expect([send().code, send(guess).code]).toEqual([undefined, 'request.unauthenticated'])
})

test('what is right costs nothing, however often', () => {
  const { send } = admitting({ failedLoginsPerSecond: 1 })

  expect(Array.from({ length: 20 }, () => send().code)).toEqual(Array.from({ length: 20 }))
})

test('limits and accounts change while requests are carried out', () => {
  const { send, admission, gate } = admitting({ concurrentRequests: 1 })
  send()
  admission.change({ ...generous, concurrentRequests: 2 })

  expect([send().code, send().code]).toEqual([undefined, 'request.too-many'])
  gate.replace({ accounts: [{ ...account('a'), passwords: ['another'] }], roles: knownRoles })
  expect(send().code).toBe('request.unauthenticated')
})

test.each<[string, string | undefined]>([
  ['Bearer token-of-a', undefined],
  ['bearer token-of-a', undefined],
  ['Bearer token-of-b', 'request.unauthenticated'],
  ['Bearer', 'request.unauthenticated'],
  ['Bearer right', 'request.unauthenticated'],
  ['Digest a', 'request.unauthenticated'],
])('the header %j meets %s', (authorization, code) => {
  const { send } = admitting({}, [{ ...account('a'), tokens: ['token-of-a'] }])

  expect(send({ authorization }).code).toBe(code)
})

test('a wrong proof of a known account is a guess; right ones and errors are not', async () => {
  let now = 0
  const { prove } = makeJudge({
    gate: makeGate({ accounts: [], roles: knownRoles }),
    clock: { monotonic: () => now },
  })
  const codeOfProof = (isRight: boolean, name = 'a') =>
    prove(name, 2, async () => isRight).then(String, (error: unknown) => toProblem(error).code)

  for (let i = 0; i < 10; i += 1) expect(await codeOfProof(true)).toBe('true')
  await expect(prove('a', 2, () => Promise.reject(new Error('the store is away')))).rejects.toThrow()
  expect(await codeOfProof(false)).toBe('false')
  expect(await codeOfProof(false)).toBe('false')
  expect(await codeOfProof(true)).toBe('request.too-many')
  expect(await codeOfProof(true, 'b')).toBe('true')
  now += 500
  expect(await codeOfProof(true)).toBe('true')
})

interface Sent {
  readonly method?: string
  readonly url?: string
  readonly user?: string
  readonly password?: string
  readonly authorization?: string
  readonly accept?: string
  readonly from?: string
}

const knownRoles = new Map(Object.entries(roles))

function account(name: string) {
  const access = accessOf([{ role: 'platform', tenant: '*' }], knownRoles)
  return {
    name,
    kind: 'platform',
    role: 'platform',
    access,
    passwords: ['right'],
    tokens: [] as readonly string[],
  } as const
}

function admitting(limits: Partial<AdmissionLimits>, accounts = [account('a'), account('b')]) {
  let now = 0
  const gate = makeGate({ accounts, roles: knownRoles })
  const admission = makeAdmission(
    {
      gate,
      clock: { monotonic: () => now },
      source: (request) => String(request.headers['x-from']),
      proven: () => undefined,
      limited: () => undefined,
    },
    { ...generous, ...limits },
  )
  const sockets = new Map<string, object>()
  const send = ({ method = 'GET', url = '/v2/catalog', from = '10.0.0.1', ...rest }: Sent = {}) => {
    const { user = 'a', password = 'right', accept } = rest
    const { authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` } = rest
    const socket = sockets.get(from) ?? {}
    sockets.set(from, socket)
    const headers = { authorization, 'x-from': from, ...present({ accept }) }
    const request = { method, url, headers, socket } as unknown as IncomingMessage
    const response = new ServerResponse(request)
    const answer = () => void response.emit('close')
    try {
      void admission.admit(request, response, 'osb')
      return { answer }
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      return { answer, code: error.problem.code, detail: error.problem.detail }
    }
  }
  return { admission, gate, send, pass: (ms: number) => (now += ms) }
}
