/** Judges the rows of the contract's tables that need no broker: bind output, metadata documents, merged inputs. */
import { tweed } from '../../src/contracts/tweed/index.ts'
import { parseJson } from '../../src/kit/exact.ts'
import { canonical, deepEqual, isObject, type Json, type JsonObject } from '../../src/kit/json.ts'
import { describeProblem, type Problem } from '../../src/model/problem.ts'
import { problemCodes } from '../../src/model/problem-codes.ts'
import { classOf, conclude, image, report, situation } from './stage.ts'

export type Row = { readonly id: string } & { readonly [key: string]: Json }

/** What is wrong with how a row turned out; undefined when nothing is. */
export type Judge = (row: Row) => Promise<string | undefined>

export const judges: Readonly<Record<string, Judge>> = {
  'tweed-bind-output/1': judgeBindOutput,
  'tweed-metadata-docs/1': judgeMetadata,
  'tweed-inputs-merge/1': judgeInputs,
}

async function judgeBindOutput(row: Row): Promise<string | undefined> {
  const stdout =
    'stdoutBase64' in row
      ? new Uint8Array(Buffer.from(String(row['stdoutBase64']), 'base64'))
      : String(row['stdout'])
  const outcome = conclude('bind', await situation({ binding: {} }), { stdout })
  const [problem] = outcome.problems
  if (row['verdict'] === 'fail') {
    return problem && outcome.binding === undefined
      ? differ('reason', row['reason'] ?? null, classOf(problem) ?? null)
      : 'was taken'
  }
  if (problem) return describeProblem(problem)
  const expected = parseJson(String(row['json'])) as Json
  const kept = new TextDecoder().decode(outcome.bindingCarryover?.['binding'])
  return (
    differ('credentials', expected, outcome.binding?.credentials ?? null) ??
    differ('$BINDING', expected, parseJson(kept) as Json)
  )
}

async function judgeMetadata(row: Row): Promise<string | undefined> {
  const documents = Array.isArray(row['docs']) ? row['docs'] : [row['doc'] ?? '']
  for (const [i, document] of documents.entries()) {
    const fault = await judgeDocument(row, String(document))
    if (fault !== undefined) return `document ${i + 1}: ${fault}`
  }
  return undefined
}

async function judgeDocument(row: Row, stdout: string): Promise<string | undefined> {
  const reading = await tweed.read(image(), { options: {}, described: report({ stdout }) })
  if (reading.kind === 'describe-first') return 'was to be described again'
  if (reading.kind === 'refused') {
    const [problem] = reading.problems
    if (row['verdict'] === 'valid') return describeProblem(problem)
    const said = reading.problems.map(sentences).join('\n')
    const unsaid = ((row['messageHas'] ?? []) as string[]).filter((text) => !said.includes(text))
    return unsaid.length > 0
      ? `${said} does not say ${unsaid.join(', ')}`
      : differ('reason', row['reason'] ?? null, classOf(problem) ?? null)
  }
  if (row['verdict'] === 'invalid') return 'was taken'
  const warnings = reading.warnings.map((problem) => classOf(problem) ?? '').sort()
  const { metadata } = reading.package.notes as { readonly metadata: JsonObject }
  return (
    differ('warnings', [...((row['warnings'] ?? []) as string[])].sort(), warnings) ??
    (holds(metadata, row['subset'] ?? {})
      ? undefined
      : `${JSON.stringify(metadata)} lacks ${JSON.stringify(row['subset'])}`)
  )
}

async function judgeInputs(row: Row): Promise<string | undefined> {
  const allow = row['userParams'] === 'none' ? [] : row['userParams']
  const here = await situation({
    metadata: { inputs: row['inputs'] ?? {} },
    operator: {
      inputs: (row['fixed'] ?? {}) as JsonObject,
      defaults: (row['defaults'] ?? {}) as JsonObject,
      ...(Array.isArray(allow) ? { allow: allow.map(String) } : {}),
    },
    parameters: row['user'] ?? {},
  })
  const prepared = here.planProblems[0]
    ? ({ kind: 'refused', problems: [here.planProblems[0]] } as const)
    : tweed.prepare({ kind: 'provision' }, here)
  if (prepared.kind === 'refused') {
    const [problem] = prepared.problems
    return 'error' in row
      ? differ('error', row['error'] ?? null, classOf(problem) ?? null)
      : describeProblem(problem)
  }
  if ('error' in row) return 'was taken'
  const file =
    prepared.kind === 'job' ? prepared.job.files.find(({ path }) => path.endsWith('inputs.json')) : undefined
  const text = file?.content.kind === 'bytes' ? new TextDecoder().decode(file.content.bytes) : 'null'
  return differ('$INPUTS', row['result'] ?? null, parseJson(text) as Json)
}

function sentences(problem: Problem): string {
  return `${describeProblem(problem)} ${problem.hint ?? problemCodes[problem.code].hint}`
}

function differ(what: string, expected: Json, found: Json): string | undefined {
  return deepEqual(expected, found)
    ? undefined
    : `${what}: expected ${canonical(expected)}, found ${canonical(found)}`
}

/** Whether a value holds all of a smaller one: maps may have more keys, all else is equal. */
export function holds(value: unknown, subset: unknown): boolean {
  if (!isObject(subset)) return deepEqual(value, subset)
  if (Object.keys(subset).length === 0) return deepEqual(value, subset) || isObject(value)
  return isObject(value) && Object.entries(subset).every(([key, item]) => holds(value[key], item))
}
