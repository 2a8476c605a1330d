/**
 * An OCI image of the broker: the program, its Node, the programs of Debian that its engines call, their libraries, nothing else.
 * It runs as an ordinary user.
 */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openArtifactStore } from '../../src/artifacts/index.ts'
import { type Architecture, debianArchitectures } from './architectures.ts'
import { layOutSystem } from './container-system.ts'
import type { Making } from './making.ts'
import { settleModes } from './modes.ts'
import { layOutProgram, programParts } from './program.ts'
import type { Staged } from './stage.ts'

const user = 65532

/** How the file is called. */
export function containerName(version: string, architecture: Architecture): string {
  return `chandler-${version}-image-${architecture}.tar`
}

/** Makes it as an archive that Docker, Podman and skopeo read. */
export async function makeContainerImage(
  staged: Staged,
  { architecture, to, builtAt }: Making,
): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'chandler-image-'))
  const root = join(work, 'root')
  try {
    layOutSystem(root, join(work, 'debian'), debianArchitectures[architecture])
    layOutProgram(join(root, 'usr/lib/chandler'), staged, { architecture, parts: programParts })
    write(
      root,
      'etc/passwd',
      `root:x:0:0::/:/bin/false\nchandler:x:${user}:${user}::/var/lib/chandler:/bin/false\n`,
    )
    write(root, 'etc/group', `root:x:0:\nchandler:x:${user}:\n`)
    write(root, 'etc/nsswitch.conf', 'hosts: files dns\n')
    mkdirSync(join(root, 'etc/chandler'))
    cpSync('packaging/container/chandler.yml', join(root, 'etc/chandler/chandler.yml'))
    write(
      root,
      'usr/bin/chandler',
      '#!/bin/sh\nexec /usr/lib/chandler/bin/node /usr/lib/chandler/bin/chandler.mjs "$@"\n',
    )
    chmodSync(join(root, 'usr/bin/chandler'), 0o755)
    settleModes(root)
    // For whatever user the image is started as, and for volumes that take the rights of the folder below them.
    for (const folder of ['tmp', 'var/lib/chandler']) {
      mkdirSync(join(root, folder), { recursive: true })
      chmodSync(join(root, folder), 0o1777)
    }
    const store = openArtifactStore({ folder: join(work, 'artifacts') })
    await store.build({
      root,
      to: `docker-archive:${to}:localhost/chandler:${staged.version}`,
      time: builtAt,
      settings: {
        entrypoint: ['/usr/lib/chandler/bin/node', '/usr/lib/chandler/bin/chandler.mjs'],
        command: ['serve'],
        environment: ['HOME=/var/lib/chandler', 'NODE_ENV=production'],
        user: `${user}:${user}`,
        workingFolder: '/var/lib/chandler',
        volumes: ['/var/lib/chandler'],
        platform: { os: 'linux', architecture: debianArchitectures[architecture] },
        labels: {
          'org.opencontainers.image.title': 'chandler',
          'org.opencontainers.image.version': staged.version,
          'org.opencontainers.image.licenses': 'Apache-2.0',
        },
      },
    })
    await store.close()
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function write(root: string, path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), text)
}
