/** What the embedded engine shuts, probe by probe, and that it shuts all that Podman does by default. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testImages } from '../../../test/engines/images.ts'
import { probeScript } from '../../../test/engines/probes.ts'
import { captured, file, printed } from '../../../test/engines/row.ts'
import { discardAll, type Images, jobOf, runJob } from '../../../test/engines/run-row.ts'
import { ensurePrograms, findProgram } from '../../../test/support/debian.ts'
import { freshFolder } from '../../../test/support/image.ts'
import { startPodman } from '../../../test/support/podman.ts'
import { openArtifactStore } from '../../artifacts/index.ts'
import { systemClock } from '../../kit/clock.ts'
import { fail } from '../../model/problem.ts'
import type { RuntimeChoice } from './host.ts'
import { openEmbeddedEngine } from './index.ts'

const noPerl = findProgram('perl') === undefined ? 'perl is not installed' : undefined
const missing =
  process.geteuid?.() !== 0 || process.arch !== 'x64'
    ? 'the probes are for root on x86-64'
    : (noPerl ?? ensurePrograms('busybox', 'crun', 'runc'))
const noPodman = missing ?? ensurePrograms('podman')
const folder = freshFolder('probes')

/**
 * Open by design, and by Podman's: rights over files and users of the run's own, its own first process, what the kernel
 * tells everybody about itself, and sockets of netlink for the addresses of its own network.
 */
const openByDesign = [
  ...[0, 1, 3, 4, 5, 6, 7, 10].map((right) => `capability ${right}`),
  ...['shared user', 'shared time', 'socket 16'],
  ...['modules', 'iomem', 'ioports', '1/environ', 'sys/kernel/cap_last_cap'].map(
    (name) => `read /proc/${name}`,
  ),
  ...['vmcoreinfo', 'notes', 'btf/vmlinux'].map((name) => `read /sys/kernel/${name}`),
  ...['1/mem', '1/attr/current', 'self/attr/exec', '1/oom_score_adj', '1/loginuid'].map(
    (name) => `write /proc/${name}`,
  ),
]

const spaces = Object.fromEntries(
  ['user', 'pid', 'net', 'ipc', 'uts', 'cgroup', 'mnt', 'time'].map((name) => [
    `HOST_${name.toUpperCase()}`,
    readlinkSync(`/proc/self/ns/${name}`),
  ]),
)

function verdicts(text: string): ReadonlyMap<string, string> {
  const lines = text.trim().split('\n')
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), line.slice(line.lastIndexOf(' ') + 1)]),
  )
}

const openIn = (seen: ReadonlyMap<string, string>): readonly string[] =>
  [...seen].flatMap(([name, verdict]) => (verdict === 'open' ? name : []))

let images: Images
let byPodman: Promise<ReadonlyMap<string, string>> | undefined
beforeAll(async () => {
  if (missing === undefined) images = await testImages(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function probed(runtime: RuntimeChoice): Promise<ReadonlyMap<string, string>> {
  const engine = await openEmbeddedEngine({
    folder: join(folder, runtime),
    images: openArtifactStore({ folder: join(folder, 'images') }).images,
    supplies: { deliver: () => fail('internal.unexpected', 'nothing is supplied here') },
    clock: systemClock,
    runtime,
  })
  try {
    const job = jobOf(
      {
        tools: [{ name: 'perl', from: { kind: 'host' } }],
        files: [file('probe.pl', probeScript)],
        step: {
          command: { kind: 'exec', argv: ['perl', 'probe.pl'] },
          streams: captured,
          user: '0',
          environment: spaces,
        },
      },
      images.plain,
    )
    const seen = await runJob(engine, job)
    expect(seen.stderr.toString()).toBe('')
    return verdicts(printed(seen))
  } finally {
    await discardAll(engine)
    await engine.close()
  }
}

/** The same on Podman, as it confines what nothing is said about. */
async function probedByPodman(): Promise<ReadonlyMap<string, string>> {
  const place = freshFolder('p')
  const podman = await startPodman(place)
  const root = join(folder, 'podman-root')
  for (const name of ['usr', 'tmp', 'etc', 'proc', 'sys', 'dev'])
    mkdirSync(join(root, name), { recursive: true })
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name))
  writeFileSync(join(root, 'probe.pl'), probeScript)
  const variables = Object.entries(spaces).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const run = ['run', '--rm', '--network', 'none', '-v', '/usr:/usr:ro', ...variables, '--rootfs', root]
  const program = findProgram('podman') ?? 'podman'
  const { stdout } = spawnSync(program, [...podman.arguments, ...run, 'perl', '/probe.pl'], {
    env: podman.environment,
    encoding: 'utf8',
  })
  await podman.stop()
  return verdicts(stdout)
}

describe.skipIf(missing !== undefined).each(['crun', 'runc'] as const)('with %s', (runtime) => {
  let ours: ReadonlyMap<string, string>
  beforeAll(async () => {
    ours = await probed(runtime)
  })

  test('all that was tried is shut, but for what is open by design', () => {
    expect(ours.size).toBeGreaterThan(300)
    expect(openIn(ours).filter((name) => !openByDesign.includes(name))).toEqual([])
  })

  test.skipIf(noPodman !== undefined)('nothing is open that Podman shuts', async () => {
    byPodman ??= probedByPodman()
    const theirs = await byPodman
    const weaker = openIn(ours).filter((name) => theirs.get(name) === 'shut')

    expect(theirs.size).toBeGreaterThan(300)
    expect(weaker).toEqual([])
  })
})
