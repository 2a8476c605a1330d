/** Copying to the clipboard, and commands that do on the command line what a page does. */
import { useState } from 'preact/hooks'
import { t } from '../texts.ts'

interface CopyProps {
  /** Made when it is wanted, where it may be large. */
  readonly text: string | (() => string)
  /** What the button says; a plain "Copy" when absent. */
  readonly label?: string
}

/** A button that copies, and says so. */
export function CopyButton({ text, label }: CopyProps) {
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await copyText(typeof text === 'string' ? text : text())
    setCopied(true)
    setTimeout(() => setCopied(false), 2000)
  }
  return (
    <button type="button" class="small" onClick={() => void copy()}>
      <span aria-live="polite">{isCopied ? t('word.copied') : (label ?? t('word.copy'))}</span>
    </button>
  )
}

/** Pages that did not come encrypted have no clipboard of the newer kind. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text)
    return
  }
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

interface CommandProps {
  /** Words of a command; those that need it are quoted for a shell. */
  readonly words: readonly string[]
  readonly label?: string
}

/** The command that does the same, ready to copy. */
export function Command({ words, label }: CommandProps) {
  const shown = words.map(quoted)
  const text = shown.join(' ')
  return (
    <figure class="command">
      <figcaption>{label ?? t('word.command')}</figcaption>
      <code>
        {shown.flatMap((word, i) => [i === 0 ? '' : ' ', <span key={`${i} ${word}`}>{word}</span>])}
      </code>
      <CopyButton text={text} />
    </figure>
  )
}

function quoted(word: string): string {
  return /^[\w@%+=:,./{}-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
