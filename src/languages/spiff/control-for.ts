/** `<<for`: the body once per combination of the ranges, as a list or, with `<<mapkey`, as a map. */
import type { Budget } from './budget.ts'
import { type Env, newInfo, withLocals } from './env.ts'
import { extentOfIssue, Failure, failure, type Issue, issueOf } from './issue.ts'
import { shorten } from './lambda.ts'
import { brokenStructure, type Host, type Live } from './site.ts'
import {
  byBytes,
  type Cell,
  cellOf,
  Dict,
  extentOf,
  isLive,
  List,
  looksLikeCode,
  type Scope,
  typeName,
  type Value,
} from './value.ts'
import { shortText } from './yaml-write.ts'

interface Range {
  readonly name: string
  readonly index: string
  readonly entries: readonly { readonly at: Value; readonly cell: Cell }[]
}

interface Place {
  readonly host: Host
  readonly fields: ReadonlyMap<string, Live | Cell>
  readonly scope: Scope
}

type Result =
  | { readonly kind: 'value'; readonly cell: Cell }
  | {
      readonly kind: 'failed'
      readonly issue: Issue
      readonly text: string
      readonly sign: '*'
      readonly below: ReturnType<typeof brokenStructure>
    }

/** Evaluates the control; the ranges are settled. */
export function runFor(value: Value, place: Place): Result {
  const ranges = value instanceof Dict ? rangesOfMap(value) : rangesOfList(value)
  const body = rawOf(place.fields.get('<<do'))
  if (body === undefined) return failure('do field required')
  const key = rawOf(place.fields.get('<<mapkey'))
  if (key !== undefined && !(typeof key.value === 'string' && looksLikeCode(key.value)))
    return failure('mapkey must be an expression')
  return iterate(ranges, body, key, place)
}

function rawOf(entry: Live | Cell | undefined): Cell | undefined {
  return entry?.kind === 'spot' ? entry.raw : entry
}

/** `var` or `index,var`; the value variables in order, the first is the outermost. */
function rangesOfMap(value: Dict): readonly Range[] {
  const ranges = value.keys.map((key) => {
    const comma = key.indexOf(',')
    const name = (comma < 0 ? key : key.slice(comma + 1)).trim()
    const index = comma < 0 ? `index-${name}` : key.slice(0, comma).trim()
    return { name, index, entries: entriesOf(name, value.get(key)?.value ?? null) }
  })
  return ranges.sort((a, b) => byBytes(a.name, b.name) || byBytes(a.index, b.index))
}

function rangesOfList(value: Value): readonly Range[] {
  if (!(value instanceof List)) return failure(`value field must be map or list but got ${typeName(value)}`)
  return value.cells.map((cell) => {
    const spec = cell.value
    if (!(spec instanceof Dict))
      return failure(`control variable list entry requires map but got ${typeName(spec)}`)
    const odd = spec.keys.find((key) => key !== 'name' && key !== 'values' && key !== 'index')
    if (odd !== undefined) return failure(`control variable list entry has invalid field "${odd}"`)
    const name = spec.get('name')?.value
    const index = spec.get('index')?.value
    if (name === undefined) return failure('control variable list entry requires name field')
    if (typeof name !== 'string')
      return failure(`control variable name must be of type string but got ${typeName(name)}`)
    if (index !== undefined && typeof index !== 'string')
      return failure(`control variable index must be of type string but got ${typeName(index)}`)
    const values = spec.get('values')
    if (values === undefined) return failure('control variable list entry requires values field')
    return { name, index: index ?? `index-${name}`, entries: entriesOf(name, values.value) }
  })
}

function entriesOf(name: string, value: Value): Range['entries'] {
  if (value instanceof List) return value.cells.map((cell, i) => ({ at: BigInt(i), cell }))
  if (value instanceof Dict)
    return value.keys.map((key) => ({ at: key, cell: value.get(key) ?? cellOf(null, '') }))
  return failure(`control variable "${name}" requires list or map value, but got ${typeName(value)}`)
}

type Combination = readonly { readonly range: Range; readonly entry: Range['entries'][number] }[]

function* combinations(ranges: readonly Range[]): Generator<Combination> {
  const [first, ...rest] = ranges
  if (first === undefined) {
    yield []
    return
  }
  for (const entry of first.entries)
    for (const inner of combinations(rest)) yield [{ range: first, entry }, ...inner]
}

function iterate(ranges: readonly Range[], body: Cell, key: Cell | undefined, place: Place): Result {
  const { host } = place
  const { budget } = host.site.level.run
  const { source } = host.raw
  const list: Cell[] = []
  const map = new Map<string, Cell>()
  const issues: Issue[] = []
  // Where one range is empty there is no combination, however long the others are.
  const isEmpty = ranges.some(({ entries }) => entries.length === 0)
  for (const combination of isEmpty ? [] : combinations(ranges)) {
    budget.make(1)
    const env = environment(combination, place)
    try {
      const name = key === undefined ? '' : keyOf(key, env, place)
      if (name === undefined) continue
      const cell = instantiate(body, env, { place, option: '<<do' })
      if (cell === undefined) continue
      const result = { ...cellOf(cell.value, source), flags: cell.flags, place: body.place }
      if (key === undefined) list.push(result)
      else map.set(name, result)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const issue = { ...error.issue, text: `${variables(combination, budget)}: ${error.issue.text}` }
      budget.tell(extentOfIssue(issue))
      issues.push(issue)
    }
  }
  if (issues.length > 0) {
    const issue = issueOf('error evaluating body', issues)
    return { kind: 'failed', issue, text: '<map>', sign: '*', below: brokenStructure([]) }
  }
  return { kind: 'value', cell: cellOf(key === undefined ? new List(list) : new Dict(map), source) }
}

function environment(combination: Combination, { host, scope }: Place): Env {
  const names = new Map<string, Cell>()
  for (const { range, entry } of combination) {
    names.set(range.name, entry.cell)
    names.set(range.index, cellOf(entry.at, 'for'))
  }
  return withLocals({ ...host.env(newInfo()), scope }, names)
}

function variables(combination: Combination, budget: Budget): string {
  for (const { entry } of combination) budget.pass(extentOf(entry.cell.value))
  const shown = [...combination]
    .reverse()
    .map(
      ({ range, entry }) => ` ${range.name}[${shortText(entry.at)}]=${shorten(shortText(entry.cell.value))}`,
    )
  return `control variables: ${shown.join(';')}`
}

function keyOf(key: Cell, env: Env, place: Place): string | undefined {
  const cell = instantiate(key, env, { place, option: '<<mapkey' })
  if (cell === undefined || cell.value === null) return undefined
  if (typeof cell.value !== 'string')
    return failure(`map key must be string, but found ${typeName(cell.value)}`)
  return cell.value
}

/** The option is a template; undefined results leave nothing. */
function instantiate(
  raw: Cell,
  env: Env,
  { place, option }: { place: Place; option: string },
): Cell | undefined {
  if (!isLive(raw.value)) return raw
  const { cell, undefined: gone } = env.run.fragment(raw, env, {
    message: () => `resolution of template '${[...place.host.path(), option].join('.')}' failed`,
  })
  return gone ? undefined : cell
}
