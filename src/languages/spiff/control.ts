/** Control structures: maps whose `<<if`, `<<switch`, `<<type`, `<<for` or `<<merge` decide what they become. */
import { runFor } from './control-for.ts'
import { isLambda, newInfo } from './env.ts'
import { goQuote } from './go-text.ts'
import { Failure, type Issue, issueOf, Waiting } from './issue.ts'
import { callLambda } from './lambda.ts'
import { sameData } from './operators.ts'
import { stepInto } from './reference.ts'
import { type Below, brokenStructure, type Host, type Live, type Structure } from './site.ts'
import { type StubView, stubChild, stubHere } from './stubs.ts'
import {
  type Cell,
  cellOf,
  Dict,
  isTrue,
  List,
  onlyDefault,
  type Scope,
  type Seen,
  typeName,
  type Value,
} from './value.ts'
import { shortText } from './yaml-write.ts'

type Name = 'if' | 'switch' | 'type' | 'for' | 'merge'

const options: Readonly<Record<Name, readonly string[]>> = {
  if: ['then', 'else'],
  switch: ['default', 'cases'],
  type: ['default'],
  for: ['do', 'mapkey'],
  merge: [],
}

const optionNames = new Set(Object.values(options).flat())

function isName(word: string): word is Name {
  return Object.hasOwn(options, word)
}

export interface Control {
  readonly name: Name
  readonly fields: readonly string[]
}

/** Whether a key is meant for control: `<<word`, neither an insert nor escaped. */
export function isControlKey(key: string): boolean {
  return key.startsWith('<<') && key !== '<<' && key !== '<<<' && key[2] !== '!' && !key.startsWith('<<<!')
}

/** The control of a map with these keys, or what is wrong with it. */
export function findControl(keys: readonly string[]): Control | { readonly issue: string } | undefined {
  const words = keys.filter(isControlKey).map((key) => key.slice(2))
  if (words.length === 0) return undefined
  const unknown = words.find((word) => !isName(word) && !optionNames.has(word))
  if (unknown !== undefined) return { issue: `unknown control or control option ${goQuote(`<<${unknown}`)}` }
  const [name, second] = words.filter(isName)
  const given = words.filter((word) => optionNames.has(word))
  if (second !== undefined) return { issue: multiple(name ?? '', second) }
  if (name === undefined) return { issue: `control options [${given.join(' ')}] without control` }
  const foreign = given.find((word) => !options[name].includes(word))
  if (foreign !== undefined) return { issue: `invalid option "${foreign}" for control "${name}"` }
  return { name, fields: keys.filter((key) => !key.startsWith('<<') || key.startsWith('<<!')) }
}

function multiple(a: string, b: string): string {
  // The order of the keys in the document is lost; the conditional comes first in messages.
  const [first, second] = a === 'if' || b !== 'if' ? [a, b] : [b, a]
  return `multiple controls "<<${first}" and "<<${second}"`
}

export interface ControlPlace {
  readonly host: Host
  readonly fields: ReadonlyMap<string, Live | Cell>
  readonly scope: Scope
  readonly view: StubView
}

export type ControlResult =
  | { readonly kind: 'value'; readonly cell: Cell }
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'stuck'
      readonly below: readonly Below[]
      /** What was chosen has failed by itself: a stub may stand in for it. */
      readonly failed: boolean
    }
  | {
      readonly kind: 'failed'
      readonly issue: Issue
      readonly text: string
      readonly sign: '*' | '@' | '-'
      readonly below?: Structure
    }

const gone: ControlResult = { kind: 'gone' }

