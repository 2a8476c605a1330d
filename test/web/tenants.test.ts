/** Tenants in the UI, in a real Chromium: what each has and may have, which accounts may decide that, and every state that their pages know. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { basic, startTestBroker, type TestBroker } from '../support/broker.ts'
import {
  builtUi,
  launchChromium,
  logInAs,
  looked,
  missingChromium,
  overflowOf,
  type Visitor,
  visitorOf,
} from './browser.ts'

const people = [
  { name: 'ada', role: 'developer', tenants: ['acme'] },
  { name: 'checker', role: 'auditor' },
  { name: 'owner', role: 'admin' },
]
const users = people.map(
  (one) => `    - ${JSON.stringify({ ...one, password: `password-of-${one.name}` })}\n`,
)

const tenants = [
  { name: 'web', instances: 3, logs: 'operators' },
  { name: 'team/*', bindings: 4, instances: 8, network: 'none' },
]

/** Instances by the tenant that has them. */
const having = {
  acme: 2,
  web: 3,
  left: 1,
  'team/blue': 1,
  'team/red': 1,
  'team-a-name-that-is-as-long-as-names-are/space': 1,
}

describe.skipIf(missingChromium !== undefined)('tenants in the UI', () => {
  let running: TestBroker
  let browser: Browser
  beforeAll(async () => {
    running = await startTestBroker(
      `tenants: ${JSON.stringify(tenants)}\nquotas: {bindingsPerTenant: 20}\n`,
      undefined,
      (text) =>
        text
          .replace('\nshutdown:', `\n${users.join('')}shutdown:`)
          .replace('description: A large one.,', 'description: A large one., visibleTo: [acme, team/*],'),
      { uiFolder: await builtUi() },
    )
    browser = await launchChromium()
    for (const [tenant, many] of Object.entries(having))
      for (let i = 1; i <= many; i++) {
        const id = `${tenant.replaceAll('/', '-')}-${i}`
        const body = { service: 'alpha-db', plan: 'small', id, name: id, tenant }
        const made = await ask(running, '/api/v1/instances', { as: basic('admin'), method: 'POST', body })
        expect(made.status).toBe(202)
      }
  })
  afterAll(async () => {
    await browser.close()
    await running.stop()
  })

  async function visitor(user: string): Promise<Visitor> {
    const opened = await visitorOf(browser, running.url)
    await logInAs(opened, user, `password-of-${user}`)
    return opened
  }

  const loaded = (seen: Visitor) => expect.poll(() => seen.page.getByText('Loading').count()).toBe(0)
  const rowOf = ({ page }: Visitor, name: string) => page.getByRole('row').filter({ hasText: name })

  test('are listed with how full they are, and found by how their name begins', async () => {
    const seen = await visitor('admin')
    const { page } = seen
    await page.getByRole('link', { name: 'Tenants' }).click()
    await rowOf(seen, 'web').getByText('3 of 3').waitFor()
    await rowOf(seen, 'web').getByText('full', { exact: true }).waitFor()
    await rowOf(seen, 'team/*').getByText('2 of 8').waitFor()
    await rowOf(seen, 'acme').getByText('0 of 20').waitFor()
    await looked(seen, 'tenants')
    // The navigation is at its longest here, and no width between those of the pictures is too narrow for it.
    for (const width of [700, 860, 1000, 1140, 1220, 1221]) {
      await page.setViewportSize({ width, height: 900 })
      expect([width, await overflowOf(page)]).toEqual([width, 0])
    }
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.getByLabel('Name begins with').fill('team/')
    await page.getByRole('link', { name: 'acme' }).waitFor({ state: 'detached' })
    expect(page.url()).toContain('q=team')
    await page.reload()
    await page.getByRole('link', { name: 'team/blue' }).waitFor()
    await page.getByText('--beginning team/').waitFor()
    await page.getByLabel('Name begins with').fill('never')
    await page.getByText('Nothing fits these filters.').waitFor()
    await looked(seen, 'tenants-none-fit')
    await page.getByRole('link', { name: 'Show all' }).click()
    await page.getByRole('link', { name: 'acme' }).waitFor()
    await seen.close()
  })

  test('one shows what it has, shares, sees and what holds for it, and leads to its instances', async () => {
    const seen = await visitor('admin')
    const { page } = seen
    await seen.visit('/tenants/team%2Fblue')
    await page.getByText('together with all of team/*').waitFor()
    await rowOf(seen, 'together with all').getByText('2 of 8').waitFor()
    await rowOf(seen, 'Network').getByText('in the configuration').last().waitFor()
    await rowOf(seen, 'Bindings, at most').getByText('20, as for every tenant').waitFor()
    await rowOf(seen, 'and, together with others').filter({ hasText: '8' }).waitFor()
    await page.getByText('shown to team/* only').waitFor()
    await loaded(seen)
    await looked(seen, 'tenant')
    await page.getByRole('link', { name: 'team/*' }).first().click()
    await page.getByText('This name stands for several tenants').waitFor()
    await page.getByText('stands in the configuration of the broker').waitFor()
    await page.getByRole('link', { name: 'team-red-1' }).waitFor()
    await looked(seen, 'tenant-group')
    await page.getByRole('link', { name: 'team-red-1' }).click()
    await page.getByRole('link', { name: 'team/red' }).click()
    await page.getByRole('heading', { name: 'team/red', level: 1 }).waitFor()
    await seen.visit('/instances?tenant=acme')
    await page.getByRole('link', { name: 'acme-2' }).waitFor()
    expect(await page.getByRole('link', { name: 'web-1' }).count()).toBe(0)
    await looked(seen, 'instances-of-tenant')
    await page.getByRole('button', { name: 'Of all tenants' }).click()
    await page.getByRole('link', { name: 'web-1' }).waitFor()
    await seen.close()
  })

  test('what holds for one is decided, changed and taken away, by keyboard alone', async () => {
    const seen = await visitor('admin')
    const { page } = seen
    const { keyboard } = page
    await seen.visit('/tenants/acme')
    const begin = page.getByRole('button', { name: 'Decide something for it' })
    await begin.focus()
    await keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading', { name: 'Decide for acme' }).waitFor()
    await keyboard.press('Escape')
    // Until then a key would still be one of the dialog.
    await dialog.waitFor({ state: 'detached' })
    await expect
      .poll(() => page.evaluate<string>('document.activeElement.textContent'))
      .toBe('Decide something for it')
    await keyboard.press('Enter')
    await dialog.getByLabel('Services').focus()
    await keyboard.type('alpha-db/small')
    await keyboard.press('Tab')
    await keyboard.type('2')
    await dialog.getByLabel('Engine').fill('nowhere')
    await dialog.getByText('chandler tenant create acme --service alpha-db/small --instances 2').waitFor()
    await looked(seen, 'tenant-decide')
    await keyboard.press('Enter')
    await dialog.getByText('there is no engine nowhere here').waitFor()
    expect(await dialog.getByLabel('Instances').inputValue()).toBe('2')
    await looked(seen, 'tenant-refused')
    await dialog.getByLabel('Engine').fill('')
    await keyboard.press('Enter')
    await rowOf(seen, 'this tenant').getByText('2 of 2').waitFor()
    await page.getByText('shown to acme only').waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Change what is decided' }).press('Enter')
    expect(await dialog.getByRole('button', { name: 'Decide' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Services').fill('')
    await dialog.getByLabel('Instances').fill('1')
    await dialog.getByLabel('Logs').selectOption('operators only')
    await dialog
      .getByText('chandler tenant set acme --unset services --instances 1 --logs operators')
      .waitFor()
    await dialog.getByLabel('Engine').press('Enter')
    await page.getByText('above the quota').waitFor()
    await page.getByText('shown to acme only').waitFor()
    await looked(seen, 'tenant-over')

    await page.getByRole('button', { name: 'Take it away' }).press('Enter')
    await looked(seen, 'tenant-remove')
    await dialog.getByRole('button', { name: 'Take it away' }).press('Enter')
    await begin.waitFor()
    await seen.close()
  })

  test('a name is decided for before it has anything', async () => {
    const seen = await visitor('owner')
    const { page } = seen
    await seen.visit('/tenants')
    await page.getByRole('button', { name: 'Decide for a tenant' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Tenant', { exact: false }).first().fill('trial/*')
    await dialog.getByLabel('Bindings').fill('0')
    await dialog.getByLabel('Network').selectOption('none')
    await looked(seen, 'tenant-new')
    await dialog.getByRole('button', { name: 'Decide' }).click()
    await page.getByRole('heading', { name: 'trial/*', level: 1 }).waitFor()
    await page.getByText('may have none').waitFor()
    // An admin has no instances to look at.
    expect(await page.getByRole('heading', { name: 'Instances' }).count()).toBe(0)
    await looked(seen, 'tenant-of-admin')
    await seen.close()
  })

  test('what is sealed of one is erased when the tenant has nothing any more, and its name was typed', async () => {
    const seen = await visitor('admin')
    const { page } = seen
    const erase = page.getByRole('main').getByRole('button', { name: 'Erase what is sealed' })
    for (const path of ['/tenants/acme', '/tenants/team%2F*']) {
      await seen.visit(path)
      await page.getByText('chandler tenant show').waitFor()
      expect([path, await erase.count()]).toEqual([path, 0])
    }
    await seen.visit('/tenants/never-was')
    await erase.click()
    const dialog = page.getByRole('dialog')
    const act = dialog.getByRole('button', { name: 'Erase what is sealed' })
    expect(await act.isDisabled()).toBe(true)
    await dialog.getByLabel('Type never-was to go on').fill('never-was')
    await act.click()
    await dialog.getByText('tenant.keyless').waitFor()
    await looked(seen, 'tenant-erase-refused')
    const instance = (method = 'GET') =>
      ask(running, '/api/v1/instances/chandler/left-1', { as: basic('admin'), method })
    const state = async () => ((await (await instance()).json()) as { readonly state?: string }).state
    await expect.poll(state, { timeout: 60_000 }).toBe('ready')
    expect((await instance('DELETE')).status).toBe(202)
    await expect.poll(state, { timeout: 60_000 }).toBe('gone')
    await seen.visit('/tenants/left')
    await page.getByText('It has no instances.').waitFor()
    await erase.focus()
    await page.keyboard.press('Enter')
    await dialog.getByText('chandler tenant erase left').waitFor()
    await dialog.getByLabel('Type left to go on').fill('left')
    await looked(seen, 'tenant-erase')
    await page.keyboard.press('Enter')
    await page.getByRole('status').filter({ hasText: 'What was sealed of the tenant is erased.' }).waitFor()
    await looked(seen, 'tenant-erased')
    await seen.close()
  })

  test('who may only look sees no act, who is of one tenant sees no other, and who may not look is told so', async () => {
    const watcher = await visitor('watcher')
    for (const path of ['/tenants', '/tenants/acme']) {
      await watcher.visit(path)
      await loaded(watcher)
      const acts = await watcher.page.getByRole('main').getByRole('button').allTextContents()
      expect(acts.filter((act) => !act.includes('Copy'))).toEqual([])
    }
    await watcher.close()

    const ada = await visitor('ada')
    await ada.visit('/tenants')
    await ada.page.getByRole('link', { name: 'acme' }).waitFor()
    expect(await ada.page.getByRole('row').count()).toBe(2)
    await ada.visit('/tenants/acme')
    await ada.page.getByRole('link', { name: 'acme-1' }).waitFor()
    const told = async (name: string) => {
      await ada.visit(`/tenants/${name}`)
      await ada.page.getByRole('alert').waitFor()
      const text = (await ada.page.getByRole('main').textContent()) ?? ''
      return text.replaceAll(name, 'NAME').replace(/Request.*/, '')
    }
    expect(await told('web')).toBe(await told('never-was'))
    await looked(ada, 'tenant-foreign')
    await ada.visit('/account')
    await ada.page.getByRole('link', { name: 'acme' }).waitFor()
    await ada.close()

    const checker = await visitor('checker')
    expect(await checker.page.getByRole('link', { name: 'Tenants' }).count()).toBe(0)
    for (const path of ['/tenants', '/tenants/acme']) {
      await checker.visit(path)
      await checker.page.getByText('read:tenants').waitFor()
    }
    await looked(checker, 'tenants-denied')
    await checker.close()
  })

  test('a list that is empty, on its way or out of reach says so', async () => {
    const seen = await visitor('admin')
    const { page } = seen
    await page.route('**/api/v1/tenants?*', (route) => route.fulfill({ json: { items: [] } }))
    await seen.visit('/tenants')
    await page.getByText('There are no tenants yet.').waitFor()
    await looked(seen, 'tenants-empty')
    for (const path of ['/tenants', '/tenants/acme']) {
      const name = path.slice(1).replace('/', '-')
      await page.unrouteAll()
      await page.route('**/api/v1/tenants**', () => undefined)
      await page.goto(`${running.url}/ui${path}`)
      await page.getByText('Loading').waitFor()
      await looked(seen, `${name}-loading`)
      await page.unrouteAll()
      await page.route('**/api/v1/tenants**', (route) => route.abort())
      await seen.visit(path)
      await page.getByText('The broker cannot be reached').waitFor()
      await looked(seen, `${name}-lost`)
    }
    await seen.close()
  })
})
