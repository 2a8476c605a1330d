/**
 * A network of a run's own: outward only, through a process beside the run. Addresses of this host and link-local ones lead
 * nowhere, and other runs have networks of theirs.
 */
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import type { Address, Job } from '../model/job.ts'
import { readSmall, statSmall } from './absent.ts'
import { commandLine } from './shell.ts'
import { usualFolders } from './usual-path.ts'

/** What an operator may ask for: `own` refuses what would have to run on another. */
export type NetworkChoice = 'auto' | 'own' | 'host'

/** The programs of the host that make one. */
export const networkPrograms = ['slirp4netns', 'ip', 'nsenter', 'setpriv'] as const

/** Which of them this host lacks, as a reason; undefined where it has all. */
export function missingNetworkPrograms(): string | undefined {
  const missing = networkPrograms.filter(
    (name) => !usualFolders.some((folder) => statSmall(join(folder, name)) !== undefined),
  )
  return missing.length === 0 ? undefined : `${missing.join(', ')} missing`
}

/** Of the range for benchmarks, which no network of a host should have. */
const subnet = '198.18.255.0/24'
const nameServer = '198.18.255.3'

/** In the folder of a run: what is done in its network at first, where it looks for names, and that addresses are lent. */
export const networkFiles = {
  setup: 'net.setup',
  names: 'resolv.conf',
  ready: 'net.ready',
  lent: 'net.lent',
} as const

/** What a run with a network of its own finds in its folder, by name. */
export function networkTexts({ lent: addresses = [] }: Pick<Job, 'lent'>): ReadonlyMap<string, string> {
  return new Map([
    [networkFiles.setup, setupOf(addresses)],
    [networkFiles.names, resolverOf(readSmall('/etc/resolv.conf') ?? '')],
  ])
}

/** A lent address is the run's own, so that what listens there is what was lent and nothing else. */
function setupOf(addresses: readonly Address[]): string {
  const own = new Set(addresses.map(({ address }) => address).filter((one) => !one.startsWith('127.')))
  const refused = addressesOfHost().filter((one) => !own.has(one))
  // It may be done again, when the process behind the network was killed.
  const lines = [
    'link set lo up',
    ...[...own].map((one) => `addr replace ${one}/32 dev lo`),
    'route replace prohibit 169.254.0.0/16',
    ...refused.map((one) => `route replace prohibit ${one}/32`),
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

/** The process behind the network at a path: it says that it is up at descriptor 6, and ends with what started it. */
export function outwardThrough(space: string): string {
  return commandLine([
    ...['setpriv', '--pdeathsig', 'KILL', 'slirp4netns', '--configure', '--mtu=65520', `--cidr=${subnet}`],
    ...['--disable-host-loopback', '--enable-sandbox', '--enable-seccomp', '--netns-type=path', '-r', '6'],
    ...[space, 'tap0'],
  ])
}
