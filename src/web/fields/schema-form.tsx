/** A form made from a schema, and the same values as text. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { isObject, type Json, type JsonObject, at as valueAt } from '../../kit/json.ts'
import type { Fault } from '../form/faults.ts'
import type { Field } from '../form/field.ts'
import { beginForm, type FormPlan, fieldsOf } from '../form/state.ts'
import { Shape } from '../parts/state.tsx'
import { t } from '../texts.ts'
import { FormAround, idOf } from './around.ts'
import { FieldView } from './composites.tsx'
import type { Filling } from './use-filling.ts'

interface Props {
  readonly filling: Filling
  /** What the instance has, where it is changed. */
  readonly now?: JsonObject | undefined
}

/** A form to look at: what a plan asks for. */
export function FormPreview({ plan }: { readonly plan: FormPlan }) {
  const root = useMemo(() => fieldsOf(plan, beginForm(plan)), [plan])
  return <div class="form preview">{hasNone(root) ? <Nothing /> : <FieldView field={root} />}</div>
}

export function SchemaForm({ filling, now }: Props) {
  const [view, setView] = useState<'form' | 'text'>('form')
  const { root, state, faults, act } = filling
  const around = useMemo(
    () => ({
      isPreview: false,
      faults,
      texts: state.texts,
      act,
      now: now && ((place: string) => valueAt(now, place) as Json | undefined),
    }),
    [faults, state, now],
  )
  return (
    <div class="form">
      <Tabs view={view} choose={setView} isLocked={filling.isBroken && view === 'text'} />
      <div role="tabpanel" id="form-panel" aria-labelledby={`form-tab-${view}`}>
        {view === 'form' ? (
          <FormAround.Provider value={around}>
            {isEmpty(root) ? <Nothing /> : <FieldView field={root} />}
          </FormAround.Provider>
        ) : (
          <TextView filling={filling} />
        )}
      </div>
    </div>
  )
}

function Nothing() {
  return <p class="quiet">{t('form.noParameters')}</p>
}

function isEmpty(root: Field): boolean {
  return root.kind === 'group' && root.takesEntries === 'no' && hasNone(root)
}

/** Whether it names nothing to fill in; others may be taken all the same. */
function hasNone(root: Field): boolean {
  return root.kind === 'group' && root.open.length + root.folded.length + root.entries.length === 0
}

interface TabsProps {
  readonly view: 'form' | 'text'
  readonly choose: (view: 'form' | 'text') => void
  /** The text cannot be read: the form has nothing to show. */
  readonly isLocked: boolean
}

function Tabs({ view, choose, isLocked }: TabsProps) {
  const views = ['form', 'text'] as const
  return (
    <div class="tabs" role="tablist" aria-label={t('form.views')}>
      {views.map((one) => (
        <button
          key={one}
          id={`form-tab-${one}`}
          type="button"
          role="tab"
          aria-selected={one === view}
          aria-controls="form-panel"
          tabIndex={one === view ? 0 : -1}
          disabled={isLocked && one !== view}
          onClick={() => choose(one)}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
            const other = one === 'form' ? 'text' : 'form'
            choose(other)
            document.getElementById(`form-tab-${other}`)?.focus()
          }}
        >
          {t(one === 'form' ? 'form.asForm' : 'form.asText')}
        </button>
      ))}
    </div>
  )
}

const tools = () => import('../form/text.ts')

function TextView({ filling }: { readonly filling: Filling }) {
  const { state, secrets, faults, act, setBroken } = filling
  const [text, setText] = useState<string>()
  const [wrong, setWrong] = useState<readonly string[]>([])
  useEffect(() => {
    const show = async (): Promise<void> => {
      const { toText } = await tools()
      setText(toText(state.value, secrets, t('form.secretInForm')))
    }
    void show()
  }, [])
  const change = async (typed: string): Promise<void> => {
    setText(typed)
    const { fromText } = await tools()
    const reading = fromText(typed, state.value, secrets)
    setBroken(reading.kind === 'faults')
    setWrong(
      reading.kind === 'value'
        ? []
        : reading.faults.map(({ line, message }) => t('form.textFault', { line, message })),
    )
    if (reading.kind === 'value' && isObject(reading.value)) act({ do: 'whole', value: reading.value })
  }
  const told = [...wrong, ...(wrong.length > 0 ? [] : faults.map(({ sentence }) => sentence))]
  return (
    <div class="field label">
      <label class="visually-hidden" for="form-text">
        {t('form.asText')}
      </label>
      <textarea
        id="form-text"
        class="mono whole"
        rows={18}
        spellcheck={false}
        value={text ?? ''}
        disabled={text === undefined}
        aria-describedby="form-text-about"
        aria-invalid={told.length > 0 ? 'true' : undefined}
        onInput={(event) => void change(event.currentTarget.value)}
      />
      <p class="about" id="form-text-about">
        {t('form.textHint')}
      </p>
      {told.map((sentence) => (
        <p class="fault" key={sentence}>
          <Shape tone="bad" />
          <span>{sentence}</span>
        </p>
      ))}
    </div>
  )
}

/** Everything that is wrong, each leading to its field. */
export function FaultList({ faults: all }: { readonly faults: readonly Fault[] }) {
  const faults = all.filter(({ isPart }) => isPart !== true)
  if (faults.length === 0) return null
  return (
    <div class="note bad" role="alert" id="faults" tabIndex={-1}>
      <Shape tone="bad" />
      <div>
        <p>
          <strong>{t('form.faults', { n: faults.length })}</strong>
        </p>
        <ul class="faults">
          {faults.map(({ sentence, place, hint }) => (
            <li key={sentence}>
              {place === undefined ? (
                <>
                  {sentence}
                  {hint === undefined ? null : <span class="quiet"> {hint}</span>}
                </>
              ) : (
                <button
                  type="button"
                  class="link"
                  onClick={() => document.getElementById(idOf(place))?.focus()}
                >
                  {sentence}
                </button>
              )}
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
