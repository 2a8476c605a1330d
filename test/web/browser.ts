/** A real Chromium in front of a real broker with the built UI; whatever it complains about fails the test. */
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { buildUi } from '../../scripts/build-ui.ts'
import { ensurePrograms, findProgram } from '../support/debian.ts'
import { builtBefore } from '../support/installed.ts'

/** Why there is no browser here; undefined: there is one. */
export const missingChromium = ensurePrograms('chromium')

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The folder of the UI: of the run of all tests, else one of its own. */
export async function builtUi(): Promise<string> {
  if (builtBefore !== undefined) return join(builtBefore, 'ui')
  const folder = mkdtempSync(join(tmpdir(), 'chandler-ui-'))
  await buildUi(folder)
  return folder
}

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: findProgram('chromium') ?? 'chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  })
}

export interface Visitor {
  readonly page: Page
  readonly context: BrowserContext
  /** What the browser complained about: errors of the console, reports of the CSP, requests to elsewhere. */
  readonly complaints: readonly string[]
  /** Goes to a page below /ui and waits until it is there. */
  visit(path: string): Promise<void>
  /** What axe finds on the page as it is. */
  faults(): Promise<readonly string[]>
  close(): Promise<void>
}

export interface Manner {
  readonly width?: number
  readonly height?: number
  readonly scheme?: 'light' | 'dark'
  readonly locale?: string
}

/** Runs in the page. */
const tellViolations =
  "document.addEventListener('securitypolicyviolation', (e) => console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI))"

/** Opens a window on a broker. */
export async function visitorOf(browser: Browser, url: string, manner: Manner = {}): Promise<Visitor> {
  const { width = 1280, height = 900, scheme = 'light', locale = 'en-GB' } = manner
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height },
    colorScheme: scheme,
    locale,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  // As long as a slow host may need: how long a page takes is asserted nowhere.
  context.setDefaultTimeout(300_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !isAnnouncedRefusal(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) complaints.push(request.url())
  })
  await page.addInitScript(tellViolations)
  return {
    page,
    context,
    complaints,
    visit: async (path) => {
      await page.goto(`${url}/ui${path}`)
      const heading = page.locator('h1').first()
      await heading.waitFor().catch(async (error: unknown) => {
        const text = await page.locator('body').textContent()
        throw new Error(`${path} shows ${text}; ${complaints.join('; ')}`, { cause: error })
      })
    },
    faults: () => faultsOf(page),
    close: () => context.close(),
  }
}

/** Chromium writes refused requests to its console; the page shows them, and the test of the page expects them. */
function isAnnouncedRefusal(text: string): boolean {
  return /^Failed to load resource: (the server responded with a status of 4\d\d|net::ERR_)/.test(text)
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
}

async function faultsOf(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe)
  const { violations } = (await page.evaluate(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })",
  )) as AxeResult
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** Logs in by the form, as a person does. */
export async function logInAs(visitor: Visitor, user: string, password: string): Promise<void> {
  await visitor.visit('/')
  await visitor.page.getByLabel('User').fill(user)
  await visitor.page.getByLabel('Password').fill(password)
  await visitor.page.getByRole('button', { name: 'Log in' }).click()
  await visitor.page.getByRole('link', { name: user }).waitFor()
}

/** Both widths in both schemes. */
const looks = [
  ['1280-light', { width: 1280, height: 900 }, 'light'],
  ['1280-dark', { width: 1280, height: 900 }, 'dark'],
  ['390-dark', { width: 390, height: 844 }, 'dark'],
  ['390-light', { width: 390, height: 844 }, 'light'],
] as const

/** Each width and each scheme once: enough for a page that is looked at in all of them elsewhere. */
export const fewLooks = looks.filter(([look]) => look === '1280-light' || look === '390-dark')

/** Looks at a page as it is at both widths in both schemes: axe finds nothing, nothing lies beside it, the browser has no complaint. */
export async function looked(
  { page, faults, complaints }: Visitor,
  name: string,
  chosen: readonly (typeof looks)[number][] = looks,
): Promise<void> {
  const before = page.viewportSize()
  for (const [look, size, colorScheme] of chosen) {
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme })
    const shot = `${name}-${look}`
    expect([shot, await faults(), await overflowOf(page)]).toEqual([shot, [], 0])
    await picture(page, shot)
  }
  await page.setViewportSize({ width: 320, height: 844 })
  expect([name, await overflowOf(page), complaints]).toEqual([name, 0, []])
  if (before) await page.setViewportSize(before)
}

/** How many pixels one would have to scroll sideways. */
export async function overflowOf(page: Page): Promise<number> {
  const pixels = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  return Math.max(0, pixels)
}

/** Keeps a picture of the page for people, in a folder that is not kept in the repository. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['CHANDLER_PICTURES'] ?? join(tmpdir(), 'chandler-pictures')
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}
