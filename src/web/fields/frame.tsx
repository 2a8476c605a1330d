/** What is around the control of a field: its name, what it is for, what holds now and otherwise, what is wrong with it. */
import type { ComponentChildren } from 'preact'
import { faultsAt } from '../form/faults.ts'
import type { Field } from '../form/field.ts'
import { same } from '../form/resolve.ts'
import { Shape } from '../parts/state.tsx'
import { t } from '../texts.ts'
import { idOf, shortValue, useAround } from './around.ts'

interface FrameProps {
  readonly field: Field
  /** label: of one control; group: of several, whose name is a legend. */
  readonly manner: 'label' | 'group'
  /** The name is told by what is around it. */
  readonly isBare?: boolean | undefined
  /** Beside the name. */
  readonly deeds?: ComponentChildren
  readonly children: ComponentChildren
}

export function FieldFrame({ field, manner, isBare, deeds, children }: FrameProps) {
  const { faults } = useAround()
  const id = idOf(field.place)
  const wrong = faultsAt(faults, field.place)
  const name = <FieldName field={field} />
  const inner = (
    <>
      {field.description === undefined ? null : (
        <p class="about" id={`${id}.about`}>
          {field.description}
        </p>
      )}
      {hasParts(field) ? children : <Beside field={field}>{children}</Beside>}
      {field.nullable ? <NothingLine field={field} /> : null}
      {wrong.map(({ detail }) => (
        <p key={detail} class="fault" id={`${id}.fault`}>
          <Shape tone="bad" />
          <span>{detail}</span>
        </p>
      ))}
    </>
  )
  const kind = `field ${manner}${isBare ? ' bare' : ''}`
  if (manner === 'group') {
    return (
      <fieldset class={kind} id={id} tabIndex={-1}>
        <legend class={isBare ? 'visually-hidden' : undefined}>{name}</legend>
        {deeds}
        {inner}
      </fieldset>
    )
  }
  return (
    <div class={kind}>
      <div class={isBare ? 'visually-hidden' : 'name-line'}>
        <label for={id}>{name}</label>
        {deeds}
      </div>
      {inner}
    </div>
  )
}

/** Where null is a value of its own: that it is given, or the offer to give it. */
function NothingLine({ field: { place, value, fallback, fixed } }: { readonly field: Field }) {
  const { act, isPreview } = useAround()
  if (value === null) return <p class="about">{t('form.isNothing')}</p>
  if (isPreview || fixed || (value === undefined && fallback === null)) return null
  return (
    <button type="button" class="small link" onClick={() => act({ do: 'set', place, value: null })}>
      {t('form.setNothing')}
    </button>
  )
}

/** Fields whose parts tell of themselves. */
function hasParts({ kind }: Field): boolean {
  return kind === 'group' || kind === 'branch'
}

function FieldName({ field: { title, name, required, fixed } }: { readonly field: Field }) {
  return (
    <>
      {title}
      {title === name || name === '' ? null : <code class="field-code"> {name}</code>}
      {required && !fixed ? <span class="mark-required"> {t('form.required')}</span> : null}
    </>
  )
}

/** Now, new and default side by side where an instance is changed; else the default alone. */
function Beside({ field, children }: { readonly field: Field; readonly children: ComponentChildren }) {
  const { now, act, isPreview } = useAround()
  const { fallback, place, secret, value } = field
  const isDefaultTold = fallback !== undefined && field.kind !== 'constant'
  if (now === undefined) {
    return (
      <>
        {children}
        {isDefaultTold && !secret && field.kind !== 'choice' ? <Default value={fallback} /> : null}
      </>
    )
  }
  const before = now(place)
  const isChanged = !same(before, value)
  return (
    <div class="compare">
      <div class="now">
        <span class="quiet small">{t('form.now')}</span>
        <span>{nowText(secret, before)}</span>
      </div>
      <div>
        <span class="quiet small">{t('form.new')}</span>
        {children}
        {isChanged && !isPreview && !field.fixed ? (
          <button type="button" class="small link" onClick={() => act({ do: 'set', place, value: before })}>
            {t('form.undo')}
          </button>
        ) : null}
      </div>
      <div class="now">
        <span class="quiet small">{t('form.default')}</span>
        <span>{isDefaultTold && !secret ? shortValue(fallback) : t('form.none')}</span>
      </div>
    </div>
  )
}

function Default({ value }: { readonly value: Field['fallback'] }) {
  return (
    <p class="default">
      {t('form.default')} <code>{shortValue(value)}</code>
    </p>
  )
}

/** What tells readers of the screen about a control. */
export function described({ place, description, required }: Field, isWrong: boolean) {
  const id = idOf(place)
  const by = [...(description === undefined ? [] : [`${id}.about`]), ...(isWrong ? [`${id}.fault`] : [])]
  return {
    id,
    'aria-describedby': by.length > 0 ? by.join(' ') : undefined,
    'aria-invalid': isWrong ? ('true' as const) : undefined,
    'aria-required': required ? ('true' as const) : undefined,
  }
}

function nowText(secret: boolean, before: Field['value']): string {
  if (secret) return t('form.secretNow')
  return before === undefined ? t('form.notSet') : shortValue(before)
}
