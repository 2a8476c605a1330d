/** What an operator looks for in the UI: what is not offered and why, what is to be mended, what is under way and why, and the way to forget an instance. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wellMade } from '../cnab/mistakes.ts'
import { ask } from '../support/ask.ts'
import { basic, newFolder, passwords, startTestBroker, type TestBroker } from '../support/broker.ts'
import {
  builtUi,
  launchChromium,
  logInAs,
  looked,
  missingChromium,
  type Visitor,
  visitorOf,
} from './browser.ts'

/** A bundle with fields that have no effect, for they are not called so. */
const sloppy = [
  'description',
  'license',
  'keywords',
  'maintainers',
  'actions',
  'requiredExtensions',
  'labels',
].reduce((text, field) => text.replace(`"${field}":`, `"${field}z":`), wellMade['bundle.json'])

const entries = `  - {package: ./nowhere, contract: brokerpak}
  - {package: ./sloppy.json, contract: cnab}
`

describe.skipIf(missingChromium !== undefined)('an operator', () => {
  let running: TestBroker
  let browser: Browser
  let seen: Visitor
  beforeAll(async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'sloppy.json'), sloppy)
    running = await startTestBroker(entries, folder, undefined, { uiFolder: await builtUi() })
    browser = await launchChromium()
    seen = await visitorOf(browser, running.url)
    await logInAs(seen, 'admin', passwords.admin)
  })
  afterAll(async () => {
    expect(seen.complaints).toEqual([])
    await browser.close()
    await running.stop()
  })

  async function order(name: string, sim: object): Promise<void> {
    const body = { service: 'alpha-db', plan: 'small', name, parameters: { size: 1, sim } }
    expect(
      (await ask(running, '/api/v1/instances', { as: basic('admin'), method: 'POST', body })).status,
    ).toBe(202)
  }

  test('sees at home that a package is not offered, and on its page why', async () => {
    const { page } = seen
    await seen.visit('/')
    await page.getByRole('link', { name: /Package .* is not offered/ }).click()
    await page.getByRole('heading', { name: 'nowhere' }).waitFor()
    await page.getByRole('alert').first().waitFor()
    await looked(seen, 'package-refused')
    await seen.visit('/packages')
    await page
      .getByRole('row', { name: /nowhere/ })
      .getByText('refused')
      .waitFor()
    await looked(seen, 'packages-refused')
  })

  test('sees on the page of a package what its author should mend: file, line and what to do, the first five at once', async () => {
    const { page } = seen
    await seen.visit('/packages')
    await page
      .getByRole('row', { name: /sloppy/ })
      .getByText('7 warnings')
      .waitFor()
    await looked(seen, 'packages-warned')
    await page.getByRole('link', { name: 'sloppy' }).click()
    await page.getByRole('heading', { name: 'Warnings' }).waitFor()
    const first = page.getByRole('listitem').filter({ hasText: 'did you mean "description"?' })
    await first.getByText('bundle.json:5:3').waitFor()
    await first.getByText('Write "description" instead.').waitFor()
    await looked(seen, 'package-warned')
    const last = page.getByText('did you mean "requiredExtensions"?')
    expect(await last.isVisible()).toBe(false)
    await page.getByText('2 more warnings').click()
    await last.waitFor()
    await looked(seen, 'package-warned-all')
  })

  test('sees what is under way by the name of its instance and with its reason', async () => {
    const { page } = seen
    await order('slow-of-sales', { create: { ms: 3_600_000 } })
    for (const path of ['/', '/operations?state=active']) {
      await seen.visit(path)
      await page.getByRole('link', { name: 'slow-of-sales' }).waitFor()
      await page.getByText('was started').waitFor()
    }
    await looked(seen, 'operations-active')
    await page.getByLabel('State').selectOption('quarantined')
    await page.getByText('Nothing fits these filters.').waitFor()
    await looked(seen, 'operations-none')
    await page.getByRole('link', { name: 'Show all' }).click()
    await page.getByRole('link', { name: 'slow-of-sales' }).waitFor()
  })

  test('forgets an instance only by typing its name, and is told what is left outside', async () => {
    const { page } = seen
    await order('lost-of-sales', { create: { outcome: 'fail' } })
    await seen.visit('/instances')
    await page.getByRole('link', { name: 'lost-of-sales' }).click()
    await page.getByText('provision failed').waitFor()
    // What is refused whatever is sent is not offered.
    expect(await page.getByRole('link', { name: /^(?:Update|Bind)$/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Purge' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Nothing is run and nothing outside is removed').waitFor()
    expect(await dialog.getByRole('button', { name: 'Purge' }).isDisabled()).toBe(true)
    await looked(seen, 'purge')
    await dialog.getByLabel('Type lost-of-sales to go on').fill('lost-of-sales')
    await dialog.getByRole('button', { name: 'Purge' }).click()
    await page.getByRole('heading', { name: 'Instances' }).waitFor()
    await page.getByRole('link', { name: 'lost-of-sales' }).waitFor({ state: 'detached' })
  })
})
