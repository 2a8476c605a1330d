/** Whether files are written as the house wants it: what they touch, how long they and their functions are, how they are named. */
import { type Fault, type House, partOf, type RuleName } from './rules.ts'

/** The faults of all texts. */
export function judgeTexts({ files, map }: House): readonly Fault[] {
  const pure = new Set(map.parts.filter((row) => row[3] === 'yes').map(([part]) => part))
  const ofFiles = [...files].flatMap(([path, text]) => [
    ...judgeFile(path, text),
    ...judgeLines(path, text, pure.has(partOf(path))),
    ...judgeFunctions(path, text),
    ...judgeSwitches(path, text),
    ...judgeNames(path, text, map.nicknames),
  ])
  return [...ofFiles, ...judgeComposition(files)]
}

const compositionLinesMax = 2500

/** The one part that may import everything stays small, so that nothing is done there. */
function judgeComposition(files: House['files']): readonly Fault[] {
  const own = [...files].flatMap(([path, text]) => (partOf(path) === 'compose' ? [text] : []))
  const lines = own.reduce((sum, text) => sum + text.split('\n').length - 1, 0)
  const found = `compose has ${lines} lines, of at most ${compositionLinesMax}`
  return lines > compositionLinesMax ? [{ at: 'compose', rule: 'part-length', found }] : []
}

/** Names of files and of what they export hold no nicknames. */
function judgeNames(path: string, text: string, nicknames: ReadonlySet<string>): readonly Fault[] {
  const names = [path, ...[...text.matchAll(exported)].map((match) => match[1] ?? '')]
  return names.flatMap((name) =>
    wordsOf(name)
      .filter((word) => nicknames.has(word))
      .map((word) => ({ at: path, rule: 'nickname', found: `${name} holds the word ${word}` })),
  )
}

const exported = /^export (?:async )?(?:function\*?|const|interface|type|class) (\w+)/gm

/** The words of a path or of a name in camel case. */
function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
}

