/** The end of a form: what is wrong, the button that sends it, and the command that does the same. */
import { useRef, useState } from 'preact/hooks'
import type { Ordered } from '../../api/instance.ts'
import { type JsonObject, stepsOf, at as valueAt } from '../../kit/json.ts'
import { withoutSecrets } from '../form/places.ts'
import { Command } from '../parts/copy.tsx'
import { go, href } from '../router.ts'
import type { Answered } from '../send.ts'
import { t } from '../texts.ts'
import { FaultList } from './schema-form.tsx'
import type { Filling } from './use-filling.ts'

interface Props {
  readonly filling: Filling
  readonly label: string
  /** Sends the order under a key that makes it one order however often it is sent. */
  readonly order: (key: string) => Promise<Answered<Ordered>>
  /** Words of the command without the parameters. */
  readonly command: readonly string[]
  /** What the command sends; absent: all that the form holds. */
  readonly parameters?: JsonObject
  readonly isOff?: boolean
}

/** Sends what the form holds; where it was taken one sees its operation next. */
export function OrderPanel({ filling, label, order, command, parameters, isOff }: Props) {
  const [isBusy, setBusy] = useState(false)
  const [isIdle, setIdle] = useState(false)
  const keys = useRef(new Map<string, string>())
  const sent = parameters ?? filling.state.value
  const submit = async (): Promise<void> => {
    setBusy(true)
    const text = JSON.stringify([command, sent])
    const key = keys.current.get(text) ?? freshKey()
    keys.current.set(text, key)
    const answered = await order(key)
    setBusy(false)
    if (answered.kind === 'refused') {
      // A refusal is an answer: what is sent next is another order.
      if (answered.status !== 0) keys.current.delete(text)
      filling.refuse(answered.problem)
      return
    }
    filling.forget()
    const { operation } = answered.value
    if (operation === undefined) setIdle(true)
    else go(href(`/operations/${encodeURIComponent(operation)}`))
  }
  return (
    <section class="order-panel">
      <FaultList faults={filling.faults} />
      <p class="quiet small" role="status">
        {standing(filling, isIdle)}
      </p>
      <p class="deeds">
        <button
          class="primary"
          type="button"
          disabled={isBusy || isOff || filling.isBroken}
          onClick={() => void submit()}
        >
          {label}
        </button>
        <button type="button" onClick={filling.startOver}>
          {t('form.startOver')}
        </button>
      </p>
      <OrderCommand filling={filling} command={command} sent={sent} />
    </section>
  )
}

function standing({ isFine, unchecked, isBroken }: Filling, isIdle: boolean): string {
  if (isBroken) return ''
  if (isIdle) return t('update.done')
  if (unchecked !== undefined) return t('form.checkFailed', { why: unchecked })
  return isFine ? t('form.fine') : ''
}

interface CommandProps {
  readonly filling: Filling
  readonly command: readonly string[]
  readonly sent: JsonObject
}

function OrderCommand({ filling: { secrets }, command, sent }: CommandProps) {
  const given = secrets.filter((place) => valueAt(sent, place) !== undefined)
  const shown = withoutSecrets(sent, given)
  const words = Object.keys(shown).length === 0 ? [] : ['--parameters', JSON.stringify(shown)]
  return (
    <>
      <Command label={t('order.command')} words={[...command, ...words]} />
      {given.length === 0 ? null : (
        <p class="quiet small">
          {t('order.commandSecrets', { names: given.map((place) => stepsOf(place).join('.')).join(', ') })}
        </p>
      )}
    </>
  )
}

function freshKey(): string {
  // `randomUUID` is for encrypted pages only.
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}
