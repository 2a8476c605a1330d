/** The one door to TOML: read, with the place of what is wrong. */
import { parse, TomlError } from 'smol-toml'

export type TomlReading =
  | { readonly kind: 'read'; readonly value: Readonly<Record<string, unknown>> }
  | { readonly kind: 'fault'; readonly message: string; readonly line: number; readonly column: number }

/** Reads a document. */
export function readToml(text: string): TomlReading {
  try {
    return { kind: 'read', value: parse(text) }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // Its first line says what; the others show the place.
    const message = (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '')
    return { kind: 'fault', message, line: error.line, column: error.column }
  }
}
