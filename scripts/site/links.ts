/** Follows every link of the built site: to pages, to headings in them, to files. */
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** What leads nowhere, a line each. */
export function deadLinks(folder: string, files: readonly string[]): readonly string[] {
  const pages = files.filter((file) => file.endsWith('.html'))
  const texts = new Map(pages.map((page) => [page, readFileSync(join(folder, page), 'utf8')]))
  const anchors = new Map([...texts].map(([page, text]) => [page, anchorsIn(text)]))
  return [...texts].flatMap(([page, text]) =>
    linksIn(text).flatMap((link) => {
      const [target = '', anchor] = link.split('#')
      const path = target === '' ? page : posix.join(posix.dirname(page), target)
      // The web UI is the broker's, not the site's.
      if (path === '../ui') return []
      if (!files.includes(path) && path !== './' && path !== '.') return [`${page}: ${link}`]
      return anchor === undefined || anchors.get(path)?.has(anchor) === true ? [] : [`${page}: ${link}`]
    }),
  )
}

function linksIn(text: string): readonly string[] {
  return [...text.matchAll(/\b(?:href|src|srcset)="([^"]+)"/g)]
    .map(([, link = '']) => link.replaceAll('&amp;', '&'))
    .filter((link) => !/^(https:|mailto:)/.test(link))
}

function anchorsIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/\bid="([^"]+)"/g)].map(([, id = '']) => id))
}
