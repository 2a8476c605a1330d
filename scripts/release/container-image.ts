/** An OCI image of the broker: the program, its Node and the C libraries of Debian, nothing else; it runs as an ordinary user. */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openArtifactStore } from '../../src/artifacts/index.ts'
import { type Architecture, debianArchitectures } from './architectures.ts'
import type { Making } from './making.ts'
import { settleModes } from './modes.ts'
import { layOutProgram, programParts } from './program.ts'
import type { Staged } from './stage.ts'

const user = 65532
const libraries = ['libc6', 'libgcc-s1', 'libstdc++6']

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
    layOutLibraries(root, join(work, 'debian'), debianArchitectures[architecture])
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

/** What Node is linked to, from Debian's archive by a list of packages of our own, so that this system's is not looked at. */
function layOutLibraries(root: string, work: string, architecture: string): void {
  for (const folder of ['lists/partial', 'archives/partial', 'download'])
    mkdirSync(join(work, folder), { recursive: true })
  writeFileSync(join(work, 'status'), '')
  writeFileSync(
    join(work, 'sources.list'),
    'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm main\n',
  )
  const options = {
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
    'APT::Sandbox::User': '',
    'Dir::State': work,
    'Dir::State::lists': join(work, 'lists'),
    'Dir::State::status': join(work, 'status'),
    'Dir::Cache': work,
    'Dir::Cache::archives': join(work, 'archives'),
    'Dir::Etc::sourcelist': join(work, 'sources.list'),
    'Dir::Etc::sourceparts': '-',
  }
  const words = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  const apt = (...more: readonly string[]) =>
    execFileSync('apt-get', ['-qq', ...words, ...more], {
      cwd: join(work, 'download'),
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  apt('update')
  apt('download', ...libraries)
  mkdirSync(root)
  for (const file of readdirSync(join(work, 'download')))
    execFileSync('dpkg-deb', ['--extract', join(work, 'download', file), root])
  // Node converts characters by itself.
  for (const folder of readdirSync(join(root, 'usr/lib')))
    rmSync(join(root, 'usr/lib', folder, 'gconv'), { recursive: true, force: true })
  for (const folder of ['usr/share/gcc', 'usr/share/gdb', 'usr/share/lintian', 'etc'])
    rmSync(join(root, folder), { recursive: true, force: true })
}

function write(root: string, path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), text)
}
