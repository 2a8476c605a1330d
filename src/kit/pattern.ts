/** The one door to regular expressions written by others: RE2 syntax, never slower than linear. */
import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'

export type CompiledPattern =
  | {
      readonly kind: 'pattern'
      /** Steps per character in the worst case. */
      readonly weight: number
      /** Whether it is found anywhere in the text. */
      found(text: string): boolean
    }
  | { readonly kind: 'refused'; readonly message: string }

/** Compiling costs a hundred times what a match does, and the same few expressions come again and again. */
const compiled = new LRUCache<string, CompiledPattern>({
  max: 500,
  maxSize: 1 << 20,
  sizeCalculation: (pattern, source) => source.length + (pattern.kind === 'pattern' ? pattern.weight : 1),
})

/** Compiles an expression of Go's regexp; the refusal reads as Go's. */
export function compilePattern(source: string): CompiledPattern {
  const known = compiled.get(source)
  if (known !== undefined) return known
  const pattern = compileNew(source)
  compiled.set(source, pattern)
  return pattern
}

function compileNew(source: string): CompiledPattern {
  try {
    const expression = RE2JS.compile(source)
    return {
      kind: 'pattern',
      weight: expression.programSize(),
      found: (text) => expression.matcher(text).find(),
    }
  } catch (error) {
    return { kind: 'refused', message: error instanceof Error ? error.message : String(error) }
  }
}
