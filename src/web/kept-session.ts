/**
 * Where every window of the browser finds which session there is, and what it may: they share its cookie. Without the
 * mark a browser need not ask, and be refused. Neither says whose session it is.
 */

const mark = 'chandler.session'
const permissions = 'chandler.permissions'

/** Stands for the mark while a window is at the identity provider. */
export const underway = 'underway'

/** Null: there is no session. */
export function keptMark(): string | null {
  return localStorage.getItem(mark)
}

/** What the session may, as far as it is known. */
export function keptPermissions(): readonly string[] {
  return localStorage.getItem(permissions)?.split(' ') ?? []
}

/** There is a session, or there will be one. */
export function keepMark(text: string, granted: readonly string[] = []): void {
  localStorage.setItem(permissions, granted.join(' '))
  // Other windows notice the mark.
  localStorage.setItem(mark, text)
}

/** There is none. */
export function forgetMark(): void {
  localStorage.removeItem(permissions)
  localStorage.removeItem(mark)
}
