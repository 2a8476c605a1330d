import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { engineSuite } from '../../../test/engine-suite.ts'
import { groupsOfRuns, mountsWith, processesOfHost } from '../../../test/engines/host-look.ts'
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
  const groups = groupsOfRuns().filter((name) => name.includes('chd-testtest') && name.includes(ownRuns))
  const files = ['runs', 'aside', 'trash'].flatMap((name) => readdirSync(join(folder, name)))
  const processes = processesOfHost((command) => command.includes(folder)).map(String)
  return [...mountsWith(folder), ...groups, ...processes, ...files]
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
