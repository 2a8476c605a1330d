/** What a window keeps of an account through reloads: forms that are not sent yet. Another account finds nothing of it. */

const owner = 'chandler.account'

/** The window is that account's from now on; true if it was another's before, of which nothing stays. */
export function takeWindow(account: string): boolean {
  const before = sessionStorage.getItem(owner)
  if (before === account) return false
  emptyWindow()
  sessionStorage.setItem(owner, account)
  return before !== null
}

/** Forgets everything that the UI keeps in this window. */
export function emptyWindow(): void {
  const names = Array.from({ length: sessionStorage.length }, (_, i) => sessionStorage.key(i) ?? '')
  for (const name of names) if (name.startsWith('chandler.')) sessionStorage.removeItem(name)
}
