/** The shim of a run that is begun ahead: all is done up to its door, where it waits for the word to go. */
import { quote } from './shell.ts'
import {
  begin,
  commandLines,
  doorFile,
  introduction,
  lastLines,
  mountLines,
  putInPlace,
  quietly,
  type ShimDoor,
  type ShimPlan,
} from './shim.ts'

/** What stands in front of a program that cannot be told to wait; its name, by which it is found, and the program follow. */
export const hold = ['-c', 'read -r word && [ "$word" = go ] && exec "$@" </dev/null; exit 1'] as const

/** Who opens a pipe by its name waits until somebody opens it for writing: so one does, again and again, until all is over. */
const letThrough =
  'exec 6</proc/self/fd/8 8>&-; while kill -0 $$; do : >/proc/self/fd/6; sleep 0.1; done 2>/dev/null'

/**
 * The script. The door is a pipe that only a keeper holds open for writing: however the keeper ends without a word,
 * nothing can be read there but the end. The keeper begins the run as any shim does, then opens.
 */
export function waitingScript(plan: ShimPlan, door: ShimDoor): string {
  const ends = plan.steps.flatMap(({ cleanUp }) => (cleanUp === undefined ? [] : quietly(cleanUp)))
  const place = quote(door.place)
  return [
    ...introduction(plan.paths),
    'broken() { exit 97; }',
    ...mountLines(plan),
    ...pipeLines(door, plan.rootless),
    `exec 7<&0 8<>${place} </dev/null || broken`,
    '(',
    'exec 9>&-',
    `refuse() { ${[...ends, ...(door.kind === 'file' ? [letThrough] : []), 'exit 1'].join('; ')}; }`,
    'read -r go fence <&7 || refuse',
    'exec 7<&-',
    // Whoever is told to stop before it begins is left to a shim that has started nothing.
    '[ ! -e stop ] || refuse',
    `${begin} || refuse`,
    ': >began.0',
    // Whoever reads a file by its name from now on finds one.
    door.kind === 'file' ? `exec 5<${doorFile} && ${putInPlace(door.place)} && cat <&5 >&8` : 'echo go >&8',
    ') &',
    'keeper=$!',
    // The word is waited for at a pipe that is open: to open it would be to wait for the keeper, who may have gone.
    `exec${door.kind === 'word' ? ` 6<${place}` : ''} 7<&- 8>&-`,
    ...plan.steps.flatMap((step) => commandLines(step, door.kind === 'word' ? '&6 6<&-' : undefined)),
    'kill $keeper 2>/dev/null; wait $keeper',
    'own=; { read -r own <began; } 2>/dev/null',
    '[ "$own" = "$mark" ] || { rm -f lock.$$; exit 99; }',
    ...ends.map((end) => `[ $rc -lt 128 ] || ${end} 9>&-`),
    'echo $rc >exit.0',
    ...lastLines(plan),
    '',
  ].join('\n')
}

function pipeLines(door: ShimDoor, rootless: boolean): readonly string[] {
  const place = quote(door.place)
  if (door.kind === 'word') return [`mkfifo -m 600 ${place} || broken`]
  const owned = rootless ? '' : ` && chown ${door.uid}:${door.gid} ${place}`
  return [`rm -f ${place} && mkfifo -m ${door.mode.toString(8)} ${place}${owned} || broken`]
}
