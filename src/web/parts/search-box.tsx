/** The search over everything, on every page: `/` puts the cursor there, the arrows go through what is found. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Found } from '../../api/search.ts'
import { calls } from '../calls.ts'
import { instanceLink, operationLink, serviceLink } from '../links.ts'
import { address, go } from '../router.ts'
import { send } from '../send.ts'
import { t } from '../texts.ts'

const pauseMs = 200

/** A field with a list of ours below it, as readers of the screen are told. */
const combobox = (isOpen: boolean, at: number) =>
  ({
    type: 'text',
    role: 'combobox',
    list: undefined,
    'aria-expanded': isOpen,
    'aria-controls': isOpen ? 'search-results' : undefined,
    'aria-activedescendant': isOpen ? `hit-${at}` : undefined,
  }) as const

interface Hit {
  readonly link: string
  readonly kind: string
  readonly name: string
  readonly about: string
}

export function SearchBox() {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [hits, setHits] = useState<readonly Hit[]>()
  const [at, setAt] = useState(0)
  const { path } = address.value
  useEffect(() => {
    setText('')
  }, [path])
  useEffect(() => onSlash(() => input.current?.focus()), [])
  useEffect(() => {
    setHits(undefined)
    if (text.trim() === '') return
    const left = new AbortController()
    const ask = async (): Promise<void> => {
      const query = { text: text.trim() }
      const answered = await send(calls.search, { path: {}, query, signal: left.signal })
      if (answered.kind !== 'done' || left.signal.aborted) return
      setHits(hitsOf(answered.value))
      setAt(0)
    }
    const timer = setTimeout(() => void ask(), pauseMs)
    return () => {
      clearTimeout(timer)
      left.abort()
    }
  }, [text])
  const key = (event: KeyboardEvent): void => {
    const most = hits?.length ?? 0
    if (event.key === 'Escape') setText('')
    else if (event.key === 'ArrowDown' && most > 0) setAt((at + 1) % most)
    else if (event.key === 'ArrowUp' && most > 0) setAt((at + most - 1) % most)
    else if (event.key === 'Enter' && hits?.[at]) go(hits[at].link)
    else return
    event.preventDefault()
  }
  const isOpen = text.trim() !== '' && hits !== undefined
  return (
    <search class="search">
      <input
        ref={input}
        {...combobox(isOpen && hits.length > 0, at)}
        aria-label={t('search.label')}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        placeholder={t('search.hint')}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={key}
      />
      {isOpen ? <Results text={text} hits={hits} at={at} /> : null}
    </search>
  )
}

interface ResultsProps {
  readonly text: string
  readonly hits: readonly Hit[]
  readonly at: number
}

function Results({ text, hits, at }: ResultsProps) {
  if (hits.length === 0)
    return (
      <p class="hits none" role="status">
        {t('search.none', { text: text.trim() })}
      </p>
    )
  return (
    <div class="hits" id="search-results" role="listbox" aria-label={t('search.results')}>
      {hits.map(({ link, kind, name, about }, i) => (
        <a key={link} id={`hit-${i}`} href={link} role="option" aria-selected={i === at} tabIndex={-1}>
          <span class="quiet small">{kind}</span> <strong>{name}</strong>{' '}
          <span class="quiet small">{about}</span>
        </a>
      ))}
    </div>
  )
}

function hitsOf({ instances, bindings, operations, services }: Found): readonly Hit[] {
  return [
    ...instances.map((one) => ({
      link: instanceLink({ platform: one.platform, instance: one.id }),
      kind: t('search.instance'),
      name: one.name ?? one.id,
      about: one.service.name ?? one.id,
    })),
    ...services.map(({ name, description }) => ({
      link: serviceLink(name),
      kind: t('search.service'),
      name,
      about: description,
    })),
    ...bindings.map((one) => ({
      link: instanceLink(one, 'bindings'),
      kind: t('search.binding'),
      name: one.id,
      about: one.instance,
    })),
    ...operations.map((one) => ({
      link: operationLink(one.id),
      kind: t('search.operation'),
      name: one.action,
      about: one.instance,
    })),
  ]
}

/** Where text is typed, a slash is a slash. */
function onSlash(act: () => void): () => void {
  const listen = (event: KeyboardEvent): void => {
    const isTyping =
      event.target instanceof Element && event.target.closest('input, textarea, select, dialog')
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    act()
  }
  document.addEventListener('keydown', listen)
  return () => document.removeEventListener('keydown', listen)
}
