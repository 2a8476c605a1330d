import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { engineSuite } from '../../../test/engine-suite.ts'
import type { Candidate } from '../../../test/engines/run-row.ts'
import { ensurePrograms } from '../../../test/support/debian.ts'
import { freshFolder } from '../../../test/support/image.ts'
import { startDockerd, startPodman, type TestEngine } from '../../../test/support/podman.ts'
import { openArtifactStore } from '../../artifacts/index.ts'
import { systemClock } from '../../kit/clock.ts'
import { fail } from '../../model/problem.ts'
import { openDockerEngine } from './index.ts'

const engines: TestEngine[] = []
afterAll(async () => {
  for (const engine of engines) await engine.stop()
})

function candidate(
  name: string,
  missing: string | undefined,
  start: (folder: string) => Promise<TestEngine>,
  more: Partial<Candidate>,
): Candidate {
  let place = ''
  return {
    name,
    missing,
    shell: true,
    open: async (folder) => {
      place = join(folder, 'tickets')
      // Podman and sockets take short paths only.
      const engine = await start(freshFolder('e'))
      engines.push(engine)
      return openDockerEngine({
        socket: engine.socket,
        folder: place,
        copier: openArtifactStore({ folder: join(folder, 'artifacts') }),
        supplies: { deliver: () => fail('internal.unexpected', 'nothing is supplied here') },
        clock: systemClock,
        network: 'host',
      })
    },
    leftovers: async () => {
      const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
      const rooms = ['runs', 'aside', 'trash'].flatMap((room) => readdirSync(join(place, room)))
      return [...rooms, ...mounts.split('\n').filter((line) => line.includes(place))]
    },
    ...more,
  }
}

/** What these engines decide themselves. */
const filter = { 'new namespaces cannot be made': "the filter of system calls is the engine's own" }
const unseen = {
  'a program over its memory is ended for that': 'Podman does not tell why a program was killed',
}

const isRoot = process.geteuid?.() === 0 ? undefined : 'the engines of these tests need root'
const noBusybox = isRoot ?? ensurePrograms('busybox', 'runc')
engineSuite(
  candidate('docker engine on Podman', noBusybox ?? ensurePrograms('podman'), startPodman, {
    skips: { ...filter, ...unseen },
  }),
)
engineSuite(
  candidate('docker engine on Docker', noBusybox ?? dockerMissing(), startDockerd, {
    skips: filter,
  }),
)

/** Not installed for the tests' sake: Docker's package starts services. */
function dockerMissing(): string | undefined {
  return ['/usr/bin/dockerd', '/usr/sbin/dockerd'].some(existsSync) ? undefined : 'dockerd is not installed'
}