function judgeFile(path: string, text: string): readonly Fault[] {
  const name = path.split('/').at(-1) ?? ''
  const lines = text.split('\n').length
  const found: readonly (readonly [boolean, RuleName, string])[] = [
    [!/^(\/\*\*|#!)/.test(text), 'first-sentence', 'does not begin with a sentence'],
    [!/^[a-z0-9]+(-[a-z0-9]+)*(\.d)?\.tsx?$/.test(name), 'file-name', 'is not kebab-case'],
    [
      /(^|\/)(utils?|helpers?|common|misc|shared|types|constants|base)\b/.test(path),
      'file-name',
      'has a name that says nothing',
    ],
    [lines > 401, 'file-length', `has ${lines} lines`],
    [/\b(FIXME|TODO|XXX)\b/.test(text), 'unfinished', 'holds unfinished work'],
    [/export default/.test(text), 'default-export', 'has a default export'],
    [/export \* from/.test(text), 'whole-module', 'passes on a whole module'],
    [/new (Type|Range)?Error\(/.test(text), 'bare-error', 'throws a bare Error'],
  ]
  return found.flatMap(([isFault, rule, what]) => (isFault ? [{ at: path, rule, found: what }] : []))
}

interface LineRule {
  readonly rule: RuleName
  readonly pattern: RegExp
  /** Where it may stand. */
  readonly places: readonly string[]
  readonly pureOnly?: true
}

const lineRules: readonly LineRule[] = [
  {
    rule: 'pure-part',
    pattern:
      /\bfetch\(|\bprocess\.|globalThis\b|\bglobal\.|Date\.now|new Date\(\)|Math\.random|randomUUID|setTimeout|setInterval|setImmediate|performance\.now|console\./,
    places: ['kit/clock.ts', 'kit/patience.ts'],
    pureOnly: true,
  },
  {
    rule: 'environment',
    pattern: /\bprocess(?:\.env\b|\['env'\])|\{[^}]*\benv\b[^}]*\} = process\b/,
    places: [
      'cli/',
      'settings/',
      'host/',
      'compose.ts',
      'diagnostics/examine-machine.ts',
      'authoring/',
      'local/cnab/tools.ts',
      'local/cnab/sets.ts',
      'local/cnab/command-driver.ts',
      'engines/embedded/root.ts',
    ],
  },
  {
    rule: 'clock',
    pattern: /\bperformance\.now\(/,
    places: [
      'kit/clock.ts',
      'cli/',
      'client/',
      'http/store-metrics.ts',
      'compose/broker-metrics.ts',
      'diagnostics/examine-machine.ts',
      'authoring/pak-examples.ts',
    ],
  },
  {
    rule: 'revealed-secret',
    pattern:
      /\b(?:log|logger)\.(?:debug|info|warn|error)\(.*\.reveal\(\)|\b(?:print|say|console\.\w+)\(.*\.reveal\(\)/,
    places: [],
  },
  {
    rule: 'status-place',
    pattern: /\b(?:writeHead\(\s*\d{3}|statusCode\s*=\s*\d{3}|reply\.(?:code|status)\(\s*\d{3})/,
    // What stands in for a cluster speaks that cluster's words.
    places: ['http/', 'engines/stand-in/'],
  },
  { rule: 'dynamic-import', pattern: /\bimport\(\s*(?!['\s])(?!$)/, places: [] },
]

function judgeLines(path: string, text: string, isPure: boolean): readonly Fault[] {
  const applying = lineRules.filter(
    ({ places, pureOnly }) => (isPure || !pureOnly) && !places.some((place) => path.startsWith(place)),
  )
  return text.split('\n').flatMap((line, i) => {
    if (/^\s*(\/\/|\*|\/\*)/.test(line)) {
      const unclear = /\b(?:whoever|nobody|somebody)\b/i.test(line)
      return unclear ? [{ at: `${path}:${i + 1}`, rule: 'comment-subject', found: line.trim() }] : []
    }
    const broken = applying.filter(({ pattern }) => pattern.test(line))
    return broken.map(({ rule }) => ({ at: `${path}:${i + 1}`, rule, found: line.trim() }))
  })
}

const linesMax = 70

/** Functions begin at a line that opens a body and end where the same indentation closes it. */
function judgeFunctions(path: string, text: string): readonly Fault[] {
  const lines = text.split('\n')
  return lines.flatMap((line, i) => {
    const opens =
      /^(\s*)(?:export )?(?:async )?function\*? (\w+)|^(\s*)(?:export )?const (\w+) = (?:async )?\(.*=> \{$/.exec(
        line,
      )
    if (opens === null) return []
    const indent = opens[1] ?? opens[3] ?? ''
    const end = lines.findIndex(
      (other, k) => k > i && (other === `${indent}}` || other.startsWith(`${indent}})`)),
    )
    const length = end - i + 1
    if (end < 0 || length <= linesMax) return []
    return [
      {
        at: `${path}:${i + 1}`,
        rule: 'function-length',
        found: `${opens[2] ?? opens[4]} has ${length} lines`,
      },
    ]
  })
}

/** A switch over kinds ends with never(), or returns in every case, which the compiler then holds to be whole. */
function judgeSwitches(path: string, text: string): readonly Fault[] {
  const lines = text.split('\n')
  return lines.flatMap((line, i) => {
    const opens = /^(\s*)switch \((.*\bkind)\) \{$/.exec(line)
    if (opens === null) return []
    const indent = opens[1] ?? ''
    const end = lines.findIndex((other, k) => k > i && other === `${indent}}`)
    const body = lines.slice(i + 1, end)
    if (body.includes(`${indent}  default:`)) return []
    const cases = body
      .join('\n')
      .split(/^\s*case .*:$/m)
      .slice(1)
      .filter((one) => one.trim() !== '')
    const isWhole = cases.every((one) => /\breturn \S|\b(?:throw|fail|yield)\b/.test(one))
    return isWhole ? [] : [{ at: `${path}:${i + 1}`, rule: 'switch-open', found: line.trim() }]
  })
}