/** Evaluates a control; options and fields that are not chosen may fail. */
export function runControl(control: Control, place: ControlPlace): ControlResult {
  const text = `<${control.name} control>`
  try {
    const own = place.fields.get(`<<${control.name}`)
    const takesFields = control.name === 'switch' || control.name === 'type' || control.name === 'merge'
    if (!takesFields && control.fields.length > 0)
      return failed(`no regular fields [${control.fields.join(' ')}] allowed`, text)
    const settled = settleEntry(own)
    if (settled === 'gone' || settled.kind === 'cell')
      return decide(control, settled === 'gone' ? undefined : settled, place)
    return { kind: 'stuck', below: belowOf(own, `<<${control.name}`), failed: false }
  } catch (error) {
    if (error instanceof Waiting)
      return {
        kind: 'failed',
        issue: issueOf(error.text),
        text,
        sign: error.failed ? '-' : '@',
        below: brokenStructure([]),
      }
    if (error instanceof Failure)
      return { kind: 'failed', issue: error.issue, text, sign: '*', below: brokenStructure([]) }
    throw error
  }
}

function failed(message: string, text: string): ControlResult {
  return { kind: 'failed', issue: issueOf(message), text, sign: '*', below: brokenStructure([]) }
}

function settleEntry(entry: Live | Cell | undefined): Cell | { readonly kind: 'stuck' } | 'gone' {
  if (entry === undefined) return 'gone'
  const settled = entry.kind === 'spot' ? entry.settle() : entry
  return settled.kind === 'gone' ? 'gone' : settled
}

function belowOf(entry: Live | Cell | undefined, step: string | undefined): readonly Below[] {
  return entry?.kind === 'spot' ? [{ step, node: entry }] : []
}

function decide(control: Control, cell: Cell | undefined, place: ControlPlace): ControlResult {
  const value = cell?.value ?? null
  switch (control.name) {
    case 'if':
      if (value !== null && typeof value !== 'boolean')
        return failed(`invalid condition value type: ${typeName(value)}`, '<if control>')
      return choose(place, value === true ? '<<then' : '<<else')
    case 'switch':
      return cell === undefined ? gone : decideSwitch(value, control, place)
    case 'type':
      return decideField(cell === undefined ? 'undef' : typeName(value), control, place)
    case 'merge':
      return mergeFields(value, control, place)
    case 'for':
      return cell === undefined ? gone : runFor(value, place)
  }
}

/** The place becomes what the option or field is. */
function choose(place: ControlPlace, key: string): ControlResult {
  return chooseSeen(place.fields.get(key), key)
}

/** What is chosen moves to the place of the control; a control below that is not decided stays where it is. */
function chooseSeen(entry: Live | Cell | undefined, key: string): ControlResult {
  const settled = settleEntry(entry)
  if (settled === 'gone') return gone
  if (settled.kind === 'cell') return { kind: 'value', cell: settled }
  const failed = entry?.kind === 'spot' && hasFailed(entry)
  const undecided =
    entry?.kind === 'spot' && !failed && entry.shape().kind === 'stuck' && entry.trouble === undefined
  return { kind: 'stuck', below: belowOf(entry, undecided ? key : undefined), failed }
}

/** Whether a node, or what its controls chose, failed by itself. */
function hasFailed(node: Live): boolean {
  if (node.trouble !== undefined) return node.trouble.sign === '*'
  const [chosen] = node.below()
  return chosen?.step === undefined && chosen !== undefined && hasFailed(chosen.node)
}

function decideSwitch(value: Value, control: Control, place: ControlPlace): ControlResult {
  const cases = place.fields.get('<<cases')
  if (cases !== undefined) return decideCases(value, cases, place)
  if (value === null) return place.fields.has('<<default') ? choose(place, '<<default') : noMatch(value)
  if (typeof value !== 'string')
    return failed(`invalid switch value type: ${typeName(value)}`, '<switch control>')
  return decideField(value, control, place)
}

function decideField(name: string, control: Control, place: ControlPlace): ControlResult {
  if (control.fields.includes(name)) return choose(place, name)
  if (place.fields.has('<<default')) return choose(place, '<<default')
  return control.name === 'switch' ? noMatch(name) : failed(`invalid type: ${name}`, '<type control>')
}

function noMatch(value: Value): ControlResult {
  const shown = typeof value === 'string' ? goQuote(value) : shortText(value)
  return failed(`invalid switch value: ${shown}`, '<switch control>')
}

