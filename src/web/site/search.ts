/** The search of the documents: reads the index when it is first asked, and shows sections that hold every word. */
import { type Entry, type Found, find } from './find.ts'

const place = document.querySelector('search.find')
if (place instanceof HTMLElement) setUp(place)

function setUp(at: HTMLElement): void {
  const { index = '', home = '' } = at.dataset
  const input = document.createElement('input')
  Object.assign(input, { type: 'search', placeholder: 'Search the documents', autocomplete: 'off' })
  input.setAttribute('aria-label', 'Search the documents')
  input.setAttribute('aria-controls', 'found')
  const list = document.createElement('ul')
  list.id = 'found'
  const told = document.createElement('p')
  told.setAttribute('role', 'status')
  told.className = 'told'
  const panel = document.createElement('div')
  panel.className = 'panel'
  panel.hidden = true
  panel.append(told, list)
  at.append(input, panel)

  let entries: Promise<readonly Entry[]> | undefined
  const show = async (): Promise<void> => {
    const text = input.value.trim()
    if (text === '') {
      panel.hidden = true
      return
    }
    entries ??= readIndex(index)
    const found = find(await entries, text)
    if (input.value.trim() !== text) return
    told.textContent = found.length === 0 ? 'Nothing was found.' : `${found.length} found`
    list.replaceChildren(...found.map((one) => rowOf(one, home)))
    panel.hidden = false
  }
  const search = (): void => {
    show().catch(() => {
      entries = undefined
      told.textContent = 'The search cannot be reached.'
      panel.hidden = false
    })
  }
  input.addEventListener('input', search)
  input.addEventListener('focus', search)
  at.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      panel.hidden = true
      input.focus()
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      step(event.key === 'ArrowDown' ? 1 : -1, [input, ...list.querySelectorAll('a')])
      event.preventDefault()
    } else if (event.key === 'Enter' && event.target === input) list.querySelector('a')?.click()
  })
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Node && !at.contains(target)) panel.hidden = true
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement) return
    event.preventDefault()
    input.focus()
  })
}

function step(by: number, among: readonly HTMLElement[]): void {
  const at = among.indexOf(document.activeElement as HTMLElement)
  among[Math.min(among.length - 1, Math.max(0, at + by))]?.focus()
}

async function readIndex(address: string): Promise<readonly Entry[]> {
  const response = await fetch(address)
  return (await response.json()) as readonly Entry[]
}

function rowOf({ path, anchor, page, title, around }: Found, home: string): HTMLElement {
  const row = document.createElement('li')
  const link = document.createElement('a')
  link.href = `${home}/${path}${anchor === '' ? '' : `#${anchor}`}`
  const heading = document.createElement('strong')
  heading.textContent = title
  const where = document.createElement('span')
  where.className = 'where'
  where.textContent = page === title ? '' : page
  const text = document.createElement('span')
  text.className = 'around'
  text.append(
    ...around.map(({ text: part, isHit }) => {
      if (!isHit) return part
      const mark = document.createElement('mark')
      mark.textContent = part
      return mark
    }),
  )
  link.append(heading, ' ', where, text)
  row.append(link)
  return row
}
