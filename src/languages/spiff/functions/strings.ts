/** Functions on strings: joining, splitting, replacing, matching. Offsets and lengths count bytes. */
import type { Call, SpiffFunction } from '../env.ts'
import { isLambda } from '../env.ts'
import { byteLength, bytesOf, textOf } from '../go-text.ts'
import { failure } from '../issue.ts'
import { callLambda } from '../lambda.ts'
import { Dict, type Lambda, List, type Value } from '../value.ts'
import { count, integer, newList, simple, text } from './arguments.ts'
import { groupNames, matches, pattern } from './pattern.ts'

export const stringFunctions: readonly (readonly [string, SpiffFunction])[] = [
  ['join', join],
  ['split', split],
  ['split_match', splitMatch],
  ['trim', trim],
  ['replace', replace],
  ['replace_match', replaceMatch],
  ['match', match],
  ['substr', substr],
  ['length', length],
  ['upper', (call) => mapRunes(call, (sign) => (single(sign.toUpperCase()) ? sign.toUpperCase() : sign))],
  ['lower', (call) => mapRunes(call, (sign) => (single(sign.toLowerCase()) ? sign.toLowerCase() : sign))],
]

function join(call: Call): Value {
  const given = call.args.filter((value) => value !== null)
  if (call.args.length === 0) return failure('')
  const separator = simple(given[0])
  if (separator === undefined) return failure('first argument for join must be a string')
  const parts = given.slice(1).flatMap((value, i): readonly string[] => {
    const plain = simple(value)
    if (plain !== undefined) return [plain]
    if (!(value instanceof List)) return failure(`argument ${i + 1} to join must be simple value or list`)
    return value.cells.map(
      (cell) => simple(cell.value) ?? failure(`elements of list(arg ${i + 1}) to join must be simple values`),
    )
  })
  const total = parts.reduce((sum, part) => sum + part.length + separator.length, 0)
  call.env.run.budget.text(total)
  return parts.join(separator)
}

function limitOf(call: Call, index: number): number {
  const value = call.args[index]
  if (value === undefined) return -1
  return Number(integer(value, `third argument for ${call.name} must be an integer`))
}

function split(call: Call): Value {
  count(call, 2, 3, 'split takes 2 or 3 arguments')
  const [separator, subject] = call.args
  if (typeof separator !== 'string' && typeof separator !== 'bigint')
    return failure('first argument for split must be a string')
  const whole = text(subject, 'second argument for split must be a string')
  const limit = limitOf(call, 2)
  if (typeof separator === 'bigint') {
    if (separator <= 0n) return failure('max line length argument must be positive')
    return newList(call, chunks(whole, Number(separator), limit))
  }
  return newList(call, splitText(whole, separator, limit))
}

/** Go's SplitN: no limit below 0, nothing at 0. */
function splitText(whole: string, separator: string, limit: number): readonly string[] {
  if (limit === 0) return []
  const parts = separator === '' ? [...whole] : whole.split(separator)
  if (limit < 0 || parts.length <= limit) return parts
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)]
}

function chunks(whole: string, size: number, limit: number): readonly string[] {
  if (limit === 0) return []
  const runes = [...whole]
  const parts: string[] = []
  for (let at = 0; at < runes.length; at += size) {
    if (limit > 0 && parts.length === limit - 1) return [...parts, runes.slice(at).join('')]
    parts.push(runes.slice(at, at + size).join(''))
  }
  return parts
}

/** Go's Regexp.Split. */
function splitMatch(call: Call): Value {
  count(call, 2, 3, 'split_match takes 2 or 3 arguments')
  const source = text(call.args[0], 'first argument for split_match must be a string')
  const whole = text(call.args[1], 'second argument for split_match must be a string')
  const limit = limitOf(call, 2)
  const re = pattern(call, source, whole.length)
  if (limit === 0) return newList(call, [])
  if (source !== '' && whole === '') return newList(call, [''])
  const parts: string[] = []
  let from = 0
  let end = 0
  for (const found of matches(re, whole, Number.POSITIVE_INFINITY)) {
    if (limit > 0 && parts.length === limit - 1) break
    end = found.start
    if (found.end !== 0) parts.push(whole.slice(from, end))
    from = found.end
  }
  if (end !== whole.length) parts.push(whole.slice(from))
  return newList(call, parts)
}

