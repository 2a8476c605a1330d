/** What was typed stays through a reload, in this window only; secrets do not. */
import { parseJson } from '../../kit/exact.ts'
import { isObject, type JsonObject } from '../../kit/json.ts'
import { isMap, isWithin, withoutSecrets } from './places.ts'
import type { FormState } from './state.ts'

/** The part of `sessionStorage` that is used. */
export interface WindowMemory {
  getItem(key: string): string | null
  setItem(key: string, text: string): void
  removeItem(key: string): void
}

/** Puts a form aside without its secrets. */
export function keepForm(
  memory: WindowMemory,
  key: string,
  state: FormState,
  secrets: readonly string[],
): void {
  const { value, picks, texts } = state
  const open = Object.entries(texts).filter(([place]) => !secrets.some((secret) => isWithin(place, secret)))
  const kept = { value: withoutSecrets(value, secrets), picks, texts: Object.fromEntries(open) }
  memory.setItem(nameOf(key), JSON.stringify(kept))
}

/** The form as it was put aside; undefined where there is none. */
export function keptForm(memory: WindowMemory, key: string): FormState | undefined {
  const text = memory.getItem(nameOf(key))
  if (text === null) return undefined
  try {
    const kept = parseJson(text) as Partial<FormState>
    if (!isMap(kept.value) || !isObject(kept.picks) || !isObject(kept.texts)) return undefined
    return { value: kept.value as JsonObject, picks: kept.picks, texts: kept.texts, stash: {} }
  } catch {
    return undefined
  }
}

/** Forgets it: the order was taken. */
export function forgetForm(memory: WindowMemory, key: string): void {
  memory.removeItem(nameOf(key))
}

function nameOf(key: string): string {
  return `chandler.form ${key}`
}
