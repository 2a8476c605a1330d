/** Runs one case of the spiff corpus and compares the outcome. */
import { isDeepStrictEqual } from 'node:util'
import { interpolate, unescapeText } from '../../../src/languages/spiff/detect.ts'
import { defines, flowSpiff, processSpiff, readSpiff } from '../../../src/languages/spiff/index.ts'
import type { SpiffOptions, SpiffResult } from '../../../src/languages/spiff/index.ts'
import { parseExpression } from '../../../src/languages/spiff/parser.ts'
import { printExpr } from '../../../src/languages/spiff/print.ts'
import { neutral } from './neutral.ts'
import { corpusPorts } from './ports.ts'

export interface Case {
  readonly name: string
  readonly mode: string
  readonly template?: string
  readonly template_name?: string
  readonly stubs?: readonly string[]
  readonly stub_names?: readonly string[]
  readonly features?: readonly string[]
  readonly bindings?: Readonly<Record<string, unknown>>
  readonly defines?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly private?: boolean
  readonly partial?: boolean
  readonly preserveEscapes?: boolean
  readonly preserveTemporary?: boolean
  readonly state?: boolean
  readonly state_yaml?: string
  readonly expected?: string
  readonly expected_flow?: boolean
  readonly stubs_flow?: readonly boolean[]
  readonly expected_subset?: boolean
  readonly result?: unknown
  readonly yaml?: string
  readonly docs?: readonly string[]
  readonly error?: boolean | string
  readonly error_exact?: boolean
  readonly error_unordered?: boolean
  readonly error_kind?: string
  /** Every node the original lists: source, path, class. */
  readonly failing?: readonly (readonly [source: string, path: string, sign: string])[]
  readonly source?: string
  readonly input?: string
  readonly path?: readonly string[]
  readonly ast?: unknown
  readonly printed?: string
  /** Nodes that fail in the original only. */
  readonly mayPass?: readonly string[]
  readonly bug?: string
  readonly recommended?: string
  readonly recommended_error?: boolean | string
  readonly verified?: boolean
  /** Fewer evaluations than usual, where there is no end. */
  readonly stepsMax?: number
}

/** Undefined when the outcome is the wanted one, else what is different. */
export function judge(item: Case, file: string): string | undefined {
  switch (item.mode) {
    case 'parse':
      return judgeParse(item)
    case 'interpolation':
      return compareText(interpolate(item.input ?? '') ?? item.input ?? '', item.expected ?? '')
    case 'interpolation_unescape':
      return compareText(unescapeText(item.input ?? '', true), item.expected ?? '')
    default:
      return judgeRun(item, file)
  }
}

function compareText(actual: string, wanted: string): string | undefined {
  return actual === wanted ? undefined : `got    ${JSON.stringify(actual)}\nwanted ${JSON.stringify(wanted)}`
}

function judgeParse(item: Case): string | undefined {
  const parsed = parseExpression(item.source ?? '')
  if (item.error) return 'fault' in parsed ? undefined : `parsed: ${printExpr(parsed.expr)}`
  if ('fault' in parsed) return parsed.fault.message
  const tree = neutral(parsed.expr, item.path ?? [])
  if (!isDeepStrictEqual(tree, item.ast)) return `got    ${JSON.stringify(tree)}\nwanted ${JSON.stringify(item.ast)}`
  return item.printed === undefined ? undefined : compareText(printExpr(parsed.expr), item.printed)
}

function judgeRun(item: Case, file: string): string | undefined {
  const result = runCase(item, file)
  const deviation = file.endsWith('deviations.json')
  if (deviation && item.recommended === undefined && !item.recommended_error) {
    // The decision leaves open what comes out; it must be a value or an ordinary error.
    return undefined
  }
  const wantsError = deviation ? item.recommended_error : item.error
  const { mayPass } = item
  if (mayPass !== undefined && result.kind === 'done' && item.failing?.every(([, path]) => mayPass.includes(path))) return undefined
  if (wantsError) return judgeError(item, result, wantsError)
  if (result.kind === 'failed') return result.fault.message
  if (item.docs !== undefined) {
    const docs = result.documents.map((document) => document?.yaml() ?? '')
    return isDeepStrictEqual(docs, item.docs) ? undefined : `got    ${JSON.stringify(docs)}\nwanted ${JSON.stringify(item.docs)}`
  }
  return judgeDocument(item, result, deviation)
}

function judgeDocument(item: Case, result: Extract<SpiffResult, { kind: 'done' }>, deviation: boolean): string | undefined {
  const document = result.documents[0]
  if (item.state_yaml !== undefined && result.state?.yaml() !== item.state_yaml)
    return `state\ngot    ${JSON.stringify(result.state?.yaml())}\nwanted ${JSON.stringify(item.state_yaml)}`
  if (!deviation && item.yaml !== undefined) return compareText(document?.yaml() ?? '', item.yaml)
  const actual = JSON.stringify(plain(document?.value ?? null))
  const wanted = JSON.stringify(plain(wantedValue(item, deviation)))
  if (item.expected_subset) return judgeSubset(plain(document?.value ?? null), plain(wantedValue(item, false)))
  return actual === wanted ? undefined : `got    ${actual}\nwanted ${wanted}`
}

