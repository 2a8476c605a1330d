/** Results for people and programs: tables, JSON, YAML, or names only. */
import { type Command, Option } from 'commander'
import type { Json } from '../kit/json.ts'
import { printable } from '../kit/text.ts'
import { chosenOf, type ListChoice } from './list-choice.ts'
import { printTable } from './table.ts'
import { coloured, print, say } from './terminal.ts'

export const forms = ['table', 'wide', 'json', 'yaml', 'name'] as const
export type Form = (typeof forms)[number]

/** Adds `-o`. */
export function withOutput(command: Command): Command {
  return command.addOption(
    new Option('-o, --output <form>', 'how to print the result').choices([...forms]).default('table'),
  )
}

export interface Column<T> {
  readonly title: string
  readonly of: (row: T) => string | undefined
  /** What rows are sorted by, where the cell is written for people. */
  readonly by?: (row: T) => string | number
  /** Shown with `-o wide` only. */
  readonly wide?: boolean
}

export interface Listing<T> {
  readonly kind: string
  readonly items: readonly T[]
  readonly columns: readonly Column<T>[]
  readonly name: (row: T) => string
  /** Said when there is nothing. */
  readonly empty: string
}

/** Prints a list, or what is chosen of it. */
export async function printList<T>(form: Form, listing: Listing<T>, choice: ListChoice = {}): Promise<void> {
  const { kind, columns: all, name, empty } = listing
  const items = chosenOf(listing.items, all, choice)
  if (form === 'json' || form === 'yaml') {
    await printDocument(form, kind, { items })
    return
  }
  if (form === 'name') {
    for (const item of items) print(onOneLine(name(item)))
    return
  }
  if (items.length === 0) {
    // On standard error, so that a program that counts lines counts none.
    if (empty !== '') say(coloured('stderr', 'dim', listing.items.length === 0 ? empty : 'Nothing fits.'))
    return
  }
  const shown = all.filter((column) => form === 'wide' || !column.wide)
  printTable(
    shown.map((column) => column.title),
    items.map((item) => shown.map((column) => column.of(item) ?? '')),
    { whole: form === 'wide' },
  )
}

/** Prints one thing: its fields under one another for people. */
export async function printOne(form: Form, { kind, value, name, fields }: OneThing): Promise<void> {
  if (form === 'json' || form === 'yaml') return printDocument(form, kind, value)
  if (form === 'name') return print(onOneLine(name))
  printFields(fields)
}

export interface OneThing {
  readonly kind: string
  readonly value: object
  readonly name: string
  readonly fields: readonly Field[]
}

/** Tells what a command has done: in sentences for people, as a document for programs. */
export async function printDeed(form: Form, { kind, value, name, sentences }: Deed): Promise<void> {
  if (form === 'json' || form === 'yaml') return printDocument(form, kind, value)
  if (form === 'name') return print(onOneLine(name))
  for (const sentence of sentences) print(printable(sentence))
}

export interface Deed {
  readonly kind: string
  readonly value: object
  readonly name: string
  readonly sentences: readonly string[]
}

export type Field = readonly [label: string, value: string | undefined]

/** Label and value, one line each; absent ones are left out. */
export function printFields(fields: readonly Field[]): void {
  const width = Math.max(...fields.map(([label]) => label.length))
  for (const [label, value] of fields) {
    if (value === undefined || value === '') continue
    const [first = '', ...rest] = printable(value).split('\n')
    print(`${coloured('stdout', 'bold', `${label}:`.padEnd(width + 2))}${first}`)
    for (const line of rest) print(' '.repeat(width + 2) + line)
  }
}

/** A document for programs; its shape is versioned. */
export async function printDocument(form: 'json' | 'yaml', kind: string, value: object): Promise<void> {
  const document = { apiVersion: 'chandler/v1', kind, ...value }
  if (form === 'json') {
    print(escaped(JSON.stringify(document, null, 2)))
    return
  }
  const { writeYaml } = await import('../kit/yaml.ts')
  const text = writeYaml(document as unknown as Json)
  // Only quoted texts can have escapes; JSON is YAML in which all are quoted.
  print(text === escaped(text) ? text : escaped(JSON.stringify(document, null, 2)))
}

/** A document whose texts came from platforms and packages: what steers a terminal or turns the direction is written as an escape. */
function escaped(document: string): string {
  return document.replace(/[\x7f-\x9f\p{Cf}]/gu, (sign) =>
    sign
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

function onOneLine(text: string): string {
  return printable(text).replaceAll(/[\n\t]/g, ' ')
}

/** "3 min ago", for tables. */
export function ago(moment: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(moment)) / 1000))
  if (seconds < 120) return `${seconds} s ago`
  const minutes = Math.round(seconds / 60)
  if (minutes < 120) return `${minutes} min ago`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h ago` : `${Math.round(hours / 24)} d ago`
}
