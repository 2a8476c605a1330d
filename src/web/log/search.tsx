/** The search in a log: how many lines hold the text, and the way from one to the next. */
import { useMemo, useState } from 'preact/hooks'
import { t } from '../texts.ts'
import { plainOf } from './ansi.ts'
import type { FollowedLog } from './follow.ts'

interface Props {
  readonly log: FollowedLog
  /** Shows a line, counted from 0; none: nothing is searched any more. */
  readonly goTo: (line: number | undefined) => void
}

export function SearchBar({ log, goTo }: Props) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const count = log.count.value
  const hits = useMemo(() => linesWith(log, text), [text, count])
  const step = (by: number): void => {
    if (hits.length === 0) return
    const next = (at + by + hits.length) % hits.length
    setAt(next)
    goTo(hits[next])
  }
  const change = (wanted: string): void => {
    setText(wanted)
    setAt(0)
    goTo(linesWith(log, wanted)[0])
  }
  const key = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    step(event.shiftKey ? -1 : 1)
  }
  return (
    <search class="log-search">
      <input
        type="search"
        aria-label={t('log.search')}
        placeholder={t('log.search')}
        value={text}
        onInput={(event) => change(event.currentTarget.value)}
        onKeyDown={key}
      />
      {text === '' ? null : (
        <>
          <span class="quiet" role="status">
            {hits.length === 0 ? t('log.noHits') : t('log.hits', { at: at + 1, n: hits.length })}
          </span>
          <button type="button" class="small" aria-label={t('log.previous')} onClick={() => step(-1)}>
            ↑
          </button>
          <button type="button" class="small" aria-label={t('log.next')} onClick={() => step(1)}>
            ↓
          </button>
        </>
      )}
    </search>
  )
}

function linesWith({ lines }: FollowedLog, text: string): readonly number[] {
  if (text === '') return []
  const wanted = text.toLowerCase()
  return lines.all.flatMap((line, i) => (plainOf(line.text).toLowerCase().includes(wanted) ? [i] : []))
}
