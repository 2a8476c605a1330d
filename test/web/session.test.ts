/** Sessions of people: log-in, cookie, token of changes, ends, roles; by HTTP as a browser sends it, and in one. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../support/ask.ts'
import {
  basic,
  newFolder,
  passwords,
  startTestBroker,
  type TestBroker,
  type User,
} from '../support/broker.ts'
import { builtUi, launchChromium, logInAs, looked, missingChromium, visitorOf } from './browser.ts'

let running: TestBroker
beforeAll(async () => {
  running = await startTestBroker('', undefined, undefined, { uiFolder: await builtUi() })
})
afterAll(() => running.stop())

interface Begun {
  readonly cookie: string
  readonly csrf: string
  readonly setCookie: string
}

async function begin(user: User): Promise<Begun> {
  const response = await ask(running, '/api/v1/session', { as: basic(user), method: 'POST' })
  expect(response.status).toBe(201)
  const setCookie = response.headers.get('Set-Cookie') ?? ''
  const { csrf } = (await response.json()) as { readonly csrf: string }
  return { cookie: setCookie.split(';')[0] ?? '', csrf, setCookie }
}

function by(cookie: string, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { Cookie: cookie, ...(init.headers as Record<string, string>) }
  return fetch(`${running.url}${path}`, { ...init, headers })
}

describe('a session by HTTP', () => {
  test('its cookie is for this API only, and out of reach of scripts and other sites', async () => {
    const { setCookie, cookie } = await begin('watcher')
    expect(setCookie).toMatch(/^chandler-session=[^;]+; Path=\/api; HttpOnly; SameSite=Strict$/)
    const about = await by(cookie, '/api/v1/about')
    expect([about.status, await about.json()]).toMatchObject([
      200,
      { user: { name: 'watcher', role: 'viewer' } },
    ])
    expect((await by(cookie, '/v2/catalog', { headers: { 'X-Broker-API-Version': '2.17' } })).status).toBe(
      401,
    )
  })

  test.each<[string, Record<string, string>, number]>([
    ['without the token', {}, 403],
    ['with a wrong token', { 'X-CSRF-Token': 'x' }, 403],
    ['from a page of elsewhere', { 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['with the token', { 'X-CSRF-Token': 'right' }, 204],
  ])('a change %s: %s', async (_name, headers, status) => {
    const { cookie, csrf } = await begin('admin')
    const given = headers['X-CSRF-Token'] === 'right' ? { 'X-CSRF-Token': csrf } : headers
    const response = await by(cookie, '/api/v1/freeze', { method: 'DELETE', headers: given })
    expect(response.status).toBe(status)
    if (status === 403) expect(await response.json()).toMatchObject({ code: 'request.forged' })
  })

  test('a cookie that was changed, logged out, or whose account has another password opens nothing', async () => {
    const { cookie, csrf } = await begin('watcher')
    const [body = '', signature = ''] = cookie.split('.')
    const other = `${body.slice(0, -2)}${body.endsWith('AA') ? 'BB' : 'AA'}.${signature}`
    expect((await by(other, '/api/v1/about')).status).toBe(401)
    expect(
      (await by(cookie, '/api/v1/session', { method: 'DELETE', headers: { 'X-CSRF-Token': csrf } })).status,
    ).toBe(204)
    expect((await by(cookie, '/api/v1/about')).status).toBe(401)

    const again = await begin('watcher')
    await running.reload((text) => text.replace(passwords.watcher, 'another-password'))
    expect((await by(again.cookie, '/api/v1/about')).status).toBe(401)
    await running.reload((text) => text.replace('another-password', passwords.watcher))
  })

  test('a cookie outlives the broker that gave it, and opens the one that comes after', async () => {
    const folder = newFolder()
    const before = await startTestBroker('', folder)
    const response = await ask(before, '/api/v1/session', { as: basic('watcher'), method: 'POST' })
    const cookie = (response.headers.get('Set-Cookie') ?? '').split(';')[0] ?? ''
    await before.broker.stop()
    const after = await startTestBroker('', folder)
    const about = await fetch(`${after.url}/api/v1/about`, { headers: { Cookie: cookie } })
    await after.stop()

    expect(about.status).toBe(200)
  })

  test('log-in and log-out are in the audit trail', async () => {
    const { cookie, csrf } = await begin('admin')
    await by(cookie, '/api/v1/session', { method: 'DELETE', headers: { 'X-CSRF-Token': csrf } })
    const response = await ask(running, '/api/v1/audit?limit=500', { as: basic('admin') })
    const { items } = (await response.json()) as { readonly items: readonly { readonly action: string }[] }
    expect(items.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['session.begin', 'session.end']),
    )
  })

  test('accounts of platforms have none', async () => {
    expect((await ask(running, '/api/v1/session', { as: basic('platform'), method: 'POST' })).status).toBe(
      403,
    )
  })
})

/** Fills in the log-in that stands on the page. */
async function logInOn(page: Page, user: User): Promise<void> {
  await page.getByLabel('User').fill(user)
  await page.getByLabel('Password').fill(passwords[user])
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('link', { name: user, exact: true }).waitFor()
}

