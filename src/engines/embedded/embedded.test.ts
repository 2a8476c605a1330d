import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { engineSuite } from '../../../test/engine-suite.ts'
import { type Candidate, ownRuns } from '../../../test/engines/run-row.ts'
import { ensurePrograms } from '../../../test/support/debian.ts'
import { openArtifactStore } from '../../artifacts/index.ts'
import { systemClock } from '../../kit/clock.ts'
import { fail } from '../../model/problem.ts'
import type { RuntimeChoice } from './host.ts'
import { openEmbeddedEngine } from './index.ts'

const unfiltered = 'without a runtime system calls are not filtered'

function candidate(runtime: RuntimeChoice, more: Partial<Candidate>): Candidate {
  let place = ''
  return {
    name: `embedded with ${runtime}`,
    shell: true,
    open: (folder) => {
      place = folder
      const images = openArtifactStore({ folder: join(folder, 'images') }).images
      const supplies = { deliver: () => fail('internal.unexpected', 'nothing is supplied here') }
      return openEmbeddedEngine({
        folder: join(folder, 'engine'),
        images,
        supplies,
        clock: systemClock,
        runtime,
      })
    },
    leftovers: async () => leftIn(join(place, 'engine')),
    ...more,
  }
}

/** Mounts, groups, processes and files that should be gone. */
function leftIn(folder: string): readonly string[] {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(folder))
  const groups = ['/sys/fs/cgroup/memory/chandler', '/sys/fs/cgroup/pids/chandler', '/sys/fs/cgroup/chandler']
    .filter(existsSync)
    .flatMap((path) =>
      readdirSync(path).filter((name) => name.includes(`chd-testtest`) && name.includes(ownRuns)),
    )
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readable(`/proc/${pid}/cmdline`).includes(folder))
  const files = ['runs', 'aside', 'trash'].flatMap((name) => readdirSync(join(folder, name)))
  return [...mounts, ...groups, ...processes, ...files]
}

function readable(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const missing = ensurePrograms('busybox')
engineSuite(candidate('runc', { missing: missing ?? ensurePrograms('runc') }))
engineSuite(candidate('crun', { missing: missing ?? ensurePrograms('crun') }))
engineSuite(
  candidate('plain', {
    missing,
    skips: {
      'new namespaces cannot be made': unfiltered,
      'calls that the filters of the field refuse are refused to programs of the host, too': unfiltered,
    },
  }),
)
