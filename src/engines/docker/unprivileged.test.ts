import { chmodSync } from 'node:fs'
import { dirname } from 'node:path'
import { suiteAsNobody, whyNobodyCannot } from '../../../test/engines/as-nobody.ts'
import { fileRows } from '../../../test/engines/rows-files.ts'
import { programRows } from '../../../test/engines/rows-programs.ts'
import { streamRows } from '../../../test/engines/rows-streams.ts'
import { ensurePrograms } from '../../../test/support/debian.ts'
import { freshFolder } from '../../../test/support/image.ts'
import { startPodman } from '../../../test/support/podman.ts'

// The broker has the rights to the engine's socket without being root: images may run as any user all the same.
suiteAsNobody({
  name: 'docker engine without root',
  missing: whyNobodyCannot() ?? ensurePrograms('podman', 'runc'),
  // How runs end and are confined is the engine's.
  table: [...programRows, ...fileRows, ...streamRows],
  skips: {
    'a read-only file is read by the user of the image': 'only root can give files to others',
  },
  async open() {
    const podman = await startPodman(freshFolder('e'))
    chmodSync(dirname(podman.socket), 0o755)
    chmodSync(podman.socket, 0o666)
    return { where: { socket: podman.socket }, end: () => podman.stop() }
  },
})
