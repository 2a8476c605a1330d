/** A log of any size: only the lines that can be seen are in the page; search, links to lines, and following the end. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { CopyButton } from '../parts/copy.tsx'
import { reachable } from '../parts/reachable.ts'
import { address, refine } from '../router.ts'
import { type TextKey, t } from '../texts.ts'
import { plainOf, spansOf } from './ansi.ts'
import type { Connection, FollowedLog } from './follow.ts'
import type { Line } from './lines.ts'
import { SearchBar } from './search.tsx'

/** As in the style sheet. */
const rowHeight = 24
const spareRows = 20

const words: Readonly<Record<Connection, TextKey>> = {
  connecting: 'word.loading',
  live: 'log.live',
  lost: 'log.notLive',
  ended: 'log.ended',
}

interface Props {
  readonly log: FollowedLog
  /** For the file that is downloaded. */
  readonly name: string
}

export function LogView({ log, name }: Props) {
  const count = log.count.value
  const connection = log.connection.value
  const frame = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [isFollowing, setFollowing] = useState(!address.peek().query.has('line'))
  const [hit, setHit] = useState<number>()
  const goTo = (line: number | undefined): void => {
    setHit(line)
    if (line === undefined) return
    setFollowing(false)
    show(frame.current, line)
  }
  const marked = Number(address.value.query.get('line') ?? 0)
  useEffect(() => {
    if (isFollowing && frame.current) frame.current.scrollTop = frame.current.scrollHeight
  }, [count, isFollowing])
  useEffect(() => {
    if (marked > 0 && marked <= count) show(frame.current, marked - 1)
  }, [marked > 0 && marked <= count])
  const scrolled = ({ currentTarget }: Event): void => {
    const { scrollTop, scrollHeight, clientHeight } = currentTarget as HTMLElement
    setTop(scrollTop)
    // Scrolling up means to read; coming back to the end means to follow.
    setFollowing(scrollTop + clientHeight >= scrollHeight - rowHeight)
  }
  const height = frame.current?.clientHeight ?? 600
  const first = Math.max(0, Math.floor(top / rowHeight) - spareRows)
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + spareRows)
  return (
    <section class="log" aria-label={t('log.title')}>
      <LogBar log={log} name={name} isFollowing={isFollowing} follow={setFollowing} goTo={goTo} />
      <div
        {...reachable}
        class="log-frame"
        ref={frame}
        onScroll={scrolled}
        role="log"
        aria-label={t('log.title')}
      >
        <div class="log-all" style={{ height: `${count * rowHeight}px` }}>
          <div class="log-rows" style={{ transform: `translateY(${first * rowHeight}px)` }}>
            {log.lines.all.slice(first, last).map((line, i) => (
              <Row
                key={first + i}
                line={line}
                number={first + i + 1}
                isMarked={marked === first + i + 1}
                isHit={hit === first + i}
              />
            ))}
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

function LogBar({ log, name, isFollowing, follow, goTo }: BarProps) {
  const connection = log.connection.value
  return (
    <div class="log-bar">
      <span class={connection === 'lost' ? 'wait' : 'quiet'} role="status">
        {t(words[connection])}
      </span>
      <span class="quiet">{t('log.lines', { n: log.count.value })}</span>
      <SearchBar log={log} goTo={goTo} />
      <StepChoice log={log} goTo={goTo} />
      <label class="check">
        <input
          type="checkbox"
          checked={isFollowing}
          onChange={(event) => follow(event.currentTarget.checked)}
        />
        {t('log.follow')}
      </label>
      <Taking log={log} name={name} />
    </div>
  )
}

/** A run of several steps is read step by step; the end, which is followed, belongs to the one that failed. */
function StepChoice({ log, goTo }: Pick<BarProps, 'log' | 'goTo'>) {
  const { steps } = log.lines
  if (steps.length < 2) return null
  return (
    <select
      class="log-step"
      aria-label={t('log.step')}
      value=""
      onChange={(event) => goTo(Number(event.currentTarget.value))}
    >
      <option value="" disabled>
        {t('log.step')}
      </option>
      {steps.map(({ name, line }) => (
        <option key={line} value={line}>
          {name}
        </option>
      ))}
    </select>
  )
}

function show(frame: HTMLElement | null, line: number): void {
  if (frame) frame.scrollTop = Math.max(0, line * rowHeight - frame.clientHeight / 2)
}

interface RowProps {
  readonly line: Line
  readonly number: number
  readonly isMarked: boolean
  readonly isHit: boolean
}

function Row({ line, number, isMarked, isHit }: RowProps) {
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
        {spansOf(line.text).map(({ text, look }, i) => (
          <span key={`${i} ${look}`} class={look}>
            {text}
          </span>
        ))}
      </span>
    </div>
  )
}

function Taking({ log, name }: Props) {
  const all = (): string => `${log.lines.all.map((line) => plainOf(line.text)).join('\n')}\n`
  const download = (): void => {
    const url = URL.createObjectURL(new Blob([all()], { type: 'text/plain' }))
    const link = document.createElement('a')
    link.href = url
    link.download = `${name}.log`
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
