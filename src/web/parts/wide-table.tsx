/** A table that may be wider than the page: it scrolls in a frame of its own, by keyboard, too. */
import type { ComponentChildren } from 'preact'
import { reachable } from './reachable.ts'

interface Props {
  /** What the table is, for readers of the screen. */
  readonly label: string
  readonly children: ComponentChildren
}

export function WideTable({ label, children }: Props) {
  return (
    <section {...reachable} class="wide-table" aria-label={label}>
      {children}
    </section>
  )
}
