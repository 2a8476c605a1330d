/** Fields that narrow a list; what is chosen stands in the address. */
import { useEffect, useState } from 'preact/hooks'
import { address, refine } from '../router.ts'

/** While one types, the list is not asked for each letter. */
const pauseMs = 250

interface FieldProps {
  /** In the query of the address. */
  readonly name: string
  readonly label: string
}

export function TextFilter({ name, label }: FieldProps) {
  const chosen = address.value.query.get(name) ?? ''
  const [text, setText] = useState(chosen)
  useEffect(() => setText(chosen), [chosen])
  useEffect(() => {
    if (text === chosen) return
    const timer = setTimeout(() => refine({ [name]: text.trim(), cursor: undefined }), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <label>
      {label}
      <input
        type="search"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        autocapitalize="none"
        spellcheck={false}
      />
    </label>
  )
}

interface ChoiceProps extends FieldProps {
  /** Value and word; the first is what stands for no choice. */
  readonly choices: readonly (readonly [string, string])[]
}

export function ChoiceFilter({ name, label, choices }: ChoiceProps) {
  const chosen = address.value.query.get(name) ?? ''
  return (
    <label>
      {label}
      <select
        value={chosen}
        onChange={(event) => refine({ [name]: event.currentTarget.value, cursor: undefined })}
      >
        {choices.map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
    </label>
  )
}
