/** The session of the person in front of this page. */
import { effect, signal } from '@preact/signals'
import type { Problem } from '../api/problem.ts'
import type { Session } from '../api/session.ts'
import type { Permission } from '../model/access.ts'
import { addressOf } from './address-of.ts'
import { dropAhead } from './ahead.ts'
import { calls } from './calls.ts'
import { forgetMark, keepMark, keptMark, underway } from './kept-session.ts'
import { apiPath, brokerUrl } from './place.ts'
import { go, href } from './router.ts'
import { type Answered, exchange, send, sessionHooks } from './send.ts'
import { emptyWindow, takeWindow } from './window-memory.ts'

/** `asking` until the broker has told whether there is one; `unreached` while it cannot tell. */
export type SessionState =
  | { readonly kind: 'asking' }
  | { readonly kind: 'unreached'; readonly problem: Problem }
  | { readonly kind: 'none'; readonly hadEnded: boolean }
  | { readonly kind: 'open'; readonly session: Session }

export const session = signal<SessionState>({ kind: 'asking' })

effect(() => {
  if (session.value.kind !== 'open') return
  const { session: opened } = session.value
  keepMark(markOf(opened), opened.permissions)
  // An address may name what the account before was looking at.
  if (takeWindow(accountOf(opened))) go(href('/'), 'replace')
})

/** Tells a session from those before and after it, without saying whose it is. */
function markOf({ endsAt }: Session): string {
  return endsAt
}

/** Tells an account of this broker from every other. */
export function accountOf({ user, keptIn }: Session): string {
  return JSON.stringify([brokerUrl, keptIn, user.name])
}

sessionHooks.csrf = () => (session.value.kind === 'open' ? session.value.session.csrf : undefined)
sessionHooks.lost = () => {
  const state = session.peek()
  if (state.kind !== 'open') return
  dropAhead()
  // Another window may have begun a new one meanwhile.
  if (keptMark() === markOf(state.session)) forgetMark()
  session.value = { kind: 'none', hadEnded: true }
}

/** Takes the session that was begun in another window, and shows nothing more of one that was ended there, also while the page lay in the browser's history. */
export function watchWindows(): void {
  addEventListener('storage', noticeOthers)
  addEventListener('pageshow', noticeOthers)
}

function noticeOthers(): void {
  const state = session.peek()
  const own = state.kind === 'open' ? markOf(state.session) : null
  const mark = keptMark()
  const isKnown = state.kind === 'open' || state.kind === 'none'
  if (!isKnown || mark === own || mark === underway) return
  session.value = mark === null ? { kind: 'none', hadEnded: true } : { kind: 'asking' }
  if (mark !== null) void resume()
}

/** Whether the person may do that in some tenant; pages show no button that the API would refuse everywhere. */
export function may(permission: Permission): boolean {
  return session.value.kind === 'open' && session.value.session.permissions.includes(permission)
}

/** Whether the person may do that in all tenants, as what is of all of them takes. */
export function mayEverywhere(permission: Permission): boolean {
  return session.value.kind === 'open' && session.value.session.everywhere.includes(permission)
}

/** Where logins at a provider begin; no route of the API, for there is no account yet. */
const loginPath = `${apiPath.replace(/\/v1$/, '')}/login`

/** Asks whether the browser still has a session. */
export async function resume(): Promise<void> {
  if (session.peek().kind === 'asking' && keptMark() === null) {
    session.value = { kind: 'none', hadEnded: false }
    return
  }
  const answered = await send(calls.session, { path: {}, isRefresh: true })
  if (answered.kind === 'done') session.value = { kind: 'open', session: answered.value }
  // A session that was open is ended by `lost` alone: a broker that cannot be reached has not ended it.
  else if (session.peek().kind !== 'open') {
    if (answered.status === 401) forget()
    else session.value = { kind: 'unreached', problem: answered.problem }
  }
}

/** Trades a password for a session. */
export async function logIn(user: string, password: string): Promise<Answered<Session>> {
  const bytes = new TextEncoder().encode(`${user}:${password}`)
  const encoded = btoa(String.fromCharCode(...bytes))
  const answered = await exchange<Session>(addressOf(calls.logIn, {}), {
    method: 'POST',
    headers: { Accept: 'application/json', Authorization: `Basic ${encoded}` },
  })
  dropAhead()
  if (answered.kind === 'done') session.value = { kind: 'open', session: answered.value }
  return answered
}

/** What the broker calls its identity provider; undefined: it has none for browsers. */
export async function offeredLogin(): Promise<string | undefined> {
  const response = await fetch(loginPath).catch(() => undefined)
  if (response?.ok !== true) return undefined
  const told = (await response.json().catch(() => ({}))) as {
    readonly oidc?: { readonly name: string; readonly byBrowser: boolean }
  }
  return told.oidc?.byBrowser === true ? told.oidc.name : undefined
}

/** Where the browser goes to log in there; it comes back to the page it is on. */
export function wayToProvider(): string {
  return `${loginPath}/oidc?to=${encodeURIComponent(location.pathname)}`
}

/** After the way to the provider the broker is asked for the session that was begun there. */
export function leaveForProvider(): void {
  keepMark(underway)
}

/** Ends the session at the broker, then here; a refusal says that it goes on. */
export async function logOut(): Promise<Answered<unknown>> {
  const answered = await send(calls.logOut, { path: {} })
  if (answered.kind === 'refused' && answered.status !== 401) return answered
  emptyWindow()
  forget()
  go(href('/'), 'replace')
  return answered
}

function forget(): void {
  dropAhead()
  forgetMark()
  session.value = { kind: 'none', hadEnded: false }
}
