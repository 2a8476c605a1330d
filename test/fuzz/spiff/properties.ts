/** What holds for every document, whatever it says. */
import { processSpiff, type SpiffOptions, type SpiffResult } from '../../../src/languages/spiff/index.ts'
import type { Chance } from '../chance.ts'
import type { Breach } from '../topic.ts'
import type { Case } from './documents.ts'
import { type NodeMap, shuffled, split, written } from './node.ts'

/** A run as text: what comes out of it, or that it fails. */
interface Ran {
  readonly done: boolean
  readonly text: string
}

/** Small limits, so that what runs away ends soon. */
const limits = { stepsMax: 20_000, elementsMax: 20_000, stringMax: 100_000, workMax: 5_000_000 }

function optionsOf({ interpolation }: Case, more: SpiffOptions = {}): SpiffOptions {
  // A clock that stands still: how quick the machine is must not decide how a document ends.
  const ports = { elapsed: () => 0, now: () => 0, random: (count: number) => new Uint8Array(count) }
  return { control: true, interpolation, limits, ports, ...more }
}

function run(templates: string, stubs: readonly string[], options: SpiffOptions): Ran {
  return ran(
    processSpiff(
      { name: 'template', text: templates },
      stubs.map((text, i) => ({ name: `stub${i}`, text })),
      options,
    ),
  )
}

function ran(result: SpiffResult): Ran {
  if (result.kind === 'failed') return { done: false, text: `${result.fault.kind}: ${result.fault.message}` }
  const texts = result.documents.map((document) => document?.yaml() ?? '')
  for (const document of result.documents) document?.json()
  return { done: true, text: texts.join('---\n') }
}

const stream = (documents: readonly NodeMap[]): string => documents.map(written).join('\n---\n')

export function breaches(chance: Chance, one: Case): readonly Breach[] {
  const template = stream(one.templates)
  const stubs = one.stubs.map(written)
  const options = optionsOf(one)
  const whole = run(template, stubs, options)
  const input = [template, ...stubs.map((text, i) => `stub ${i}: ${text}`)].join('\n')
  const found: Breach[] = []
  const expectSame = (property: string, other: Ran, messages = false): void => {
    const same = other.done === whole.done && (messages || whole.done ? other.text === whole.text : true)
    if (!same) found.push({ property, input, why: `${whole.text}\n--- but ---\n${other.text}` })
  }
  if (whole.text === 'unresolved: ' || whole.text.startsWith('yaml:'))
    found.push({ property: 'a fault has a message, and the text is well-formed', input, why: whole.text })
  // A budget ends a run wherever it happens to be.
  if (whole.text.startsWith('budget:')) return found

  expectSame('the same run ends the same', run(template, stubs, options), true)
  const otherOrder = one.templates.map((map) => shuffled(chance, map) as NodeMap)
  const otherStubs = one.stubs.map((map) => written(shuffled(chance, map)))
  expectSame('the order of keys does not matter', run(stream(otherOrder), otherStubs, options))
  if (one.plainStubs && !/merge|stub/.test(template)) {
    const parts = one.stubs.flatMap((map) => split(chance, map)).map(written)
    expectSame('a stub of data may be split', run(template, parts, options))
  }
  found.push(...ofPartial(one, { template, stubs, whole, input }))
  if (whole.done && isPlain(whole.text)) {
    const again = run(whole.text, [], options)
    if (again.text !== whole.text)
      found.push({
        property: 'a result processes to itself',
        input,
        why: `${whole.text}\n--- but ---\n${again.text}`,
      })
  }
  return found
}

/** Nothing in it would be evaluated or taken off. */
function isPlain(text: string): boolean {
  return !/\(\(|<<|key:|!!binary/.test(text)
}

interface Runs {
  readonly template: string
  readonly stubs: readonly string[]
  readonly whole: Ran
  readonly input: string
}

/** A partial run always has a result; it is the whole one where nothing is open. */
function ofPartial(one: Case, { template, stubs, whole, input }: Runs): readonly Breach[] {
  const partial = run(template, stubs, optionsOf(one, { partial: true }))
  if (partial.text.startsWith('budget:')) return []
  if (!partial.done) return [{ property: 'a partial run has a result', input, why: partial.text }]
  if (whole.done)
    return partial.text === whole.text
      ? []
      : [
          {
            property: 'a partial run of what is complete is whole',
            input,
            why: `${whole.text}\n--- but ---\n${partial.text}`,
          },
        ]
  const fed = run(partial.text, stubs, optionsOf(one))
  return fed.text.startsWith('yaml:')
    ? [{ property: 'what a partial run leaves can be fed again', input, why: `${partial.text}\n${fed.text}` }]
    : []
}
