/** What is shown of a list: `--search`, `--sort` and `--limit`, the same for every list. */
import type { Command } from 'commander'
import { nearest } from '../kit/text.ts'
import { fail } from '../model/problem.ts'

export interface ListChoice {
  readonly search?: string
  readonly sort?: string
  readonly limit?: string
}

/** A column as far as choosing goes. */
interface Compared<T> {
  readonly title: string
  readonly of: (row: T) => string | undefined
  readonly by?: (row: T) => string | number
}

/** Adds the three options. */
export function withChoice(command: Command): Command {
  return withSearch(command).option('--limit <count>', 'at most so many')
}

/** Adds them for a list that has a limit of its own. */
export function withSearch(command: Command): Command {
  return command
    .option('--search <text>', 'only lines that hold this text, in whatever case')
    .option(
      '--sort <column>',
      'by this column; with a minus before it the other way round, as in --sort=-created',
    )
}

/** The chosen rows, in the chosen order. Problems: usage.invalid. */
export function chosenOf<T>(
  rows: readonly T[],
  columns: readonly Compared<T>[],
  { search, sort, limit }: ListChoice,
): readonly T[] {
  const wanted = search?.toLowerCase()
  const found =
    wanted === undefined
      ? rows
      : rows.filter((row) => columns.some(({ of }) => of(row)?.toLowerCase().includes(wanted)))
  const sorted = sort === undefined ? found : sortedBy(found, columns, sort)
  return limit === undefined ? sorted : sorted.slice(0, countOf(limit))
}

/** The number that `--limit` says. Problems: usage.invalid. */
export function countOf(limit: string): number {
  return /^[1-9]\d{0,8}$/.test(limit)
    ? Number(limit)
    : fail('usage.invalid', `--limit ${JSON.stringify(limit)} is not a number from 1`)
}

function sortedBy<T>(rows: readonly T[], columns: readonly Compared<T>[], sort: string): readonly T[] {
  const name = sort.replace(/^-/, '')
  const column = columns.find(({ title }) => title.toLowerCase() === name.toLowerCase())
  if (column === undefined) return unknownColumn(name, columns)
  // Made here, since it takes longer than the rest of a small command.
  const alphabet = new Intl.Collator('en', { numeric: true })
  const key = (row: T) => column.by?.(row) ?? column.of(row) ?? ''
  const compare = (a: T, b: T) => {
    const [one, other] = [key(a), key(b)]
    if (typeof one === 'number' && typeof other === 'number') return one - other
    return alphabet.compare(String(one), String(other))
  }
  return sort.startsWith('-') ? rows.toSorted((a, b) => compare(b, a)) : rows.toSorted(compare)
}

function unknownColumn(name: string, columns: readonly { readonly title: string }[]): never {
  const names = columns.map(({ title }) => title.toLowerCase())
  const near = nearest(name, names)
  return fail('usage.invalid', `--sort: there is no column ${name}${near ? `; did you mean ${near}?` : ''}`, {
    hint: `One of ${names.join(', ')}.`,
  })
}
