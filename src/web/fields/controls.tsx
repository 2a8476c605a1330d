/** Controls of one value: text, number, switch, choices. */
import { useState } from 'preact/hooks'
import { parseJson } from '../../kit/exact.ts'
import type { Json } from '../../kit/json.ts'
import { isFaulty } from '../form/faults.ts'
import type { ChoiceField, Field, NumberField, SetField, SwitchField, TextField } from '../form/field.ts'
import { same } from '../form/resolve.ts'
import { t } from '../texts.ts'
import { idOf, optionText, shortValue, useAround } from './around.ts'
import { described, FieldFrame } from './frame.tsx'

interface Props<F> {
  readonly field: F
  readonly isBare?: boolean | undefined
}

/** What a control needs to know besides its field. */
function useControl(field: Field) {
  const { act, faults, isPreview } = useAround()
  return {
    isOff: isPreview || field.fixed,
    attributes: described(field, isFaulty(faults, field.place)),
    set: (value: Json | undefined) => act({ do: 'set', place: field.place, value }),
  }
}

/** Rows of lists keep their place when they are emptied. */
function isRow({ place }: Field): boolean {
  return /\/\d+$/.test(place)
}

export function TextControl({ field, isBare }: Props<TextField>) {
  const { isOff, attributes, set } = useControl(field)
  const text = typeof field.value === 'string' ? field.value : numberText(field.value)
  const shared = {
    ...attributes,
    value: text,
    disabled: isOff,
    placeholder: field.examples[0] ?? placeholderOf(field),
    spellcheck: false,
    autocomplete: field.secret ? ('new-password' as const) : ('off' as const),
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => {
      const { value } = event.currentTarget
      set(value === '' && !isRow(field) ? undefined : value)
    },
  }
  const rows = Math.min(12, Math.max(3, text.split('\n').length + 1))
  return (
    <FieldFrame field={field} manner="label" isBare={isBare}>
      {field.lines === 'many' ? <textarea {...shared} rows={rows} /> : null}
      {field.lines === 'one' && field.secret ? <input {...shared} type="password" /> : null}
      {field.lines === 'one' && !field.secret ? <input {...shared} type="text" /> : null}
    </FieldFrame>
  )
}

function placeholderOf({ format, secret }: TextField): string | undefined {
  return format === undefined || secret ? undefined : format
}

export function NumberControl({ field, isBare }: Props<NumberField>) {
  const { isOff, attributes, set } = useControl(field)
  // What is being typed, such as "1.", is not what is printed of it.
  const [typed, setTyped] = useState('')
  const shown = same(numberIn(typed), field.value ?? undefined) ? typed : numberText(field.value)
  return (
    <FieldFrame field={field} manner="label" isBare={isBare}>
      <input
        {...attributes}
        class="number"
        type="text"
        inputMode={field.whole ? 'numeric' : 'decimal'}
        value={shown}
        disabled={isOff}
        placeholder={rangeOf(field)}
        autocomplete="off"
        onInput={(event) => {
          const text = event.currentTarget.value
          setTyped(text)
          set(numberIn(text) ?? (isRow(field) ? null : undefined))
        }}
      />
    </FieldFrame>
  )
}

/** A number with all its digits; what is none stays the text that it is, and the broker says so. */
function numberIn(text: string): Json | undefined {
  const plain = text.trim()
  if (plain === '') return undefined
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(plain) ? (parseJson(plain) as Json) : plain
}

function numberText(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : shortValue(value)
}

function rangeOf({ min, max }: NumberField): string | undefined {
  if (min !== undefined && max !== undefined) return `${min} – ${max}`
  if (min !== undefined) return `≥ ${min}`
  return max === undefined ? undefined : `≤ ${max}`
}

export function SwitchControl({ field, isBare }: Props<SwitchField>) {
  const { isOff, attributes, set } = useControl(field)
  const { value, fallback } = field
  const isOn = (value ?? fallback) === true
  return (
    <FieldFrame field={field} manner="label" isBare={isBare}>
      <span class="switch-line">
        <input
          {...withoutRequired(attributes)}
          type="checkbox"
          role="switch"
          aria-checked={isOn}
          checked={isOn}
          disabled={isOff}
          onChange={(event) => set(event.currentTarget.checked)}
        />
        <span aria-hidden="true">{t(isOn ? 'form.on' : 'form.off')}</span>
        {value === undefined && fallback === undefined ? (
          <span class="quiet small">{t('form.notSet')}</span>
        ) : null}
        {value === undefined || field.required || isRow(field) ? null : <Unset field={field} />}
      </span>
    </FieldFrame>
  )
}

/** A switch is always on or off. */
function withoutRequired({ 'aria-required': _, ...rest }: ReturnType<typeof described>) {
  return rest
}

