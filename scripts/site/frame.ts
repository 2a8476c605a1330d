/** The page around a document: the bar with the search, the list of contents, what comes next. */
import { posix } from 'node:path'
import type { Part, SitePage } from './contents.ts'
import { markedUp, type Rendered } from './render.ts'

export interface Frame {
  readonly parts: readonly Part[]
  readonly icon: string
}

const siteName = 'Chandler'

/** The whole page. */
export function framed(page: SitePage, rendered: Rendered, { parts, icon }: Frame): string {
  const to = (path: string): string => markedUp(posix.relative(posix.dirname(page.path), path) || '.')
  const title = page.path === 'index.html' ? siteName : `${rendered.title} · ${siteName}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>${markedUp(title)}</title>
<link rel="icon" href="${to('assets/icon.svg')}" type="image/svg+xml" />
<link rel="stylesheet" href="${to('assets/site.css')}" />
<script type="module" src="${to('assets/search.js')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="${to('index.html')}">${icon}<span>${siteName}</span></a>
<search class="find" data-index="${to('assets/search.json')}" data-home="${to('.')}"></search>
<a class="to-ui" href="${to('../ui')}">Web UI</a>
</header>
<div class="site">
<details class="contents-narrow"><summary>Contents</summary><nav aria-label="Contents, folded">${contents(page, parts, to)}</nav></details>
<nav class="contents" aria-label="Contents">${contents(page, parts, to)}</nav>
<main id="content" tabindex="-1">
<article>
${rendered.html}</article>
${onward(page, parts, to)}
</main>
${onThisPage(rendered)}
</div>
</body>
</html>
`
}

type To = (path: string) => string

function contents(page: SitePage, parts: readonly Part[], to: To): string {
  return parts
    .map(({ title, pages }) => {
      const links = pages
        .map((one) => {
          const current = one.path === page.path ? ' aria-current="page"' : ''
          return `<li><a href="${to(one.path)}"${current}>${markedUp(one.label)}</a></li>`
        })
        .join('\n')
      const isLong = pages.length > 12 && !pages.some(({ path }) => path === page.path)
      return isLong
        ? `<details><summary>${markedUp(title)}</summary><ul>${links}</ul></details>`
        : `<p class="part">${markedUp(title)}</p><ul>${links}</ul>`
    })
    .join('\n')
}

function onThisPage({ sections }: Rendered): string {
  const shown = sections.filter(({ level }) => level === 2)
  if (shown.length < 2 || shown.length > 60) return ''
  const links = shown.map(({ anchor, title }) => `<li><a href="#${anchor}">${markedUp(title)}</a></li>`)
  return `<nav class="on-page" aria-label="On this page"><p class="part">On this page</p><ul>${links.join('\n')}</ul></nav>`
}

function onward(page: SitePage, parts: readonly Part[], to: To): string {
  const pages = parts.flatMap((part) => part.pages)
  const at = pages.findIndex(({ path }) => path === page.path)
  const link = (one: SitePage | undefined, word: string): string =>
    one === undefined
      ? '<span></span>'
      : `<a href="${to(one.path)}"><span>${word}</span> ${markedUp(one.label)}</a>`
  return `<nav class="onward" aria-label="Pages before and after">${link(pages[at - 1], 'Before')}${link(pages[at + 1], 'Next')}</nav>`
}
