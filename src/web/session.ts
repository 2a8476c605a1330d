/** The session of the person in front of this page. */
import { effect, signal } from '@preact/signals'
import type { Problem } from '../api/problem.ts'
import type { Session } from '../api/session.ts'
import type { Permission } from '../model/access.ts'
import { calls } from './calls.ts'
import { apiPath } from './place.ts'
import { type Answered, addressOf, exchange, send, sessionHooks } from './send.ts'

/** `asking` until the broker has told whether there is one; `unreached` while it cannot tell. */
export type SessionState =
  | { readonly kind: 'asking' }
  | { readonly kind: 'unreached'; readonly problem: Problem }
  | { readonly kind: 'none'; readonly hadEnded: boolean }
  | { readonly kind: 'open'; readonly session: Session }

export const session = signal<SessionState>({ kind: 'asking' })

/** Where it is noted that there was one: a browser without it need not ask, and be refused. */
const kept = 'chandler.session'
effect(() => {
  if (session.value.kind === 'open') localStorage.setItem(kept, 'open')
  else if (session.value.kind === 'none') localStorage.removeItem(kept)
})

sessionHooks.csrf = () => (session.value.kind === 'open' ? session.value.session.csrf : undefined)
sessionHooks.lost = () => {
  if (session.value.kind === 'open') session.value = { kind: 'none', hadEnded: true }
}

/** Whether the person may do that in some tenant; pages show no button that the API would refuse everywhere. */
export function may(permission: Permission): boolean {
  return session.value.kind === 'open' && session.value.session.permissions.includes(permission)
}

/** Where logins at a provider begin; no route of the API, for there is no account yet. */
const loginPath = `${apiPath.replace(/\/v1$/, '')}/login`

/** Asks whether the browser still has a session. */
export async function resume(): Promise<void> {
  if (session.peek().kind === 'asking' && localStorage.getItem(kept) === null) {
    session.value = { kind: 'none', hadEnded: false }
    return
  }
  const answered = await send(calls.session, { path: {}, isRefresh: true })
  if (answered.kind === 'done') session.value = { kind: 'open', session: answered.value }
  // A session that was open is ended by `lost` alone: a broker that cannot be reached has not ended it.
  else if (session.peek().kind !== 'open')
    session.value =
      answered.status === 401
        ? { kind: 'none', hadEnded: false }
        : { kind: 'unreached', problem: answered.problem }
}

/** Trades a password for a session. */
export async function logIn(user: string, password: string): Promise<Answered<Session>> {
  const bytes = new TextEncoder().encode(`${user}:${password}`)
  const encoded = btoa(String.fromCharCode(...bytes))
  const answered = await exchange<Session>(addressOf(calls.logIn, {}), {
    method: 'POST',
    headers: { Accept: 'application/json', Authorization: `Basic ${encoded}` },
  })
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
  localStorage.setItem(kept, 'open')
}

/** Ends the session here and at the broker. */
export async function logOut(): Promise<void> {
  await send(calls.logOut, { path: {} })
  session.value = { kind: 'none', hadEnded: false }
}