describe.skipIf(missingChromium !== undefined)('in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser.close())

  test('one logs in, stays so after a reload, and logs out', async () => {
    const visitor = await visitorOf(browser, running.url)
    const { page } = visitor
    const refused: string[] = []
    page.on('response', (response) => response.ok() || refused.push(response.url()))
    await visitor.visit('/')
    await page.getByLabel('User').fill('admin')
    // Who was never here is not asked for a session: a refusal would stand in the console.
    expect(refused).toEqual([])
    await page.getByLabel('Password').fill('guess')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('User or password is wrong.').waitFor()
    await looked(visitor, 'log-in')
    await page.getByLabel('Password').fill(passwords.admin)
    await page.keyboard.press('Enter')
    await page.getByText('Nothing has been ordered yet.').waitFor()
    await looked(visitor, 'home-empty')
    // A broker that does not answer has ended no session.
    await page.route('**/api/v1/session', (route) => route.abort())
    await page.reload()
    await page.getByRole('heading', { name: 'cannot tell whether you are logged in' }).waitFor()
    await looked(visitor, 'unreached')
    await page.unroute('**/api/v1/session')
    await page.getByText('Nothing has been ordered yet.').waitFor()
    await page.getByRole('link', { name: 'admin' }).click()
    await page.getByText('create:backups').waitFor()
    await looked(visitor, 'account')
    await page.getByLabel('Language').selectOption('de')
    await page.getByText('Darf', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Abmelden' }).click()
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor()
    expect(visitor.complaints).toEqual([])
    await visitor.close()
  })

  test('a developer orders in an own tenant, and is shown nothing that the API would refuse', async () => {
    const password = 'a-password-of-dora'
    const made = await ask(running, '/api/v1/accounts', {
      as: basic('admin'),
      method: 'POST',
      body: { name: 'dora', password, grants: [{ role: 'developer', tenant: 'acme' }] },
    })
    expect(made.status).toBe(201)
    const visitor = await visitorOf(browser, running.url)
    const { page } = visitor
    await logInAs(visitor, 'dora', password)
    await page.getByText('Nothing needs attention.').waitFor()
    const links = await page.getByRole('navigation').first().getByRole('link').allTextContents()
    expect(links).not.toEqual(expect.arrayContaining(['Audit']))
    expect(links).not.toEqual(expect.arrayContaining(['Packages']))
    await visitor.visit('/order/alpha-db/small')
    await page.getByLabel('Name', { exact: true }).fill('doras-db')
    await page.getByRole('button', { name: 'Order', exact: true }).click()
    await page.waitForURL(/\/ui\/operations\//)
    await visitor.visit('/instances')
    await page.getByRole('link', { name: 'doras-db' }).click()
    await page.getByRole('button', { name: 'Delete' }).waitFor()
    expect(await page.getByRole('button', { name: 'Purge' }).count()).toBe(0)
    expect(await visitor.faults()).toEqual([])
    await visitor.visit('/account')
    await page.getByRole('row', { name: 'acme 1 0' }).waitFor()
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByLabel('The password until now').fill('a-guess-of-somebody')
    await page.getByLabel('The new password').fill('another-password-of-dora')
    await page.getByRole('button', { name: 'Set the password' }).click()
    await page.getByText('The current password is another one').waitFor()
    await page.getByText('account.password-wrong').waitFor()
    await looked(visitor, 'own-password')
    await page.getByLabel('The password until now').fill(password)
    await page.getByRole('button', { name: 'Set the password' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    // The page goes on with a session of the new password.
    await visitor.visit('/instances')
    await page.getByRole('link', { name: 'doras-db' }).waitFor()
    const old = `Basic ${Buffer.from(`dora:${password}`).toString('base64')}`
    expect((await ask(running, '/api/v1/about', { as: old })).status).toBe(401)
    expect(await visitor.faults()).toEqual([])
    expect(visitor.complaints).toEqual([])
    await visitor.close()
  })

  test('what does not arrive, or is no answer of the broker, is told, and asked for again without a change or a click', async () => {
    const visitor = await visitorOf(browser, running.url)
    const { page } = visitor
    await logInAs(visitor, 'watcher', passwords.watcher)
    // Of four questions of a page, one is lost.
    const lost = ['**/api/v1/operations?**', '**/api/v1/instances?**'] as const
    await page.route(lost[0], (route) => route.abort())
    await page.route(lost[1], (route) => route.fulfill({ body: '<p>Please log in to this network.' }))
    for (const path of ['', 'instances']) {
      await page.goto(`${running.url}/ui/${path}`)
      await page.getByText('The broker cannot be reached').first().waitFor()
      expect(await page.getByText('Loading').count()).toBe(0)
      await looked(visitor, `lost-${path || 'home'}`)
      // What the stream of changes asks for at first is past; from here on the page is on its own.
      for (let i = 0; i < 2; i++) await page.waitForRequest(/v1\/(instances|operations)\?/)
      for (const one of lost) await page.unroute(one)
      await page.getByText('The broker cannot be reached').first().waitFor({ state: 'detached' })
      await page.route(lost[1], (route) => route.abort())
    }
    expect(visitor.complaints).toEqual([])
    await visitor.close()
  })

  test('what was typed stays for the same account when its session has ended, and not for another', async () => {
    const visitor = await visitorOf(browser, running.url)
    const { page, context } = visitor
    const kept = () => page.evaluate<string>('JSON.stringify(sessionStorage)')
    const typeAndLose = async (): Promise<void> => {
      await visitor.visit('/order/alpha-db/small')
      await page.getByLabel('Name', { exact: true }).fill('books-of-admin')
      await context.clearCookies()
      await page.reload()
    }
    await logInAs(visitor, 'admin', passwords.admin)
    await typeAndLose()
    await logInOn(page, 'admin')
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('books-of-admin')
    await typeAndLose()
    await logInOn(page, 'watcher')
    // The address, too, was of the account before.
    expect(new URL(page.url()).pathname).toBe('/ui/')
    expect(await kept()).not.toContain('books-of-admin')
    await page.getByRole('link', { name: 'watcher' }).click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await logInOn(page, 'admin')
    await visitor.visit('/order/alpha-db/small')
    await page.getByLabel('Name', { exact: true }).fill('books-of-admin')
    // A broker that cannot be reached ends no session: the page does not say so either.
    await page.getByRole('link', { name: 'admin' }).click()
    await page.route('**/api/v1/session', (route) => route.abort())
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByText('The broker cannot be reached').waitFor()
    await looked(visitor, 'not-logged-out')
    await page.unroute('**/api/v1/session')
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    expect([new URL(page.url()).pathname, await kept()]).toEqual(['/ui/', '{}'])
    expect(visitor.complaints).toEqual([])
    await visitor.close()
  })

  test('another window, and the history of this one, show nothing of an account that logged out', async () => {
    await ask(running, '/api/v1/instances', {
      as: basic('admin'),
      method: 'POST',
      body: { service: 'alpha-db', plan: 'small', id: 'of-admin', name: 'of-admin', parameters: { size: 3 } },
    })
    await ask(running, '/api/v1/instances/chandler/of-admin/bindings', {
      as: basic('admin'),
      method: 'POST',
      body: { id: 'app' },
    })
    const visitor = await visitorOf(browser, running.url)
    const { page, context } = visitor
    await logInAs(visitor, 'admin', passwords.admin)
    await visitor.visit('/instances/chandler/of-admin?tab=bindings')
    await page.getByRole('button', { name: 'Reveal credentials' }).click()
    await page.getByText(/Hidden again in/).waitFor()
    const other = await context.newPage()
    await other.goto(`${running.url}/ui/account`)
    await other.getByRole('button', { name: 'Log out' }).click()
    await page.getByText('The session has ended.').waitFor()
    expect(await page.content()).not.toContain('of-admin')

    await logInOn(page, 'admin')
    await visitor.visit('/instances/chandler/of-admin?tab=bindings')
    await page.getByRole('button', { name: 'Reveal credentials' }).click()
    await page.getByText(/Hidden again in/).waitFor()
    await page.goto(`${running.url}/docs/`)
    // The log-in of another window takes the place of the session that this one had.
    await other.evaluate("localStorage.removeItem('chandler.session')")
    await other.reload()
    await logInOn(other, 'watcher')
    await page.goBack()
    await page.getByRole('link', { name: 'watcher', exact: true }).waitFor()
    expect(await page.content()).not.toContain('Hidden again in')
    expect(await page.getByRole('button', { name: 'Unbind' }).count()).toBe(0)
    await logInElsewhere()
    expect(visitor.complaints).toEqual([])
    await visitor.close()

    /** A window that stands open becomes one of the account that logs in in another. */
    async function logInElsewhere(): Promise<void> {
      await other.evaluate("localStorage.removeItem('chandler.session')")
      await other.reload()
      await logInOn(other, 'admin')
      await page.getByRole('link', { name: 'admin', exact: true }).waitFor()
      expect(new URL(page.url()).pathname).toBe('/ui/')
    }
  })

  test('a session that ends under the page asks to log in again', async () => {
    const visitor = await visitorOf(browser, running.url)
    await logInAs(visitor, 'admin', passwords.admin)
    await visitor.context.clearCookies()
    // The page may find out on its own before the link is followed.
    const link = visitor.page.getByRole('link', { name: 'admin' })
    await link.click({ timeout: 2000 }).catch(() => undefined)
    await visitor.page.getByText('The session has ended.').waitFor()
    await visitor.close()
  })
})
