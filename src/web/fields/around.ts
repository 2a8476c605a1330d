/** What every field of a form is told: whether it may be changed, what is wrong, what was before, and where changes go. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { isExact } from '../../kit/exact.ts'
import { type Json, stepsOf } from '../../kit/json.ts'
import type { Fault } from '../form/faults.ts'
import type { Common, Option } from '../form/field.ts'
import type { Deed } from '../form/state.ts'
import { t } from '../texts.ts'

export interface Around {
  readonly isPreview: boolean
  readonly faults: readonly Fault[]
  /** What the instance has now, for forms that change one. */
  readonly now: ((place: string) => Json | undefined) | undefined
  /** Texts that are no value yet, by place. */
  readonly texts: Readonly<Record<string, string>>
  readonly act: (deed: Deed) => void
}

export const FormAround = createContext<Around>({
  isPreview: true,
  faults: [],
  now: undefined,
  texts: {},
  act: () => undefined,
})

export function useAround(): Around {
  return useContext(FormAround)
}

/** The id of the control for a place. */
export function idOf(place: string): string {
  return `field${place.replaceAll(/[^\w/-]/g, (sign) => `.${sign.codePointAt(0)}`)}`
}

/** A value in one line. */
export function shortValue(value: Json | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value === '' ? t('form.emptyText') : value
  if (typeof value === 'boolean') return t(value ? 'form.on' : 'form.off')
  if (value === null) return t('form.nothing')
  if (typeof value === 'number') return String(value)
  if (isExact(value)) return value.rawJSON
  return JSON.stringify(value)
}

/** What an option says. */
export function optionText({ title, value }: Option): string {
  return title ?? (typeof value === 'string' && value !== '' ? value : shortValue(value))
}

/** A field by the titles on its way, for sentences about it. */
export function nameOf({ title, place }: Pick<Common, 'title' | 'place'>): string {
  const steps = stepsOf(place)
  return steps.length > 1 && steps.at(-1) === title ? steps.join(' › ') : title
}
