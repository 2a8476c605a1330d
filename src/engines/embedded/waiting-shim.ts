/** The shim of a run that is begun ahead: all is done up to its door, where it waits for the word to go. */
import { never } from '../../kit/assert.ts'
import { commandLine, quote } from '../shell.ts'
import { untilLentLines } from './network.ts'
import {
  begin,
  commandLines,
  doorFile,
  introduction,
  lastLines,
  mountLines,
  putInPlace,
  quietly,
  type ShimPlan,
  type StartGate,
  wordsFile,
} from './shim.ts'
import type { StepPlan } from './step-plan.ts'

/**
 * What stands in front of a program that cannot be told to wait; its name, by which it is found, follows. It reads what to do,
 * each line behind a sign, and does it at the word: text that is cut off before is never done.
 */
export const hold = [
  '-c',
  [
    'text=',
    'while IFS= read -r line; do',
    'case $line in',
    `=*) text=$text\${line#=}"`,
    '" ;;',
    'go) unset line; eval "$text"; exit 1 ;;',
    '*) exit 1 ;;',
    'esac',
    'done',
    'exit 1',
  ].join('\n'),
] as const

/** What it is told: to become the program with its variables, and to keep nothing open of what it was told through. */
export function wordsOf({ argv, environment }: Pick<StepPlan, 'argv' | 'environment'>): string {
  const lines = [
    'exec </dev/null',
    'unset text PWD OLDPWD',
    ...[...environment].map(([name, value]) => `export ${name}=${quote(value)}`),
    `exec ${commandLine(argv)}`,
  ]
  const told = lines.flatMap((line) => line.split('\n')).map((line) => `=${line}\n`)
  return `${told.join('')}go\n`
}

/** Opening a pipe by its name blocks until there is a writer: so a writer comes, again and again, until all is over. */
const letThrough =
  'exec 6</proc/self/fd/8 8>&-; while kill -0 $$; do : >/proc/self/fd/6; sleep 0.1; done 2>/dev/null'

/** What the kinds of door do each in their own way. */
interface Ways {
  readonly makePipe: string
  readonly open: string
  /** Where it shall not be opened; what comes late must not wait. */
  readonly refuse: readonly string[]
  /** Where the program, or what stands in front of it, reads. */
  readonly holdStdin: readonly string[]
  readonly stdin: string | undefined
}

/**
 * The script. The door is a pipe that only a keeper holds open for writing: however the keeper ends without a word,
 * nothing can be read there but the end. The keeper begins the run as any shim does, then opens.
 */
export function waitingScript(plan: ShimPlan, door: StartGate): string {
  const ends = plan.steps.flatMap(({ cleanUp }) => (cleanUp === undefined ? [] : quietly(cleanUp)))
  const ways = waysOf(door, plan.rootless)
  return [
    ...introduction(plan.paths),
    'broken() { exit 97; }',
    ...mountLines(plan),
    `${ways.makePipe} || broken`,
    `exec 7<&0 8<>${quote(door.place)} </dev/null || broken`,
    '(',
    'exec 9>&-',
    `refuse() { ${[...ends, ...ways.refuse, 'exit 1'].join('; ')}; }`,
    'read -r go fence <&7 || refuse',
    'exec 7<&-',
    // A stop that arrives before the start is left to a shim that has started nothing.
    '[ ! -e stop ] || refuse',
    `${begin} || refuse`,
    ': >began.0',
    ways.open,
    ') &',
    'keeper=$!',
    // While nothing is lent nothing waits at the door; where the keeper has gone, there is nothing left to wait for.
    ...untilLentLines(plan.network, 'kill -0 $keeper 2>/dev/null || broken'),
    ...ways.holdStdin,
    'exec 7<&- 8>&-',
    ...plan.steps.flatMap((step) => commandLines(step, ways.stdin)),
    'kill $keeper 2>/dev/null; wait $keeper',
    'own=; { read -r own <began; } 2>/dev/null',
    '[ "$own" = "$mark" ] || { rm -f lock.$$; exit 99; }',
    ...ends.map((end) => `[ $rc -lt 128 ] || ${end} 9>&-`),
    'echo $rc >exit.0',
    ...lastLines(plan),
    '',
  ].join('\n')
}

function waysOf(door: StartGate, rootless: boolean): Ways {
  const place = quote(door.place)
  switch (door.kind) {
    case 'word':
      return {
        makePipe: `mkfifo -m 600 ${place}`,
        // Written by a process that reads nothing there: it ends with its last reader.
        open: `cat ${wordsFile} >${place} 8>&-; rm -f ${wordsFile}`,
        refuse: [],
        // To open it only when the program starts would be to wait for the keeper process, which may have gone.
        holdStdin: [`exec 6<${place}`],
        stdin: '&6 6<&-',
      }
    case 'file': {
      const owned = rootless ? '' : ` && chown ${door.uid}:${door.gid} ${place}`
      return {
        makePipe: `rm -f ${place} && mkfifo -m ${door.mode.toString(8)} ${place}${owned}`,
        // From now on a reader of the file by its name finds one.
        open: `exec 5<${doorFile} && ${putInPlace(door.place)} && cat <&5 >&8`,
        refuse: [letThrough],
        holdStdin: [],
        stdin: undefined,
      }
    }
    default:
      return never(door)
  }
}
