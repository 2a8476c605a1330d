/**
 * Asks the broker for the session, and for what the page at this address shows first, while the program that draws the
 * page is still on its way. Its script is the first that runs, and small.
 */
import { addressOf } from './address-of.ts'
import { calls } from './calls.ts'
import { firstAsksOf } from './first-asks.ts'
import { keptMark, keptPermissions, underway } from './kept-session.ts'
import { uiPath } from './place.ts'

/** An answer that no page has taken up by then is too old for any. */
const freshMs = 10_000

const place = location.pathname + location.search
const asked = new Map<string, Promise<Response | undefined>>()

/** The answer to a question that was asked ahead, once; undefined: it was not, or did not arrive. */
export function takeAhead(address: string): Promise<Response | undefined> | undefined {
  // Another page is shown by now.
  if (location.pathname + location.search !== place) asked.clear()
  const answer = asked.get(address)
  asked.delete(address)
  return answer
}

/** What was asked for another session, or for none, is no answer for this one. */
export function dropAhead(): void {
  asked.clear()
}

function ask(address: string, headers: Readonly<Record<string, string>> = {}): void {
  const answer = fetch(address, { headers: { Accept: 'application/json', ...headers } })
  // A page that finds no answer asks again.
  asked.set(
    address,
    answer.catch(() => undefined),
  )
}

function askAll(): void {
  const mark = keptMark()
  // A browser that was never here is not asked for: a refusal would stand in its console.
  if (mark === null) return
  ask(addressOf(calls.session, {}), { 'X-Chandler-Refresh': '1' })
  if (mark === underway) return
  const permissions = keptPermissions()
  const path = `/${location.pathname.slice(uiPath.length)}`
  for (const { address, needs } of firstAsksOf(path, new URLSearchParams(location.search)))
    if (needs === undefined || permissions.includes(needs)) ask(address)
}

askAll()
setTimeout(dropAhead, freshMs)
