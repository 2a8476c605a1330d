/** The last step to what an executor is given: its own mapping of the parameters, which alone sees credentials. */
import type { Json } from '../../kit/json.ts'
import type { Layered } from './layers.ts'
import { process, type Surroundings, textOf } from './spiff.ts'

type Document = Exclude<Layered, { kind: 'failed' }>

/** Without a mapping the parameters stay what they are. */
export function mapped(
  mapping: { readonly value: Json } | undefined,
  own: Document,
  around: Surroundings,
): Layered {
  if (mapping === undefined) return own
  const stubs = own.kind === 'document' ? [{ name: 'parameters', text: own.text }] : []
  const processed = process(textOf('parameterMapping', mapping.value), stubs, around)
  if (processed.kind === 'failed')
    return { kind: 'failed', message: `error mapping parameters to executor: ${processed.message}` }
  const before = own.kind === 'document' ? own.steps : []
  return {
    kind: 'document',
    text: processed.text,
    value: processed.value,
    steps: [
      ...before,
      { stage: 'parameter data: mapped to the executor', text: processed.text, origins: processed.origins },
    ],
  }
}
