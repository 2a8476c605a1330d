/** Why something cannot be ordered, whatever the order says: in the words of the broker, before a form is filled in. */
import type { Problem } from '../../api/problem.ts'

export function Barred({ why: { message, hint } }: { readonly why: Problem }) {
  return (
    <p class="note" role="status">
      {`${message}.`} {hint}
    </p>
  )
}