function judgeSubset(actual: unknown, wanted: unknown): string | undefined {
  const all = actual as Record<string, unknown>
  const missing = Object.entries(wanted as Record<string, unknown>).filter(([key, value]) => JSON.stringify(all[key]) !== JSON.stringify(value))
  return missing.length === 0 ? undefined : `different: ${JSON.stringify(missing)}\nin ${JSON.stringify(actual)}`
}

function wantedValue(item: Case, deviation: boolean): unknown {
  if (deviation) return readValue(item.recommended ?? '')
  if (item.expected_subset || item.result === undefined) {
    if (item.expected_flow) return flowValue(item.expected ?? '', item)
    return readValue(item.expected ?? '')
  }
  return item.result
}

function flowValue(text: string, item: Case): unknown {
  const result = flowSpiff({ name: 'expected', text }, [], optionsOf(item))
  return result.kind === 'done' ? result.documents[0]?.value : result.fault.message
}

function readValue(text: string): unknown {
  const result = readSpiff({ name: 'expected', text })
  return result.kind === 'done' ? result.documents[0]?.value : result.fault.message
}

/** Data that compares as JSON: numbers of both kinds alike, keys in order. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, plain(item)]))
}

function judgeError(item: Case, result: SpiffResult, wanted: boolean | string): string | undefined {
  if (result.kind === 'done') return `no error, got ${JSON.stringify(plain(result.documents[0]?.value ?? null))}`
  if (item.failing !== undefined) return judgeFailing(result, item)
  if (wanted === true || item.error_exact === false || item.verified === false) return undefined
  const actual = result.fault.message
  if (item.error_unordered) return compareText(sortLines(actual), sortLines(String(wanted)))
  return compareText(actual, String(wanted))
}

type Node = readonly [source: string, path: string, sign: string]

/** Nodes and classes. With controls the original also lists branches that were not chosen, and then not the control itself. */
function judgeFailing(result: Extract<SpiffResult, { kind: 'failed' }>, { failing = [], features = [], mayPass = [], template = '' }: Case): string | undefined {
  const { kind, message, unresolved } = result.fault
  if (kind !== 'unresolved') return `not ${kind}: ${message}`
  const counts = ([, path]: Node): boolean => !mayPass.includes(path)
  const actual = unresolved.map(({ source, path, sign }): Node => [source, path, sign]).filter(counts)
  const wanted = failing.filter(counts)
  const controls = features.includes('control') && template.includes('<<')
  if (controls ? actual.every((node) => isListed(node, failing)) : isDeepStrictEqual(lines(actual), lines(wanted))) return undefined
  return `got\n  ${lines(actual).join('\n  ')}\nwanted\n  ${lines(wanted).join('\n  ')}\n${message}`
}

function lines(nodes: readonly Node[]): readonly string[] {
  return nodes.map(([source, path, sign]) => `${sign} ${source} ${path}`).sort()
}

/** A node that fails, or one below it; what waits for a control is copied as a failure by the original. */
function isListed([source, path, sign]: Node, wanted: readonly Node[]): boolean {
  return sign !== '*' || wanted.some((other) => other[0] === source && (other[1] === path || other[1].startsWith(`${path}.`)))
}

function sortLines(text: string): string {
  return text.split('\n').sort().join('\n')
}

function optionsOf(item: Case): SpiffOptions {
  return {
    interpolation: item.features?.includes('interpolation') ?? false,
    control: item.features?.includes('control') ?? false,
    bindings: item.defines === undefined ? (item.bindings ?? {}) : defines(item.defines),
    partial: item.partial ?? false,
    preserveEscapes: item.preserveEscapes ?? false,
    preserveTemporary: item.preserveTemporary ?? false,
    ports: corpusPorts(item),
    // The clock has to do with how busy the machine is.
    limits: { elementsMax: 20_000_000, stepsMax: item.stepsMax ?? 50_000_000, syncRoundsMax: 1_000_000, millisecondsMax: 120_000 },
  }
}

function runCase(item: Case, file: string): SpiffResult {
  const own = !file.includes('tests-')
  const template = { name: item.template_name ?? (own ? 'template' : 'test'), text: item.template ?? '' }
  const stubs = (item.stubs ?? []).map((text, i) => ({ name: item.stub_names?.[i] ?? (own ? `stub${i + 1}` : 'test'), text }))
  if (item.mode === 'yaml') return readSpiff(template)
  let options: SpiffOptions
  try {
    options = optionsOf(item)
  } catch (error) {
    return { kind: 'failed', fault: { kind: 'unresolved', message: String((error as Error).message ?? error), unresolved: [] } }
  }
  if (item.mode !== 'flow') return processSpiff(template, stubs, options)
  const prepared = stubs.map((stub, i) => {
    const flowed = item.stubs_flow?.[i] ? flowSpiff(stub, [], { ...options, preserveTemporary: true }) : undefined
    return flowed?.kind === 'done' ? (flowed.documents[0]?.cell ?? stub) : stub
  })
  return flowSpiff(template, prepared, options)
}

