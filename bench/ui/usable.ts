/** How long a page takes to be usable on a processor four times as slow, in a window that has kept nothing of the UI. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContext } from 'playwright-core'

const slowDown = 4
/** A window that was just opened runs scripts of the browser's own for so long. */
const settledMs = 600
/** A page that stood for so long shows all that it asks for. */
const calmMs = 400

/** Runs in the page before its scripts: notes when it last came to stand with all that it shows, drawn and free to answer. */
const watch = `
  let since = Infinity
  let round = 0
  const look = () => {
    const isThere = document.querySelector('h1') !== null && !/Loading/.test(document.getElementById('app').textContent)
    if (isThere === (round % 2 === 1)) return
    const mine = ++round
    since = Infinity
    if (isThere) requestAnimationFrame(() => setTimeout(() => { if (mine === round) since = performance.now() }))
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true })
  window.usableAfter = () => new Promise((resolve) => {
    const ask = () => performance.now() - since > ${calmMs} ? resolve(since) : setTimeout(ask, 50)
    ask()
  })
`

export interface Reader {
  readonly browser: Browser
  /** Of the broker. */
  readonly url: string
  /** What the browser keeps after a log-in; undefined: it keeps nothing. */
  readonly kept: Awaited<ReturnType<BrowserContext['storageState']>> | undefined
}

/** Milliseconds from the call of an address below /ui. */
export async function usableAfter({ browser, url, kept }: Reader, path: string): Promise<number> {
  const context = await browser.newContext({
    ...(kept === undefined ? {} : { storageState: kept }),
    viewport: { width: 1280, height: 900 },
    locale: 'en-GB',
  })
  context.setDefaultTimeout(300_000)
  const page = await context.newPage()
  await page.addInitScript(watch)
  const devTools = await context.newCDPSession(page)
  await sleep(settledMs)
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: slowDown })
  await page.goto(`${url}/ui${path}`)
  const time = Number(await page.evaluate('usableAfter()'))
  await context.close()
  return time
}
