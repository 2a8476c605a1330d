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

/** Small limits, so that what runs away ends soon: one document in fifty does, and would take most of the time. */
const limits = { stepsMax: 4_000, elementsMax: 4_000, stringMax: 100_000, workMax: 1_000_000 }

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

/** A case with its texts and what came of it. */
interface Runs {
  readonly one: Case
  readonly template: string
  readonly stubs: readonly string[]
  readonly whole: Ran
}

/** Answers in what another run differs from the whole one, or nothing. */
type Property = (chance: Chance, runs: Runs) => string | undefined

const differs = (whole: Ran, other: Ran, messages = false): string | undefined => {
  const same = other.done === whole.done && (messages || whole.done ? other.text === whole.text : true)
  return same ? undefined : `${whole.text}\n--- but ---\n${other.text}`
}

/** Every document is run once and looked at for one of these: so a campaign sees the more documents. */
const properties: readonly (readonly [name: string, holds: Property])[] = [
  [
    'the same run ends the same',
    (_chance, { one, template, stubs, whole }) => differs(whole, run(template, stubs, optionsOf(one)), true),
  ],
  [
    'the order of keys does not matter',
    (chance, { one, whole }) => {
      const templates = one.templates.map((map) => shuffled(chance, map) as NodeMap)
      const stubs = one.stubs.map((map) => written(shuffled(chance, map)))
      return differs(whole, run(stream(templates), stubs, optionsOf(one)))
    },
  ],
  [
    'a stub of data may be split',
    (chance, { one, template, whole }) => {
      if (!one.plainStubs || /merge|stub/.test(template)) return undefined
      const parts = one.stubs.flatMap((map) => split(chance, map)).map(written)
      return differs(whole, run(template, parts, optionsOf(one)))
    },
  ],
  [
    'a result processes to itself',
    (_chance, { one, whole }) =>
      whole.done && isPlain(whole.text) ? differs(whole, run(whole.text, [], optionsOf(one))) : undefined,
  ],
  [
    'a partial run has a result, which is whole where nothing is open',
    (_chance, { one, template, stubs, whole }) => {
      const partial = run(template, stubs, optionsOf(one, { partial: true }))
      return partial.done && !whole.done
        ? undefined
        : differs(whole.done ? whole : { done: true, text: '' }, partial)
    },
  ],
  [
    'what a partial run leaves can be fed again',
    (_chance, { one, template, stubs, whole }) => {
      if (whole.done) return undefined
      const partial = run(template, stubs, optionsOf(one, { partial: true }))
      const fed = run(partial.text, stubs, optionsOf(one))
      // What the author has written so is at fault in the whole run, too, unless that ends before it comes there.
      const given = [template, ...stubs].join('\n')
      const refused = fed.text.startsWith('yaml:') || unreadable(fed).some((text) => !given.includes(text))
      return refused ? `${partial.text}\n${fed.text}` : undefined
    },
  ],
]

export function breaches(chance: Chance, one: Case): readonly Breach[] {
  const template = stream(one.templates)
  const stubs = one.stubs.map(written)
  const whole = run(template, stubs, optionsOf(one))
  const input = [template, ...stubs.map((text, i) => `stub ${i}: ${text}`)].join('\n')
  if (whole.text === 'unresolved: unresolved nodes:' || whole.text.startsWith('yaml:'))
    return [{ property: 'a fault has a message, and the text is well-formed', input, why: whole.text }]
  // A budget ends a run wherever it happens to be.
  if (whole.text.startsWith('budget:')) return []
  const chosen = properties[chance.below(properties.length)]
  if (chosen === undefined) return []
  const [property, holds] = chosen
  const why = holds(chance, { one, template, stubs, whole })
  return why === undefined || why.includes('budget: ') ? [] : [{ property, input, why }]
}

/** The texts between double brackets that a run could not read, as JSON has them. */
function unreadable({ text }: Ran): readonly string[] {
  return [...text.matchAll(/\t\(\((.*)\)\)\tin .*parse error near/g)].map((match) =>
    JSON.stringify(match[1]?.trim()).slice(1, -1),
  )
}

/** Nothing in it would be evaluated or taken off. */
function isPlain(text: string): boolean {
  return !/\(\(|<<|key:|!!binary/.test(text)
}
