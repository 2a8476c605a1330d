/**
 * The process behind the network of a container: it goes into the network, leads outward, lets the program through its gate,
 * and ends with the container.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Address } from '../../model/job.ts'
import { readSmall } from '../absent.ts'
import { lendAddresses } from '../lend-addresses.ts'
import { networkFiles, outwardThrough } from '../run-network.ts'
import { heldElsewhere, isKnown, startBeside } from './beside-run.ts'
import { type ContainerSight, hasEnded, inspect } from './container.ts'
import { type DockerContext, ticketOf } from './context.ts'
import { upPipe } from './network.ts'
import type { Stopping } from './stop.ts'
import type { TicketPaths } from './ticket.ts'

/** In the ticket: the lock of the process behind the network, what went wrong, that it could not make one, and that it has. */
const held = 'net.held'
const errors = 'net.err'
const broken = 'net.broken'
const through = 'net.through'
const { setup, ready, lent } = networkFiles

/** In the folder of the ticket, with the number of the container's first process. */
function keeperOf(lends: boolean): string {
  // In a shell of its own: some would close these descriptors of theirs as long as it sleeps.
  const nap = (seconds: number): string => `( exec 7>&- 8>&- 9>&-; exec sleep ${seconds} )`
  return [
    'cd "$1" || exit 0; pid=$2',
    `exec 9>${held} && flock -n 9 || exit ${heldElsewhere}`,
    // Open for both ends, the pipe is there at once, and what is written stays for the gate to read.
    `exec 7<>${upPipe} || exit 0`,
    'is_in() { [ "/proc/$pid/ns/net" -ef "/proc/$$/fd/8" ]; }',
    // Behind a program that was let through, another tries again.
    `broken() { [ ! -e ${through} ] || { ${nap(1)}; exit 0; }; : >${broken}; echo broken >&7; ${nap(5)}; while is_in; do ${nap(1)}; done; exit 0; }`,
    // The gate that it has mounted tells that it is the one meant, and not another that came to its number.
    `[ -e "/proc/$pid/ns/net" ] && exec 8<"/proc/$pid/ns/net" || broken`,
    '[ "/proc/$pid/root/dev/.chandler-gate" -ef gate ] || broken',
    `nsenter --net=/proc/$$/fd/8 ip -batch ${setup} >/dev/null 2>${errors} || broken`,
    'rm -f net.said && mkfifo -m 600 net.said || broken',
    `( exec 7>&- 9>&-; kill -0 $$ && exec ${outwardThrough('/proc/self/fd/8')} ) 6>net.said </dev/null >/dev/null 2>>${errors} &`,
    'outward=$!',
    'word=; read -r word <net.said; [ "$word" = 1 ] || broken',
    `echo $$ >${ready}.new && mv ${ready}.new ${ready}`,
    ...(lends ? [`while [ ! -e ${lent} ] && is_in; do ${nap(0.02)}; done`] : []),
    `: >${through}; echo up >&7`,
    `while is_in; do ${nap(1)}; done`,
    'kill $outward',
  ].join('\n')
}

/** Makes the network of a container that runs, unless a process is at it; that process ends with the container. */
export async function keepNetwork(
  { outward, clock, folder }: DockerContext,
  run: string,
  { there, addresses }: { readonly there: ContainerSight; readonly addresses: readonly Address[] },
): Promise<void> {
  const beside = { known: outward, clock, run }
  if (there.pid <= 0 || hasEnded(there) || isKnown(beside)) return
  const ticket = ticketOf({ folder }, run)
  await startBeside(beside, keeperOf(addresses.length > 0), [ticket.folder, String(there.pid)])
}

const glanceMs = 10

/** Until the signal; the program waits at its gate until they are lent. Problems: engine.start-failed. */
export async function lendToContainer(
  { yard, run, paths, record }: Stopping,
  signal: AbortSignal,
): Promise<void> {
  const { network: addresses = [] } = record
  if (addresses.length === 0) return
  // Named by the process that holds it open; one that was killed has another come after it.
  const space = (): string => `/proc/${(readSmall(join(paths.folder, ready)) ?? '').trim()}/fd/8`
  while (!existsSync(space())) {
    const there = await inspect(yard.docker, run)
    if (signal.aborted || there === undefined || hasEnded(there)) return
    await yard.clock.sleep(glanceMs, signal)
  }
  const into = Promise.resolve([`--net=${space()}`])
  await lendAddresses({ into, addresses, lent: () => writeFileSync(join(paths.folder, lent), '') }, signal)
}

/** Why the program did not get its network; undefined where it did. */
export function networkFault({ folder }: Pick<TicketPaths, 'folder'>): string | undefined {
  if (!existsSync(join(folder, broken))) return undefined
  const said = (readSmall(join(folder, errors)) ?? '').trim().split('\n').at(-1)
  return `no network of its own could be made${said ? `: ${said}` : ''}`
}