/** Takes a value back where a control has no empty state. */
function Unset({ field }: { readonly field: Field }) {
  const { set, isOff } = useControl(field)
  if (isOff) return null
  return (
    <button type="button" class="small link" onClick={() => set(undefined)}>
      {t(field.fallback === undefined ? 'form.unset' : 'form.useDefault')}
    </button>
  )
}

export function ChoiceControl({ field, isBare }: Props<ChoiceField>) {
  switch (field.manner) {
    case 'radios':
      return <Radios field={field} isBare={isBare} />
    case 'select':
      return <Select field={field} isBare={isBare} />
    case 'search':
      return <Search field={field} isBare={isBare} />
  }
}

function noneText({ fallback }: ChoiceField): string {
  return fallback === undefined ? t('form.notSet') : t('form.defaultIs', { value: shortValue(fallback) })
}

function Radios({ field, isBare }: Props<ChoiceField>) {
  const { isOff, attributes, set } = useControl(field)
  const { options, value, required } = field
  const id = idOf(field.place)
  const isKnown = value === undefined || options.some((one) => same(one.value, value))
  return (
    <FieldFrame field={field} manner="group" isBare={isBare}>
      <div
        class="options"
        role="radiogroup"
        aria-describedby={attributes['aria-describedby']}
        aria-label={field.title}
      >
        {required ? null : (
          <label class="option">
            <input
              type="radio"
              name={id}
              checked={value === undefined}
              disabled={isOff}
              onChange={() => set(undefined)}
            />
            <span class="quiet">{noneText(field)}</span>
          </label>
        )}
        {options.map((option) => (
          <label class="option" key={JSON.stringify(option.value)}>
            <input
              type="radio"
              name={id}
              checked={value !== undefined && same(option.value, value)}
              disabled={isOff}
              onChange={() => set(option.value)}
            />
            {optionText(option)}
          </label>
        ))}
      </div>
      {isKnown ? null : <p class="about">{t('form.otherValue', { value: shortValue(value) })}</p>}
    </FieldFrame>
  )
}

function Select({ field, isBare }: Props<ChoiceField>) {
  const { isOff, attributes, set } = useControl(field)
  const { options, value, required } = field
  const index = options.findIndex((one) => value !== undefined && same(one.value, value))
  const isOther = value !== undefined && value !== null && index < 0
  return (
    <FieldFrame field={field} manner="label" isBare={isBare}>
      <select
        {...attributes}
        disabled={isOff}
        value={isOther ? 'other' : String(index)}
        onChange={(event) => set(options[Number(event.currentTarget.value)]?.value)}
      >
        <option value="-1">{required ? t('form.choose') : noneText(field)}</option>
        {isOther ? <option value="other">{shortValue(value)}</option> : null}
        {options.map((option, i) => (
          <option key={JSON.stringify(option.value)} value={String(i)}>
            {optionText(option)}
          </option>
        ))}
      </select>
    </FieldFrame>
  )
}

function Search({ field, isBare }: Props<ChoiceField>) {
  const { isOff, attributes, set } = useControl(field)
  const { options, value } = field
  const known = options.find((one) => value !== undefined && same(one.value, value))
  const list = `${attributes.id}.list`
  return (
    <FieldFrame field={field} manner="label" isBare={isBare}>
      <input
        {...attributes}
        type="text"
        list={list}
        disabled={isOff}
        autocomplete="off"
        placeholder={t('form.search', { n: options.length })}
        value={known === undefined ? numberText(value) : optionText(known)}
        onInput={(event) => {
          const text = event.currentTarget.value
          const chosen = options.find((one) => optionText(one) === text)
          set(text === '' ? undefined : (chosen?.value ?? text))
        }}
      />
      <datalist id={list}>
        {options.map((option) => (
          <option key={JSON.stringify(option.value)} value={optionText(option)} />
        ))}
      </datalist>
    </FieldFrame>
  )
}

export function SetControl({ field, isBare }: Props<SetField>) {
  const { isOff, set } = useControl(field)
  const chosen: readonly Json[] = Array.isArray(field.value) ? field.value : []
  const toggle = (value: Json): void => {
    const isChosen = (one: Json) => chosen.some((other) => same(other, one))
    const next = field.options.map((one) => one.value).filter((one) => isChosen(one) !== same(one, value))
    set(next)
  }
  return (
    <FieldFrame field={field} manner="group" isBare={isBare}>
      <div class="options">
        {field.options.map((option) => (
          <label class="option" key={JSON.stringify(option.value)}>
            <input
              type="checkbox"
              checked={chosen.some((one) => same(one, option.value))}
              disabled={isOff}
              onChange={() => toggle(option.value)}
            />
            {optionText(option)}
          </label>
        ))}
      </div>
    </FieldFrame>
  )
}
