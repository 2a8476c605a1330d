/** The texts of the UI in the language of the reader. */
import { signal } from '@preact/signals'
import { accountTexts } from './texts/account.ts'
import { brokerTexts } from './texts/broker.ts'
import { catalogTexts } from './texts/catalog.ts'
import { formTexts } from './texts/forms.ts'
import { homeTexts } from './texts/home.ts'
import { instanceTexts } from './texts/instances.ts'
import { listTexts } from './texts/lists.ts'
import { operationTexts } from './texts/operations.ts'
import { shellTexts } from './texts/shell.ts'
import { stateTexts } from './texts/states.ts'
import { tenantTexts } from './texts/tenants.ts'

/** One row per text: English, German. */
export const texts = {
  ...shellTexts,
  ...stateTexts,
  ...homeTexts,
  ...accountTexts,
  ...catalogTexts,
  ...formTexts,
  ...listTexts,
  ...instanceTexts,
  ...operationTexts,
  ...brokerTexts,
  ...tenantTexts,
} as const
export type TextKey = keyof typeof texts

export const languages = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof languages

const kept = 'chandler.language'

/** The language of the page; what the reader chose before, else the browser's. */
export const language = signal<Language>(firstLanguage())

function firstLanguage(): Language {
  const chosen = localStorage.getItem(kept) ?? navigator.language
  return chosen.startsWith('de') ? 'de' : 'en'
}

/** Shows the page in another language from now on. */
export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(kept, chosen)
  language.value = chosen
}

/** A text with what it names filled in; `{n|one|more}` chooses by a number. */
export function t(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  const text = texts[key][language.value === 'de' ? 1 : 0]
  if (!text.includes('{')) return text
  return text.replaceAll(
    /\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g,
    (_, name: string, one?: string, more?: string) => {
      const value = values[name] ?? ''
      if (one === undefined) return typeof value === 'number' ? value.toLocaleString(language.value) : value
      return value === 1 ? one : (more ?? '')
    },
  )
}
