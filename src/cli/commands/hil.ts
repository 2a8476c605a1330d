/** chandler hil: evaluates templates of brokerpak definitions on the command line. */
import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import { systemChance } from '../../kit/clock.ts'
import { isObject, type Json } from '../../kit/json.ts'
import { readYaml, toldFault } from '../../kit/yaml.ts'
import {
  brokerFunctions,
  castTo,
  evaluateText,
  excerpt,
  Fault,
  jsonScope,
  type Plain,
} from '../../languages/hil/index.ts'
import { fail, failAll, type Problem } from '../../model/problem.ts'

interface EvalOptions {
  readonly var: Readonly<Record<string, string>>
  readonly vars?: string
  readonly type?: string
  readonly env?: true
  readonly original?: true
  readonly output: string
}

/** Adds the noun `hil` to the command line. */
export function register(program: Command): void {
  const hil = program.command('hil').description('the expression language of brokerpaks')
  hil
    .command('eval')
    .description('evaluate a template: text with interpolations in it')
    .argument('<template>', 'the template, or - to read it from standard input')
    .option('--var <name=value>', 'a text variable; may be repeated', collect, {})
    .option('--vars <file>', 'variables as a YAML or JSON map')
    .option(
      '--type <type>',
      'cast the result to a JSON type: string, integer, number, boolean, array, object',
    )
    .option('--env', 'let env() read the environment of this process')
    .option('--original', 'refuse what the original refuses: chained indexes, mixed containers')
    .option('-o, --output <format>', 'text or json', 'text')
    .addHelpText('after', `\nExample:\n  chandler hil eval 'csb-\${str.truncate(8, id)}' --var id=0123456789`)
    .action((template: string, options: EvalOptions) => {
      const source = template === '-' ? readFileSync(0, 'utf8') : template
      process.stdout.write(`${shown(evaluated(source, options), options.output)}\n`)
    })
}

function collect(word: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const at = word.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('write name=value')
  return { ...before, [word.slice(0, at)]: word.slice(at + 1) }
}

function evaluated(source: string, options: EvalOptions): Json {
  const variables = { ...(options.vars === undefined ? {} : variablesOf(options.vars)), ...options.var }
  let count = 0n
  const functions = brokerFunctions({
    nanoseconds: () => BigInt(Date.now()) * 1_000_000n,
    nextCount: () => ++count,
    random: systemChance.bytes,
    ...(options.env ? { environment: (name: string) => process.env[name] } : {}),
  })
  const result = evaluateText(source, jsonScope(variables, functions), {
    dialect: options.original ? 'original' : 'extended',
  })
  switch (result.kind) {
    case 'fault':
      return refuse(result.fault, source)
    case 'unknown':
      return fail('hil.template.fault', 'the result depends on a value that is not known yet')
    case 'value':
      return cast(result.value, options.type ?? '')
  }
}

function variablesOf(file: string): Readonly<Record<string, Json>> {
  const { value, faults } = readYaml(readFileSync(file === '-' ? 0 : file, 'utf8'))
  failAll(faults.map((fault): Problem => ({ code: 'hil.variables.unreadable', ...toldFault(fault, file) })))
  if (!isObject(value)) return fail('hil.variables.unreadable', undefined, { where: { source: file } })
  return value as Readonly<Record<string, Json>>
}

function cast(value: Plain, type: string): Json {
  try {
    return castTo(value, type)
  } catch (error) {
    if (error instanceof Fault) return fail('hil.template.fault', error.message)
    throw error
  }
}

function refuse(fault: Fault, source: string): never {
  const shownPlace = fault.place === undefined ? '' : `\n${excerpt(source, fault.place)}`
  return fail('hil.template.fault', `${fault.message}${shownPlace}`)
}

function shown(value: Json, output: string): string {
  if (output === 'json') return JSON.stringify(value)
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
}
