/** Every page: its address, its name, and where it is loaded from when it is needed. */
import type { ComponentType } from 'preact'
import type { TextKey } from './texts.ts'

export interface PageProps {
  /** What stands in the address for the names in the pattern. */
  readonly params: Readonly<Record<string, string>>
}

export interface Page {
  /** `/instances/:platform/:instance` */
  readonly pattern: string
  readonly title: TextKey
  /** Named in the navigation, in this order. */
  readonly isInNavigation?: true
  /** Who may see it; absent: everybody with a session. */
  readonly role?: 'operator'
  readonly load: () => Promise<ComponentType<PageProps>>
}

export const pages: readonly Page[] = [
  {
    pattern: '/',
    title: 'nav.home',
    isInNavigation: true,
    load: async () => (await import('./pages/home.tsx')).HomePage,
  },
  {
    pattern: '/account',
    title: 'nav.account',
    load: async () => (await import('./pages/account.tsx')).AccountPage,
  },
]

/** The page at a path with what its pattern names; undefined: there is none. */
export function pageAt(
  path: string,
): { readonly page: Page; readonly params: PageProps['params'] } | undefined {
  for (const page of pages) {
    const params = paramsOf(page.pattern, path)
    if (params !== undefined) return { page, params }
  }
  return undefined
}

function paramsOf(pattern: string, path: string): PageProps['params'] | undefined {
  const wanted = pattern.split('/')
  const given = path.replace(/(?<=.)\/$/, '').split('/')
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, part] of wanted.entries()) {
    const word = given[i] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = decoded(word)
    else if (part !== word) return undefined
  }
  return params
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word)
  } catch {
    return word
  }
}
