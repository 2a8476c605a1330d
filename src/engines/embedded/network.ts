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
  `( exec 9>&-; unshare --net=${space} ip -batch ${setup} && kill -0 $$ && exec ${outwardThrough(space)} ) 6>${up} </dev/null >/dev/null 2>net.err &`,
  'outward=$!',
]

/** Lines that wait until it can be used. */
export function untilNetworkLines(lends: boolean): readonly string[] {
  return [
    `word=; read -r word <${up}; [ "$word" = 1 ] || { cat net.err >&2; broken; }`,
    ...(lends ? [`: >${ready}; while [ ! -e ${lent} ] && [ ! -e stop ]; do sleep 0.01 9>&-; done`] : []),
  ]
}

/** The line that ends it. */
export const noNetworkLine = 'kill $outward 2>/dev/null'
