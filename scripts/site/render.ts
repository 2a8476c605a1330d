/** One document as HTML: its headings have addresses, its links lead to pages of the site, and what cannot be followed is told. */
import { existsSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'
import type { SitePage } from './contents.ts'

export interface Section {
  /** Empty: the beginning of the page. */
  readonly anchor: string
  readonly title: string
  readonly level: number
  readonly text: string
}

export interface Rendered {
  readonly title: string
  readonly html: string
  readonly sections: readonly Section[]
  /** Files of the repository that the page shows or hands out, as paths in the site. */
  readonly assets: ReadonlyMap<string, string>
  /** Links that lead nowhere. */
  readonly faults: readonly string[]
}

export interface Places {
  readonly root: string
  /** By their sources. */
  readonly pages: ReadonlyMap<string, SitePage>
}

/** Draws a page. */
export function render(text: string, page: SitePage, places: Places): Rendered {
  const assets = new Map<string, string>()
  const faults: string[] = []
  const anchors = anchorsOf()
  const addressOf = (link: string): string | undefined => {
    if (/^(https:|mailto:|#)/.test(link)) return link
    const found = addressInSite(link, page, places)
    if (found === undefined) {
      faults.push(`${page.source}: ${link} leads nowhere`)
      return undefined
    }
    if (found.asset !== undefined) assets.set(found.path, found.asset)
    return found.address
  }
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const id = anchors(plain(tokens))
        return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`
      },
      link({ href, tokens }) {
        const address = addressOf(href)
        const inner = this.parser.parseInline(tokens)
        return address === undefined ? inner : `<a href="${markedUp(address)}">${inner}</a>`
      },
      image({ href, text: alternative }) {
        return `<img src="${markedUp(addressOf(href) ?? '')}" alt="${markedUp(alternative)}" />`
      },
      html({ text: written }) {
        return written.replaceAll(
          /\b(src|srcset)="([^"]+)"/g,
          (_, name: string, link: string) => `${name}="${markedUp(addressOf(link) ?? '')}"`,
        )
      },
      code({ text: code }) {
        return `<pre tabindex="0"><code>${markedUp(code)}</code></pre>\n`
      },
      table({ header, rows }) {
        const row = (cells: readonly Tokens.TableCell[], name: 'th' | 'td'): string => {
          const drawn = cells.map(({ tokens }) => {
            const inner = breakable(this.parser.parseInline(tokens))
            // A heading without a word is none.
            return name === 'th' && inner !== '' ? `<th scope="col">${inner}</th>` : `<td>${inner}</td>`
          })
          return `<tr>${drawn.join('')}</tr>`
        }
        const isHeaded = header.some(({ text: words }) => words !== '')
        const head = isHeaded ? `<thead>${row(header, 'th')}</thead>\n` : ''
        const body = rows.map((cells) => row(cells, 'td')).join('\n')
        return `<div class="scrolled" tabindex="0"><table>\n${head}<tbody>${body}</tbody>\n</table></div>\n`
      },
    },
  })
  const tokens = marked.lexer(text)
  return {
    title: titleOf(tokens) ?? page.label,
    html: marked.parser(tokens),
    sections: sectionsOf(tokens),
    assets,
    faults,
  }
}

interface Address {
  readonly address: string
  readonly path: string
  /** Where it lies in the repository. */
  readonly asset?: string
}

function addressInSite(link: string, page: SitePage, { root, pages }: Places): Address | undefined {
  const [target = '', anchor] = link.split('#')
  const source = posix.join(posix.dirname(page.source), target).replace(/\/$/, '')
  const to = (path: string): string => posix.relative(posix.dirname(page.path), path)
  const behind = anchor === undefined ? '' : `#${anchor}`
  const found = pages.get(source)
  if (found !== undefined) return { address: `${to(found.path)}${behind}`, path: found.path }
  const file = join(root, source)
  if (!existsSync(file)) return undefined
  if (statSync(file).isDirectory()) {
    // A folder of documents is shown by the first of them.
    const [first] = [...pages.values()].filter((one) => one.source.startsWith(`${source}/`))
    return first === undefined ? undefined : { address: to(first.path), path: first.path }
  }
  const path = source.replace(/^docs\//, '')
  return { address: to(path), path, asset: file }
}

/** Names headings as code hosts do, the second of a name with a number behind it. */
function anchorsOf(): (title: string) => string {
  const taken = new Map<string, number>()
  return (title) => {
    const name = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-')
    const count = taken.get(name) ?? 0
    taken.set(name, count + 1)
    return count === 0 ? name : `${name}-${count}`
  }
}

/** Long names in tables give way where their parts end, so that the columns beside them stay in sight. */
function breakable(cell: string): string {
  return cell.replaceAll(
    /<code>([^<]*)<\/code>/g,
    (_, name: string) => `<code>${name.replaceAll(/(?<=[._/=-])(?=\w)/g, '<wbr>')}</code>`,
  )
}

function titleOf(tokens: readonly Token[]): string | undefined {
  const found = tokens.find(
    (token): token is Tokens.Heading => token.type === 'heading' && token['depth'] === 1,
  )
  return found && plain(found.tokens)
}

/** What is looked through by the search: each heading with the text below it. */
function sectionsOf(tokens: readonly Token[]): readonly Section[] {
  const anchors = anchorsOf()
  const sections: { anchor: string; title: string; level: number; words: string[] }[] = []
  for (const token of tokens) {
    if (token.type === 'heading') {
      const { tokens: inner = [], depth } = token as Tokens.Heading
      const title = plain(inner)
      const anchor = anchors(title)
      sections.push({ anchor: depth === 1 ? '' : anchor, title, level: depth, words: [] })
    } else if (token.type !== 'html') sections.at(-1)?.words.push(textOf(token))
  }
  return sections.map(({ words, ...section }) => ({
    ...section,
    text: words.join(' ').replaceAll(/\s+/g, ' ').trim(),
  }))
}

function plain(tokens: readonly Token[]): string {
  return tokens.map(textOf).join('').trim()
}

/** The words of a token, without their marks. */
function textOf(token: Token): string {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table
    return [header, ...rows].map((row) => row.map(({ tokens }) => plain(tokens)).join(' · ')).join(' ')
  }
  // A line break in a cell.
  if (token.type === 'html') return ' '
  if (token.type === 'list') return (token as Tokens.List).items.map(textOf).join(' ')
  if ('tokens' in token && token.tokens !== undefined) return token.tokens.map(textOf).join('')
  return 'text' in token ? unmarked(String(token.text)) : ''
}

function unmarked(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

export function markedUp(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
