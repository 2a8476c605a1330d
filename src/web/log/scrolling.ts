/** Where the reader of a log is: at its end, which is followed as it grows, or at what is read, searched or linked. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { address } from '../router.ts'
import type { Folds } from './folds.ts'

/** As in the style sheet. */
export const rowHeight = 24

/** The frame of a log that is folded so. */
export function useScrolling({ rows, open, keep }: Pick<Folds, 'rows' | 'open' | 'keep'>) {
  const frame = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [isFollowing, setFollowing] = useState(!address.peek().query.has('line'))
  /** What is scrolled to when it is there; a line that is looked for again is another wish. */
  const [wish, setWish] = useState<{ readonly line: number }>()
  useEffect(() => {
    if (isFollowing && frame.current) frame.current.scrollTop = frame.current.scrollHeight
  }, [rows.count, isFollowing])
  useEffect(() => {
    if (wish === undefined || frame.current === null) return
    const { clientHeight } = frame.current
    frame.current.scrollTop = Math.max(0, rows.rowOf(wish.line) * rowHeight - clientHeight / 2)
  }, [wish])
  return {
    frame,
    top,
    height: frame.current?.clientHeight ?? 600,
    isFollowing,
    setFollowing,
    scrolled({ currentTarget }: Event): void {
      const { scrollTop, scrollHeight, clientHeight } = currentTarget as HTMLElement
      // Scrolling up means to read; coming back to the end means to follow. That the log has grown is neither.
      const isAtEnd = scrollTop + clientHeight >= scrollHeight - rowHeight
      const isReading = scrollTop < top && !isAtEnd
      if (isFollowing && isReading) keep()
      if (isAtEnd || isReading) setFollowing(isAtEnd)
      setTop(scrollTop)
    },
    scrollTo(line: number): void {
      setFollowing(false)
      open(line)
      setWish({ line })
    },
  }
}
