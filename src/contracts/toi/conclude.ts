/** What a run of an executor means: its outputs, what the next run must know, and what applications get. */
import { never } from '../../kit/assert.ts'
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import type { BindingAnswer, Outcome, Output } from '../../model/outcome.ts'
import type { Problem } from '../../model/problem.ts'
import type { Report } from '../../model/report.ts'
import type { Action, Situation } from '../../model/situation.ts'
import type { Conclusion } from '../contract.ts'
import { carryoverOf, type Memory, memoryOf } from './memory.ts'
import { optionsOf } from './options.ts'
import { type Scene, sceneOf } from './plot.ts'
import { readDocument } from './spiff.ts'

export function concludeToi(action: Action, situation: Situation, report: Report): Conclusion {
  const found = sceneOf(action, situation)
  if (found.kind === 'refused') return done({ problems: found.problems })
  if (found.kind === 'nothing') return done({ problems: [] })
  const { scene } = found
  const collected = outputsOf(scene, report)
  const failure = failureOf(scene.word, report)
  const problems = [...(failure === undefined ? [] : [failure]), ...collected.problems]
  const ran: Ran = { action, situation, scene, problems, outputs: collected.outputs }
  const outcome =
    action.kind === 'bind' || action.kind === 'unbind' ? boundOutcome(ran) : outcomeOf(ran, report)
  return {
    ...done(outcome),
    secrets: Object.values(collected.outputs).map((bytes) => JSON.stringify(typedOutput(bytes))),
  }
}

interface Ran {
  readonly action: Action
  readonly situation: Situation
  readonly scene: Scene
  readonly problems: readonly Problem[]
  /** What came back, by the package's names. */
  readonly outputs: Readonly<Record<string, Uint8Array>>
}

interface Collected {
  readonly outputs: Readonly<Record<string, Uint8Array>>
  readonly problems: readonly Problem[]
}

/** Files that are missing are no error; what a failed run has written is kept, too. */
function outputsOf({ executor, options }: Scene, { got }: Report): Collected {
  const outputs: Record<string, Uint8Array> = {}
  const problems: Problem[] = []
  let left = options.outputsBytes
  for (const [path, name] of Object.entries(executor.outputs)) {
    const found = got.get(`output ${path}`)
    if (found?.kind === 'too-large' || (found?.kind === 'bytes' && found.bytes.byteLength > left)) {
      const size = found.kind === 'bytes' ? found.bytes.byteLength : found.bytes
      problems.push({
        code: 'toi.output.invalid',
        detail: `${name} has ${size} bytes, more than ${Math.min(left, options.outputBytes)}`,
      })
    } else if (found?.kind === 'bytes') {
      left -= found.bytes.byteLength
      outputs[name] = found.bytes
    }
  }
  return { outputs, problems }
}

function outcomeOf({ action, situation, scene, problems, outputs }: Ran, report: Report): Outcome {
  const { notes, given, word } = scene
  const before = memoryOf(situation.carryover)
  const failed = problems.length > 0
  const gone = action.kind === 'deprovision' && !failed
  const changes = action.kind === 'provision' || action.kind === 'update'
  const memory: Memory = {
    ...before,
    // What a failed install was given is what its uninstall has to know; a failed update has changed nothing for sure.
    ...(changes && (!failed || action.kind === 'provision')
      ? { version: `${notes.component}:${notes.version}`, parameters: given }
      : {}),
    outputs: { ...before.outputs, ...outputs },
  }
  const shown = action.kind === 'invoke' ? outputs : memory.outputs
  return {
    problems,
    ...(failed
      ? { usable: action.kind !== 'provision', repeatable: true }
      : { message: lastLine(report.logTail) || `${word} succeeded` }),
    outputs: gone ? [] : Object.entries(shown).map(outputOf),
    carryover: gone ? {} : carryoverOf(memory),
  }
}

/** Anything may stand in an output, a password above all. */
function outputOf([name, content]: readonly [string, Uint8Array]): Output {
  const isText = Buffer.from(Buffer.from(content).toString()).equals(Buffer.from(content))
  return { name, content, mediaType: isText ? 'text/plain' : 'application/octet-stream', secret: true }
}

function boundOutcome({ action, situation, problems, outputs }: Ran): Outcome {
  if (problems.length > 0) return { problems, usable: true, repeatable: true }
  if (action.kind === 'unbind') return { problems }
  return { problems, binding: bindingAnswer(outputs, situation) }
}

/** Each output under its name: what is a YAML document as such, texts as texts, other bytes as base64. */
export function bindingAnswer(
  outputs: Readonly<Record<string, Uint8Array>>,
  { plan }: Situation,
): BindingAnswer {
  const { credentials: chosen } = optionsOf(plan.operator.options)
  const entries = Object.entries(outputs).filter(([name]) => chosen === undefined || chosen.includes(name))
  const values: JsonObject = Object.fromEntries(entries.map(([name, bytes]) => [name, typedOutput(bytes)]))
  const { credentials, ...rest } = values
  return { credentials: isObject(credentials) ? { ...rest, ...(credentials as JsonObject) } : values }
}

/** Almost any text is YAML of some kind: only maps and lists are taken as that. */
function typedOutput(bytes: Uint8Array): Json {
  const text = Buffer.from(bytes).toString()
  if (!Buffer.from(text).equals(Buffer.from(bytes))) return Buffer.from(bytes).toString('base64')
  const read = readDocument({ name: 'output', text })
  if (read.kind === 'done' && typeof read.value === 'object' && read.value !== null) return read.value
  return text.replace(/\r?\n$/, '')
}

function failureOf(word: string, { end, steps }: Report): Problem | undefined {
  switch (end.kind) {
    case 'finished': {
      const exit = steps[0]?.exit
      return exit === 0
        ? undefined
        : { code: 'toi.run.failed', detail: `container exit code: ${exit ?? 'unknown'} (${word})` }
    }
    case 'not-started':
      return { code: 'toi.run.start', detail: end.detail }
    case 'timed-out':
      return { code: 'toi.run.timeout', detail: `${word} took longer than it may` }
    case 'stopped':
      return { code: 'operation.cancelled', detail: `${word} was stopped` }
    case 'lost':
      return { code: 'operation.interrupted', detail: `nobody saw how ${word} ended` }
    case 'limit':
      return { code: 'toi.run.failed', detail: `${word} was ended by its ${end.limit} limit` }
    default:
      return never(end)
  }
}

function lastLine(tail: string): string {
  return tail.trimEnd().split('\n').at(-1)?.trim() ?? ''
}

function done(outcome: Outcome): Conclusion {
  return { kind: 'done', outcome }
}
