/** A page that stands before the product: nothing of the broker is known yet. */
import type { ComponentChildren } from 'preact'
import { Mark } from './mark.tsx'

export function OuterFrame({
  title,
  children,
}: {
  readonly title: string
  readonly children: ComponentChildren
}) {
  return (
    <main class="log-in">
      <div class="brand">
        <Mark />
        <span>Chandler</span>
      </div>
      <h1>{title}</h1>
      {children}
    </main>
  )
}
