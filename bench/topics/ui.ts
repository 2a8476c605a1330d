/** The web UI in a real Chromium: the list of 100,000 instances against that of 100, and the time to a usable page. */
import type { Browser } from 'playwright-core'
import { systemClock } from '../../src/kit/clock.ts'
import { ask } from '../../test/support/ask.ts'
import { basic, newFolder, passwords, startTestBroker, type TestBroker } from '../../test/support/broker.ts'
import { builtUi, launchChromium, logInAs, missingChromium, visitorOf } from '../../test/web/browser.ts'
import { fillStore } from '../broker/fill-store.ts'
import { median, show } from '../figures.ts'

const rounds = 9

interface Times {
  readonly server: number
  readonly open: number
  readonly filter: number
}

/** Prints the figures. */
export async function bench(): Promise<void> {
  if (missingChromium !== undefined) return console.log(`not measured: ${missingChromium}`)
  const uiFolder = await builtUi()
  const browser = await launchChromium()
  const few = await timesWith(browser, uiFolder, 100)
  const many = await timesWith(browser, uiFolder, 100_000)
  await browser.close()
  const goal = { atMost: 1.5 }
  show([
    {
      name: 'first rows of 100,000 instances from the API, against 100',
      ours: many.server,
      floor: few.server,
      unit: 'ms',
    },
    {
      name: 'the list of 100,000 instances opens, against 100',
      ours: many.open,
      floor: few.open,
      unit: 'ms',
      goal,
    },
    {
      name: 'it is filtered by the beginning of an id',
      ours: many.filter,
      floor: few.filter,
      unit: 'ms',
      goal,
    },
  ])
}

async function timesWith(browser: Browser, uiFolder: string, instances: number): Promise<Times> {
  const folder = newFolder()
  const empty = await startTestBroker('', folder)
  await empty.broker.stop()
  const offer = empty.broker.catalog().offers[0]
  if (offer === undefined) throw new Error('the catalog is empty')
  await fillStore({
    dataDir: `${folder}/data`,
    instances,
    operationsEach: 1,
    serviceId: offer.service.id,
    planId: offer.plan.id,
    digest: offer.package.digest,
    platform: 'platform',
  })
  const running = await startTestBroker('', folder, undefined, { uiFolder })
  try {
    return await measure(browser, running)
  } finally {
    await running.stop()
  }
}

async function measure(browser: Browser, running: TestBroker): Promise<Times> {
  const seen = await visitorOf(browser, running.url)
  await logInAs(seen, 'admin', passwords.admin)
  const { page } = seen
  const server = await medianOf(async () => {
    await (await ask(running, '/api/v1/instances?order=latest&present=true', { as: basic('admin') })).text()
  })
  const open = await medianOf(async () => {
    await page.goto(`${running.url}/ui/instances`)
    await page.getByRole('row').nth(50).waitFor()
  })
  const filter = await medianOf(async () => {
    await page.goto(`${running.url}/ui/instances?q=filled-99&order=id`)
    await page.getByRole('link', { name: 'filled-99', exact: true }).waitFor()
  })
  await seen.close()
  return { server, open, filter }
}

async function medianOf(act: () => Promise<void>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i <= rounds; i++) {
    const from = systemClock.monotonic()
    await act()
    // The first one fills caches.
    if (i > 0) times.push(systemClock.monotonic() - from)
  }
  return median(times)
}
