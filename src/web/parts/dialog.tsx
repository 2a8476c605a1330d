/** A question that stands before an act with consequences; it keeps the focus and gives it back. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Answered } from '../send.ts'
import { t } from '../texts.ts'
import { Command } from './copy.tsx'
import { ProblemNote } from './problem.tsx'

interface Props {
  readonly title: string
  /** What the button says that does it. */
  readonly act: string
  /** What the other button says, where "Cancel" would be misunderstood. */
  readonly giveUp?: string
  readonly isDangerous?: boolean
  /** What it asks for cannot be sent as it is. */
  readonly isOff?: boolean
  /** Must be typed before it can be done: something would be lost. */
  readonly confirm?: string | undefined
  readonly command: readonly string[]
  readonly children: ComponentChildren
  readonly carryOut: () => Promise<Answered<unknown>>
  /** Called after it was done, or given up. */
  readonly close: () => void
}

export function Question(props: Props) {
  const { title, act, giveUp, isDangerous, isOff, confirm, command, children, carryOut, close } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  const [typed, setTyped] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [refused, setRefused] = useState<Answered<unknown>>()
  useEffect(() => dialog.current?.showModal(), [])
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    const answered = await carryOut()
    setBusy(false)
    if (answered.kind === 'done') dialog.current?.close()
    else setRefused(answered)
  }
  return (
    <dialog ref={dialog} aria-labelledby={heading} onClose={close}>
      <form onSubmit={(event) => void submit(event)}>
        <h2 id={heading}>{title}</h2>
        {children}
        {confirm === undefined ? null : (
          <label>
            {t('dialog.type', { name: confirm })}
            <input
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
            />
          </label>
        )}
        {refused?.kind === 'refused' ? <ProblemNote problem={refused.problem} /> : null}
        <Command words={command} />
        <div class="acts">
          <button
            type="submit"
            class={isDangerous ? 'danger' : 'primary'}
            disabled={isBusy || isOff === true || (confirm !== undefined && typed !== confirm)}
          >
            {act}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            {giveUp ?? t('word.cancel')}
          </button>
        </div>
      </form>
    </dialog>
  )
}
