/** Compares what was answered with what a case wants: literals, subsets of objects, and `$` matchers. */
import { deepEqual, isObject, type Json, type JsonObject, pointer } from '../../kit/json.ts'
import { repeated } from '../../kit/repeated.ts'
import { shorten } from '../../kit/text.ts'
import { fail } from '../../model/problem.ts'

export interface Mismatch {
  /** JSON pointer into what was compared. */
  readonly pointer: string
  readonly message: string
}

/** Everything in which a value differs from what is wanted; nothing when it fits. */
export function match(wanted: Json, value: unknown, at = ''): readonly Mismatch[] {
  if (typeof wanted === 'string' && wanted.startsWith('$')) return matchWord(wanted, value, at)
  if (Array.isArray(wanted)) return matchList(wanted, value, at)
  if (isObject(wanted)) return matchObject(wanted as JsonObject, value, at)
  return deepEqual(wanted, value) ? [] : [differs(at, say(wanted), value)]
}

const words: Readonly<Record<string, readonly [what: string, test: (value: unknown) => boolean]>> = {
  $string: ['a string', (value) => typeof value === 'string'],
  $nonempty: ['a non-empty string', (value) => typeof value === 'string' && value !== ''],
  $object: ['an object', isObject],
  $array: ['a list', Array.isArray],
  $boolean: ['a boolean', (value) => typeof value === 'boolean'],
  $integer: ['an integer', Number.isInteger],
  $any: ['anything', (value) => value !== undefined],
  $absent: ['nothing', (value) => value === undefined],
}

function matchWord(word: string, value: unknown, at: string): readonly Mismatch[] {
  const optional = word.endsWith('?')
  if (optional && value === undefined) return []
  const [what, test] = words[optional ? word.slice(0, -1) : word] ?? unknownMatcher(word)
  return test(value) ? [] : [differs(at, what, value)]
}

function matchList(wanted: readonly Json[], value: unknown, at: string): readonly Mismatch[] {
  if (!Array.isArray(value) || value.length !== wanted.length) return [differs(at, say(wanted), value)]
  return wanted.flatMap((item, i) => match(item, value[i], pointer(at, i)))
}

function matchObject(wanted: JsonObject, value: unknown, at: string): readonly Mismatch[] {
  if (value === undefined && wanted['$optional'] === true) return []
  const rules = Object.entries(wanted).filter(([key]) => key.startsWith('$'))
  const members = Object.entries(wanted).filter(([key]) => !key.startsWith('$'))
  const broken = rules.flatMap(([key, rule]) => (matchers[key] ?? unknownMatcher(key))(rule, value, at))
  if (members.length === 0 && rules.length > 0) return broken
  if (!isObject(value)) return [...broken, differs(at, 'an object', value)]
  const own = (key: string): unknown => (Object.hasOwn(value, key) ? value[key] : undefined)
  return [...broken, ...members.flatMap(([key, item]) => match(item, own(key), pointer(at, key)))]
}

type Matcher = (rule: Json, value: unknown, at: string) => readonly Mismatch[]

const matchers: Readonly<Record<string, Matcher>> = {
  $optional: () => [],
  $match: (rule, value, at) =>
    typeof value === 'string' && new RegExp(String(rule)).test(value)
      ? []
      : [differs(at, `a text like ${String(rule)}`, value)],
  $maxLength: (rule, value, at) =>
    typeof value === 'string' && value !== '' && value.length <= Number(rule)
      ? []
      : [differs(at, `a non-empty text of at most ${say(rule)} characters`, value)],
  $oneOf: (rule, value, at) =>
    listOf(rule).some((item) => match(item, value, at).length === 0)
      ? []
      : [differs(at, `one of ${say(rule)}`, value)],
  $not: (rule, value, at) =>
    match(rule, value, at).length > 0 ? [] : [differs(at, `anything but ${say(rule)}`, value)],
  $each: (rule, value, at) =>
    Array.isArray(value)
      ? value.flatMap((item, i) => match(rule, item, pointer(at, i)))
      : [differs(at, 'a list', value)],
  $contains: (rule, value, at) =>
    Array.isArray(value) && value.some((item) => match(rule, item, at).length === 0)
      ? []
      : [differs(at, `a list that contains ${say(rule)}`, value)],
  $minItems: (rule, value, at) =>
    Array.isArray(value) && value.length >= Number(rule)
      ? []
      : [differs(at, `a list of at least ${say(rule)}`, value)],
  $minKeys: (rule, value, at) =>
    isObject(value) && Object.keys(value).length >= Number(rule)
      ? []
      : [differs(at, `an object of at least ${say(rule)} members`, value)],
  $min: (rule, value, at) =>
    typeof value === 'number' && value >= Number(rule) ? [] : [differs(at, `at least ${say(rule)}`, value)],
  $range: (rule, value, at) => {
    const [from, to] = listOf(rule).map(Number)
    const inside = typeof value === 'number' && value >= (from ?? 0) && value <= (to ?? 0)
    return inside ? [] : [differs(at, `a number from ${from} to ${to}`, value)]
  },
  $uniqueBy: (rule, value, at) => {
    if (!Array.isArray(value)) return [differs(at, 'a list', value)]
    const keys = value.map((item) => (isObject(item) ? JSON.stringify(item[String(rule)]) : ''))
    const [twice] = repeated(keys)
    return twice === undefined ? [] : [{ pointer: at, message: `${String(rule)} ${twice} occurs twice` }]
  },
  $onlyKeys: (rule, value, at) => {
    if (!isObject(value)) return [differs(at, 'an object', value)]
    return Object.keys(value)
      .filter((key) => !listOf(rule).includes(key))
      .map((key) => ({ pointer: pointer(at, key), message: 'must not be there' }))
  },
}

function differs(at: string, wanted: string, value: unknown): Mismatch {
  return { pointer: at, message: `expected ${wanted}, got ${say(value)}` }
}

function say(value: unknown): string {
  return value === undefined ? 'nothing' : shorten(JSON.stringify(value) ?? String(value), 200)
}

function listOf(rule: Json): readonly Json[] {
  return Array.isArray(rule) ? rule : [rule]
}

function unknownMatcher(name: string): never {
  return fail('conformance.case-invalid', `there is no matcher ${name}`)
}
