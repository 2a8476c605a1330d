/** The examples beside a pattern, held against what the pattern says of itself. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { faultsOfParameters, patternNotes } from '../../contracts/tweed/index.ts'
import { isObject, type Json, pointer } from '../../kit/json.ts'
import { compilePattern } from '../../kit/pattern.ts'
import { nearest } from '../../kit/text.ts'
import type { Package } from '../../model/package.ts'
import type { Problem } from '../../model/problem.ts'
import { problemCodes } from '../../model/problem-codes.ts'
import { type Example, type ExamplesReading, examineExamples } from '../sources/examples.ts'
import { folderFault } from './folder.ts'

/** The examples of a folder, where it has some. */
export function examplesIn(folder: string): ExamplesReading | undefined {
  const source = join(folder, 'examples.yml')
  return existsSync(source) ? examineExamples(source) : undefined
}

/** What would keep an example from being tried. */
export function lintExamples({ examples, where }: ExamplesReading, pkg: Package): readonly Problem[] {
  const say = (path: string, detail: string, hint: string): Problem => folderFault(detail, where(path), hint)
  return examples.flatMap((example, i) => {
    const at = pointer('/examples', i)
    const again = examples.findIndex(({ name }) => name === example.name) < i
    return [
      ...(again
        ? [say(`${at}/name`, `${example.name} is the name of two examples`, 'Give each its own.')]
        : []),
      ...faultsOfChoice(example, pkg, (path, ...words) => say(at + path, ...words)),
      ...faultsOfExpected(example.expect?.credentials ?? {}, `${at}/expect/credentials`, say),
      ...faultsOfExpected(example.expect?.outputs ?? {}, `${at}/expect/outputs`, say),
    ]
  })
}

type Say = (path: string, detail: string, hint: string) => Problem

function faultsOfChoice(example: Example, pkg: Package, say: Say): readonly Problem[] {
  const { plan, parameters = {}, bindParameters = {}, expect = {} } = example
  const plans = pkg.services.flatMap((service) => service.plans.map(({ name }) => name))
  const wrong = expect.fails === 'provision' ? [] : faultsOfParameters(pkg, parameters)
  const files = patternNotes(pkg).files.map(({ filename }) => filename)
  return [
    ...(plan === undefined || plans.includes(plan)
      ? []
      : [say('/plan', `the pattern has no plan ${plan}`, `Write ${plans.join(' or ')}, or leave it out.`)]),
    ...(Object.keys(bindParameters).length === 0 || expect.fails === 'bind'
      ? []
      : [say('/bindParameters', 'bindings of a pattern take no parameters', 'Remove it.')]),
    ...wrong.map(({ code, where, detail = '', hint }) => {
      const name = where?.pointer ?? ''
      const add = code === 'tweed.inputs.missing' ? `Add "${name.slice(1)}: …".` : undefined
      return say(`/parameters${name}`, `${name.slice(1)}: ${detail}`, add ?? hint ?? problemCodes[code].hint)
    }),
    ...Object.keys(expect.outputs ?? {}).flatMap((name) => {
      if (files.includes(name)) return []
      const near = nearest(name, files)
      const hint = near === undefined ? 'Announce it under "files" of the metadata.' : `Write ${near}.`
      return [say(pointer('/expect/outputs', name), `the metadata announces no file ${name}`, hint)]
    }),
  ]
}

/** Patterns between slashes that are none. */
function faultsOfExpected(expected: Json, at: string, say: Say): readonly Problem[] {
  if (isObject(expected)) {
    return Object.entries(expected).flatMap(([key, value]) =>
      faultsOfExpected(value as Json, pointer(at, key), say),
    )
  }
  const source = typeof expected === 'string' ? /^\/(.*)\/$/s.exec(expected)?.[1] : undefined
  const compiled = source === undefined ? undefined : compilePattern(source)
  if (compiled?.kind !== 'refused') return []
  return [
    say(
      at,
      `${String(expected)} is no pattern: ${compiled.message}`,
      'Write a regular expression as RE2 reads it.',
    ),
  ]
}