function trim(call: Call): Value {
  count(call, 1, 2, 'split takes one or two arguments')
  const [subject, cutset] = call.args
  const signs = cutset === undefined ? ' \t' : text(cutset, 'second argument for trim must be a string')
  const cut = new Set(signs)
  if (typeof subject === 'string') return trimmed(subject, cut)
  if (!(subject instanceof List)) return failure('trim accepts only a string or list')
  return newList(
    call,
    subject.cells.map(({ value }) =>
      trimmed(text(value, 'list elements must be strings to be trimmed'), cut),
    ),
  )
}

function trimmed(subject: string, cut: ReadonlySet<string>): string {
  const runes = [...subject]
  let from = 0
  let to = runes.length
  while (from < to && cut.has(runes[from] ?? '')) from++
  while (to > from && cut.has(runes[to - 1] ?? '')) to--
  return runes.slice(from, to).join('')
}

interface Replacement {
  readonly subject: string
  readonly search: string
  readonly by: string | Lambda
  readonly most: number
}

function replacement(call: Call, [a, b]: readonly [number, number]): Replacement {
  if (call.args.length < 3) return failure(`${call.name} requires at least 3 arguments`)
  if (call.args.length > 4) return failure(`${call.name} requires at most 4 arguments`)
  const order = ['first', 'second']
  const subject = text(call.args[a], `${order[a]} argument for ${call.name} must be a string`)
  const search = text(call.args[b], `${order[b]} argument for ${call.name} must be a string`)
  const [, , by, most] = call.args
  if (typeof by !== 'string' && !isLambda(by ?? null))
    return failure(`third argument for ${call.name} must be a string or lambda`)
  const limit =
    most === undefined ? -1 : Number(integer(most, `fourth argument for ${call.name} must be an integer`))
  return { subject, search, by: by as string | Lambda, most: limit < 0 ? Number.POSITIVE_INFINITY : limit }
}

function replace(call: Call): Value {
  const { subject, search, by, most } = replacement(call, [0, 1])
  if (search === '') return replaceBetween(call, { subject, by, most })
  const parts = subject.split(search)
  if (parts.length - 1 > most) parts.splice(most, parts.length, parts.slice(most).join(search))
  const middle = typeof by === 'string' ? by : undefined
  if (middle !== undefined) {
    call.env.run.budget.text(subject.length + middle.length * parts.length)
    return parts.join(middle)
  }
  return assemble(call, parts, () => lambdaText(call, by as Lambda, [search]))
}

/** An empty text stands before, between and after the signs. */
function replaceBetween(call: Call, { subject, by, most }: Omit<Replacement, 'search'>): string {
  const parts = ['', ...subject, '']
  if (subject === '') parts.pop()
  const limit = Math.min(most, parts.length - 1)
  const head = parts.slice(0, limit)
  const kept = limit === 0 ? [subject] : [...head, parts.slice(limit).join('')]
  return assemble(call, kept, () => (typeof by === 'string' ? by : lambdaText(call, by, [''])))
}

function assemble(call: Call, parts: readonly string[], between: () => string): string {
  let out = parts[0] ?? ''
  for (const part of parts.slice(1)) {
    const added = between() + part
    out += added
    call.env.run.budget.text(out.length, added.length)
  }
  return out
}

function lambdaText(call: Call, lambda: Lambda, found: readonly string[]): string {
  const result = callLambda(lambda, [newList(call, found)], call.env)
  return text(result, `${call.name}: replace: lambda must return a string`)
}

