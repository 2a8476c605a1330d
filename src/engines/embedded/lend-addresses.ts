/** Lends addresses of the host to a run whose shim has made its network. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lendAddresses } from '../lend-addresses.ts'
import { networkFiles } from '../run-network.ts'
import { shimState } from './identity.ts'
import { shimNetworkFiles } from './network.ts'
import { isOver, type Stopping } from './stop.ts'

const glanceMs = 10

/** Until the signal. A run waits with its program until they are lent. */
export async function lendWhileRunning(at: Stopping, signal: AbortSignal): Promise<void> {
  const { paths, record, clock, host } = at
  const { lent: addresses } = record
  // What an earlier release has laid out has none.
  if (addresses === undefined || addresses.length === 0) return
  while (!existsSync(join(paths.folder, networkFiles.ready))) {
    if (signal.aborted || (await isOver(paths))) return
    await clock.sleep(glanceMs, signal)
  }
  const shim = await shimState(paths)
  if (shim.kind !== 'alive') return
  const { pid } = shim.mark
  const space = `/proc/${pid}/root${join(paths.folder, shimNetworkFiles.space)}`
  const owner = host.rootless ? ['--user', '--preserve-credentials'] : []
  const into = ['--target', String(pid), ...owner, `--net=${space}`]
  const lent = (): void => writeFileSync(join(paths.folder, networkFiles.lent), '')
  await lendAddresses({ into, addresses, lent }, signal)
}
