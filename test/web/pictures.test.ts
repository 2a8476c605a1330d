/** The pictures of README and documents: taken of the running product, at both widths and schemes. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { basic, passwords, startTestBroker } from '../support/broker.ts'
import { builtUi, launchChromium, logInAs, missingChromium, visitorOf } from './browser.ts'

const folder = 'docs/pictures'
const mayUpdate = process.env['UPDATE_EXPECTED'] === '1' && process.env['CI'] === undefined

const orders = [
  ['orders-db', {}],
  ['checkout-db', {}],
  ['billing-db', { create: { ms: 40, outcome: 'fail', log_every_ms: 20 } }],
  ['sessions-db', {}],
  ['reports-db', { create: { ms: 3_600_000, log_every_ms: 200 } }],
] as const

const views = [
  ['ui-light', { width: 1280, height: 720, scheme: 'light' }, '/instances'],
  ['ui-dark', { width: 1280, height: 720, scheme: 'dark' }, '/instances'],
  ['ui-narrow-light', { width: 390, height: 760, scheme: 'light' }, '/instances/chandler/billing-db'],
  ['ui-narrow-dark', { width: 390, height: 760, scheme: 'dark' }, '/instances/chandler/billing-db'],
] as const

test.skipIf(missingChromium !== undefined)('pictures of the running product', async () => {
  const running = await startTestBroker('', undefined, undefined, { uiFolder: await builtUi() })
  const browser = await launchChromium()
  for (const [id, sim] of orders) {
    const body = { service: 'alpha-db', plan: 'small', id, parameters: { size: 3, sim } }
    expect(
      (await ask(running, '/api/v1/instances', { as: basic('admin'), method: 'POST', body })).status,
    ).toBe(202)
  }
  const queue = { service: 'beta-queue', id: 'mail-queue' }
  await ask(running, '/api/v1/instances', { as: basic('admin'), method: 'POST', body: queue })
  for (const [name, manner, path] of views) {
    const seen = await visitorOf(browser, running.url, manner)
    await logInAs(seen, 'admin', passwords.admin)
    await seen.visit(path)
    await seen.page.locator('.state.bad').first().waitFor()
    await expect.poll(() => seen.page.getByText('Loading').count()).toBe(0)
    const png = await seen.page.screenshot()
    if (mayUpdate) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, `${name}.png`), png)
    }
    expect([name, png.length > 5000, seen.complaints]).toEqual([name, true, []])
    await seen.close()
  }
  await browser.close()
  await running.stop()
})

test('README and documents show them', () => {
  const texts = ['README.md', 'docs/ui.md'].map((file) => readFileSync(file, 'utf8')).join('\n')
  for (const [name] of views) {
    expect(existsSync(join(folder, `${name}.png`))).toBe(true)
    expect(texts).toContain(`pictures/${name}.png`)
  }
})
