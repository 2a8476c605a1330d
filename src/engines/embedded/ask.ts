/** Asks a running program, from inside, until it answers. */
import { readlink, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Want } from '../../model/job.ts'
import { unlessAbsent } from '../absent.ts'
import { capabilities } from '../confinement.ts'
import { type Ran, run } from '../run-program.ts'
import { shimState } from './identity.ts'
import type { RunPaths } from './run-folder.ts'
import { currentStep, initOf, liveContainer, type Stopping } from './stop.ts'

const answerBytesMax = 1024 * 1024
const answerMs = 60_000

/** Asks every want of this kind as often as it says, until it has an answer or the signal fires. */
export async function askWhileRunning(at: Stopping, signal: AbortSignal): Promise<void> {
  const wants = at.record.wants.filter((want) => want.kind === 'ask')
  await Promise.all(wants.map((want) => askUntilAnswered(at, want, signal)))
}

/** Where an answer is kept: it may hold credentials. */
export function answerFile(paths: RunPaths, name: string): string {
  return join(paths.private, `answer.${Buffer.from(name).toString('hex')}`)
}

async function askUntilAnswered(
  at: Stopping,
  want: Extract<Want, { kind: 'ask' }>,
  signal: AbortSignal,
): Promise<void> {
  const file = answerFile(at.paths, want.name)
  while (!signal.aborted && (await stat(file).catch(unlessAbsent)) === undefined) {
    const i = await currentStep(at)
    const answer = i === undefined ? undefined : await ask(at, i, want.argv)
    if (answer?.exit === 0) {
      await writeFile(`${file}.tmp`, answer.stdout, { mode: 0o600 })
      await rename(`${file}.tmp`, file)
      return
    }
    await at.clock.sleep(want.everySeconds * 1000, signal)
  }
}

async function ask(at: Stopping, i: number, argv: readonly string[]): Promise<Ran | undefined> {
  const { runtime } = at.record
  const bounds = { milliseconds: answerMs, stdoutBytesMax: answerBytesMax }
  if (runtime.kind !== 'plain') {
    const state = join(at.paths.private, 'state')
    const container = liveContainer(at, runtime, i)
    if (container === undefined) return undefined
    const command = [runtime.program, '--root', state, 'exec', container.id, ...argv]
    const shim = await shimState(at.paths)
    if (!at.host.rootless || shim.kind !== 'alive')
      return await run(runtime.program, command.slice(1), bounds)
    // Without root the container belongs to the user namespace of its shim.
    const spaces = ['--target', String(shim.mark.pid), '--user', '--mount', '--preserve-credentials']
    return await run('nsenter', [...spaces, '--', ...command], bounds)
  }
  const init = await initOf(at, i)
  if (init === undefined) return undefined
  const bound = capabilities.map((name) => `+${name.toLowerCase()}`).join(',')
  const inside = ['--target', String(init), ...(await spacesOf(init)), '--root', '--wd']
  const rights = ['--no-new-privs', '--inh-caps=-all', `--bounding-set=-all,${bound}`]
  return await run(
    'nsenter',
    [
      ...inside,
      ...(at.host.rootless ? ['--preserve-credentials'] : []),
      '--',
      ...at.host.lent.command('setpriv'),
      ...rights,
      '--',
      ...argv,
    ],
    bounds,
  )
}

const spaces = {
  user: 'user',
  mnt: 'mount',
  ipc: 'ipc',
  uts: 'uts',
  pid: 'pid',
  net: 'net',
  cgroup: 'cgroup',
}

/** The namespaces of a process that are not ours: without root we may not enter again those that are. */
async function spacesOf(pid: number): Promise<readonly string[]> {
  const found = await Promise.all(
    Object.entries(spaces).map(async ([name, option]) => {
      const read = (of: string): Promise<string> => readlink(`/proc/${of}/ns/${name}`).catch(() => '')
      return (await read(String(pid))) === (await read('self')) ? [] : [`--${option}`]
    }),
  )
  return found.flat()
}
