/** Parameters from the command line: `-p key=value`, `-p key:=json`, `--parameters FILE` or JSON. */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { parseJson } from '../kit/exact.ts'
import { isObject, type Json, type JsonObject } from '../kit/json.ts'
import { fail, failAll } from '../model/problem.ts'
import { readStdin } from './terminal.ts'

export interface ParameterOptions {
  readonly param?: readonly string[]
  readonly parameters?: string
}

/** Adds `-p` and `--parameters`. */
export function withParameters(command: Command): Command {
  return command
    .option(
      '-p, --param <name=value>',
      'a parameter; numbers, true, false and null are taken as such, `name:=JSON` as JSON (repeatable)',
      (one: string, all: readonly string[] = []) => [...all, one],
    )
    .option(
      '--parameters <file|json|->',
      'parameters as JSON or YAML: a file, the text itself, or - for standard input',
    )
}

/** All parameters given; those of `-p` win. */
export async function parametersOf(options: ParameterOptions): Promise<JsonObject | undefined> {
  if (options.param === undefined && options.parameters === undefined) return undefined
  const document = options.parameters === undefined ? {} : await documentOf(options.parameters)
  return { ...document, ...Object.fromEntries((options.param ?? []).map(pairOf)) }
}

/** One `name=value`. Problems: usage.invalid. */
export function pairOf(text: string): readonly [string, Json] {
  const at = text.indexOf('=')
  if (at < 1) return fail('usage.invalid', `-p ${JSON.stringify(text)} is not name=value`)
  if (text[at - 1] === ':') return [text.slice(0, at - 1), jsonOf(text, text.slice(at + 1))]
  return [text.slice(0, at), plainValue(text.slice(at + 1))]
}

function plainValue(text: string): Json {
  if (text === 'true') return true
  if (text === 'false') return false
  if (text === 'null') return null
  // 007 and 1e400 are texts: only what is printed the same way again is a number.
  return String(Number(text)) === text && text !== 'NaN' && !text.includes('Infinity') ? Number(text) : text
}

function jsonOf(whole: string, text: string): Json {
  try {
    return parseJson(text) as Json
  } catch (cause) {
    return fail('usage.invalid', `-p ${JSON.stringify(whole)}: what follows := is not JSON`, { cause })
  }
}

async function documentOf(given: string): Promise<JsonObject> {
  const inline = given.trimStart().startsWith('{')
  const source = inline ? '--parameters' : given
  const text = inline ? given : await textOf(given)
  const { readYaml, toldFault } = await import('../kit/yaml.ts')
  const { value, faults } = readYaml(text, { exact: true })
  failAll(faults.map((fault) => ({ code: 'parameters.invalid' as const, ...toldFault(fault, source) })))
  return isObject(value)
    ? (value as JsonObject)
    : fail('parameters.invalid', 'must be a map', { where: { source } })
}

async function textOf(file: string): Promise<string> {
  if (file === '-') return readStdin()
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    return fail('file.unreadable', file, { cause })
  }
}
