import { Command } from 'commander'
import { expect, test } from 'vitest'
import { commandFirst, firstWord } from './word-order.ts'

const program = new Command()
program.command('instance').command('list')
program.command('catalog')

test.each([
  ['instance list -o json', 'instance list -o json'],
  ['-o json instance list', 'instance list -o json'],
  ['instance -o json list', 'instance list -o json'],
  ['--context x catalog', 'catalog --context x'],
  ['--context=x -q catalog my-db', 'catalog --context=x -q my-db'],
  ['--server http://catalog instance list --all', 'instance list --server http://catalog --all'],
  ['catalog -- -o instance', 'catalog -- -o instance'],
  ['instance listen -o json', 'instance listen -o json'],
  ['-o', '-o'],
])('%s is %s', (typed, arranged) => {
  expect(commandFirst(typed.split(' '), program).join(' ')).toBe(arranged)
})

test.each([
  ['-o json catalog', 'catalog'],
  ['--debug -o json', undefined],
  ['catalog', 'catalog'],
])('the command of %s is %s', (typed, command) => {
  expect(firstWord(typed.split(' '))).toBe(command)
})
