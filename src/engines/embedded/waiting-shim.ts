/** The shim of a run that is begun ahead: its program is started, and waits at its door for the word to go. */
import { quote } from './shell.ts'
import {
  begin,
  commandLines,
  introduction,
  lastLines,
  mountLines,
  openDoor,
  quietly,
  type ShimDoor,
  type ShimPlan,
} from './shim.ts'

/**
 * The script. The door is a pipe that only a keeper holds open: however the keeper ends without a word,
 * the program reads nothing there and can only fail. The keeper begins the run as any shim does, then opens.
 */
export function waitingScript(plan: ShimPlan, door: ShimDoor): string {
  const ends = plan.steps.flatMap(({ cleanUp }) => (cleanUp === undefined ? [] : quietly(cleanUp)))
  const place = quote(door.place)
  return [
    ...introduction(plan.paths),
    'broken() { exit 97; }',
    ...mountLines(plan),
    `rm -f ${place} && mkfifo -m ${door.mode.toString(8)} ${place} || broken`,
    ...(plan.rootless ? [] : [`chown ${door.uid}:${door.gid} ${place} || broken`]),
    `exec 7<&0 8<>${place} </dev/null || broken`,
    '(',
    'exec 9>&-',
    `refuse() { ${[...ends, 'exit 1'].join('; ')}; }`,
    'read -r go fence <&7 || refuse',
    'exec 7<&-',
    `${begin} || refuse`,
    ': >began.0',
    // Whoever reads it by its name from now on finds a file.
    `${openDoor(door)} && cat ${place} >&8`,
    ') &',
    'keeper=$!',
    'exec 7<&- 8>&-',
    ...plan.steps.flatMap(commandLines),
    'kill $keeper 2>/dev/null; wait $keeper',
    'own=; { read -r own <began; } 2>/dev/null',
    '[ "$own" = "$mark" ] || { rm -f lock.$$; exit 99; }',
    ...ends.map((end) => `[ $rc -lt 128 ] || ${end} 9>&-`),
    'echo $rc >exit.0',
    ...lastLines(plan),
    '',
  ].join('\n')
}
