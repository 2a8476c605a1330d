/** What an error told its reader, and whether it says what, where, why, and what to do next. */
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { describePlace, type Place } from '../../src/model/problem.ts'
import { type ProblemCode, problemCodes } from '../../src/model/problem-codes.ts'
import { namedSettings } from '../../src/settings/names.ts'
import { settingsTable } from '../../src/settings/settings.ts'
import { callOf } from './shown.ts'

export interface Told {
  readonly code: string
  readonly what: string
  /** Place and reason of each fault. */
  readonly why: string
  readonly next: string
}

/** An error that is provoked, and what must be told of it. */
export interface Provoked {
  readonly name: string
  readonly code: ProblemCode
  /** Texts that name place and reason; none where the title is fixed letter by letter and says all. */
  readonly names: readonly string[]
  /** What the command line was given, to judge options of the next step by. */
  readonly words?: readonly string[]
  /** Tells, and how it ended: an exit code or a status. */
  provoke(): Promise<{ readonly told: Told; readonly ending: number }>
}

/** Errors that are provoked at one place, which is opened before. */
export interface Ground {
  readonly errors: readonly Provoked[]
  open(): Promise<void>
  close(): Promise<void>
}

/** What a command said. */
export function toldByCommand(said: string): Told {
  const [, what = '', code = ''] = /^error: (.+) \(([a-z-]+(?:\.[a-z-]+)+)\)$/m.exec(said) ?? []
  const causes = [...said.matchAll(/^cause: (.+(?:\n(?!(?:cause|hint): ).+)*)/gm)]
  const next = /^hint: (.+)$/m.exec(said)?.[1] ?? ''
  return { code, what, why: causes.map(([, cause = '']) => cause).join('\n'), next }
}

/** What the operator API answered. */
export function toldByBroker(body: Readonly<Record<string, unknown>>): Told {
  const text = (name: string) => String(body[name] ?? '')
  const place = describePlace(body['where'] as Place | undefined) ?? ''
  return {
    code: text('code'),
    what: text('title'),
    why: `${place} ${text('detail')}`.trim(),
    next: text('hint'),
  }
}

/** What a platform was answered: the code itself is not for platforms. */
export function toldToPlatform(body: Readonly<Record<string, unknown>>, code: ProblemCode): Told {
  const description = String(body['description'] ?? '')
  const { title } = problemCodes[code]
  const what = description.startsWith(title) ? title : description
  return { code, what, why: description.slice(what.length), next: String(body['hint'] ?? '') }
}

/** What is missing of an error that was told. */
export function faultsOfTold(
  told: Told,
  { code, names, words = [] }: Provoked,
  root: Command,
): readonly string[] {
  const title = problemCodes[code].title
  const plain = (text: string) => text.replace(/\.$/, '')
  return [
    ...(told.code === code ? [] : [`code: ${told.code}`]),
    ...(plain(told.what) === plain(title) ? [] : [`what: ${told.what}`]),
    ...names
      .filter((name) => !told.why.includes(name))
      .map((name) => `where and why lack ${name}: ${told.why}`),
    ...faultsOfNextStep(told.next, root, words),
  ]
}

/** Why a next step cannot be taken: a command, option, document or setting that there is none of. */
export function faultsOfNextStep(
  next: string,
  root: Command,
  words: readonly string[] = [],
): readonly string[] {
  const calls = [...next.matchAll(/\bchandler ([a-z][^"`.,;:()]*)/g)].map(([, rest = '']) =>
    callOf(root, rest),
  )
  const options = [...next.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option)
  const given = [callOf(root, words.join(' ')), ...calls].flatMap(({ path }) => optionsAt(root, path))
  // Without its command an option of a hint may be that of any.
  const known = words.length > 0 ? given : optionsBelow(root)
  const documents = [...next.matchAll(/\bdocs\/[\w/.-]*\w/g)].map(([document]) => document)
  const settings = [...next.matchAll(settingLike)].map(([setting]) => setting)
  return [
    ...(/\w{3}.*\w{3}/.test(next) ? [] : [`no next step: ${next}`]),
    ...calls
      .filter(({ path, isGroup }) => path.length === 0 || isGroup)
      .map(({ words: rest }) => `no command: ${rest.join(' ')} in ${next}`),
    ...options.filter((one) => !known.includes(one)).map((one) => `no option ${one}: ${next}`),
    ...documents.filter((one) => !existsSync(one)).map((one) => `no document ${one}`),
    ...settings
      .filter((one) => !settingPaths.some((path) => path === one || path.startsWith(`${one}.`)))
      .map((one) => `no setting ${one}`),
  ]
}

const settingPaths = namedSettings(settingsTable).map(({ path }) => path)
const settingLike = new RegExp(
  `(?<![\\w./-])(?:${Object.keys(settingsTable.members).join('|')})\\.(?!conf\\b|json\\b)[a-z][A-Za-z]*(?:\\.[a-z][A-Za-z]*)*`,
  'g',
)

/** Options of a command and of those above it. */
function optionsAt(root: Command, path: readonly string[]): readonly string[] {
  const known = ['--help']
  let command: Command | undefined = root
  for (const name of [...path, '']) {
    known.push(...(command?.options.map(({ long }) => long ?? '') ?? []))
    command = command?.commands.find((one) => one.name() === name)
  }
  return known
}

function optionsBelow(command: Command): readonly string[] {
  return [
    '--help',
    ...command.options.map(({ long }) => long ?? ''),
    ...command.commands.flatMap(optionsBelow),
  ]
}
