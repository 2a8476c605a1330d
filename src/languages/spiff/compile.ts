/** A template that is read once and processed often, with functions of the host that may take their time. */
import type { Limits } from './budget.ts'
import type { SpiffFunction } from './env.ts'
import { failure, Waiting } from './issue.ts'
import { type Plain, toPlain, writeJson } from './json-write.ts'
import {
  type ParsedSource,
  parseSpiff,
  processSpiff,
  type SourceText,
  type SpiffFault,
  type SpiffOptions,
  type SpiffResult,
  type SpiffSource,
  toValue,
} from './spiff.ts'

/** A function of the host that answers later, over plain data. */
export type AsyncFunction = (...args: readonly Plain[]) => Promise<unknown>

export interface AsyncOptions extends SpiffOptions {
  /** By name; the same call is made once in a run. */
  readonly asyncFunctions?: Readonly<Record<string, AsyncFunction>>
}

export interface CompiledTemplate {
  /** Processes the template with stubs; the first is the nearest. */
  run(stubs?: readonly SpiffSource[], options?: SpiffOptions): SpiffResult
  /** The same with functions that answer later: what needs them waits, and calls that are open at once are made at once. */
  runAsync(stubs?: readonly SpiffSource[], options?: AsyncOptions): Promise<SpiffResult>
}

export type Compilation =
  | { readonly kind: 'compiled'; readonly template: CompiledTemplate }
  | { readonly kind: 'failed'; readonly fault: SpiffFault }

/** Reads a template, to be processed as often as one likes. */
export function compile(source: SourceText, limits: Partial<Limits> = {}): Compilation {
  const parsed = parseSpiff(source, limits)
  if (parsed.kind === 'failed') return parsed
  return {
    kind: 'compiled',
    template: {
      run: (stubs = [], options = {}) => processSpiff(parsed, stubs, options),
      runAsync: (stubs = [], options = {}) => runAsync(parsed, stubs, options),
    },
  }
}

interface Answer {
  readonly value?: unknown
  readonly error?: string
}

/** How often a run may need answers that depend on answers. */
const roundsMax = 100

/** Runs, waits for what the run has asked for, and runs again with the answers. */
async function runAsync(
  template: ParsedSource,
  stubs: readonly SpiffSource[],
  { asyncFunctions = {}, ...options }: AsyncOptions,
): Promise<SpiffResult> {
  const answers = new Map<string, Answer>()
  for (let round = 0; ; round++) {
    const asked = new Map<string, () => Promise<unknown>>()
    const functions = new Map(options.functions)
    for (const [name, fn] of Object.entries(asyncFunctions))
      functions.set(name, asking(fn, { answers, asked }))
    const result = processSpiff(template, stubs, { ...options, functions })
    if (asked.size === 0 || round >= roundsMax) return result
    await Promise.all(
      [...asked].map(async ([key, ask]) => {
        answers.set(key, await answered(ask))
      }),
    )
  }
}

async function answered(ask: () => Promise<unknown>): Promise<Answer> {
  try {
    return { value: await ask() }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

/** Answers with what is known; a new question is noted, and the evaluation that asked it waits. */
function asking(
  fn: AsyncFunction,
  { answers, asked }: { answers: ReadonlyMap<string, Answer>; asked: Map<string, () => Promise<unknown>> },
): SpiffFunction {
  return ({ name, args }) => {
    const key = `${name}(${args.map(writeJson).join(',')})`
    const answer = answers.get(key)
    if (answer?.error !== undefined) return failure(`${name}: ${answer.error}`)
    if (answer !== undefined) return toValue(answer.value)
    asked.set(key, () => fn(...args.map(toPlain)))
    throw new Waiting(`${name}: waits for the host`, false)
  }
}
