/** Documents that are made from the code say what the code says, and every command explains itself. */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { pages } from '../scripts/pages.ts'
import { rootCommand } from '../src/cli/command.ts'
import { commands } from '../src/cli/commands.ts'
import { problemCodes } from '../src/model/problem-codes.ts'

const made = await pages()

test.each([...made.keys()])('%s is up to date (npm run docs)', (file) => {
  expect(readFileSync(file, 'utf8')).toBe(made.get(file))
})

test.each(['docs/alerts.yml', 'docs/operators.md'])('%s names figures that there are', (file) => {
  const known = made.get('docs/metrics.md') ?? ''
  const named = readFileSync(file, 'utf8').match(/\b(?:chandler|http_server)_\w+/g) ?? []

  expect(named.length).toBeGreaterThan(10)
  expect(
    named.filter((name) => !known.includes(`\`${name.replace(/_(?:count|bucket|sum)$/, '')}\``)),
  ).toEqual([])
})

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
  const root = rootCommand('0')
  for (const row of commands) {
    if (!root.commands.some((one) => one.name() === row.name)) (await row.load()).register(root, commands)
  }
  const faults = everyCommand(root).filter(
    (command) =>
      (command.summary() === '' && command.description() === '') ||
      (command.commands.length === 0 && !/Examples?:\s+(\$ )?chandler /.test(helpOf(command))),
  )

  expect(faults.map((command) => command.name())).toEqual([])
})

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
