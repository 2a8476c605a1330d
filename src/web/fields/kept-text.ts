/** A text beside a form that stays through a reload of its window. */
import { useState } from 'preact/hooks'

/** The text and how to change it. */
export function useKeptText(key: string): readonly [string, (text: string) => void, () => void] {
  const name = `chandler.text ${key}`
  const [text, setText] = useState(sessionStorage.getItem(name) ?? '')
  const change = (next: string): void => {
    setText(next)
    sessionStorage.setItem(name, next)
  }
  return [text, change, () => sessionStorage.removeItem(name)]
}
