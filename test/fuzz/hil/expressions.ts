/** Templates with variables: well-formed for the most part, of fitting types more often than not, now and then spoilt. */
import type { Json, JsonObject } from '../../../src/kit/json.ts'
import type { Chance } from '../chance.ts'

export interface Case {
  readonly text: string
  /** The expression, where the template is one interpolation of it and nothing else. */
  readonly expression?: string
  readonly variables: JsonObject
}

type Kind = 'text' | 'number' | 'truth' | 'list' | 'map'

const texts: readonly [string, ...string[]] = [
  'a',
  'B c',
  '',
  '10',
  '-3',
  '0x1F',
  '1.5',
  'true',
  'é',
  '日本',
  '😀',
  '$$',
  '\\"',
  '\\\\',
  '\\n',
  '74D93920-ED26-11E3-AC10-0800200C9A66',
]
const numbers: readonly [string, ...string[]] = [
  '0',
  '1',
  '7',
  '010',
  '2.5',
  '1000000.0',
  '9223372036854775807',
  '0.00001',
]
const scalars: readonly [Json, ...Json[]] = [
  5,
  -7,
  1.5,
  1e21,
  true,
  false,
  null,
  '',
  'x',
  '10',
  '0b11',
  'é😀',
  '${a}',
  '$$',
]
const spoilers: readonly [string, ...string[]] = [
  '${',
  '}',
  '"',
  '$',
  '\\',
  '(',
  ')',
  '[',
  ']',
  ',',
  '*',
  '?',
  ':',
  '!',
  '=',
  '&&',
  '.',
  '\n',
  '\u00a0',
  '\ud800',
  "'",
]

export function caseOf(chance: Chance): Case {
  const variables = variablesOf(chance)
  const one = expression(chance, chance.pick(['text', 'number', 'truth', 'list', 'map']), 4)
  if (chance.once(3)) return { text: `\${${one}}`, expression: one, variables }
  const parts = chance.list(1, 4, () =>
    chance.once(2) ? literal(chance) : `\${${expression(chance, 'text', 3)}}`,
  )
  const text = parts.join('')
  return { text: chance.once(6) ? spoilt(chance, text) : text, variables }
}

function variablesOf(chance: Chance): JsonObject {
  const value = (depth: number): Json => {
    if (depth > 0 && chance.once(4)) return chance.list(0, 3, () => value(depth - 1))
    if (depth > 0 && chance.once(4))
      return Object.fromEntries(
        chance.list(0, 3, (i) => [chance.pick(['k', 'k.x', '1', 'é', `f${i}`]), value(depth - 1)]),
      )
    return chance.pick(scalars)
  }
  return {
    t: chance.pick(['text', '', 'é', 'a b']),
    n: chance.pick([0, 3, -9, 2.5]),
    flag: chance.once(2),
    l: chance.list(0, 3, () => value(1)),
    m: { k: value(2), 'a-b': value(0), '0': 'zero' },
    'a-b': 'dash',
    'request.id': 'id-1',
  }
}

function literal(chance: Chance): string {
  return chance.pick(['plain ', '$$', '$${x}', 'é😀', '\n', '\\n', '"', '}', 'a$b'])
}

function expression(chance: Chance, kind: Kind, depth: number): string {
  // A type that does not fit is a fault to be told, too.
  const wanted = chance.once(20) ? chance.pick<Kind>(['text', 'number', 'truth', 'list', 'map']) : kind
  if (depth === 0) return leaf(chance, wanted)
  const below = (other: Kind): string => expression(chance, other, depth - 1)
  if (chance.once(6)) return `(${below(wanted)})`
  if (chance.once(6) && wanted !== 'list' && wanted !== 'map')
    return `${below('truth')} ? ${below(wanted)} : ${below(wanted)}`
  switch (wanted) {
    case 'text':
      return textual(chance, below)
    case 'number':
      if (chance.once(5)) return `-${below('number')}`
      return `${below('number')} ${chance.pick(['+', '-', '*', '/', '%'])} ${below('number')}`
    case 'truth':
      return truth(chance, below)
    default:
      return leaf(chance, wanted)
  }
}

function textual(chance: Chance, below: (kind: Kind) => string): string {
  switch (chance.below(8)) {
    case 0:
      return `"${chance.pick(texts)}\${${below('text')}}"`
    case 1:
      return `str.truncate(${below('number')}, ${below('text')})`
    case 2:
      return `str.queryEscape(${below('text')})`
    case 3:
      return `json.marshal(${below(chance.pick(['text', 'number', 'truth', 'list', 'map']))})`
    case 4:
      return `map.flatten("=", ${below('text')}, ${below('map')})`
    case 5:
      return `m[${below('text')}]`
    case 6:
      return `l[${below('number')}]`
    default:
      return `"${chance.pick(texts)}"`
  }
}

function truth(chance: Chance, below: (kind: Kind) => string): string {
  switch (chance.below(6)) {
    case 0:
      return `!${below('truth')}`
    case 1:
      return `${below('truth')} ${chance.pick(['&&', '||'])} ${below('truth')}`
    case 2:
      return `${below('number')} ${chance.pick(['<', '<=', '>', '>='])} ${below('number')}`
    case 3:
      return `regexp.matches("${chance.pick(['a', '^[a-z]+$', '(?i)A', '\\\\d+', '(', '(a*)*b'])}", ${below('text')})`
    case 4:
      return `assert(${below('truth')}, ${below('text')})`
    default: {
      const kind = chance.pick<Kind>(['text', 'number', 'truth'])
      return `${below(kind)} ${chance.pick(['==', '!='])} ${below(kind)}`
    }
  }
}

function leaf(chance: Chance, kind: Kind): string {
  switch (kind) {
    case 'text':
      return chance.pick(['t', 'a-b', 'request.id', 'm["k"]', 'l[0]', 'nope', `"${chance.pick(texts)}"`])
    case 'number':
      return chance.pick(['n', `"${chance.pick(texts)}"`, chance.pick(numbers), chance.pick(numbers)])
    case 'truth':
      return chance.pick(['flag', 'true', 'false', '"1"'])
    case 'list':
      return 'l'
    case 'map':
      return 'm'
  }
}

function spoilt(chance: Chance, text: string): string {
  const at = chance.below(text.length + 1)
  return text.slice(0, at) + chance.pick(spoilers) + text.slice(at + chance.below(2))
}
