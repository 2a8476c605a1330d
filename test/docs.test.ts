/** Documents that are made from the code say what the code says, and every command explains itself. */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { commandTree } from '../scripts/command-tree.ts'
import { pages } from '../scripts/pages.ts'
import { problemCodes } from '../src/model/problem-codes.ts'

const made = await pages()

test.each([...made.keys()])('%s is up to date (npm run docs)', (file) => {
  expect(readFileSync(file, 'utf8')).toBe(made.get(file))
})

test.each(['docs/alerts.yml', 'docs/operators.md', 'deploy/grafana/dashboard.json'])(
  '%s names figures that there are',
  (file) => {
    const known = made.get('docs/metrics.md') ?? ''
    const named = readFileSync(file, 'utf8').match(/\b(?:chandler|http_server)_\w+/g) ?? []

    expect(named.length).toBeGreaterThan(10)
    expect(
      named.filter((name) => !known.includes(`\`${name.replace(/_(?:count|bucket|sum)$/, '')}\``)),
    ).toEqual([])
  },
)

test('every problem has a title, an action as its hint, and codes of the closed sets', () => {
  const faults = Object.entries(problemCodes).filter(
    ([code, { title, hint, status, exit }]) =>
      !/^[a-z]+(?:[.-][a-z0-9]+)+$/.test(code) ||
      title.length === 0 ||
      !/^[A-Z].*[.)]$/s.test(hint) ||
      status < 400 ||
      status > 599 ||
      exit < 1 ||
      exit > 12,
  )

  expect(faults).toEqual([])
})

test('every command says what it is for, and those that do something show an example', async () => {
  const root = await commandTree('0')
  const faults = everyCommand(root).filter(
    (command) =>
      (command.summary() === '' && command.description() === '') ||
      (command.commands.length === 0 && !/Examples?:\s+(\$ )?chandler /.test(helpOf(command))),
  )

  expect(faults.map((command) => command.name())).toEqual([])
})

test('every command answers programs in JSON, or its result is a document or a stream of its own', async () => {
  const own: Readonly<Record<string, string>> = {
    'chandler serve': 'logs, in the form that logs.format names',
    'chandler dev': 'goes on until it is stopped',
    'chandler completion': 'a script for a shell',
    'chandler config schema': 'a JSON Schema',
    'chandler manifests': 'documents for kubectl',
    'chandler instance export-state': "the contract's own state",
    'chandler pak docs': 'Markdown',
    'chandler pak import-settings': 'a configuration file',
    'chandler apb import-settings': 'a configuration file',
    'chandler cnab driver': "the protocol of CNAB's drivers",
    'chandler spiff merge': 'the documents; --json',
    'chandler spiff process': 'the documents; --json',
    'chandler spiff eval': 'the value; --json',
    'chandler spiff convert': 'the documents; --json',
    'chandler spiff diff': 'the differences, in the words of the original',
    'chandler spiff encrypt': 'the encrypted text',
  }
  const without = everyCommand(await commandTree('0'))
    .filter((command) => command.commands.length === 0 && command.name() !== 'help')
    .filter((command) => !command.options.some(({ long }) => long === '--output'))
    .map(pathOf)

  expect(without.toSorted()).toEqual(Object.keys(own).toSorted())
})

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

function everyCommand(command: Command): readonly Command[] {
  return command.commands.flatMap((child) => [child, ...everyCommand(child)])
}

function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({
    writeOut: (part) => {
      text += part
    },
  })
  command.outputHelp()
  return text
}
