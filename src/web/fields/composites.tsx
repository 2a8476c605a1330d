/** Fields of several parts: groups, lists, branches, entries of one's own, and text for what no field can show. */
import { useEffect, useState } from 'preact/hooks'
import type { Json } from '../../kit/json.ts'
import { isFaulty } from '../form/faults.ts'
import type {
  BranchField,
  BranchName,
  ClosedField,
  Field,
  GroupField,
  ListField,
  RawField,
  Section,
} from '../form/field.ts'
import { same } from '../form/resolve.ts'
import { t } from '../texts.ts'
import { idOf, shortValue, useAround } from './around.ts'
import { ChoiceControl, NumberControl, SetControl, SwitchControl, TextControl } from './controls.tsx'
import { described, FieldFrame } from './frame.tsx'

interface Props<F> {
  readonly field: F
  readonly isBare?: boolean | undefined
}

/** A field of any kind. */
export function FieldView({ field, isBare }: Props<Field>) {
  switch (field.kind) {
    case 'text':
      return <TextControl field={field} isBare={isBare} />
    case 'number':
      return <NumberControl field={field} isBare={isBare} />
    case 'switch':
      return <SwitchControl field={field} isBare={isBare} />
    case 'choice':
      return <ChoiceControl field={field} isBare={isBare} />
    case 'set':
      return <SetControl field={field} isBare={isBare} />
    case 'constant':
      return <ConstantView field={field} isBare={isBare} />
    case 'closed':
      return <ClosedView field={field} isBare={isBare} />
    case 'group':
      return <GroupView field={field} isBare={isBare} />
    case 'list':
      return <ListView field={field} isBare={isBare} />
    case 'branch':
      return <BranchView field={field} isBare={isBare} />
    case 'raw':
      return <RawView field={field} isBare={isBare} />
  }
}

function ConstantView({ field, isBare }: Props<Field>) {
  return (
    <FieldFrame field={field} manner="label" isBare={isBare}>
      <output id={idOf(field.place)}>
        <code>{shortValue(field.fallback)}</code>
      </output>
    </FieldFrame>
  )
}

function ClosedView({ field, isBare }: Props<ClosedField>) {
  const { act, isPreview } = useAround()
  const { place, opening, fallback, fixed } = field
  return (
    <FieldFrame field={field} manner="group" isBare={isBare}>
      {isPreview || fixed ? (
        <p class="quiet">{t('form.notSet')}</p>
      ) : (
        <button type="button" onClick={() => act({ do: 'set', place, value: opening })}>
          {t(fallback === undefined ? 'form.add' : 'form.change', { name: field.title })}
        </button>
      )}
    </FieldFrame>
  )
}

/** Takes out what was added. */
function Remove({ field }: { readonly field: Field }) {
  const { act, isPreview } = useAround()
  if (field.required || field.fixed || isPreview || field.place === '') return null
  return (
    <button
      type="button"
      class="small link"
      aria-label={t('form.removeNamed', { name: field.title })}
      onClick={() => act({ do: 'set', place: field.place, value: undefined })}
    >
      {t('form.remove')}
    </button>
  )
}

function GroupView({ field, isBare }: Props<GroupField>) {
  if (field.place === '') return <Members field={field} />
  return (
    <FieldFrame field={field} manner="group" isBare={isBare} deeds={<Remove field={field} />}>
      <Members field={field} />
    </FieldFrame>
  )
}

function Members({ field }: { readonly field: GroupField }) {
  const { faults } = useAround()
  const folded = field.folded.flatMap(({ fields }) => fields)
  // What must be there starts with its default; only what differs is news.
  const given = folded.filter(({ value, fallback }) => value !== undefined && !same(value, fallback)).length
  const isOpen =
    folded.some(({ place }) => isFaulty(faults, place)) || (field.open.length === 0 && folded.length < 6)
  return (
    <>
      <Sections sections={field.open} />
      {folded.length === 0 ? null : (
        <details class="folded" open={isOpen || undefined}>
          <summary>
            {t('form.more', { n: folded.length })}
            {given === 0 ? null : <span class="quiet"> {t('form.given', { n: given })}</span>}
          </summary>
          <Sections sections={field.folded} />
        </details>
      )}
      <Entries field={field} />
    </>
  )
}

