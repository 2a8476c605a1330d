/** The web UI in a real Chromium: the list of 100,000 instances against that of 100, and how soon each page is usable. */
import type { Browser, Page } from 'playwright-core'
import { systemClock } from '../../src/kit/clock.ts'
import { ask } from '../../test/support/ask.ts'
import { basic, newFolder, passwords, startTestBroker, type TestBroker } from '../../test/support/broker.ts'
import { builtUi, launchChromium, logInAs, missingChromium, visitorOf } from '../../test/web/browser.ts'
import { fillStore } from '../broker/fill-store.ts'
import { type Figure, median, show } from '../figures.ts'
import { usableAfter } from '../ui/usable.ts'

const rounds = 11
/** Each page in a new window takes seconds. */
const pageRounds = 5
/** A page may take so long on a processor four times as slow. */
const usableMs = 1000

/** Prints the figures. */
export async function bench(): Promise<void> {
  if (missingChromium !== undefined) return console.log(`not measured: ${missingChromium}`)
  const uiFolder = await builtUi()
  const browser = await launchChromium()
  const few = await filled(browser, uiFolder, 100)
  const many = await filled(browser, uiFolder, 100_000)
  const [server, open, filter] = [
    await inTurns(few, many, askServer),
    await inTurns(few, many, openList),
    await inTurns(few, many, filterList),
  ]
  await many.stop()
  const usable = await usablePages(browser, few)
  await few.stop()
  await browser.close()
  const goal = { atMost: 1.5 }
  show([
    { name: 'first rows of 100,000 instances from the API, against 100', ...server, unit: 'ms' },
    { name: 'the list of 100,000 instances opens, against 100', ...open, unit: 'ms', goal },
    { name: 'it is filtered by the beginning of an id', ...filter, unit: 'ms', goal },
    ...usable,
  ])
}

const instance = '/instances/platform/filled-3'

/** Every page of `src/web/pages.ts`, each of whose tabs asks for other things. */
const paths = [
  '/',
  '/catalog',
  '/catalog/alpha-db',
  '/order/alpha-db/small',
  '/instances',
  instance,
  ...['bindings', 'operations', 'parameters', 'files', 'actions', 'audit'].map(
    (tab) => `${instance}?tab=${tab}`,
  ),
  `${instance}/update`,
  `${instance}/bind`,
  '/operations',
  '/packages',
  '/packages/alpha-db',
  '/nodes',
  '/audit',
  '/account',
]

/** All pages in each round, one after the other, so that a slow moment of the machine falls on one round of each. */
async function usablePages(browser: Browser, { running, page }: Filled): Promise<readonly Figure[]> {
  const reader = { browser, url: running.url }
  const kept = await page.context().storageState()
  await page.goto(`${running.url}/ui/operations`)
  const operation = await page.locator('main a[href*="/operations/"]').first().getAttribute('href')
  const pages = [
    { name: 'the log-in', path: '/', kept: undefined, times: [] as number[] },
    ...[...paths, (operation ?? '').replace('/ui', '')].map((path) => ({
      name: path,
      path,
      kept,
      times: [] as number[],
    })),
  ]
  for (let round = 0; round < pageRounds; round++)
    for (const each of pages) each.times.push(await usableAfter({ ...reader, kept: each.kept }, each.path))
  return pages.map(({ name, times }) => ({
    name: `${name} is usable, of a second`,
    ours: median(times),
    floor: usableMs,
    unit: 'ms',
    goal: { atMost: 1 },
  }))
}

interface Filled {
  readonly running: TestBroker
  readonly page: Page
  stop(): Promise<void>
}

async function filled(browser: Browser, uiFolder: string, instances: number): Promise<Filled> {
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
  const seen = await visitorOf(browser, running.url)
  await logInAs(seen, 'admin', passwords.admin)
  return { running, page: seen.page, stop: () => seen.close().then(() => running.stop()) }
}

async function askServer({ running }: Filled): Promise<void> {
  await (await ask(running, '/api/v1/instances?order=latest&present=true', { as: basic('admin') })).text()
}

async function openList({ running, page }: Filled): Promise<void> {
  await page.goto(`${running.url}/ui/instances`)
  await page.getByRole('row').nth(50).waitFor()
}

async function filterList({ running, page }: Filled): Promise<void> {
  await page.goto(`${running.url}/ui/instances?q=filled-99&order=id`)
  await page.getByRole('link', { name: 'filled-99', exact: true }).waitFor()
}

/** Medians of both, one after the other in each round, so that what else the machine does falls on both. */
async function inTurns(few: Filled, many: Filled, act: (of: Filled) => Promise<void>) {
  const times = { few: [] as number[], many: [] as number[] }
  // The first round fills caches.
  for (let i = 0; i <= rounds; i++) {
    const one = await timeOf(() => act(few))
    const other = await timeOf(() => act(many))
    if (i === 0) continue
    times.few.push(one)
    times.many.push(other)
  }
  return { ours: median(times.many), floor: median(times.few) }
}

async function timeOf(act: () => Promise<void>): Promise<number> {
  const from = systemClock.monotonic()
  await act()
  return systemClock.monotonic() - from
}
