/**
 * The network of a run's own in a container: its engine gives it none, and a process of the host goes into it and leads outward.
 * The program waits at its gate until that is done.
 */
import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { readSmall } from '../absent.ts'
import { missingNetworkPrograms, type NetworkChoice } from '../run-network.ts'

/** The network of runs that need one. */
export type ContainerNetwork =
  | { readonly kind: 'own' }
  | { readonly kind: 'host' }
  /** That of the engine, with other containers in it; why. */
  | { readonly kind: 'engine'; readonly why: string }

/** Where the container finds the pipe with the word that its network is up. */
export const upInside = '/dev/.chandler-up'

/** That pipe, in the ticket. */
export const upPipe = 'net.up'

/** Lines of the gate: no word, no program. A process that was killed before its word has another come after it. */
export const untilUpLines: readonly string[] = [
  `word=; until [ "$word" = up ]; do [ "$word" != broken ] || exit 98; read -r word <${upInside}; done`,
]

/** What can be had, with the engine that listens at the socket. */
export function networkOf(choice: NetworkChoice, socket: string): ContainerNetwork {
  if (choice === 'host') return { kind: 'host' }
  const why = whyNotOwn() ?? whyUnseen(socket)
  return why === undefined ? { kind: 'own' } : { kind: 'engine', why }
}

/** What is in the way whatever the engine; known at once. */
export function whyNotOwn(): string | undefined {
  if (process.geteuid?.() !== 0) return 'the broker is not root'
  return missingNetworkPrograms()
}

const listening = '00010000'

/** Processes of the engine must be those that we see, or theirs would be mistaken for others. */
function whyUnseen(socket: string): string | undefined {
  const real = existsSync(socket) ? realpathSync(socket) : socket
  const inodes = (readSmall('/proc/net/unix') ?? '').split('\n').flatMap((line) => {
    const [, , , flags, , , inode, path] = line.trim().split(/\s+/)
    return flags === listening && (path === socket || path === real) && inode ? [`socket:[${inode}]`] : []
  })
  const isHeld = readdirSync('/proc').some((pid) => /^\d+$/.test(pid) && holds(pid, inodes))
  return isHeld ? undefined : 'the processes of the engine are not seen from here'
}

function holds(pid: string, inodes: readonly string[]): boolean {
  const folder = `/proc/${pid}/fd`
  try {
    return inodes.length > 0 && readdirSync(folder).some((fd) => inodes.includes(targetOf(join(folder, fd))))
  } catch {
    // A process that ended meanwhile.
    return false
  }
}

function targetOf(fd: string): string {
  try {
    return readlinkSync(fd)
  } catch {
    // It was closed meanwhile.
    return ''
  }
}
