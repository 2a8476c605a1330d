/** What a plan says: in Terraform's words for people, and resource by resource for programs. */
import { parseJson } from '../../kit/exact.ts'
import { deepEqual, isObject, type Json, type JsonObject } from '../../kit/json.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Report } from '../../model/report.ts'

/** What would happen, or has happened, to one resource. Values are left out: they may be secret. */
interface Change {
  readonly address: string
  readonly action: string
  /** Top-level attributes that differ. */
  readonly attributes: readonly string[]
  /** Those for whose sake it must be replaced. */
  readonly forces: readonly string[]
}

const sayings: Readonly<Record<string, readonly [same: string, other: string]>> = {
  check: ['There is no drift.', 'There is drift.'],
  preview: ['Nothing would change.', 'There is something to do.'],
}

/** The answer of a look that came to its end. */
export function looked(name: string, report: Report): Outcome {
  const text = outputOf(report, 'plan') ?? ''
  const differs = report.steps.find((step) => step.name === 'plan')?.exit === 2
  const [same = '', other = ''] = sayings[name] ?? []
  const summary = /^Plan: .*$/m.exec(text)?.[0]
  const changes = changesOf(
    outputOf(report, 'show'),
    name === 'check' ? 'resource_drift' : 'resource_changes',
  )
  const document = JSON.stringify({ differs, changes })
  return {
    problems: [],
    message: [differs ? other : same, ...(summary === undefined ? [] : [summary])].join(' '),
    outputs: [
      { name: `${name}.txt`, content: Buffer.from(text), mediaType: 'text/plain', secret: true },
      { name: 'changes.json', content: Buffer.from(document), mediaType: 'application/json', secret: false },
    ],
  }
}

/** What a step printed, where that was captured. */
export function outputOf(report: Report, step: string): string | undefined {
  const stdout = report.steps.find(({ name }) => name === step)?.stdout
  return stdout === undefined ? undefined : Buffer.from(stdout).toString()
}

function changesOf(plan: string | undefined, list: string): readonly Change[] {
  const document = plan === undefined || plan === '' ? undefined : parseJson(plan)
  const items = isObject(document) ? (document as JsonObject)[list] : undefined
  return (Array.isArray(items) ? items : []).flatMap((item): readonly Change[] => {
    const change = isObject(item) ? (item as JsonObject)['change'] : undefined
    if (!isObject(item) || !isObject(change)) return []
    const details = change as JsonObject
    const action = actionOf(details['actions'])
    if (action === undefined) return []
    const address = String((item as JsonObject)['address'])
    return [{ address, action, attributes: attributesOf(details), forces: forcesOf(details) }]
  })
}

/** One word for what Terraform says in one or two; none where nothing happens. */
function actionOf(value: Json | undefined): string | undefined {
  const actions = Array.isArray(value) ? value.map(String) : []
  if (actions.length > 1) return 'replace'
  const [action] = actions
  return action === 'no-op' || action === 'read' ? undefined : action
}

function attributesOf({ before, after, after_unknown: unknown }: JsonObject): readonly string[] {
  const map = (value: Json | undefined): JsonObject => (isObject(value) ? (value as JsonObject) : {})
  const [was, becomes, later] = [map(before), map(after), map(unknown)]
  const names = new Set([...Object.keys(was), ...Object.keys(becomes), ...Object.keys(later)])
  return [...names].filter((name) => later[name] === true || !deepEqual(was[name], becomes[name])).sort()
}

function forcesOf({ replace_paths: paths }: JsonObject): readonly string[] {
  const firsts = (Array.isArray(paths) ? paths : []).map((path) =>
    Array.isArray(path) ? String(path[0]) : '',
  )
  return [...new Set(firsts)].sort()
}