/** Searches again on the rest after each match, so that anchors match again. */
function replaceMatch(call: Call): Value {
  const { subject, search, by, most } = replacement(call, [0, 1])
  const re = pattern(call, search, 0)
  const names = groupNames(re)
  let rest = subject
  let out = ''
  let touched = false
  for (let done = 0; done < most; ) {
    const [found] = matches(re, rest, 1)
    call.env.run.budget.match(search.length, found?.end ?? rest.length)
    if (found === undefined) break
    const empty = found.end === found.start
    const width = (rest.codePointAt(found.end) ?? 0) > 0xffff ? 2 : 1
    if (!(empty && found.start === 0 && touched)) {
      const groups = found.groups.map((group) => group ?? '')
      out += rest.slice(0, found.start)
      out += typeof by === 'string' ? expand(by, groups, names) : lambdaText(call, by, groups)
      done++
    } else out += rest.slice(0, found.start)
    call.env.run.budget.text(out.length, found.end)
    if (empty && found.end >= rest.length) return out
    const next = empty ? found.end + width : found.end
    out += empty ? rest.slice(found.end, next) : ''
    rest = rest.slice(next)
    // An empty match right behind a match is none.
    touched = !empty
  }
  return out + rest
}

/** Go's Expand: `$1`, `${1}`, `$name`, `$$`. */
function expand(template: string, groups: readonly string[], names: ReadonlyMap<string, number>): string {
  return template.replace(/\$(?:\$|\{([^}]*)\}|([A-Za-z0-9_]+))/g, (_, braced?: string, plain?: string) => {
    const name = braced ?? plain
    if (name === undefined) return '$'
    const index = /^[0-9]+$/.test(name) ? Number(name) : names.get(name)
    return index === undefined ? '' : (groups[index] ?? '')
  })
}

function match(call: Call): Value {
  count(call, 2, 3, 'match takes two or three arguments')
  const source = text(call.args[0], 'pattern string for argument one of function match required')
  const [, given, repeat] = call.args
  if (given === null) return false
  const subject = simple(given)
  if (subject === undefined) return failure('simple value for argument two of function match required')
  const re = pattern(call, source, subject.length)
  if (repeat === undefined) {
    const [found] = matches(re, subject, 1)
    return newList(call, found === undefined ? [] : found.groups.map((group) => group ?? ''))
  }
  const most = repetitions(repeat)
  return newList(
    call,
    matches(re, subject, most).map(({ groups }) =>
      newList(
        call,
        groups.map((group) => group ?? ''),
      ),
    ),
  )
}

function repetitions(repeat: Value): number {
  if (repeat === true) return Number.POSITIVE_INFINITY
  if (repeat === false) return 1
  const given = integer(repeat, 'repetition count must be an integer or bool')
  if (given === 0n) return failure('repetition count may not be zero')
  return given < 0n ? Number.POSITIVE_INFINITY : Number(given)
}

function substr(call: Call): Value {
  count(call, 2, 3, 'substr takes two to three arguments')
  const subject = text(call.args[0], 'first argument for substr must be a string')
  const bytes = bytesOf(subject)
  const size = bytes.length
  const position = (value: bigint): number => (value < 0n ? Number(value) + size : Number(value))
  const start = position(integer(call.args[1], 'second argument for substr must be an integer'))
  const last = call.args[2]
  const end =
    last === undefined ? size : position(integer(last, 'third argument for substr must be an integer'))
  if (start < 0) return failure(`negative substr effective start index (${start})`)
  if (start > end) return failure(`substr start index (${start}) aftsre end index (${end}) `)
  if (end > size) return failure(`substr effective end index (${end}) exceeds string length (${size})`)
  return textOf(bytes.subarray(start, end))
}

function length(call: Call): Value {
  count(call, 1, 1, 'length takes exactly 1 argument')
  const [value] = call.args
  if (typeof value === 'string') return BigInt(byteLength(value))
  if (value instanceof List) return BigInt(value.size)
  return value instanceof Dict ? BigInt(value.cells.size) : failure('invalid type for function length')
}

function mapRunes(call: Call, map: (sign: string) => string): Value {
  count(call, 1, 1, `${call.name} requires one argument`)
  const subject = text(call.args[0], `first argument for ${call.name} must be a string`)
  // In ASCII no sign becomes several.
  if (!/[^\0-\x7f]/.test(subject))
    return call.name === 'upper' ? subject.toUpperCase() : subject.toLowerCase()
  return Array.from(subject, map).join('')
}

function single(text: string): boolean {
  return [...text].length === 1
}
