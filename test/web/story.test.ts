/** The story of an instance in the UI, in a real Chromium, with a package that pretends: each page and state is looked at. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { basic, passwords, startTestBroker, type TestBroker, type User } from '../support/broker.ts'
import {
  builtUi,
  launchChromium,
  logInAs,
  looked,
  missingChromium,
  type Visitor,
  visitorOf,
} from './browser.ts'

/** Runs in the page: answers that were asked ahead are not dropped, however long the program takes on a slow host. */
const keepFresh =
  'const later = setTimeout; window.setTimeout = (act, ms, ...more) => (ms >= 10_000 ? 0 : later(act, ms, ...more))'

describe.skipIf(missingChromium !== undefined)('the UI', () => {
  let running: TestBroker
  let browser: Browser
  beforeAll(async () => {
    running = await startTestBroker('', undefined, undefined, { uiFolder: await builtUi() })
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser.close()
    await running.stop()
  })

  interface Ordered {
    readonly operation: string
  }

  async function api(method: string, path: string, body?: object): Promise<Ordered> {
    const response = await ask(running, `/api/v1${path}`, {
      as: basic('admin'),
      method,
      ...(body ? { body } : {}),
    })
    expect(response.status).toBeLessThan(300)
    return (await response.json()) as Ordered
  }

  async function order(id: string, sim: object = {}): Promise<string> {
    const body = { service: 'alpha-db', plan: 'small', id, name: id, parameters: { size: 3, sim } }
    return (await api('POST', '/instances', body)).operation
  }

  async function ended(operation: string): Promise<void> {
    const headers = { Authorization: basic('admin'), Accept: 'text/event-stream' }
    await (await fetch(`${running.url}/api/v1/operations/${operation}/log`, { headers })).text()
  }

  const seenAll = {
    ...{ service: 'alpha-db', plan: 'small', id: 'seen-all', name: 'seen-all' },
    parameters: { size: 3 },
  }

  async function visitor(user: User = 'admin'): Promise<Visitor> {
    const opened = await visitorOf(browser, running.url)
    await logInAs(opened, user, passwords[user])
    return opened
  }

  test('an instance is found by its name, bound credentials are revealed and copied, and it is deleted', async () => {
    await ended(await order('orders-db'))
    await ended((await api('POST', '/instances/chandler/orders-db/bindings', { id: 'checkout' })).operation)
    const seen = await visitor()
    const { page } = seen
    await page.keyboard.press('/')
    await page.keyboard.type('orders')
    await page.getByRole('option', { name: /orders-db/ }).waitFor()
    await looked(seen, 'search')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'orders-db' }).waitFor()
    await looked(seen, 'instance')
    await page.getByRole('link', { name: 'Parameters' }).click()
    await page.getByText('"size": 3').waitFor()

    await page.getByRole('link', { name: 'Bindings' }).click()
    await page.getByRole('button', { name: 'Reveal credentials' }).waitFor()
    expect(await page.content()).not.toContain('password')
    await page.getByRole('button', { name: 'Reveal credentials' }).click()
    await page.getByText(/Hidden again in/).waitFor()
    await page.getByRole('button', { name: 'JSON' }).click()
    await page.getByText('Copied').waitFor()
    const copied = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'))
    expect(Object.keys(copied)).toContain('password')
    await page.getByRole('button', { name: 'Hide' }).click()
    expect(await page.content()).not.toContain(copied.password)
    await page.getByRole('button', { name: 'Reveal credentials' }).click()
    await page.getByText(/Hidden again in/).waitFor()
    await looked(seen, 'credentials')

    await page.getByRole('button', { name: 'Unbind' }).click()
    await looked(seen, 'unbind')
    await page.getByRole('dialog').getByRole('button', { name: 'Unbind' }).click()
    await page.getByText('It has no bindings.').waitFor()

    await page.getByRole('link', { name: 'Audit' }).last().click()
    await page.getByText('instance.provision').first().waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    const act = page.getByRole('dialog').getByRole('button', { name: 'Delete' })
    expect(await act.isDisabled()).toBe(true)
    await page.getByLabel('Type orders-db to go on').fill('orders-db')
    await looked(seen, 'delete')
    await act.click()
    await page.getByRole('heading', { name: /deprovision orders-db/ }).waitFor()
    await page.getByRole('status').filter({ hasText: 'succeeded' }).waitFor()
    await looked(seen, 'deleted')
    await seen.close()
  })

  test('a failure is told with its reason, its last lines and what to do; it is tried again', async () => {
    await ended(await order('billing-db', { create: { ms: 60, outcome: 'fail', log_every_ms: 20 } }))
    const seen = await visitor()
    const { page } = seen
    await page.getByRole('link', { name: 'Instance billing-db failed' }).click()
    await page.getByText('provision failed').waitFor()
    await page.getByText('still pretending after').first().waitFor()
    await looked(seen, 'failed')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: /provision billing-db/ }).waitFor()
    await page.getByText('was told to fail').first().waitFor()
    await looked(seen, 'failed-operation')
    await seen.close()
  })

  test('a log is followed live, says when it is not, goes on after the last line seen, and is cancelled', async () => {
    const operation = await order('report-db', { create: { ms: 3_600_000, log_every_ms: 100 } })
    const seen = await visitor()
    const { page } = seen
    await seen.visit(`/operations/${operation}`)
    await page.getByText('still pretending after 300 ms').waitFor()
    await looked(seen, 'running')
    // A browser grants a broker six connections, and each window takes one for good.
    const windows = await Promise.all(Array.from({ length: 3 }, () => seen.context.newPage()))
    for (const other of windows) {
      await other.goto(page.url())
      await other
        .getByRole('status')
        .filter({ hasText: /^live$/ })
        .waitFor()
    }
    await windows[0]?.getByRole('link', { name: 'Instances' }).first().click()
    await windows[0]?.getByRole('link', { name: 'report-db' }).waitFor()
    for (const other of windows) await other.close()
    await page.route('**/log?*', (route) => route.abort())
    await page.reload()
    await page.getByText('not live: connecting again').waitFor()
    await looked(seen, 'not-live')
    await page.unroute('**/log?*')
    await page
      .getByText(/still pretending after/)
      .first()
      .waitFor()
    await page
      .getByRole('status')
      .filter({ hasText: /^live$/ })
      .waitFor()

    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Let it go on' }).waitFor()
    await looked(seen, 'cancel')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('status').filter({ hasText: 'cancelled' }).waitFor()
    await seen.close()
  })

  test('lists are filtered by the broker, and the address holds what was chosen', async () => {
    for (const id of ['list-a', 'list-b', 'other']) await ended(await order(id))
    const seen = await visitor()
    const { page } = seen
    await page.getByRole('link', { name: 'Instances' }).click()
    await page.getByRole('link', { name: 'other' }).waitFor()
    await looked(seen, 'instances')
    await page.getByLabel('Name or id begins with').fill('list-')
    await page.getByRole('link', { name: 'other' }).waitFor({ state: 'detached' })
    expect(page.url()).toContain('q=list-')
    await page.reload()
    await page.getByRole('link', { name: 'list-a' }).waitFor()
    expect(await page.getByRole('row').count()).toBe(3)
    await page.getByLabel('State').selectOption('failed')
    await page.getByText('Nothing fits these filters.').waitFor()
    await looked(seen, 'instances-none')
    // A list that is looked at follows what happens.
    await seen.visit('/instances?q=late')
    await page.getByText('Nothing fits these filters.').waitFor()
    await ended(await order('late-one'))
    await page.getByRole('link', { name: 'late-one' }).waitFor()
    await seen.close()
  })

  const brokerPages = [
    ['home', '/', 'Right now'],
    ['catalog', '/catalog', 'Catalog'],
    ['service', '/catalog/alpha-db', 'alpha-db'],
    ['instances-all', '/instances', 'Instances'],
    ['operations', '/operations', 'Operations'],
    ['packages', '/packages', 'Packages'],
    ['package', '/packages/alpha-db', 'alpha-db'],
    ['all-tenants', '/tenants', 'Tenants'],
    ['own-tenant', '/tenants/chandler', 'chandler'],
    ['nodes', '/nodes', 'Nodes'],
    ['audit', '/audit', 'Audit'],
    ['account', '/account', 'admin'],
    ['missing', '/nowhere', 'There is no such page'],
    ['unknown', '/instances/chandler/nothing', 'nothing'],
  ] as const
  const instancePages = [
    ['overview', '/instances/chandler/seen-all', 'seen-all'],
    ['bindings', '/instances/chandler/seen-all?tab=bindings', 'seen-all'],
    ['instance-operations', '/instances/chandler/seen-all?tab=operations', 'seen-all'],
    ['files', '/instances/chandler/seen-all?tab=files', 'seen-all'],
    ['actions', '/instances/chandler/seen-all?tab=actions', 'seen-all'],
    ['instance-audit', '/instances/chandler/seen-all?tab=audit', 'seen-all'],
  ] as const

  test.each([
    ['of the broker', brokerPages],
    ['of an instance', instancePages],
  ])('every page %s is read at both widths in both schemes', async (_, pages) => {
    await ask(running, '/api/v1/instances', { as: basic('admin'), method: 'POST', body: seenAll })
    const seen = await visitor()
    for (const [page, path, heading] of pages) {
      await seen.visit(path)
      await seen.page.getByRole('heading', { name: heading, level: 1 }).waitFor()
      await expect.poll(() => seen.page.getByText('Loading').count()).toBe(0)
      await looked(seen, page)
    }
    await seen.close()
  })

  test('what a page shows first is asked for before its program runs, and asked for once', async () => {
    await ask(running, '/api/v1/instances', { as: basic('admin'), method: 'POST', body: seenAll })
    const stateOfAll = async () => {
      const found = await ask(running, '/api/v1/instances/chandler/seen-all', { as: basic('admin') })
      return ((await found.json()) as { readonly state: string }).state
    }
    // The page of an instance that something is done to follows that, and asks again.
    await expect.poll(stateOfAll, { timeout: 60_000 }).toBe('ready')
    const { operation } = await api('POST', '/instances', { service: 'beta-queue', name: 'asked-ahead' })
    await ended(operation)
    const seen = await visitor()
    const { page } = seen
    // What changes is told by a stream, which would have the page ask again.
    await page.route('**/api/v1/changes', () => undefined)
    await page.addInitScript(keepFresh)
    const listed = [...brokerPages, ...instancePages].filter(([name]) => !/missing|unknown/.test(name))
    const paths = [
      ...listed.map(([, path]) => path),
      ...[
        '/order/alpha-db/small',
        '/instances/chandler/seen-all/update',
        '/instances/chandler/seen-all/bind',
      ],
      `/operations/${operation}`,
    ]
    for (const path of paths) {
      const asked: string[] = []
      const note = (request: { method(): string; url(): string }): void => {
        const { pathname, search } = new URL(request.url())
        if (request.method() === 'GET' && pathname.startsWith('/api/')) asked.push(pathname + search)
      }
      // What the page before was still asking is not counted here.
      await page.goto('about:blank')
      // Without its program a page asks ahead alone.
      await page.route('**/assets/main-*', (route) => route.abort())
      page.on('request', note)
      await page.goto(`${running.url}/ui${path}`)
      await expect.poll(() => asked.length, { timeout: 60_000 }).toBeGreaterThan(1)
      const ahead = asked.splice(0)
      await page.unroute('**/assets/main-*')
      await seen.visit(path)
      await expect.poll(() => page.getByText('Loading').count(), { timeout: 60_000 }).toBe(0)
      page.off('request', note)

      expect([path, ahead.filter((one) => asked.filter((other) => other === one).length !== 1)]).toEqual([
        path,
        [],
      ])
    }
    await seen.close()
  })

  test('a viewer sees no act that the API would refuse, and no audit', async () => {
    await ended(await order('seen-db'))
    await ended((await api('POST', '/instances/chandler/seen-db/bindings', { id: 'seen-app' })).operation)
    const seen = await visitor('watcher')
    for (const path of [
      '/instances/chandler/seen-db',
      '/instances/chandler/seen-db?tab=bindings',
      '/nodes',
    ]) {
      await seen.visit(path)
      await expect.poll(() => seen.page.getByText('Loading').count()).toBe(0)
      const acts = await seen.page.getByRole('main').getByRole('button').allTextContents()
      expect(acts.filter((act) => !act.includes('Copy'))).toEqual([])
      expect(await seen.page.getByRole('link', { name: 'Audit' }).count()).toBe(0)
    }
    for (const [name, path] of [
      ['viewer', '/instances/chandler/seen-db'],
      ['denied-audit', '/audit'],
      ['denied-order', '/order/alpha-db/small'],
    ] as const) {
      await seen.visit(path)
      await expect.poll(() => seen.page.getByText('Loading').count()).toBe(0)
      await looked(seen, name)
      if (name.startsWith('denied')) await seen.page.getByText('This takes the permission').waitFor()
    }
    // A broker that takes its time.
    await seen.page.route('**/api/v1/catalog', () => undefined)
    await seen.visit('/catalog')
    await seen.page.getByText('Loading').waitFor()
    await looked(seen, 'loading')
    await seen.page.unroute('**/api/v1/catalog')
    // One that is away.
    await seen.page.route('**/api/v1/catalog', (route) => route.abort())
    for (const path of ['/catalog', '/catalog/alpha-db', '/order/alpha-db/small']) {
      await seen.visit(path)
      await seen.page.getByText('The broker cannot be reached').waitFor()
      expect([path, await seen.faults()]).toEqual([path, []])
    }
    await looked(seen, 'lost-order')
    await seen.close()
  })

  test('the first load is at most 120 kB, and no later piece is above 60 kB', async () => {
    const seen = await visitorOf(browser, running.url)
    const sizes: number[] = []
    seen.page.on('response', (response) => {
      if (response.url().includes('/ui/')) sizes.push(Number(response.headers()['content-length'] ?? 0))
    })
    await logInAs(seen, 'admin', passwords.admin)
    const first = sizes.reduce((sum, size) => sum + size, 0)
    for (const path of ['/instances', '/operations', '/packages', '/tenants', '/nodes', '/audit', '/account'])
      await seen.visit(path)

    expect([first > 0, first <= 120_000]).toEqual([true, true])
    expect(Math.max(...sizes)).toBeLessThanOrEqual(60_000)
    await seen.close()
  })
})
