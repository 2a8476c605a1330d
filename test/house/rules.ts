/** The rules of the house over texts of files; the tables of ARCHITECTURE.md are the input, so the document cannot drift. */
import { dirname, join, normalize } from 'node:path'

export interface Fault {
  /** The file, with its line where there is one. */
  readonly at: string
  readonly rule: string
  readonly found: string
}

export interface Rule {
  /** Why the rule is there. */
  readonly reason: string
  /** What to do instead. */
  readonly remedy: string
}

/** Every rule, with what a message says of it. */
export const rules = {
  'part-unknown': {
    reason: 'a folder without a row of the map belongs to nobody and may import anything',
    remedy:
      'add a row to "Who may import whom" in ARCHITECTURE.md, or put the file into a part that is there',
  },
  'import-up': {
    reason: 'imports point down, so that a part can be read and tested without those above it',
    remedy: 'hand in what is needed as a value or a port, or move the shared word to model or kit',
  },
  'island-entrance': {
    reason: 'contracts, engines and languages know each other through the mainland only',
    remedy: 'export it from the index.ts of the island, or move what two islands share below them',
  },
  'pure-part': {
    reason: 'a pure part gives the same answer whenever and wherever it is asked',
    remedy: 'take clock, chance, files and environment as values; kit/clock.ts has their types',
  },
  'platform-door': {
    reason: 'a pure part reaches the platform through one file that can be replaced',
    remedy: 'use the file that "Doors" names for the module, or hand the result in',
  },
  'library-door': {
    reason: 'a library that enters at one place can be replaced at one place',
    remedy: 'use the file that "Doors" names for it, or add a row with the reason',
  },
  'import-circle': {
    reason: 'files in a circle cannot be understood one after the other',
    remedy: 'move what both need into a file below them',
  },
  unreached: {
    reason: 'what no entrance reaches is dead',
    remedy: 'delete the file, or import it where it is needed',
  },
  'dynamic-import': {
    reason: 'an import of a variable escapes every rule about imports',
    remedy: 'write the path as a literal, one import() for each choice',
  },
  nickname: {
    reason: 'a name of the field is understood by everybody; a nickname by those who were there',
    remedy: 'use the word that GLOSSARY.md names instead',
  },
  'first-sentence': {
    reason: 'a reader learns from the first line whether this is the file',
    remedy: 'begin the file with /** and one sentence that says what it is for',
  },
  'file-name': {
    reason: 'a name says what a file is for, in the same form everywhere',
    remedy: 'name it in kebab-case after its one concern; not utils, helpers, common, types',
  },
  'file-length': {
    reason: 'a file of more than 400 lines has more than one concern',
    remedy: 'find the second concern and give it a file',
  },
  'part-length': {
    reason:
      'the part that may import everything is understood only while it does nothing but put parts together',
    remedy: 'move what does something of its own into the part it belongs to, or give it a part with a row',
  },
  'function-length': {
    reason: 'a function of more than 70 lines cannot be seen at once',
    remedy: 'take out what has a name of its own; a long table becomes a value',
  },
  'comment-subject': {
    reason: 'a reader of "whoever" or "nobody" has to guess which process, file or caller is meant',
    remedy: 'name it: a caller, a worker, the process that holds the lock, an older broker',
  },
  'code-untested': {
    reason: 'a problem that no test provokes may never be told, or be told of something else',
    remedy: 'write a test that provokes it and expects the code, or take the code out of the list',
  },
  unfinished: { reason: 'notes in the code are read by nobody', remedy: 'finish it, or open an issue' },
  'default-export': {
    reason: 'a thing has one name wherever it is used',
    remedy: 'export it by its name',
  },
  'whole-module': {
    reason: 'an entrance says what it offers',
    remedy: 'export the names one by one',
  },
  'bare-error': {
    reason: 'whatever goes wrong is a problem of the closed list, with a hint and an exit code',
    remedy: "use fail('code', detail) or throw a ProblemError; add the code to model/problems where it lacks",
  },
  environment: {
    reason: 'a variable that is read somewhere in the middle cannot be found, set or tested',
    remedy: 'read it in settings, cli, host or where the doors of the process are opened, and hand it on',
  },
  clock: {
    reason: 'time that is not handed in cannot be driven by a test',
    remedy: 'take a Clock (kit/clock.ts): monotonic() for durations, now() for moments',
  },
  'revealed-secret': {
    reason: 'what is logged or printed is read by people who may not see it',
    remedy: 'log the name of the secret; it prints as stars by itself',
  },
  'status-place': {
    reason:
      'a status is chosen from the problem, in one place, so that the same fault has the same status everywhere',
    remedy: 'throw the problem; http/answer.ts, or the success of the route, has the status',
  },
  'switch-open': {
    reason: 'a kind that is added later must not fall through a switch without a word',
    remedy: 'name every kind, or end with default: return never(value)',
  },
} as const satisfies Readonly<Record<string, Rule>>

export type RuleName = keyof typeof rules

/** One line per fault: where, what, why, and what to do instead. */
export function describeFault({ at, rule, found }: Fault): string {
  const { reason, remedy } = rules[rule as RuleName]
  return `${at}  ${rule}: ${found}\n    why: ${reason}\n    instead: ${remedy}`
}

export interface House {
  /** Texts by their paths below src, tests left out. */
  readonly files: ReadonlyMap<string, string>
  /** The texts of all tests. */
  readonly tests: readonly string[]
  readonly map: HouseMap
}

export interface HouseMap {
  readonly parts: readonly (readonly string[])[]
  readonly islands: readonly (string | undefined)[]
  readonly doors: readonly (readonly string[])[]
  readonly entrances: readonly string[]
  /** Words that names do not hold. */
  readonly nicknames: ReadonlySet<string>
}

/** What ARCHITECTURE.md and GLOSSARY.md say. */
export function readMap(text: string, glossary: string): HouseMap {
  return {
    parts: table(text, 'Who may import whom'),
    islands: table(text, 'Islands').map(([part]) => part),
    doors: table(text, 'Doors'),
    entrances: [
      'cli/main.ts',
      'compose.ts',
      'web/main.tsx',
      'web/site/search.ts',
      ...table(text, 'Libraries').map(([path]) => path ?? ''),
    ],
    nicknames: new Set(table(glossary, 'Words that are not used').map(([word = '']) => word)),
  }
}

function table(map: string, title: string): readonly (readonly string[])[] {
  const section = map.split(/^## /m).find((text) => text.startsWith(title)) ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

export interface Import {
  readonly target: string
  readonly typeOnly: boolean
  readonly local: boolean
}

export function importsOf(path: string, text: string): readonly Import[] {
  const found = text.matchAll(
    /^(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'|\bimport\(\s*'([^']+)'|^import\s+'([^']+)'/gm,
  )
  return [...found].map((match) => {
    const spec = match[2] ?? match[3] ?? match[4] ?? ''
    const local = spec.startsWith('.')
    return {
      target: local ? normalize(join(dirname(path), spec)) : spec,
      typeOnly: match[1] !== undefined,
      local,
    }
  })
}

export function partOf(path: string): string {
  return (path.split('/')[0] ?? '').replace(/\.tsx?$/, '')
}

export function words(cell = ''): readonly string[] {
  return cell
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
}