function Sections({ sections }: { readonly sections: readonly Section[] }) {
  return (
    <>
      {sections.map(({ title, fields }, i) => {
        const views = fields.map((field) => <FieldView key={field.place} field={field} />)
        if (title === undefined) return <div key={`${i}`}>{views}</div>
        return (
          <fieldset class="section" key={`${i} ${title}`}>
            <legend>{title}</legend>
            {views}
          </fieldset>
        )
      })}
    </>
  )
}

/** Members under names of one's own. */
function Entries({ field }: { readonly field: GroupField }) {
  const { act, isPreview } = useAround()
  const { place, entries, takesEntries } = field
  if (entries.length === 0 && (takesEntries === 'no' || isPreview)) return null
  return (
    <div class="entries">
      {entries.map((entry) => (
        <div class="entry" key={entry.place}>
          <EntryName group={place} entry={entry} />
          <FieldView field={entry} isBare />
          {isPreview ? null : (
            <button
              type="button"
              class="small remove"
              aria-label={t('form.removeNamed', { name: entry.name })}
              onClick={() => act({ do: 'set', place: entry.place, value: undefined })}
            >
              {t('form.remove')}
            </button>
          )}
        </div>
      ))}
      {takesEntries === 'no' || isPreview ? null : <NewEntry field={field} />}
    </div>
  )
}

function EntryName({ group, entry }: { readonly group: string; readonly entry: Field }) {
  const { act, isPreview } = useAround()
  return (
    <input
      class="mono"
      value={entry.name}
      disabled={isPreview || entry.required}
      aria-label={t('form.entryName')}
      onChange={(event) =>
        act({ do: 'rename-entry', place: group, name: entry.name, to: event.currentTarget.value })
      }
    />
  )
}

function NewEntry({ field }: { readonly field: GroupField }) {
  const { act } = useAround()
  const [name, setName] = useState('')
  const [isOpen, setOpen] = useState(field.takesEntries === 'asked')
  if (!isOpen) {
    return (
      <button type="button" class="small link" onClick={() => setOpen(true)}>
        {t('form.ownEntry')}
      </button>
    )
  }
  const add = (): void => {
    if (name === '') return
    act({ do: 'add-entry', place: field.place, name })
    setName('')
  }
  const id = `${idOf(field.place)}.new`
  return (
    <div class="new-entry">
      <label for={id}>{t('form.newEntry')}</label>
      <input
        id={id}
        class="mono"
        value={name}
        autocomplete="off"
        onInput={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          add()
        }}
      />
      <button type="button" onClick={add}>
        {t('form.addEntry')}
      </button>
    </div>
  )
}

function ListView({ field, isBare }: Props<ListField>) {
  const { act, isPreview } = useAround()
  const { place, rows, rowsMax, fresh, fixed } = field
  const isOff = isPreview || fixed
  return (
    <FieldFrame field={field} manner="group" isBare={isBare} deeds={<Remove field={field} />}>
      <ol class="list">
        {rows.map((row, index) => (
          <li key={row.place}>
            <FieldView field={{ ...row, title: t('form.row', { name: field.title, n: index + 1 }) }} isBare />
            {isOff ? null : <RowDeeds field={field} index={index} />}
          </li>
        ))}
      </ol>
      {isOff || (rowsMax !== undefined && rows.length >= rowsMax) ? null : (
        <button type="button" onClick={() => act({ do: 'add-row', place, fresh })}>
          {t('form.addRow')}
        </button>
      )}
    </FieldFrame>
  )
}

