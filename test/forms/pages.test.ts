/** Catalog, orders, changes and bindings in a browser: by form, by text, with faults, after a reload. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { problemFrom } from '../../src/client/problem.ts'
import { describeProblem } from '../../src/model/problem.ts'
import { basic, passwords, startTestBroker, type TestBroker } from '../support/broker.ts'
import {
  builtUi,
  launchChromium,
  logInAs,
  missingChromium,
  picture,
  type Visitor,
  visitorOf,
} from '../web/browser.ts'

const entry = `  - package: sim:gamma-store
    service:
      name: gamma-store
      description: A pretended store with many parameters.
      tags: [store, files]
      metadata: {displayName: Gamma Store, longDescription: 'A **store** for [files](https://example.com/).'}
    plans:
      - name: basic
        from: default
        description: The one for a start.
        schemas:
          create: &create
            $schema: http://json-schema.org/draft-04/schema#
            type: object
            required: [region, size, owner]
            additionalProperties: false
            properties:
              region: {type: string, title: Region, enum: [north, south, east]}
              size: {type: integer, title: Size, description: In gigabytes., minimum: 1}
              owner: {type: string, title: Owner, pattern: '^[a-z]+$'}
              password: {type: string, title: Password, writeOnly: true}
              serial: {type: integer, title: Serial number}
              backups: {type: boolean, title: Backups, default: true}
              class: {type: string, title: Class, default: hdd, enum: [hdd, ssd, nvme, tape, glass, stone]}
              hosts: {type: array, title: Hosts, items: {type: string}}
              labels: {type: object, title: Labels, additionalProperties: {type: string}}
              source:
                title: Source
                oneOf:
                  - {title: A copy, type: object, required: [from], properties: {from: {type: string, title: From}}, additionalProperties: false}
                  - {title: An address, type: object, required: [url], properties: {url: {type: string, title: Address}}, additionalProperties: false}
              sim: {type: object}
          update: *create
          bind:
            $schema: http://json-schema.org/draft-04/schema#
            type: object
            additionalProperties: false
            properties:
              role: {type: string, title: Role, enum: [reader, writer]}
      - {name: wide, from: default, description: The one for more., metadata: {displayName: Wide, bullets: [faster, larger]}}
`

let running: TestBroker
beforeAll(async () => {
  running = await startTestBroker(entry, undefined, undefined, { uiFolder: await builtUi() })
})
afterAll(() => running.stop())

describe.skipIf(missingChromium !== undefined)('in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser.close())

  const manners = [
    ['wide light', { width: 1280, scheme: 'light' }],
    ['wide dark', { width: 1280, scheme: 'dark' }],
    ['narrow light', { width: 390, scheme: 'light' }],
    ['narrow dark', { width: 390, scheme: 'dark' }],
  ] as const

  test.each(manners)('each page is readable, %s', async (name, manner) => {
    const visitor = await visitorOf(browser, running.url, manner)
    await logInAs(visitor, 'admin', passwords.admin)
    const shots = name.replace(' ', '-')
    await visitor.visit('/catalog')
    await visitor.page.getByText('Gamma Store').waitFor()
    expect(await visitor.faults()).toEqual([])
    await picture(visitor.page, `catalog-${shots}`)
    await visitor.page.getByRole('link', { name: 'Gamma Store' }).click()
    await visitor.page.getByRole('link', { name: 'Order basic' }).waitFor()
    expect(await visitor.faults()).toEqual([])
    await picture(visitor.page, `service-${shots}`)
    await visitor.visit('/order/gamma-store/basic')
    await visitor.page.getByLabel('Owner').waitFor()
    expect(await visitor.faults()).toEqual([])
    await picture(visitor.page, `order-${shots}`)
    await visitor.page.locator('summary', { hasText: 'more with defaults' }).click()
    await visitor.page.getByRole('button', { name: 'Add Hosts' }).click()
    await visitor.page.getByRole('button', { name: 'Add Source' }).click()
    await visitor.page.getByRole('button', { name: 'Add Labels' }).click()
    await visitor.page.getByRole('button', { name: 'Order', exact: true }).click()
    await visitor.page.getByText('things are wrong').waitFor()
    expect(await visitor.faults()).toEqual([])
    await picture(visitor.page, `order-faults-${shots}`)
    expect(
      await visitor.page.evaluate(
        'document.documentElement.scrollWidth <= document.documentElement.clientWidth',
      ),
    ).toBe(true)
    expect(visitor.complaints).toEqual([])
    await visitor.close()
  })

  async function orderPage(visitor: Visitor): Promise<void> {
    await logInAs(visitor, 'admin', passwords.admin)
    await visitor.visit('/order/gamma-store/basic')
    await visitor.page.getByLabel('Owner').waitFor()
    await visitor.page.getByRole('button', { name: 'Start over' }).click()
  }

  async function fillIn({ page }: Visitor, name: string): Promise<void> {
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByLabel('north').check()
    await page.getByLabel('Size').fill('3')
    await page.getByLabel('Owner').fill('anna')
  }

  test('an order by form keeps every digit, sends no branch that was left, and shows no secret again', async () => {
    const visitor = await visitorOf(browser, running.url)
    const { page } = visitor
    await orderPage(visitor)
    await fillIn(visitor, 'by-form')
    await page.getByLabel('Serial number').fill('12345678901234567890')
    await page.getByLabel('Password').fill('of-the-form')
    await page.getByRole('button', { name: 'Add Hosts' }).click()
    await page.getByLabel('Hosts 1').fill('one')
    await page.getByRole('button', { name: 'Add an entry' }).click()
    await page.getByLabel('Hosts 2').fill('two')
    await page.getByRole('button', { name: 'Move entry 2 up' }).click()
    await page.getByRole('button', { name: 'Add Source' }).click()
    await page.getByLabel('From').fill('elsewhere')
    await page.getByLabel('Kind').selectOption('An address')
    await page.getByLabel('Address').fill('https://example.com/')
    await page.getByRole('button', { name: 'Add Labels' }).click()
    await page.getByLabel('Name of a new entry').fill('team')
    await page.keyboard.press('Enter')
    await page.getByLabel('team', { exact: true }).fill('blue')
    await page.getByText('The broker would take this.').waitFor()
    expect(await visitor.faults()).toEqual([])
    expect(await page.locator('.command code').textContent()).not.toContain('of-the-form')
    await page.getByRole('button', { name: 'Order', exact: true }).click()
    await page.waitForURL(/\/ui\/operations\//)
    const { items } = (await ask('GET', '/instances?text=by-form')) as Items
    const text = await askText('GET', `/instances/chandler/${items[0]?.id}`)

    expect(text).toContain('12345678901234567890')
    expect(JSON.parse(text)).toMatchObject({
      parameters: {
        region: 'north',
        owner: 'anna',
        hosts: ['two', 'one'],
        labels: { team: 'blue' },
        source: { url: 'https://example.com/' },
      },
    })
    expect(text).not.toContain('of-the-form')
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('of-the-form')
    expect(visitor.complaints).toEqual([])
    await visitor.close()
  })

  test('what is wrong is said as the API says it, the focus goes to the first of it, and nothing is lost by it or by a reload', async () => {
    const visitor = await visitorOf(browser, running.url)
    const { page } = visitor
    await orderPage(visitor)
    await fillIn(visitor, 'wrong')
    await page.getByLabel('Owner').fill('Anna 1')
    await page.getByLabel('Size').fill('0')
    await page.getByLabel('Password').fill('typed-once')
    await page.getByText('must be >= 1').first().waitFor()
    await page.getByRole('button', { name: 'Order', exact: true }).click()
    await page.getByText('2 things are wrong').waitFor()
    const told = await page.locator('#faults li').allTextContents()
    const body = {
      service: 'gamma-store',
      plan: 'basic',
      parameters: { region: 'north', size: 0, owner: 'Anna 1', password: 'typed-once' },
    }
    const refusal = problemFrom(await ask('POST', '/instances', body), 400)
    const sentences = [refusal, ...(refusal.others ?? [])].map(describeProblem)

    expect(told).toEqual(sentences)
    expect(await page.evaluate('document.activeElement.id')).toBe('field/size')
    await page.reload()
    await page.getByLabel('Owner').waitFor()
    expect(await page.getByLabel('Owner').inputValue()).toBe('Anna 1')
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('wrong')
    expect(await page.getByLabel('Password').inputValue()).toBe('')
    expect(await page.getByLabel('north').isChecked()).toBe(true)
    expect(visitor.complaints).toEqual([])
    await visitor.close()
  })

  test('form and YAML are two views of one value, and YAML that cannot be read is told with its line', async () => {
    const visitor = await visitorOf(browser, running.url)
    const { page } = visitor
    await orderPage(visitor)
    await fillIn(visitor, '')
    await page.getByLabel('Password').fill('not-in-the-text')
    await page.getByRole('tab', { name: 'YAML' }).click()
    const text = page.locator('#form-text')
    await expect.poll(() => text.inputValue()).toContain('owner: anna')
    expect(await text.inputValue()).not.toContain('not-in-the-text')
    expect(await visitor.faults()).toEqual([])
    await text.fill('region: south\nsize: 900719925474099312345\nowner: [')
    await page
      .getByText(/^Line 3/)
      .first()
      .waitFor()
    await picture(page, 'order-yaml')
    await text.fill('region: south\nsize: 900719925474099312345\nowner: otto\nbackups: false\n')
    await page.getByRole('tab', { name: 'Form' }).click()

    expect(await page.getByLabel('Size').inputValue()).toBe('900719925474099312345')
    expect(await page.getByLabel('south').isChecked()).toBe(true)
    expect(await page.getByLabel('Password').inputValue()).toBe('not-in-the-text')
    expect(visitor.complaints).toEqual([])
    await visitor.close()
  })

  test('a connection that is lost loses nothing, and the order is made once', async () => {
    const visitor = await visitorOf(browser, running.url)
    const { page, context } = visitor
    await orderPage(visitor)
    await fillIn(visitor, 'once')
    await page.getByText('The broker would take this.').waitFor()
    await context.setOffline(true)
    await page.getByRole('button', { name: 'Order', exact: true }).click()
    await page.getByRole('alert').getByText('The broker cannot be reached').waitFor()
    await context.setOffline(false)
    await page.getByRole('button', { name: 'Order', exact: true }).click()
    await page.waitForURL(/\/ui\/operations\//)

    expect(((await ask('GET', '/instances?text=once')) as Items).items).toHaveLength(1)
    await visitor.close()
  })

  test.each([
    ['wide', 1280],
    ['narrow', 390],
  ] as const)('a change shows now, new and default, and its difference in words, %s', async (name, width) => {
    const id = `changed-${name}`
    await ordered(id)
    const visitor = await visitorOf(browser, running.url, { width })
    const { page } = visitor
    await logInAs(visitor, 'admin', passwords.admin)
    await visitor.visit(`/instances/chandler/${id}/update`)
    await page.getByLabel('Size').fill('5')
    await page.locator('summary', { hasText: 'more with defaults' }).click()
    await page.getByLabel('Class').selectOption('nvme')
    await page.getByText('Size: 3 becomes 5.').waitFor()
    await page.getByText('Class is set to nvme.').waitFor()
    await page.getByText('The broker would take this.').waitFor()
    expect(await visitor.faults()).toEqual([])
    await picture(page, `update-${name}`)
    expect(await page.locator('.command code').textContent()).toBe(
      `chandler instance update ${id} --parameters '{"region":"north","size":5,"owner":"anna","class":"nvme"}'`,
    )
    await page.getByRole('button', { name: 'Change it' }).click()
    await page.waitForURL(/\/ui\/operations\//)
    await expect
      .poll(() => ask('GET', `/instances/chandler/${id}`))
      .toMatchObject({
        state: 'ready',
        parameters: { region: 'north', size: 5, owner: 'anna', class: 'nvme' },
      })
    expect(visitor.complaints).toEqual([])
    await visitor.close()
  })

  test('an instance is bound with parameters', async () => {
    await ordered('bound-here')
    const visitor = await visitorOf(browser, running.url)
    const { page } = visitor
    await logInAs(visitor, 'admin', passwords.admin)
    await visitor.visit('/instances/chandler/bound-here/bind')
    await page.getByLabel('reader').check()
    await page.getByLabel('Id of the binding').fill('b-1')
    await page.getByText('The broker would take this.').waitFor()
    expect(await visitor.faults()).toEqual([])
    await picture(page, 'bind')
    await page.getByRole('button', { name: 'Bind', exact: true }).click()
    await page.waitForURL(/\/ui\/operations\//)

    expect(await ask('GET', '/instances/chandler/bound-here/bindings/b-1')).toMatchObject({ id: 'b-1' })
    expect(visitor.complaints).toEqual([])
    await visitor.close()
  })

  test('a viewer sees what there is and nothing that would be refused, in German too', async () => {
    const visitor = await visitorOf(browser, running.url)
    const { page } = visitor
    await logInAs(visitor, 'watcher', passwords.watcher)
    await visitor.visit('/catalog/gamma-store')
    await page.getByText('Ordering takes the permission create:instances.').first().waitFor()
    await visitor.visit('/order/gamma-store/basic')
    await page.getByText('This takes the permission create:instances.').waitFor()
    expect(await page.getByRole('button', { name: 'Order', exact: true }).count()).toBe(0)
    await page.evaluate("localStorage.setItem('chandler.language', 'de')")
    await visitor.visit('/catalog?q=pretended+store')
    await page.getByText('1 Dienst', { exact: true }).waitFor()
    expect(await visitor.faults()).toEqual([])
    await visitor.visit('/catalog/nowhere')
    await page.getByText('Der Katalog hat keinen Dienst nowhere.').waitFor()
    expect(visitor.complaints).toEqual([])
    await visitor.close()
  })
})

interface Items {
  readonly items: readonly { readonly id: string }[]
}

async function askText(method: string, path: string, body?: object): Promise<string> {
  const response = await fetch(`${running.url}/api/v1${path}`, {
    method,
    headers: { Authorization: basic('admin'), 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return response.text()
}

async function ask(method: string, path: string, body?: object): Promise<unknown> {
  return JSON.parse(await askText(method, path, body))
}

async function ordered(id: string): Promise<void> {
  const parameters = { region: 'north', size: 3, owner: 'anna' }
  await ask('POST', '/instances', { service: 'gamma-store', plan: 'basic', id, parameters })
  await expect.poll(() => ask('GET', `/instances/chandler/${id}`)).toMatchObject({ state: 'ready' })
}
