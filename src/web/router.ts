/** Which page is shown: the address is the only truth of it, so that back, reload and links do what people expect. */
import { signal } from '@preact/signals'
import { uiPath } from './place.ts'

export interface Address {
  /** Below /ui, with a slash in front. */
  readonly path: string
  readonly query: URLSearchParams
  readonly hash: string
}

function read(): Address {
  const { pathname, search, hash } = location
  return { path: `/${pathname.slice(uiPath.length)}`, query: new URLSearchParams(search), hash }
}

export const address = signal<Address>(read())

/** The link to a page below /ui. */
export function href(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return `${uiPath}${path.slice(1)}${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`
}

/** Goes to a link of `href`. */
export function go(link: string, manner: 'push' | 'replace' = 'push'): void {
  if (manner === 'push') history.pushState(null, '', link)
  else history.replaceState(null, '', link)
  address.value = read()
}

/** Changes the query of the page that is shown; what is empty is left out. */
export function refine(query: Readonly<Record<string, string | undefined>>): void {
  const { path, query: old } = address.peek()
  go(href(path, { ...Object.fromEntries(old), ...query }), 'replace')
}

/** Follows links of the UI without loading it again. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    address.value = read()
  })
  document.addEventListener('click', (event) => {
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (
      !isPlain ||
      event.defaultPrevented ||
      link === null ||
      link.target !== '' ||
      link.hasAttribute('download')
    )
      return
    if (link.origin !== location.origin || !link.pathname.startsWith(uiPath)) return
    event.preventDefault()
    if (link.href !== location.href) go(link.href)
    if (!link.hash) scrollTo(0, 0)
  })
}