function RowDeeds({ field, index }: { readonly field: ListField; readonly index: number }) {
  const { act } = useAround()
  const { place, rows } = field
  const n = index + 1
  return (
    <span class="row-deeds">
      <button
        type="button"
        class="small"
        aria-label={t('form.up', { n })}
        disabled={index === 0}
        onClick={() => act({ do: 'move-row', place, index, by: -1 })}
      >
        ↑
      </button>
      <button
        type="button"
        class="small"
        aria-label={t('form.down', { n })}
        disabled={index === rows.length - 1}
        onClick={() => act({ do: 'move-row', place, index, by: 1 })}
      >
        ↓
      </button>
      <button
        type="button"
        class="small remove"
        aria-label={t('form.removeRow', { n })}
        onClick={() => act({ do: 'drop-row', place, index })}
      >
        {t('form.remove')}
      </button>
    </span>
  )
}

function BranchView({ field, isBare }: Props<BranchField>) {
  const { act, isPreview } = useAround()
  const { place, branches, picked, within } = field
  const id = `${idOf(place)}.branch`
  return (
    <FieldFrame field={field} manner="group" isBare={isBare || place === ''} deeds={<Remove field={field} />}>
      <div class="branches">
        <label for={id}>{t('form.kind')}</label>
        <select
          id={id}
          value={String(picked)}
          disabled={isPreview || field.fixed}
          onChange={(event) => act({ do: 'pick', place, branch: Number(event.currentTarget.value) })}
        >
          {branches.map((name, i) => (
            <option key={`${i}`} value={String(i)}>
              {branchText(name)}
            </option>
          ))}
        </select>
      </div>
      {within.kind === 'group' ? <Members field={within} /> : <FieldView field={within} isBare />}
    </FieldFrame>
  )
}

function branchText(name: BranchName): string {
  switch (name.kind) {
    case 'title':
      return name.title
    case 'value':
      return shortValue(name.value)
    case 'members':
      return name.names.join(', ')
    case 'number':
      return t('form.branch', { n: name.number })
    case 'type':
      return typeText(name.type)
  }
}

function typeText(type: string): string {
  switch (type) {
    case 'string':
      return t('form.type.string')
    case 'integer':
      return t('form.type.integer')
    case 'number':
      return t('form.type.number')
    case 'boolean':
      return t('form.type.boolean')
    case 'array':
      return t('form.type.array')
    case 'object':
      return t('form.type.object')
    default:
      return t('form.nothing')
  }
}

/** The tools for YAML come when they are needed. */
const tools = () => import('../form/text.ts')

function RawView({ field, isBare }: Props<RawField>) {
  const { act, faults, isPreview, texts } = useAround()
  const { place, value } = field
  const [text, setText] = useState<string>()
  const [fault, setFault] = useState<string>()
  useEffect(() => {
    const show = async (): Promise<void> => {
      const { textOfValue } = await tools()
      setText(texts[place] ?? textOfValue(value))
    }
    void show()
  }, [place])
  const change = async (typed: string): Promise<void> => {
    setText(typed)
    const { valueIn } = await tools()
    const read: { readonly value?: Json; readonly fault?: string } = typed.trim() === '' ? {} : valueIn(typed)
    setFault(read.fault)
    if (read.fault === undefined) act({ do: 'set', place, value: read.value })
    else act({ do: 'text', place, text: typed })
  }
  const isWrong = fault !== undefined || isFaulty(faults, place)
  return (
    <FieldFrame field={field} manner="label" isBare={isBare}>
      <textarea
        {...described(field, isWrong)}
        class="mono"
        rows={Math.min(12, Math.max(2, (text ?? '').split('\n').length))}
        value={text ?? ''}
        disabled={isPreview || field.fixed || text === undefined}
        spellcheck={false}
        placeholder={t('form.yaml')}
        onInput={(event) => void change(event.currentTarget.value)}
      />
      {fault === undefined ? null : <p class="fault">{fault}</p>}
    </FieldFrame>
  )
}
