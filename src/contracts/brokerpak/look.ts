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

export interface Looked {
  /** Whether an apply would do anything, or anything is not as it was made. */
  readonly differs: boolean
  readonly outcome: Outcome
}

/** The answer of a look that came to its end. */
export function looked(name: string, report: Report): Looked {
  const text = outputOf(report, 'plan') ?? ''
  const document = outputOf(report, 'show')
  const planned = changesOf(document, 'resource_changes')
  const drift = name === 'check' ? changesOf(document, 'resource_drift') : []
  const isPlanned = report.steps.find((step) => step.name === 'plan')?.exit === 2
  const differs = isPlanned || drift.length > 0
  const summary = /^Plan: .*$/m.exec(text)?.[0]
  // What has drifted is planned to be mended: it is told once, as what has happened.
  const drifted = new Set(drift.map(({ address }) => address))
  const rest = planned.filter(({ address }) => !drifted.has(address))
  return {
    differs,
    outcome: {
      problems: [],
      message: [sayingOf(name, isPlanned, drift), ...(summary === undefined ? [] : [summary])].join(' '),
      outputs: [
        { name: `${name}.txt`, content: Buffer.from(text), mediaType: 'text/plain', secret: true },
        {
          name: 'changes.json',
          content: Buffer.from(JSON.stringify({ differs, changes: [...drift, ...rest] })),
          mediaType: 'application/json',
          secret: false,
        },
      ],
    },
  }
}

function sayingOf(name: string, isPlanned: boolean, drift: readonly Change[]): string {
  if (drift.length > 0) return 'There is drift.'
  if (isPlanned) return 'There is something to do.'
  return name === 'check' ? 'There is no drift.' : 'Nothing would change.'
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
