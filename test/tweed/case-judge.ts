/** Compares what was seen after a step with what it expects; every difference is a sentence. */

import { parseJson } from '../../src/kit/exact.ts'
import { canonical, deepEqual, isObject, type Json } from '../../src/kit/json.ts'
import { redactText } from '../../src/kit/redact.ts'
import type { Expectation, FileExpectation, Seen, SeenFile, TextExpectation } from './case.ts'
import { slowness } from './case-settings.ts'
import type { Stage } from './case-stage.ts'
import { holds } from './tables.ts'

export interface Look {
  readonly stage: Stage
  readonly instance: string
  readonly binding: string | undefined
  readonly saved: ReadonlyMap<string, unknown>
}

/** What differs. */
export async function judgeStep(expected: Expectation, seen: Seen, look: Look): Promise<readonly string[]> {
  return [
    ...judgeSeen(expected, seen),
    ...judgeLog(expected, seen.log ?? '', look.saved),
    ...(await judgeState(expected, look)),
    ...(await judgeFiles(expected, look)),
    ...(await judgeAfterwards(expected, look)),
  ]
}

function judgeSeen(expected: Expectation, seen: Seen): readonly string[] {
  const plain = (['outcome', 'reason', 'exitCode', 'ran', 'runs'] as const).flatMap((key) => {
    const oneOf = expected[`${key}OneOf`]
    if (oneOf) return oneOf.includes(seen[key]) ? [] : [`${key}: ${seen[key]} is none of ${oneOf.join(', ')}`]
    return key in expected ? differ(key, expected[key], seen[key]) : []
  })
  return [
    ...plain,
    ...('metadata' in expected && !holds(seen.metadata, expected.metadata)
      ? differ('metadata', expected.metadata, seen.metadata)
      : []),
    ...('credentials' in expected
      ? differ('credentials', expected.credentials, seen.credentials ?? null)
      : []),
    ...(expected.message ? judgeText('message', expected.message, seen.message ?? '') : []),
    ...(expected.maxSeconds !== undefined && seen.seconds > expected.maxSeconds * slowness
      ? [`took ${seen.seconds.toFixed(1)} s, more than ${slowness} times ${expected.maxSeconds}`]
      : []),
  ]
}

function judgeLog(expected: Expectation, log: string, saved: Look['saved']): readonly string[] {
  const json = (): Json | string => {
    try {
      return parseJson(log) as Json
    } catch {
      return `no JSON: ${log}`
    }
  }
  return [
    ...(expected.log ? judgeText('log', expected.log, log) : []),
    ...('logJson' in expected ? differ('log', unlessHidden(expected.logJson, json()), json()) : []),
    ...(expected.logJsonText === undefined ? [] : differ('log', parseJson(expected.logJsonText), json())),
    ...(expected.logJsonSaved === undefined
      ? []
      : differ('log', unlessHidden(saved.get(expected.logJsonSaved), json()), json())),
  ]
}

/** Credentials are hidden in what an unbind logs of its binding, for every reader: each text that was hidden counts as seen. */
function unlessHidden(expected: unknown, found: unknown): unknown {
  if (found === '[redacted]' && redactText(String(expected), [String(expected)]) === found) return found
  if (Array.isArray(expected) && Array.isArray(found))
    return expected.map((item, index) => unlessHidden(item, found[index]))
  if (!isObject(expected) || !isObject(found)) return expected
  return Object.fromEntries(
    Object.entries(expected).map(([name, item]) => [name, unlessHidden(item, found[name])]),
  )
}

