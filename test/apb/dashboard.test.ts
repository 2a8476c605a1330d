/** The address of a dashboard is promised at the order and leads to the one that the bundle tells. */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { offeringOn, Platform } from '../cnab/platform.ts'
import { startTestBroker, type TestBroker } from '../support/broker.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { bundleImage } from './image.ts'

const missing = ensurePrograms('busybox', 'curl')

const spec = `
version: 1.0
name: wiki
description: A wiki
bindable: false
async: optional
alpha: {dashboard_redirect: true}
plans:
  - {name: default, description: One, free: true, parameters: [{name: tells, type: bool, default: true}]}
`
const entrypoint = `
case $1$3 in provision*'"tells":true'*) annotate apb_dashboard_url 'https://wiki.example/front?page=1' ;; esac
`

const folder = freshFolder('apb-dashboard')
const brokers: TestBroker[] = []
let reference: string
let broker: TestBroker
let platform: Platform

async function brokerWith(dashboards: boolean): Promise<TestBroker> {
  const options = { registry: 'dh', namespace: 'target', dashboardRedirector: 'broker.example/dashboard' }
  const offer = offeringOn([{ package: reference, options }])
  const started = await startTestBroker('', undefined, (text) =>
    offer(text).replace('http: {', `http: {dashboards: ${dashboards}, `),
  )
  brokers.push(started)
  return started
}

const follow = (query: string, method = 'GET', at = broker) =>
  fetch(`${at.url}/dashboard/${query}`, { method, redirect: 'manual' })

beforeAll(async () => {
  if (missing !== undefined) return
  reference = (await bundleImage(folder, 'wiki', { spec, entrypoint })).reference
  broker = await brokerWith(true)
  platform = new Platform(broker)
})
afterAll(async () => {
  for (const one of brokers) await one.stop()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(({ skip }) => skip(missing !== undefined, missing))

test('it is promised, leads on once the bundle has told it, and is then told itself', async () => {
  const ordered = await platform.provision('i1', 'default', {})
  expect(ordered.body['dashboard_url']).toBe('http://broker.example/dashboard/?id=i1')
  await platform.end('i1', ordered)

  const led = await follow('?id=i1')
  expect([led.status, led.headers.get('location')]).toEqual([302, 'https://wiki.example/front?page=1'])
  expect((await platform.ask('GET', '/v2/service_instances/i1')).body).toMatchObject({
    dashboard_url: 'https://wiki.example/front?page=1',
  })
})

test.each([
  ['?id=', 'GET', 400],
  ['', 'GET', 400],
  ['?id=nobody', 'GET', 404],
  ['?id=i', 'GET', 404],
  ['?id=silent', 'GET', 404],
  ['?id=i1', 'POST', 405],
])('dashboard/%s by %s is answered with %d', async (query, method, status) => {
  await platform.end('silent', await platform.provision('silent', 'default', { tells: false }))

  expect((await follow(query, method)).status).toBe(status)
})

test('a broker that was not told to does not lead anywhere', async () => {
  expect((await follow('?id=i1', 'GET', await brokerWith(false))).status).toBeGreaterThanOrEqual(400)
})
