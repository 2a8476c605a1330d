/** The check of brokers that are not ours: nothing to say of one that is right, and every fault of one that is not. */
import { expect, test } from 'vitest'
import { minors, type RuleId, rules } from '../../../src/client/check/rules.ts'
import { systemClock } from '../../../src/kit/clock.ts'
import { Secret } from '../../../src/kit/secret.ts'
import { type Fault, faults } from '../../support/foreign/faults.ts'
import { startFaultyBroker } from '../../support/foreign/faulty-broker.ts'
import { judgeBroker, told } from '../../support/foreign/judge-broker.ts'
import { startRightBroker } from '../../support/foreign/right-broker.ts'
import { account } from '../../support/foreign/wire.ts'

/** Rules that no broker keeps visibly: they are only ever broken. */
const silent: readonly RuleId[] = ['answer.given', 'clean-up.done', 'poll.succeeds']

test('a broker that is right has no finding in any version, and nothing is left there', async () => {
  const seen = new Set<string>()
  for (const minor of minors) {
    const broker = await startRightBroker()
    const report = await judgeBroker({ url: broker.url }, { minor })
    const left = broker.left()
    await broker.close()

    expect([minor, told(report), left, report.chosen.left]).toEqual([minor, [], [], []])
    const proofs = report.ledger.filter(({ fate }) => fate !== 'refused').map(({ proof }) => proof)
    expect(new Set(proofs)).toEqual(new Set(['DELETE answers 410']))
    for (const { rule, outcome } of report.judged) if (outcome === 'kept') seen.add(rule)
  }

  expect(Object.keys(rules).filter((rule) => !seen.has(rule) && !silent.includes(rule as RuleId))).toEqual([])
})

test('a broker that has no fault switched on has no finding either', async () => {
  const broker = await startFaultyBroker()
  const report = await judgeBroker({ url: broker.url })
  const left = broker.left()
  await broker.close()

  expect([told(report), left]).toEqual([[], []])
})

test('a broker that takes no more orders is not at fault, and what was not seen for that says so', async () => {
  const broker = await startRightBroker({ quota: 0 })
  const report = await judgeBroker({ url: broker.url })
  await broker.close()

  expect(told(report)).toEqual([])
  const unseen = report.judged.filter(({ rule }) => rule === 'provision.answer' || rule === 'provision.race')
  const reason = 'the broker answers 403: There are as many as there may be.'
  expect(unseen.length).toBeGreaterThanOrEqual(4)
  expect(unseen.map((one) => [one.outcome, one.reason])).toEqual(unseen.map(() => ['not-seen', reason]))
})

test('there are forty faults and more', () => {
  expect(Object.keys(faults).length).toBeGreaterThanOrEqual(40)
})

test.each(Object.entries(faults) as [Fault, RuleId][])('a broker that %s breaks %s', async (fault, rule) => {
  const broker = await startFaultyBroker(fault)
  const report = await judgeBroker({ url: broker.url }, { waitMs: 100_000 })
  await broker.close()

  expect(report.findings.map((finding) => finding.rule)).toContain(rule)
})

test.each(minors)('a broker that serves no more than 2.%i is judged by that version', async (highest) => {
  const broker = await startRightBroker({ highest })
  const report = await judgeBroker({ url: broker.url }, { order: false })
  await broker.close()

  expect([report.minor, told(report)]).toEqual([highest, []])
  expect(broker.asked.every((line) => line.startsWith('GET '))).toBe(true)
})

test('a finding tells request and answer, and neither the credentials that were sent nor those handed out', async () => {
  const broker = await startFaultyBroker('binds anew every time', 'describes errors with an object')
  const report = await judgeBroker({ url: broker.url })
  await broker.close()

  const [finding] = report.findings.filter(({ rule }) => rule === 'bind.repeated')
  expect(finding).toMatchObject({
    level: 'SHOULD',
    section: 'Binding',
    exchange: {
      request: { method: 'PUT', headers: { Authorization: '***' } },
      answer: { status: 200, body: expect.stringContaining('"credentials":"***"') },
    },
  })
  expect(JSON.stringify(report)).not.toMatch(new RegExp(`"secret":"s-|${account.password}|Basic `))
})

test('parameters of the user are ordered, and a plan without any is left out', async () => {
  const broker = await startRightBroker()
  const parameters = { lamp: { create: { watts: 42 } }, 'lamp/candle': { create: { watts: 7 } } }
  const report = await judgeBroker({ url: broker.url }, { plans: ['lamp/candle', 'lamp/desk'], parameters })
  await broker.close()

  expect(report.chosen.plans.map((plan) => [plan.subject, plan.parameters.create])).toEqual([
    ['lamp/desk', { watts: 42 }],
    ['lamp/candle', { watts: 7 }],
  ])
  expect(report.chosen.left).toEqual([{ subject: 'lamp/street', reason: 'it is not chosen' }])
})

test('a check whose time is over begins nothing new and deletes what it ordered', async () => {
  const broker = await startRightBroker()
  let asked = 0
  const clock = { ...systemClock, sleep: async () => undefined, monotonic: () => (asked > 60 ? 1e9 : 0) }
  const count = setInterval(() => {
    asked = broker.asked.length
  }, 0)
  const report = await judgeBroker({ url: broker.url }, { clock, budgetMs: 1000 })
  clearInterval(count)
  const left = broker.left()
  await broker.close()

  expect([report.stopped, left]).toEqual(['its time is over', []])
  expect(report.ledger.some(({ fate }) => fate === 'deleted')).toBe(true)
})

test('a broker with a token instead of an account is checked as well', async () => {
  const broker = await startRightBroker({ token: 'of-the-platform' })
  const report = await judgeBroker({ url: broker.url, credentials: { token: new Secret('of-the-platform') } })
  await broker.close()

  expect(told(report)).toEqual([])
})
