/** A log of any size: only the lines that can be seen are in the page; folded by step, with search, links to lines, and following the end. */
import { useEffect, useState } from 'preact/hooks'
import type { Operation } from '../../api/operation.ts'
import { CopyButton } from '../parts/copy.tsx'
import { reachable } from '../parts/reachable.ts'
import { address, refine } from '../router.ts'
import { type TextKey, t } from '../texts.ts'
import { beginningOf, plainOf } from './ansi.ts'
import { useFolds } from './folds.ts'
import type { Connection, FollowedLog } from './follow.ts'
import type { Line } from './lines.ts'
import { rowHeight, useScrolling } from './scrolling.ts'
import { SearchBar } from './search.tsx'
import { SectionHead } from './section-head.tsx'

const spareRows = 20
/** Of one line; what a program prints without any line end is read in the download. */
const shownCharacters = 4000

const words: Readonly<Record<Connection, TextKey>> = {
  connecting: 'word.loading',
  live: 'log.live',
  lost: 'log.notLive',
  ended: 'log.ended',
}

interface Props {
  readonly log: FollowedLog
  readonly operation: Operation
}

export function LogView({ log, operation }: Props) {
  const count = log.count.value
  const connection = log.connection.value
  const folds = useFolds(log, operation)
  const { frame, top, height, isFollowing, setFollowing, scrolled, scrollTo } = useScrolling(folds)
  const [hit, setHit] = useState<number>()
  const goTo = (line: number | undefined): void => {
    setHit(line)
    if (line !== undefined) scrollTo(line)
  }
  const marked = Number(address.value.query.get('line') ?? 0)
  const isMarkedThere = marked > 0 && marked <= count
  useEffect(() => {
    if (isMarkedThere) scrollTo(marked - 1)
  }, [isMarkedThere])
  const first = Math.max(0, Math.floor(top / rowHeight) - spareRows)
  const last = Math.ceil((top + height) / rowHeight) + spareRows
  return (
    <section class="log" aria-label={t('log.title')}>
      <LogBar log={log} operation={operation} isFollowing={isFollowing} follow={setFollowing} goTo={goTo} />
      <div
        {...reachable}
        class="log-frame"
        ref={frame}
        onScroll={scrolled}
        role="log"
        aria-label={t('log.title')}
      >
        <div class="log-all" style={{ height: `${folds.rows.count * rowHeight}px` }}>
          <div class="log-rows" style={{ transform: `translateY(${first * rowHeight}px)` }}>
            {folds.rows.slice(first, last).map((row) =>
              row.kind === 'head' ? (
                <SectionHead
                  key={`head ${row.section}`}
                  section={log.lines.sections[row.section]}
                  {...folds.factsOf(row.section)}
                  isOpen={folds.isOpen(row.section)}
                  toggle={() => {
                    setFollowing(false)
                    folds.toggle(row.section)
                  }}
                />
              ) : (
                <LineRow
                  key={row.line}
                  line={log.lines.all[row.line]}
                  number={row.line + 1}
                  isMarked={marked === row.line + 1}
                  isHit={hit === row.line}
                />
              ),
            )}
          </div>
        </div>
        {count === 0 && connection !== 'connecting' ? (
          <p class="quiet log-empty">{t(connection === 'ended' ? 'log.emptyEnded' : 'log.empty')}</p>
        ) : null}
      </div>
    </section>
  )
}

interface BarProps extends Props {
  readonly isFollowing: boolean
  readonly follow: (isWanted: boolean) => void
  readonly goTo: (line: number | undefined) => void
}

function LogBar({ log, operation, isFollowing, follow, goTo }: BarProps) {
  const connection = log.connection.value
  return (
    <div class="log-bar">
      <span class={connection === 'lost' ? 'wait' : 'quiet'} role="status">
        {t(words[connection])}
      </span>
      <span class="quiet">{t('log.lines', { n: log.count.value })}</span>
      <SearchBar log={log} goTo={goTo} />
      <label class="check">
        <input
          type="checkbox"
          checked={isFollowing}
          onChange={(event) => follow(event.currentTarget.checked)}
        />
        {t('log.follow')}
      </label>
      <Taking log={log} operation={operation} />
    </div>
  )
}

interface RowProps {
  readonly line: Line | undefined
  readonly number: number
  readonly isMarked: boolean
  readonly isHit: boolean
}

function LineRow({ line, number, isMarked, isHit }: RowProps) {
  if (line === undefined) return null
  const { spans, left } = beginningOf(line.text, shownCharacters)
  const looks = ['log-row', line.isSystem ? 'system' : '', isMarked ? 'marked' : '', isHit ? 'hit' : '']
  return (
    <div class={looks.filter(Boolean).join(' ')}>
      <button
        type="button"
        class="log-number"
        title={line.at}
        aria-label={t('log.line', { n: String(number) })}
        onClick={() => refine({ line: String(number) })}
      >
        {number}
      </button>
      <span class="log-text">
        {spans.map(({ text, look }, i) => (
          <span key={`${i} ${look}`} class={look}>
            {text}
          </span>
        ))}
        {left === 0 ? null : <span class="quiet">{t('log.cut', { n: left })}</span>}
      </span>
    </div>
  )
}

function Taking({ log, operation: { action, instance } }: Props) {
  const all = (): string => `${log.lines.all.map((line) => plainOf(line.text)).join('\n')}\n`
  const download = (): void => {
    const url = URL.createObjectURL(new Blob([all()], { type: 'text/plain' }))
    const link = document.createElement('a')
    link.href = url
    link.download = `${action}-${instance}.log`
    link.click()
    URL.revokeObjectURL(url)
  }
  return (
    <>
      <button type="button" class="small" onClick={download}>
        {t('log.raw')}
      </button>
      <CopyButton label={t('log.copy')} text={all} />
    </>
  )
}
