/** The network of a run's own as its shim makes it: nothing of it lives longer than the shim. */
import { networkFiles, outwardThrough } from '../run-network.ts'

/** The network of runs that need one. */
export type RunNetwork =
  | { readonly kind: 'own' }
  /** That of the host; why, where another was looked for. */
  | { readonly kind: 'host'; readonly why?: string | undefined }

/** In the folder of a run: the network itself, and the word that it is up. */
export const shimNetworkFiles = { space: 'net', up: 'net.up' } as const

const { space, up } = shimNetworkFiles
const { setup, ready, lent } = networkFiles

/**
 * Lines of a shim, in the folder of its run, that make the network and the process behind it while the shim goes on.
 * Whatever kills the shim, nothing is left behind. Calls `broken`.
 */
export const networkLines: readonly string[] = [
  `: >${space} && mkfifo ${up} || broken`,
  `( exec 9>&-; unshare --net=${space} ip -batch ${setup} && kill -0 $$ && : >${ready} && exec ${outwardThrough(space)} ) 6>${up} </dev/null >/dev/null 2>net.err &`,
  'outward=$!',
]

/** The line that waits until it can be used. */
export const untilNetworkLine = `word=; read -r word <${up}; [ "$word" = 1 ] || { cat net.err >&2; broken; }`

/** Lines that wait until addresses are lent to it; what is asked each time may end the waiting. */
export function untilLentLines(
  network: { readonly lends: boolean } | undefined,
  each: string,
): readonly string[] {
  if (network?.lends !== true) return []
  // They are lent within milliseconds, unless no broker is there to do so.
  const look = `${each}; looks=$((looks + 1)); sleep 0.00$((looks > 20 ? 9 : 2)) 9>&-`
  return ['looks=0', `while [ ! -e ${lent} ]; do ${look}; done`]
}

/** The line that forgets the network of a shim which ended before the run began. */
export const unusedNetworkLine = `rm -f ${up} ${ready} ${lent}`

/** The line that ends it. */
export const noNetworkLine = 'kill $outward 2>/dev/null'
