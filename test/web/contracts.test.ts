/** The story of an instance in the UI, in a real Chromium, told once for each contract: the guestbook of the examples. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { ask } from '../support/ask.ts'
import {
  basic,
  catalogOf,
  newFolder,
  passwords,
  startTestBroker,
  type TestBroker,
} from '../support/broker.ts'
import { buildExamples } from '../support/built-examples.ts'
import { ensurePrograms } from '../support/debian.ts'
import {
  builtUi,
  fewLooks,
  launchChromium,
  logInAs,
  looked,
  missingChromium,
  type Visitor,
  visitorOf,
} from './browser.ts'

interface Story {
  readonly contract: string
  readonly service: string
  /** A file that it leaves for people, and what stands in it; absent: the contract knows none. */
  readonly file?: readonly [name: string, says: string]
  /** What it says of a change of the pages to 77 before it is made; absent: it cannot tell. */
  readonly foretold?: string
  /** The contract knows no changes. */
  readonly isFixed?: true
  /** Why it cannot be told here. */
  readonly missing?: string | undefined
}

const noTerraform = hostEngine() === undefined ? 'there is no terraform and no tofu' : undefined
const stories: readonly Story[] = [
  { contract: 'tweed', service: 'guestbook-tweed', file: ['cover.txt', 'Harbour'], isFixed: true },
  { contract: 'apb', service: 'examples-guestbook-apb' },
  {
    contract: 'brokerpak',
    service: 'guestbook-brokerpak',
    file: ['cover', 'Harbour'],
    foretold: 'terraform_data.book',
    missing: noTerraform,
  },
  {
    contract: 'cnab',
    service: 'guestbook-cnab',
    file: ['cover', 'Harbour'],
    foretold: 'would bind Harbour anew, with 77 pages of lined paper',
  },
  { contract: 'toi', service: 'guestbook-toi', file: ['cover', 'Harbour'] },
]

const missing = missingChromium ?? ensurePrograms('busybox', 'curl')

