/** Catalog, orders, changes and bindings in a browser: by form, by text, with faults, after a reload. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { passwords, startTestBroker, type TestBroker } from '../support/broker.ts'
import { builtUi, launchChromium, logInAs, missingChromium, picture, visitorOf } from '../web/browser.ts'

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
})
