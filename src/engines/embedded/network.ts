/**
 * A network of a run's own: outward only, through a process that lives no longer than the shim. Addresses of this host and
 * link-local ones lead nowhere, and other runs have networks of theirs.
 */
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import type { Address, Job } from '../../model/job.ts'
import { readSmall } from '../absent.ts'
import { commandLine } from '../shell.ts'

/** The network of runs that need one. */
export type RunNetwork =
  | { readonly kind: 'own' }
  /** That of the host; why, where another was looked for. */
  | { readonly kind: 'host'; readonly why?: string | undefined }

/** What an operator may ask for: `own` refuses what would have to run on the host's. */
export type NetworkChoice = 'auto' | 'own' | 'host'

/** The programs of the host that make one. */
export const networkPrograms = ['slirp4netns', 'ip', 'nsenter', 'setpriv'] as const

/** Of the range for benchmarks, which no network of a host should have. */
const subnet = '198.18.255.0/24'
const nameServer = '198.18.255.3'

/** In the folder of a run: the network itself, what is done in it at first, the word that it is up, and that addresses are lent. */
export const networkFiles = {
  space: 'net',
  setup: 'net.setup',
  up: 'net.up',
  ready: 'net.ready',
  lent: 'net.lent',
  names: 'resolv.conf',
} as const

const { space, setup, up, ready, lent, names } = networkFiles

/** What a run with a network of its own finds in its folder, by name. */
export function networkTexts({ lent: addresses = [] }: Pick<Job, 'lent'>): ReadonlyMap<string, string> {
  return new Map([
    [setup, setupOf(addresses)],
    [names, resolverOf(readSmall('/etc/resolv.conf') ?? '')],
  ])
}

/** Where a run looks for names of other hosts. */
export function resolverIn(folder: string): string {
  return join(folder, names)
}

/** A lent address is the run's own, so that what listens there is what was lent and nothing else. */
function setupOf(addresses: readonly Address[]): string {
  const own = new Set(addresses.map(({ address }) => address).filter((one) => !one.startsWith('127.')))
  const refused = addressesOfHost().filter((one) => !own.has(one))
  const lines = [
    'link set lo up',
    ...[...own].map((one) => `addr add ${one}/32 dev lo`),
    'route add prohibit 169.254.0.0/16',
    ...refused.map((one) => `route add prohibit ${one}/32`),
  ]
  return `${lines.join('\n')}\n`
}

function addressesOfHost(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((own) => own ?? [])
  const outer = all.filter(({ family, internal }) => family === 'IPv4' && !internal)
  // Those that are link-local are refused with all others.
  return [...new Set(outer.map(({ address }) => address))].filter((one) => !one.startsWith('169.254.'))
}

/** The host's way to complete names, asked through the network's own server. */
function resolverOf(text: string): string {
  const others = text.split('\n').filter((line) => /^\s*(search|domain|options)\s/.test(line))
  return `nameserver ${nameServer}\n${others.map((line) => `${line}\n`).join('')}`
}

const outward = commandLine([
  ...['setpriv', '--pdeathsig', 'KILL', 'slirp4netns', '--configure', '--mtu=65520', `--cidr=${subnet}`],
  ...['--disable-host-loopback', '--enable-sandbox', '--enable-seccomp', '--netns-type=path', '-r', '6'],
  ...[space, 'tap0'],
])

/**
 * Lines of a shim, in the folder of its run, that make the network and the process behind it while the shim goes on.
 * Whatever kills the shim, nothing is left behind. Calls `broken`.
 */
export const networkLines: readonly string[] = [
  `: >${space} && mkfifo ${up} || broken`,
  `( exec 9>&-; unshare --net=${space} ip -batch ${setup} && kill -0 $$ && exec ${outward} ) 6>${up} </dev/null >/dev/null 2>net.err &`,
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