describe.skipIf(missing !== undefined)('each contract in the UI', { timeout: 600_000 }, () => {
  const folder = newFolder()
  let uiFolder: string
  let running: TestBroker
  let browser: Browser

  beforeAll(async () => {
    await buildExamples(
      join(folder, 'built'),
      ['tweed', 'apb', 'cnab', 'toi'].map((name) => `guestbook/${name}`),
    )
    uiFolder = await builtUi()
    running = await start('127.0.0.1:0')
    browser = await launchChromium()
  }, 600_000)
  afterAll(async () => {
    await browser?.close()
    await running?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  function start(listen: string): Promise<TestBroker> {
    const edit = (text: string): string =>
      `engine: embedded\n${catalogOf(guestbooks(folder))(text)}`.replace(
        `'127.0.0.1:0', adminListen`,
        `'${listen}', adminListen`,
      )
    return startTestBroker('', folder, edit, { uiFolder })
  }

  /** Another process takes the place of the broker, at the same address. */
  async function restart(): Promise<void> {
    const { host } = new URL(running.url)
    await running.broker.stop()
    running = await start(host)
  }

  test('their packages are called as the operator, the file or the layout calls them', async () => {
    const { items } = (await (await ask(running, '/api/v1/packages', { as: basic('admin') })).json()) as {
      readonly items: readonly { readonly name: string }[]
    }
    expect(items.map(({ name }) => name).toSorted()).toEqual(
      ['apb', 'brokerpak', 'cnab', 'toi', 'tweed'].map((contract) => `guestbook-${contract}`),
    )
  })

  test.for(stories)('the story of $contract', async (story, { skip }) => {
    skip(story.missing !== undefined, story.missing)
    const seen = await visitorOf(browser, running.url)
    await logInAs(seen, 'admin', passwords.admin)
    const name = `book-${story.contract}`

    await failAndCancel(seen, story, name)
    await orderAtLast(seen, name)
    await change(seen, story, name)
    await seeFiles(seen, story, name)
    if (story.contract === 'cnab') await invoke(seen)
    await bindAndUnbind(seen, story, name)
    await deleteIt(seen, story, name)

    expect(seen.complaints).toEqual([])
    await seen.close()
  })

  /** An order that fails; the same with other inputs, which a restart does not disturb and which is cancelled. */
  async function failAndCancel(seen: Visitor, { contract, service }: Story, name: string): Promise<void> {
    const { page } = seen
    await seen.visit(`/order/${service}/desk`)
    await page.getByLabel('Name', { exact: true }).fill(name)
    await unfold(page)
    await choose(page, 'Title', 'Harbour')
    await page.getByLabel('handmade').check()
    // Whatever words the contract has for it, what is wrong is told at its field.
    await choose(page, 'Pages', '0')
    await page.locator('.form .fault').waitFor()
    await choose(page, 'Pages', '40')
    await page.getByText('The broker would take this.').waitFor()
    await page.getByRole('button', { name: 'Order', exact: true }).click()
    await ended(page, 'failed')
    await page.getByText('There is no handmade paper left.').first().waitFor()
    await page.getByText('What it was ordered with').click()
    await page.locator('pre', { hasText: '"paper": "handmade"' }).waitFor()
    await fine(seen, `${contract}-failed`)

    await page.getByRole('link', { name: 'Try again with other inputs' }).click()
    await page.getByText('It is ordered once more').waitFor()
    await unfold(page)
    expect(await page.getByLabel('Title').inputValue()).toBe('Harbour')
    expect(await page.getByLabel('handmade').isChecked()).toBe(true)
    await page.getByLabel('lined').check()
    await choose(page, 'Seconds', '3600')
    await fine(seen, `${contract}-other-inputs`)
    await page.getByRole('button', { name: 'Order', exact: true }).click()
    await page
      .getByText(/bookbinder (begins|works)/)
      .first()
      .waitFor()

    // The log is followed by a connection of its own.
    await page.route('**/log?*', (route) => route.abort())
    await page.reload()
    await page.getByText('not live: connecting again').waitFor()
    await fine(seen, `${contract}-not-live`)
    await page.unroute('**/log?*')
    await page
      .getByText(/bookbinder (begins|works)/)
      .first()
      .waitFor()
    await restart()
    await page
      .getByRole('status')
      .filter({ hasText: /^live$/ })
      .waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await ended(page, 'cancelled')
  }

  async function orderAtLast(seen: Visitor, name: string): Promise<void> {
    const { page } = seen
    await page.getByRole('link', { name: 'Try again with other inputs' }).click()
    await page.getByText('It is ordered once more').waitFor()
    await unfold(page)
    await choose(page, 'Seconds', '0')
    await page.getByRole('button', { name: 'Order', exact: true }).click()
    await page.getByRole('heading', { name: `provision ${name}` }).waitFor()
    await ended(page, 'succeeded')
  }

  /** What will change is said before it is sent, by the form, and by the package where it can tell. */
  async function change(seen: Visitor, { contract, foretold, isFixed }: Story, name: string): Promise<void> {
    const { page } = seen
    await page.getByRole('link', { name, exact: true }).click()
    if (isFixed) return barred(seen, contract, name)
    await page.getByRole('link', { name: 'Update' }).click()
    await page.getByRole('heading', { name: `Change ${name}` }).waitFor()
    await unfold(page)
    await choose(page, 'Pages', '77')
    await page.locator('.differences').getByText('77').waitFor()
    if (foretold !== undefined) {
      await page.getByRole('button', { name: 'Ask the package what it would do' }).click()
      await page.getByRole('region', { name: 'What the package would do' }).getByText(foretold).waitFor()
    }
    await fine(seen, `${contract}-change`)
    await page.getByRole('button', { name: 'Change it' }).click()
    await page.getByRole('heading', { name: `update ${name}` }).waitFor()
    await ended(page, 'succeeded')
  }

  /** What every change is refused with is told by the instance; no form is offered for one. */
  async function barred(seen: Visitor, contract: string, name: string): Promise<void> {
    const { page } = seen
    await page.getByText('Patterns cannot do this: update').waitFor()
    expect(await page.getByRole('link', { name: 'Update' }).count()).toBe(0)
    await fine(seen, `${contract}-barred`)
    await seen.visit(`/instances/chandler/${await idOf(page, name)}/update`)
    await page.getByText('Patterns cannot do this: update').waitFor()
    expect(await page.locator('.form').count()).toBe(0)
    await fine(seen, `${contract}-change`)
  }

  /** An action of the package's own is ordered by the form of its schema; what is wrong is said at the field. */
  async function invoke(seen: Visitor): Promise<void> {
    const { page } = seen
    await page.getByRole('link', { name: 'Actions' }).click()
    await page.getByRole('button', { name: 'Run com.example.stamp' }).click()
    const dialog = page.getByRole('dialog')
    await unfold(page)
    await choose(page, 'copies', '99')
    await dialog.getByRole('button', { name: 'Run com.example.stamp' }).click()
    await dialog
      .getByText(/at most 9|<= 9|maximum/)
      .first()
      .waitFor()
    await fine(seen, 'cnab-action')
    await choose(page, 'copies', '3')
    await dialog.getByRole('button', { name: 'Run com.example.stamp' }).click()
    await ended(page, 'succeeded')
    await page.getByText('Page 3: Welcome').first().waitFor()
    await page.getByRole('heading', { name: 'What it answered' }).waitFor()
    await page.goBack()
  }

  async function seeFiles(seen: Visitor, { contract, file }: Story, name: string): Promise<void> {
    const { page } = seen
    await seen.visit(`/instances/chandler/${await idOf(page, name)}?tab=files`)
    if (file === undefined) await page.getByText('Its operations left no files.').waitFor()
    else {
      const card = page.getByRole('region', { name: file[0], exact: true })
      await card.getByRole('button', { name: 'Show' }).click()
      await card.getByText(file[1]).first().waitFor()
    }
    await fine(seen, `${contract}-files`)
  }

  /** A viewer sees the instance, its bindings and its log, and no act and no credential. */
  async function watch(name: string, id: string): Promise<void> {
    const seen = await visitorOf(browser, running.url)
    const { page } = seen
    await logInAs(seen, 'watcher', passwords.watcher)
    for (const tab of ['', '?tab=bindings', '?tab=files']) {
      await seen.visit(`/instances/chandler/${id}${tab}`)
      await page.getByRole('heading', { name, level: 1 }).waitFor()
      await expect.poll(() => page.getByText('Loading').count()).toBe(0)
      const acts = await page.getByRole('main').getByRole('button').allTextContents()
      expect([tab, acts.filter((act) => !act.includes('Copy'))]).toEqual([tab, []])
      expect(await page.content()).not.toContain('guestbook://')
    }
    expect([await seen.faults(), seen.complaints]).toEqual([[], []])
    await seen.close()
  }

  async function bindAndUnbind(seen: Visitor, { contract }: Story, name: string): Promise<void> {
    const { page } = seen
    const id = await idOf(page, name)
    await seen.visit(`/instances/chandler/${id}/bind`)
    await page.getByLabel('Id of the binding').fill('checkout')
    await page.getByRole('button', { name: 'Bind', exact: true }).click()
    await ended(page, 'succeeded')
    await seen.visit(`/instances/chandler/${id}?tab=bindings`)
    await page.getByRole('button', { name: 'Reveal credentials' }).click()
    await page.getByRole('button', { name: 'JSON' }).click()
    await page.getByText('Copied').waitFor()
    const copied = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'))
    expect(copied).toMatchObject({
      username: expect.stringMatching(/^guest-[0-9a-f]{8}$/),
      password: expect.stringMatching(/^[0-9a-f]{32}$/),
      uri: `guestbook://${copied.username}:${copied.password}@localhost/Harbour`,
    })
    await fine(seen, `${contract}-credentials`)
    await watch(name, id)
    await page.getByRole('button', { name: 'Unbind' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Unbind' }).click()
    await page.getByText('It has no bindings.').waitFor()
  }

  async function deleteIt(seen: Visitor, { contract }: Story, name: string): Promise<void> {
    const { page } = seen
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByLabel(`Type ${name} to go on`).fill(name)
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: `deprovision ${name}` }).waitFor()
    await ended(page, 'succeeded')
    await fine(seen, `${contract}-deleted`)
  }

  /** Each state of each contract is judged; in all four looks where it is fullest. */
  async function fine(seen: Visitor, shot: string): Promise<void> {
    const isFullest = shot.startsWith('cnab') || shot === 'brokerpak-change'
    await looked(seen, shot, isFullest ? undefined : fewLooks)
  }
})

/** The guestbooks of the catalog that `npm start` offers, as they were built for the test. */
function guestbooks(folder: string): readonly object[] {
  const { catalog } = parse(readFileSync('examples/chandler.yml', 'utf8')) as {
    readonly catalog: readonly {
      readonly package: string
      readonly contract: string
      readonly options?: object
    }[]
  }
  return catalog
    .filter(({ package: reference }) => reference.includes('guestbook'))
    .map((entry) => ({
      ...entry,
      // Their programs do not hear that they shall end, and nothing is learnt by waiting for them.
      options: { ...entry.options, ...(entry.contract === 'brokerpak' ? {} : { killGraceSeconds: 1 }) },
      package: entry.package
        .replace('../.chandler/examples', join(folder, 'built'))
        .replace(/^\.\//, `${process.cwd()}/examples/`),
    }))
}

/** Shows the fields that have a default. */
async function unfold(page: Page): Promise<void> {
  const folded = page.locator('details:not([open]) > summary', { hasText: 'with defaults' })
  while ((await folded.count()) > 0) await folded.first().click()
}

/** Gives a field another value than its default. */
async function choose(page: Page, label: string, value: string): Promise<void> {
  const form = page.locator('.form').last()
  await form
    .getByLabel(new RegExp(`^${label}`, 'i'))
    .first()
    .fill(value)
}

async function ended(page: Page, state: 'succeeded' | 'failed' | 'cancelled'): Promise<void> {
  await page.getByRole('status').filter({ hasText: state }).waitFor()
}

/** By a name one finds an instance as people do. */
async function idOf(page: Page, name: string): Promise<string> {
  const found = (await page.evaluate(
    `fetch('/api/v1/instances?beginning=' + ${JSON.stringify(name)}).then((answer) => answer.json())`,
  )) as { readonly items: readonly { readonly id: string; readonly name?: string }[] }
  return found.items.find((one) => one.name === name)?.id ?? ''
}
