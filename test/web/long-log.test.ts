/** What is hard on a page: a log of 16 MB, and a broker that goes and comes back. */

import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { basic, newFolder, passwords, startTestBroker } from '../support/broker.ts'
import { builtUi, launchChromium, logInAs, missingChromium, picture, visitorOf } from './browser.ts'

const lineCount = 200_000
/** 84 characters each, 16.8 MB in all. */
const lineOf = (number: number) => `line ${String(number).padStart(6, '0')} ${'.'.repeat(71)}`

describe.skipIf(missingChromium !== undefined)('the UI', () => {
  let browser: Browser
  let uiFolder: string
  beforeAll(async () => {
    browser = await launchChromium()
    uiFolder = await builtUi()
  })
  afterAll(() => browser.close())

  async function ordered(url: string, id: string, sim: object): Promise<string> {
    const body = { service: 'alpha-db', plan: 'small', id, parameters: { sim } }
    const response = await ask({ url }, '/api/v1/instances', { as: basic('admin'), method: 'POST', body })
    return ((await response.json()) as { readonly operation: string }).operation
  }

  test('a log of 16 MB scrolls, is searched and linked, and only what is seen is in the page', async () => {
    const running = await startTestBroker('', undefined, undefined, { uiFolder })
    const operation = await ordered(running.url, 'long-db', {})
    const seen = await visitorOf(browser, running.url)
    const { page } = seen
    await logInAs(seen, 'admin', passwords.admin)
    await page.route('**/log?*', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: stream(operation) }),
    )
    await seen.visit(`/operations/${operation}?line=150000`)
    await page.getByText('line 150000').waitFor()
    await page.getByText('200,000 lines').waitFor()
    expect(await page.locator('.log-row').count()).toBeLessThan(150)
    await page.locator('.log-row.marked').getByText('line 150000').waitFor()

    await page.getByLabel('Follow the end').check()
    await page.getByText('line 200000').waitFor()
    await page.getByLabel('Search in the log').fill('line 000777')
    await page.getByText('1 of 1').waitFor()
    await page.locator('.log-row.hit').getByText('line 000777').waitFor()
    await page.getByRole('button', { name: 'Line 777', exact: true }).click()
    expect(page.url()).toContain('line=777')
    expect(await page.locator('.log-row').count()).toBeLessThan(150)
    expect(seen.complaints).toEqual([])
    await seen.close()
    await running.stop()
  })

  test('a log of several steps is folded: the one that failed is open, a line of another is shown when it is asked for', async () => {
    const running = await startTestBroker('', undefined, undefined, { uiFolder })
    const operation = await ordered(running.url, 'steps-db', {})
    const seen = await visitorOf(browser, running.url)
    const { page } = seen
    await logInAs(seen, 'admin', passwords.admin)
    await page.route('**/log?*', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: steps(operation) }),
    )
    await seen.visit(`/operations/${operation}`)
    const heads = page.getByRole('log').getByRole('button', { expanded: false })
    const open = page.getByRole('log').getByRole('button', { expanded: true })
    await open.filter({ hasText: 'failed' }).filter({ hasText: 'apply' }).waitFor()
    await page.getByText('no such region').waitFor()
    expect([await heads.count(), await open.count()]).toEqual([2, 1])
    expect(await page.locator('.log-row').count()).toBe(2)
    expect(await seen.faults()).toEqual([])
    await picture(page, 'folded-log')

    await heads.filter({ hasText: 'init' }).click()
    await page.getByRole('button', { name: 'Line 2', exact: true }).click()
    await page.locator('.log-row.marked').getByText('second of init').waitFor()
    await open.filter({ hasText: 'init' }).click()
    await page.locator('.log-row.marked').waitFor({ state: 'detached' })
    await page.getByLabel('Search in the log').fill('first of plan')
    await page.locator('.log-row.hit').getByText('first of plan').waitFor()
    // A link leads to its line, also where that is folded.
    await page.reload()
    await page.locator('.log-row.marked').getByText('second of init').waitFor()
    expect(seen.complaints).toEqual([])
    await seen.close()
    await running.stop()
  })

  test('a broker that is started again finds the page where it was: the session holds, the log goes on', async () => {
    const folder = newFolder()
    const port = await freePort()
    const atPort = (text: string) => text.replace("listen: '127.0.0.1:0'", `listen: '127.0.0.1:${port}'`)
    const first = await startTestBroker('', folder, atPort, { uiFolder })
    const operation = await ordered(first.url, 'lasting-db', { create: { ms: 3_600_000, log_every_ms: 100 } })
    const seen = await visitorOf(browser, first.url)
    const { page } = seen
    await logInAs(seen, 'admin', passwords.admin)
    await seen.visit(`/operations/${operation}`)
    await page.getByText('still pretending after').first().waitFor()
    await first.broker.stop()
    await page.getByText('not live: connecting again').waitFor()
    await page.getByText('not live: trying to connect again').waitFor()
    const second = await startTestBroker('', folder, atPort, { uiFolder })
    await page.getByText('not live: connecting again').waitFor({ state: 'detached' })
    await page.getByText('not live: trying to connect again').waitFor({ state: 'detached' })
    await page.getByText('still pretending after').first().waitFor()
    expect(await page.getByRole('heading', { name: 'Log in' }).count()).toBe(0)
    await seen.close()
    await second.stop()
  })
})

/** As the broker sends it. */
function stream(operation: string): string {
  const events: string[] = []
  const at = new Date(0).toISOString()
  for (let from = 1; from <= lineCount; from += 500) {
    const lines = Array.from({ length: 500 }, (_, i) => lineOf(from + i))
    const piece = { number: from, at, stream: 'stdout', run: 'r', step: 'run', text: `${lines.join('\n')}\n` }
    events.push(`event: log\nid: ${from}\ndata: ${JSON.stringify(piece)}\n\n`)
  }
  return `${events.join('')}${endOf(operation, 'succeeded')}`
}

function steps(operation: string): string {
  const at = new Date(0).toISOString()
  const pieces = [
    ['init', 'stdout', 'first of init\nsecond of init\n'],
    ['plan', 'stdout', 'first of plan\n'],
    ['apply', 'stdout', 'begins\n'],
    ['apply', 'stderr', 'no such region\n'],
  ].map(([step, stream, text], i) => {
    const data = JSON.stringify({ number: i + 1, at, stream, run: 'r', step, text })
    return `event: log\nid: ${i + 1}\ndata: ${data}\n\n`
  })
  return `${pieces.join('')}${endOf(operation, 'failed')}`
}

function endOf(operation: string, state: string): string {
  const at = new Date(0).toISOString()
  const end = { id: operation, platform: 'chandler', instance: 'long-db', action: 'provision', state }
  const times = { createdAt: at, finishedAt: at, deadlineAt: at }
  const rest = { reason: 'done', requestId: 'r', stage: 0, attempt: 1, ...times }
  return `event: end\ndata: ${JSON.stringify({ ...end, ...rest })}\n\n`
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
