/** How a document comes about: what was given, libraries over it, a scheme that judges it, a template that takes it in. */
import type { Json, JsonObject } from '../../kit/json.ts'
import type { FaultPlace } from '../../model/problem.ts'
import { type Judged, judge } from './scheme.ts'
import { type Processed, process, type Surroundings, type Text, textOf, type ValueOrigin } from './spiff.ts'

/** What packages and executors say about the shape of a document. */
export interface Layers {
  readonly scheme?: JsonObject
  /** Any YAML; null counts. */
  readonly template?: { readonly value: Json }
  /** In their order; each is stronger than what stands before it, what was given included. */
  readonly libraries: readonly Text[]
}

/** One step of a value's way from its origin, for people to read. */
export interface Step {
  readonly stage: string
  readonly text: string
  readonly origins: readonly ValueOrigin[]
}

export type Layered =
  | {
      readonly kind: 'document'
      readonly text: string
      readonly value: Json
      readonly steps: readonly Step[]
    }
  /** Nothing was given, and nothing makes something of it. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failed'; readonly message: string; readonly places?: readonly FaultPlace[] }

/** `name` is "executor config" or "parameter data", as messages say. */
export function layered(
  name: string,
  layers: Layers,
  given: Text | undefined,
  around: Surroundings,
): Layered {
  const { scheme, template, libraries } = layers
  const isAbsent = given === undefined || given.text.trim() === ''
  const steps: Step[] = []
  if (isAbsent) {
    const fault = scheme && judge(scheme, {})
    if (fault !== undefined) return invalid(name, fault)
    if (template === undefined) return { kind: 'nothing' }
  }
  // What is not there is an empty map to the scheme, and so it is to the template.
  let current: Text | undefined = isAbsent ? undefined : given
  let done: Extract<Processed, { kind: 'done' }> | undefined
  if (current !== undefined && (scheme !== undefined || template === undefined)) {
    const processed = process(current, libraries, around)
    if (processed.kind === 'failed')
      return { kind: 'failed', message: `error processing ${name}: ${processed.message}` }
    done = processed
    steps.push({
      stage: `${name}: as given, with libraries`,
      text: processed.text,
      origins: processed.origins,
    })
    current = { name: current.name, text: processed.text }
    const fault = scheme && judge(scheme, processed.value ?? {})
    if (fault !== undefined) return invalid(name, fault)
  }
  if (template !== undefined) {
    const stubs = [...(current === undefined ? [] : [current]), ...libraries]
    const processed = process(textOf('template', template.value), stubs, around)
    if (processed.kind === 'failed')
      return { kind: 'failed', message: `error processing ${name} template: ${processed.message}` }
    done = processed
    steps.push({ stage: `${name}: through the template`, text: processed.text, origins: processed.origins })
  }
  return done === undefined
    ? { kind: 'nothing' }
    : { kind: 'document', text: done.text, value: done.value, steps }
}

function invalid(name: string, { text, places }: Judged): Layered {
  return { kind: 'failed', message: `${name} validation failed: ${text}`, places }
}

/** How often what was given is evaluated before the executor sees it: so many levels of escaping keep it as it is. */
export function evaluations({ scheme, template }: Layers, isMapped: boolean): number {
  const own = (scheme !== undefined || template === undefined ? 1 : 0) + (template === undefined ? 0 : 1)
  return own + (isMapped ? 1 : 0)
}
