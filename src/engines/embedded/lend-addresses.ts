/** Lends addresses of the host to a run whose shim has made its network. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { enough } from '../../kit/enough.ts'
import type { Address } from '../../model/job.ts'
import { watchFolder } from '../changes.ts'
import { lendAddresses } from '../lend-addresses.ts'
import { networkFiles } from '../run-network.ts'
import type { Host } from './host.ts'
import { shimState } from './identity.ts'
import { shimNetworkFiles } from './network.ts'
import type { RunPaths } from './run-folder.ts'
import { isOver, type Stopping } from './stop.ts'

/** How often it is looked, whatever was heard. */
const glanceMs = 50

/** Addresses that are lent by this process. */
export interface Loan {
  end(): void
}

/** The network that they are lent to, by the shim that made it and the folder of its run. */
export interface LentTo {
  readonly host: Pick<Host, 'rootless'>
  readonly folder: string
  /** Undefined where there will be none. */
  readonly pid: Promise<number | undefined>
}

/**
 * Until the signal. A run waits with its program until they are lent. What was lent before the run began is taken over.
 */
export async function lendWhileRunning(
  at: Stopping,
  before: Loan | undefined,
  signal: AbortSignal,
): Promise<void> {
  const loan = before ?? (await lendOnceReady(at, signal))
  if (loan === undefined) return
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  loan.end()
}

async function lendOnceReady(at: Stopping, signal: AbortSignal): Promise<Loan | undefined> {
  const { lent: addresses } = at.record
  // What an earlier release has laid out has none.
  if (addresses === undefined || addresses.length === 0) return undefined
  const { host, paths } = at
  return await lend(addresses, { host, folder: paths.folder, pid: shimOnceReady(at, signal) })
}

async function shimOnceReady({ paths, clock }: Stopping, signal: AbortSignal): Promise<number | undefined> {
  const changes = watchFolder(paths.folder, clock)
  signal.addEventListener('abort', changes.wake, { once: true })
  try {
    while (!isReady(paths)) {
      if (signal.aborted || (await isOver(paths))) return undefined
      await changes.next(glanceMs)
    }
    const shim = await shimState(paths)
    return shim.kind === 'alive' ? shim.mark.pid : undefined
  } finally {
    signal.removeEventListener('abort', changes.wake)
    changes.close()
  }
}

/** Whether the network of a run is there, and waits for what it is lent. */
export function isReady({ folder }: Pick<RunPaths, 'folder'>): boolean {
  return existsSync(join(folder, networkFiles.ready))
}

/** Lends addresses and tells the run so; undefined where there is no network to lend them to. Problem: engine.start-failed. */
export async function lend(
  addresses: readonly Address[],
  { host, folder, pid }: LentTo,
): Promise<Loan | undefined> {
  const owner = host.rootless ? ['--user', '--preserve-credentials'] : []
  const into = pid.then((known) => {
    if (known === undefined) return undefined
    const space = `/proc/${known}/root${join(folder, shimNetworkFiles.space)}`
    return ['--target', String(known), ...owner, `--net=${space}`]
  })
  const over = new AbortController()
  return new Promise((resolve, reject) => {
    const lent = (): void => {
      writeFileSync(join(folder, networkFiles.lent), '')
      resolve({ end: () => over.abort(enough) })
    }
    lendAddresses({ into, addresses, lent }, over.signal).then(() => resolve(undefined), reject)
  })
}