function judgeText(what: string, expected: TextExpectation, text: string): readonly string[] {
  const faults: string[] = []
  for (const part of expected.has ?? [])
    if (!text.includes(part)) faults.push(`${what} lacks ${part}: ${cut(text)}`)
  for (const part of expected.hasNot ?? [])
    if (text.includes(part)) faults.push(`${what} has ${part}: ${cut(text)}`)
  for (const part of expected.matches ?? [])
    if (!new RegExp(part, 's').test(text)) faults.push(`${what} does not match ${part}: ${cut(text)}`)
  let from = 0
  for (const part of expected.order ?? []) {
    const at = text.indexOf(part, from)
    if (at < 0) faults.push(`${what} lacks ${part} after ${from}: ${cut(text)}`)
    else from = at + part.length
  }
  if (expected.maxBytes !== undefined && Buffer.byteLength(text) > expected.maxBytes)
    faults.push(`${what} has ${Buffer.byteLength(text)} bytes`)
  if (expected.validUtf8 && text !== text.toWellFormed()) faults.push(`${what} is no UTF-8`)
  return faults
}

async function judgeState(
  expected: Expectation,
  { stage, instance, saved }: Look,
): Promise<readonly string[]> {
  const faults: string[] = []
  const oneOf = expected['instanceOneOf']
  if (expected.instance !== undefined || oneOf) {
    const state = await stage.instanceState(instance)
    if (oneOf ? !oneOf.includes(state) : state !== expected.instance)
      faults.push(`instance: expected ${expected.instance ?? oneOf}, found ${state}`)
  }
  if (expected.bindings) faults.push(...differ('bindings', expected.bindings, await stage.bindings(instance)))
  for (const [binding, credentials] of Object.entries(expected.credentialsNow ?? {}))
    faults.push(
      ...differ(`credentials of ${binding}`, credentials, await stage.credentials(instance, binding)),
    )
  for (const [binding, name] of Object.entries(expected.credentialsOf ?? {}))
    faults.push(
      ...differ(`credentials of ${binding}`, saved.get(name), await stage.credentials(instance, binding)),
    )
  const [one, two] = (expected.differ ?? []).map((name) => saved.get(name))
  if (expected.differ && deepEqual(one, two)) faults.push(`${expected.differ.join(' and ')} are the same`)
  return faults
}

async function judgeFiles(expected: Expectation, { stage, instance }: Look): Promise<readonly string[]> {
  if (!expected.files && !expected.filesHaveNot) return []
  const files = await stage.files(instance)
  const faults = Object.entries(expected.files ?? {}).flatMap(([name, file]) => {
    const found = files.get(name)
    return found ? judgeFile(name, file, found) : [`there is no file ${name}`]
  })
  for (const text of expected.filesHaveNot ?? [])
    for (const [name, { content }] of files) if (content.includes(text)) faults.push(`${name} has ${text}`)
  return faults
}

function judgeFile(name: string, expected: FileExpectation, found: SeenFile): readonly string[] {
  const { state, stateOneOf, content, contentBase64, ...texts } = expected
  return [
    ...(state === undefined ? [] : differ(`${name} state`, state, found.state)),
    ...(stateOneOf && !stateOneOf.includes(found.state) ? [`${name} is ${found.state}`] : []),
    ...(content === undefined ? [] : differ(`${name} content`, content, found.content.toString())),
    ...(contentBase64 === undefined ? [] : differ(name, contentBase64, found.content.toString('base64'))),
    ...Object.entries(texts).flatMap(([key, text]) =>
      differ(`${name} ${key}`, text, found[key as 'summary' | 'description']),
    ),
  ]
}

async function judgeAfterwards(expected: Expectation, { stage, instance }: Look): Promise<readonly string[]> {
  const faults: string[] = []
  if (expected.logOf) {
    const { op, ...text } = expected.logOf
    faults.push(...judgeText(`log of ${op}`, text, await stage.logOf(instance, op)))
  }
  if (expected.leftovers === 'none') faults.push(...(await stage.leftovers()))
  return faults
}

function differ(what: string, expected: unknown, found: unknown): readonly string[] {
  return deepEqual(expected, found) ? [] : [`${what}: expected ${shown(expected)}, found ${shown(found)}`]
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : canonical(value as Json)
}

function cut(text: string): string {
  return text.length > 600 ? `${text.slice(0, 300)} … ${text.slice(-300)}` : text
}
