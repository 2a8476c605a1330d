/** What holds for every template, whatever it says. */
import { isDeepStrictEqual } from 'node:util'
import {
  brokerFunctions,
  evaluate,
  evaluateText,
  excerpt,
  isTemplate,
  jsonScope,
  type Options,
  parse,
  type Result,
} from '../../../src/languages/hil/index.ts'
import type { Breach } from '../topic.ts'
import type { Case } from './expressions.ts'

const functions = brokerFunctions({})

type Property = (one: Case, answer: Shown) => string | undefined
type Shown = { readonly value: unknown } | { readonly fault: string } | 'unknown'

const properties: Readonly<Record<string, Property>> = {
  'the answer is the same again': (one, answer) => differs(answer, run(one)),
  'a text parsed before answers the same': (one, answer) => {
    const parsed = parse(one.text)
    const later =
      parsed.kind === 'fault' ? parsed : evaluate(parsed.template, jsonScope(one.variables, functions))
    return differs(answer, shown(later))
  },
  'what the original accepts has the same value in the extended dialect': (one, answer) => {
    const original = run(one, { dialect: 'original' })
    return isValue(original) ? differs(original, answer) : undefined
  },
  'text around an expression stays around its value': (one, answer) => {
    if (!isValue(answer) || typeof answer.value !== 'string') return undefined
    const around = run({ ...one, text: `<${one.text}>` })
    // A dollar at either edge may pair with what comes from the text itself.
    return one.text.endsWith('$') ? undefined : differs({ value: `<${answer.value}>` }, around)
  },
  'parentheses change nothing': (one, answer) =>
    one.expression === undefined || !isValue(answer)
      ? undefined
      : differs(answer, run({ ...one, text: `\${(${one.expression})}` })),
  'a text whose dollars are doubled is itself': (one) =>
    differs({ value: one.text }, run({ ...one, text: one.text.replaceAll('$', '$$$$') })),
  'what asks for no evaluation is itself': (one, answer) =>
    isTemplate(one.text) || !isValue(answer) ? undefined : differs({ value: one.text }, answer),
  'less to spend gives the same value or a fault of cost': (one, answer) => {
    const poor = run(one, { workMax: 60 })
    if (
      !isValue(answer) ||
      (typeof poor === 'object' && 'fault' in poor && /costs more than 60/.test(poor.fault))
    )
      return undefined
    return differs(answer, poor)
  },
  'a fault names a place of the text': (one) => {
    const result = outcome(one)
    if (result.kind !== 'fault') return undefined
    const { place } = result.fault
    if (place === undefined) return `no place: ${result.fault.message}`
    const lines = one.text.split('\n')
    if (place.line < 1 || place.line > lines.length) return `line ${place.line} of ${lines.length}`
    return excerpt(one.text, place).includes('^') ? undefined : 'no caret'
  },
}

export function breaches(one: Case): readonly Breach[] {
  const answer = run(one)
  const input = `${JSON.stringify(one.text)} with ${JSON.stringify(one.variables)}`
  return Object.entries(properties).flatMap(([property, holds]) => {
    const why = holds(one, answer)
    return why === undefined ? [] : [{ property, input, why }]
  })
}

function outcome({ text, variables }: Case, options: Options = {}): Result {
  return evaluateText(text, jsonScope(variables, functions), options)
}

function run(one: Case, options: Options = {}): Shown {
  return shown(outcome(one, options))
}

function shown(result: Result): Shown {
  if (result.kind === 'fault') return { fault: result.fault.message }
  return result.kind === 'value' ? { value: result.value } : 'unknown'
}

function isValue(answer: Shown): answer is { readonly value: unknown } {
  return typeof answer === 'object' && 'value' in answer
}

function differs(wanted: Shown, found: Shown): string | undefined {
  return isDeepStrictEqual(wanted, found)
    ? undefined
    : `wanted ${JSON.stringify(wanted)}\nfound  ${JSON.stringify(found)}`
}
