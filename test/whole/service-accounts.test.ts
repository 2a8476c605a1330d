/** Tokens of service accounts at a whole broker, whose cluster is pretended: an API server that answers token reviews. */

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { kubeconfigAt } from '../kubernetes/kubeconfig.ts'
import { ask } from '../support/ask.ts'
import { newFolder, startTestBroker, type TestBroker } from '../support/broker.ts'
import { makeSigningKey, signedToken } from '../support/signed-tokens.ts'

const key = makeSigningKey('cluster')
const user = 'system:serviceaccount:team-a:ci'

interface Review {
  readonly spec: { readonly token: string; readonly audiences: readonly string[] }
}

let server: Server
let running: TestBroker
let mayReview = true
const asked: (string | undefined)[] = []
const deleted = new Set<string>()
beforeAll(async () => {
  server = createServer((request, response) => {
    void json(request).then((body) => {
      const { spec } = body as Review
      asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
      const status = deleted.has(spec.token)
        ? { authenticated: false, error: 'service account has been deleted' }
        : { authenticated: true, audiences: spec.audiences, user: { username: user } }
      response.writeHead(mayReview ? 201 : 403, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify(mayReview ? { status } : { message: 'tokenreviews is forbidden' }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const folder = newFolder()
  kubeconfigAt(folder, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const accounts = {
    audiences: ['chandler'],
    grants: [{ namespace: 'team-a', role: 'developer', tenants: ['acme'] }],
  }
  running = await startTestBroker('kubernetes: {kubeconfig: ./kubeconfig}\n', folder, (text) =>
    text.replace('auth:\n', `auth:\n  serviceAccounts: ${JSON.stringify(accounts)}\n`),
  )
})
afterAll(async () => {
  await running.stop()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function tokenOf(more: object = {}): string {
  return signedToken(key, {
    sub: user,
    aud: ['chandler'],
    exp: Math.floor(Date.now() / 1000) + 3600,
    ...more,
  })
}

async function status(token: string, path: string, method = 'GET', body?: object): Promise<number> {
  const sent = body === undefined ? {} : { body }
  return (await ask(running, `/api/v1${path}`, { as: `Bearer ${token}`, method, ...sent })).status
}

test('a pod orders in the tenant of its namespace with the token of its service account, and nowhere else', async () => {
  const token = tokenOf({ jti: 'good' })
  const wish = { service: 'alpha-db', plan: 'small' }

  expect(await status(token, '/whoami')).toBe(200)
  expect(await status(token, '/instances', 'POST', wish)).toBe(202)
  expect(await status(token, '/instances', 'POST', { ...wish, tenant: 'web' })).toBe(403)
  expect(await status(token, '/keys')).toBe(403)
  expect(await status(token, '/session', 'POST')).toBe(403)
  expect(await status(token, '/tokens', 'POST', { name: 'longer' })).toBe(403)
  expect(new Set(asked)).toEqual(
    new Set(['POST /apis/authentication.k8s.io/v1/tokenreviews Bearer token-of-the-broker']),
  )
})

test('a token that the cluster does not know, or that is for others, opens nothing', async () => {
  const gone = tokenOf({ jti: 'gone' })
  deleted.add(gone)
  const before = asked.length

  expect(await status(gone, '/whoami')).toBe(401)
  expect(asked.length).toBe(before + 1)
  expect(await status(tokenOf({ aud: ['shop'] }), '/whoami')).toBe(401)
  expect(asked.length).toBe(before + 1)
})

test('without the right to review tokens it is the cluster that is told, and accounts of the broker go on', async () => {
  mayReview = false

  expect(await status(tokenOf({ jti: 'other' }), '/whoami')).toBe(503)
  mayReview = true
  expect(await status(tokenOf({ jti: 'other' }), '/whoami')).toBe(200)
})
