/** The documents as a site: every link leads somewhere, the search finds, and a real Chromium has nothing to complain about. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildSite, type Site } from '../../scripts/build-site.ts'
import { contentsOf } from '../../scripts/site/contents.ts'
import { deadLinks } from '../../scripts/site/links.ts'
import { render } from '../../scripts/site/render.ts'
import { type Entry, find } from '../../src/web/site/find.ts'
import { startTestBroker, type TestBroker } from '../support/broker.ts'
import { launchChromium, missingChromium, picture, visitorOf } from '../web/browser.ts'

const folder = mkdtempSync(join(tmpdir(), 'chandler-site-'))
let site: Site
let running: TestBroker
beforeAll(async () => {
  site = await buildSite(folder)
  running = await startTestBroker('', undefined, undefined, { documentsFolder: folder })
})
afterAll(async () => {
  await running.stop()
  rmSync(folder, { recursive: true, force: true })
})

const get = (path: string, init: RequestInit = {}) =>
  fetch(`${running.url}${path}`, { redirect: 'manual', ...init })

test('no two pages are one file', () => {
  const paths = contentsOf('.').flatMap(({ pages }) => pages.map(({ path }) => path))

  expect(paths).toEqual([...new Set(paths)])
})

test('no link of any page leads nowhere', () => {
  expect(site.faults).toEqual([])
  expect(site.files.filter((file) => file.endsWith('.html')).length).toBeGreaterThan(50)
})

test('a link that leads nowhere is told, whether to a page, a heading or a file', () => {
  const page = { source: 'docs/a.md', path: 'a.html', label: 'A' }
  const places = { root: process.cwd(), pages: new Map([[page.source, page]]) }
  const text = '# A\n\n[gone](gone.md) [here](#a) [picture](pictures/ui-dark.png) ![none](none.png)'
  const { faults, html } = render(text, page, places)

  expect(faults).toEqual(['docs/a.md: gone.md leads nowhere', 'docs/a.md: none.png leads nowhere'])
  expect(html).toContain('<a href="pictures/ui-dark.png">picture</a>')
  expect(html).not.toContain('gone.md')
  expect(deadLinks(folder, ['index.html'])).toContain('index.html: assets/site.css')
})

test.each([
  ['operation.failed', 'problems.html'],
  ['dotenv credentials', 'ui.html'],
  ['choosing a contract', 'choosing.html'],
  ['moving over', 'moving-over.html'],
  ['pak build', 'cli.html'],
])('a search for "%s" leads to %s', (text, path) => {
  const entries = JSON.parse(readFileSync(join(folder, 'assets/search.json'), 'utf8')) as readonly Entry[]
  const found = find(entries, text)

  expect(found.slice(0, 5).map((one) => one.path)).toContain(path)
  expect(JSON.stringify(entries)).not.toContain('<br>')
  expect(find(entries, 'nothing-is-called-so')).toEqual([])
})

test('a broker serves it to everybody, compressed, and says when it is unchanged', async () => {
  const led = await get('/docs')
  const start = await get('/docs/', { headers: { 'Accept-Encoding': 'br' } })
  const again = await get('/docs/', {
    headers: { 'Accept-Encoding': 'br', 'If-None-Match': start.headers.get('ETag') ?? '' },
  })
  const missing = await get('/docs/nowhere.html')
  const escaped = await get('/docs/..%2fui/index.html')
  const changed = await get('/docs/index.html', { method: 'POST' })

  expect([led.status, led.headers.get('Location')]).toEqual([302, '/docs/'])
  expect([start.status, start.headers.get('Content-Encoding')]).toEqual([200, 'br'])
  expect(start.headers.get('Content-Security-Policy')).toContain("default-src 'self'")
  expect([again.status, missing.status, escaped.status, changed.status]).toEqual([304, 404, 404, 405])
})

test('a broker serves each file that a page leads to', async () => {
  const statuses = await Promise.all(
    site.files.map(async (file) => [file, (await get(`/docs/${encodeURI(file)}`)).status] as const),
  )

  expect(statuses.filter(([, status]) => status !== 200)).toEqual([])
})

test('a broker without them says how they are had', async () => {
  const bare = await startTestBroker('', undefined, undefined, { documentsFolder: '/nowhere' })
  const answer = await fetch(`${bare.url}/docs/`)
  const { description } = (await answer.json()) as { readonly description: string }
  await bare.stop()

  expect([answer.status, description]).toEqual([404, expect.stringContaining('npm run build')])
})

describe.skipIf(missingChromium !== undefined)('in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser.close())

  test.each([
    ['index', {}],
    ['choosing', { width: 390, height: 844, scheme: 'dark' }],
    ['moving-over', { width: 320, height: 700 }],
  ] as const)('the page %s is read at its width and in its scheme', async (name, manner) => {
    const seen = await visitorOf(browser, running.url, manner)
    await seen.page.goto(`/docs/${name}.html`)
    await seen.page.getByRole('searchbox').waitFor()
    await picture(seen.page, `docs-${name.replace('/', '-')}`)

    expect(await seen.faults()).toEqual([])
    expect(await seen.page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(
      0,
    )
    expect(seen.complaints).toEqual([])
    await seen.close()
  })

  test.each(['problems', 'metrics', 'settings', 'api', 'moving-over', 'choosing'])(
    'the tables of %s lie within the page',
    async (name) => {
      const seen = await visitorOf(browser, running.url)
      await seen.page.goto(`/docs/${name}.html`)
      const wider = await seen.page.evaluate<readonly string[]>(
        "[...document.querySelectorAll('.scrolled')].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent.slice(0, 80))",
      )

      expect(wider).toEqual([])
      await seen.close()
    },
  )

  test('one searches by keyboard and comes to the section', async () => {
    const seen = await visitorOf(browser, running.url)
    const { page } = seen
    await page.goto('/docs/contracts/tweed.html')
    await page.getByRole('searchbox').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('what is where')
    await page
      .getByRole('link', { name: /What is where/ })
      .first()
      .waitFor()
    await picture(page, 'docs-search')
    expect(await seen.faults()).toEqual([])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/ui\.html#what-is-where$/)
    await page.getByRole('link', { name: 'Next' }).waitFor()
    expect(seen.complaints).toEqual([])
    await seen.close()
  })
})
