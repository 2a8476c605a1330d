/** The documents of a package with the places of what stands in them. */
import { present } from '../../kit/present.ts'
import { readYaml, toldFault, type YamlFault, type YamlReading } from '../../kit/yaml.ts'
import type { Place, Problem } from '../../model/problem.ts'
import type { ProblemCode } from '../../model/problem-codes.ts'

export interface Document {
  /** The name of the resource that it is. */
  readonly name: string
  readonly text: string
  /** Where something stands, or the nearest thing around it that is there. */
  where(pointer: string): Place
  /** What is wrong with it as YAML. */
  faults(): readonly YamlFault[]
}

/** What longer documents hold is not looked at: no person wrote them. */
export const textMax = 256 * 1024

/** A document of a text; its places are only looked for when something is wrong with it. */
export function documentOf(name: string, text: string): Document {
  let known: YamlReading | undefined
  const reading = (): YamlReading => {
    known ??= readYaml(text)
    return known
  }
  return {
    name,
    text,
    where: (pointer) => ({
      source: name,
      ...(pointer === '' ? {} : { pointer }),
      ...reading().place(pointer),
    }),
    faults: () => reading().faults,
  }
}

/** What keeps a document from being read: as our own reader tells faults of YAML, else in the words of the original. */
export function unreadable(
  { name, faults: faultsOf }: Document,
  { what, code }: { readonly what: string; readonly code: ProblemCode },
  { message, line, column }: { readonly message: string; readonly line?: number; readonly column?: number },
): readonly Problem[] {
  const invalid = (detail: string): string => `"${what}" is invalid: ${detail}`
  const faults = faultsOf()
  if (faults.length > 0)
    return faults.map((fault) => {
      const told = toldFault(fault, name)
      return { code, ...told, detail: invalid(told.detail) }
    })
  const hint = /map key must be a string/.test(message)
    ? 'Write the key in quotation marks: words such as yes, on and y are true or false.'
    : 'Correct what stands there; indentation, brackets and quotes of the lines before count, too.'
  return [{ code, detail: invalid(message), where: { source: name, ...present({ line, column }) }, hint }]
}

/** What the original reads otherwise than it looks: keys that are there twice, and further documents. */
export function doubtfulYaml({ name, text, faults }: Document): readonly Problem[] {
  if (text.length > textMax) return []
  return faults()
    .filter(({ message }) => /must be unique|more than one document/.test(message))
    .map((fault) => ({ code: 'toi.package.questionable', ...toldFault(fault, name) }))
}
