/** Examples of a package with what is expected of them: `examples.yml` beside its sources, the same for all contracts. */
import { readFileSync } from 'node:fs'
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { compilePattern } from '../../kit/pattern.ts'
import { fail, failAll } from '../../model/problem.ts'
import { type AuthoredDocument, documentKind, readAuthored } from '../authored-document.ts'

const actions = ['provision', 'update', 'bind', 'unbind', 'deprovision'] as const
export type ExampleAction = (typeof actions)[number]

export interface Example {
  readonly name: string
  readonly plan?: string
  readonly parameters?: JsonObject
  readonly bindParameters?: JsonObject
  readonly expect?: Expectation
}

export interface Expectation {
  /** Credentials of a binding: values as they are, or a pattern between slashes; others may be there, too. */
  readonly credentials?: JsonObject
  /** Named results of an instance, as text. */
  readonly outputs?: JsonObject
  /** The action that is refused or fails; all others must work. */
  readonly fails?: ExampleAction
  /** What the reason says. */
  readonly because?: string
}

const kind = documentKind({
  hint: 'See docs/authors.md for what an example may say.',
  synonyms: { params: 'parameters', input: 'parameters', inputs: 'parameters', error: 'because' },
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['examples'],
    properties: {
      examples: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['name'],
          properties: {
            name: { type: 'string', minLength: 1 },
            plan: { type: 'string' },
            parameters: { type: 'object' },
            bindParameters: { type: 'object' },
            expect: {
              type: 'object',
              additionalProperties: false,
              properties: {
                credentials: { type: 'object' },
                outputs: { type: 'object' },
                fails: { type: 'string', enum: [...actions] },
                because: { type: 'string' },
              },
            },
          },
        },
      },
    },
  },
})

export interface ExamplesReading extends AuthoredDocument {
  /** Empty where there are problems. */
  readonly examples: readonly Example[]
}

/** The examples of a file with everything that is wrong with it. Problems: file.unreadable. */
export function examineExamples(source: string): ExamplesReading {
  const read = readAuthored(textOf(source), source, kind)
  const { examples } = read.value as unknown as { readonly examples: readonly Example[] }
  return { ...read, examples: read.problems.length > 0 ? [] : examples }
}

/** The examples of a file. Problems: file.unreadable, package.invalid with all that is wrong. */
export function readExamples(source: string): readonly Example[] {
  const { examples, problems } = examineExamples(source)
  failAll(problems)
  return examples
}

function textOf(source: string): string {
  try {
    return readFileSync(source, 'utf8')
  } catch (cause) {
    return fail('file.unreadable', source, {
      cause,
      hint: 'Write examples.yml beside the package, or name a file with --examples.',
    })
  }
}

/** What is not as it was expected, each with its place; values that came are never told, for they may be secrets. */
export function differences(expected: Json, actual: Json | undefined, at: string): readonly string[] {
  if (actual === undefined) return [`${at} is missing`]
  if (isObject(expected)) {
    if (!isObject(actual)) return [`${at} is no map`]
    return Object.entries(expected).flatMap(([key, value]) => differences(value, actual[key], `${at}/${key}`))
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [`${at} is no list`]
    if (actual.length !== expected.length)
      return [`${at} has ${actual.length} items instead of ${expected.length}`]
    return expected.flatMap((value, i) => differences(value, actual[i], `${at}/${i}`))
  }
  const pattern = typeof expected === 'string' ? /^\/(.*)\/$/s.exec(expected)?.[1] : undefined
  if (pattern === undefined) return actual === expected ? [] : [`${at} is not ${JSON.stringify(expected)}`]
  const compiled = compilePattern(pattern)
  if (compiled.kind === 'refused') return [`${at}: ${String(expected)} is no pattern: ${compiled.message}`]
  const fits = typeof actual === 'string' && compiled.found(actual)
  return fits ? [] : [`${at} does not match ${String(expected)}`]
}