/** `<<cases`: the first entry whose conditions all hold. */
function decideCases(value: Value, cases: Live | Cell, place: ControlPlace): ControlResult {
  for (let i = 0; ; i++) {
    const entry: Seen | undefined = stepInto(cases, `[${i}]`)
    if (entry === undefined) break
    const fault = caseFault(entry, i)
    if (fault !== undefined) return failed(fault, '<switch control>')
    if (caseHolds(entry, value, i, place))
      return chooseSeen(stepInto(entry, 'value') as Live | Cell | undefined, `<<cases.[${i}].value`)
  }
  return place.fields.has('<<default') ? choose(place, '<<default') : noMatch(value)
}

function caseFault(entry: Seen, index: number): string | undefined {
  const raw = entry.kind === 'cell' ? entry : (entry as Live).raw
  if (!(raw.value instanceof Dict)) return `case ${index} must be a map`
  const { keys } = raw.value
  const unknown = keys.find((key) => key !== 'case' && key !== 'match' && key !== 'value')
  if (unknown !== undefined) return `case ${index} invalid field "${unknown}"`
  if (!keys.includes('case') && !keys.includes('match'))
    return `case ${index} requires 'case' or \`'match' field`
  return undefined
}

function caseHolds(entry: Seen, value: Value, index: number, place: ControlPlace): boolean {
  const wanted = settledOption(entry, 'case')
  if (wanted !== undefined && !sameData(wanted.value, value)) return false
  const match = settledOption(entry, 'match')
  if (match === undefined) return wanted !== undefined
  const lambda = match.value
  // Whatever is no lambda counts by its truth.
  if (!isLambda(lambda)) return isTrue(lambda)
  const env = { ...place.host.env(newInfo()), scope: place.scope }
  const result = callLambda(lambda, [value], env)
  if (typeof result !== 'boolean') throw new Failure(issueOf(`case ${index} match must evaluate to bool`))
  return result
}

function settledOption(entry: Seen, key: string): Cell | undefined {
  const seen = stepInto(entry, key)
  const settled = seen?.kind === 'spot' ? seen.settle() : seen
  if (settled?.kind === 'stuck') throw new Waiting(`'${key}' unresolved`, settled.failed)
  return settled?.kind === 'cell' ? settled : undefined
}

/** `<<merge`: a map or list of maps over the regular fields, which may fail where they are overwritten. */
function mergeFields(value: Value, control: Control, place: ControlPlace): ControlResult {
  const over = new Map<string, Cell>()
  const maps = value instanceof List ? value.cells.map((cell) => cell.value) : [value]
  for (const [i, map] of maps.entries()) {
    if (map instanceof Dict) for (const [key, cell] of map.cells) over.set(key, cell)
    else if (map !== null)
      return failed(
        value instanceof List
          ? `entry ${i}: invalid entry type: ${typeName(value)}`
          : `invalid value type: ${typeName(value)}`,
        '<merge control>',
      )
  }
  const cells = new Map<string, Cell>()
  const open: Below[] = []
  for (const key of control.fields) {
    const entry = place.fields.get(key)
    const settled = settleRegular(entry, key, place)
    if (settled === 'gone') continue
    if (settled.kind === 'cell') cells.set(key, settled)
    else if (!(over.has(key) && entry?.kind === 'spot' && hasFailed(entry)))
      for (const one of belowOf(entry, key)) open.push(one)
  }
  if (open.length > 0) return { kind: 'stuck', below: open, failed: false }
  return { kind: 'value', cell: cellOf(new Dict(new Map([...cells, ...over])), place.host.raw.source) }
}

/** A stub stands in for a regular field that fails. */
function settleRegular(
  entry: Live | Cell | undefined,
  key: string,
  place: ControlPlace,
): ReturnType<typeof settleEntry> {
  const settled = settleEntry(entry)
  if (settled === 'gone' || settled.kind === 'cell' || entry?.kind !== 'spot' || !hasFailed(entry))
    return settled
  const stub = stubHere(stubChild(place.view, key))
  return stub === undefined || onlyDefault(stub.flags) ? settled : stub
}
