/** An image of Debian's ansible-core with its Kubernetes client, the modules that bundles call, and an entrypoint as base images have it. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensurePrograms, findProgram } from '../support/debian.ts'
import { imageInLayout } from '../support/image.ts'
import { findPostgres } from '../support/postgres.ts'

const wanted = ['bash', 'libc-bin', 'coreutils', 'sed', 'ansible-core', 'python3-kubernetes', 'libpq5']

/** Why the image cannot be built here, after an attempt to install what it is made of. */
export function ansibleMissing(): string | undefined {
  // Half a minute of apt, so it is not installed for every run of all tests.
  if (findProgram('ansible-playbook') === undefined)
    return 'ansible-playbook is missing: run as root: apt-get install ansible-core python3-kubernetes'
  const missing = ensurePrograms('postgres')
  if (missing !== undefined) return missing
  if (hasClient()) return undefined
  if (process.getuid?.() === 0) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const install = [
      '-qq',
      '-o',
      'DPkg::Lock::Timeout=300',
      'install',
      '-y',
      '--no-install-recommends',
      'python3-kubernetes',
    ]
    spawnSync('apt-get', install, { env, stdio: 'ignore', timeout: 600_000 })
  }
  return hasClient()
    ? undefined
    : 'python3-kubernetes is missing: run as root: apt-get install python3-kubernetes'
}

function hasClient(): boolean {
  return spawnSync('/usr/bin/python3', ['-c', 'import kubernetes'], { stdio: 'ignore' }).status === 0
}

/** Builds the image of a bundle's folder (`apb.yml`, `playbooks`, `library`) upon the programs of this machine. */
export async function ansibleImage(folder: string, bundle: string, spec: string): Promise<string> {
  const root = join(folder, 'ansible-root')
  copyPackages(root)
  mkdirSync(join(root, 'opt/apb'), { recursive: true })
  cpSync(join(bundle, 'playbooks'), join(root, 'opt/apb/actions'), { recursive: true })
  cpSync(join(bundle, 'library'), join(root, 'opt/apb/library'), { recursive: true })
  cpSync(join(bundle, 'entrypoint'), join(root, 'usr/bin/entrypoint'))
  cpSync(join(bundle, 'test-retrieval'), join(root, 'usr/bin/test-retrieval'))
  for (const name of ['entrypoint', 'test-retrieval']) chmodSync(join(root, 'usr/bin', name), 0o755)
  const postgres = findPostgres()
  const psql = join('bin' in postgres ? postgres.bin : '', 'psql')
  cpSync(psql, join(root, 'usr/bin/psql'), { dereference: true })
  copyLibraries(root, psql)
  const labels = {
    'com.redhat.apb.spec': Buffer.from(spec).toString('base64'),
    'com.redhat.apb.runtime': '2',
  }
  const settings = {
    labels,
    entrypoint: ['/usr/bin/entrypoint'],
    user: 'apb',
    environment: [
      'HOME=/opt/apb',
      'PATH=/usr/bin:/bin',
      'LANG=C.UTF-8',
      'ANSIBLE_LIBRARY=/opt/apb/library',
      'ANSIBLE_LOCALHOST_WARNING=false',
    ],
  }
  return (await imageInLayout(join(folder, 'layout'), 'ansible', { root, settings })).reference
}

/** The files of the packages and of all that they depend on, as dpkg knows them. */
function copyPackages(root: string): void {
  mkdirSync(join(root, 'usr/bin'), { recursive: true })
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
    mkdirSync(join(root, 'usr', name), { recursive: true })
    symlinkSync(`usr/${name}`, join(root, name))
  }
  const listed = execFileSync(
    'apt-cache',
    [
      'depends',
      '--recurse',
      '--installed',
      '--no-recommends',
      '--no-suggests',
      '--no-conflicts',
      '--no-breaks',
      '--no-replaces',
      '--no-enhances',
      ...wanted,
    ],
    { encoding: 'utf8', maxBuffer: 1e8 },
  )
  const packages = [...new Set(listed.split('\n').filter((line) => /^[a-z0-9]/.test(line)))]
  const files = spawnSync('dpkg', ['-L', ...packages], { encoding: 'utf8', maxBuffer: 1e9 }).stdout
  const paths = files
    .split('\n')
    .filter(
      (path) =>
        path.startsWith('/') && !/^\/usr\/share\/(?:doc|man|locale|i18n|perl)|^\/(?:etc|var)\//.test(path),
    )
    .map((path) => path.replace(/^\/(bin|sbin|lib|lib64)\//, '/usr/$1/').slice(1))
  const list = join(root, '..', 'files')
  writeFileSync(list, [...new Set(paths)].join('\n'))
  const copy =
    'tar -C / --no-recursion --ignore-failed-read -cf - -T "$1" 2>/dev/null | tar -C "$2" -xf - --keep-directory-symlink'
  execFileSync('sh', ['-c', copy, 'sh', list, root])
  if (!existsSync(join(root, 'usr/bin/sh'))) symlinkSync('bash', join(root, 'usr/bin/sh'))
  mkdirSync(join(root, 'etc'), { recursive: true })
  mkdirSync(join(root, 'tmp'), { recursive: true })
  mkdirSync(join(root, 'var/tmp'), { recursive: true })
  for (const name of ['tmp', 'var/tmp']) chmodSync(join(root, name), 0o1777)
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\napb:x:1001:0::/opt/apb:/bin/sh\n')
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\n')
  writeFileSync(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n')
  mkdirSync(join(root, 'opt/apb'), { recursive: true })
  chmodSync(join(root, 'opt/apb'), 0o775)
}

function copyLibraries(root: string, program: string): void {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' })
  for (const [, path = ''] of listed.matchAll(/=> (\/\S+)/g)) {
    const place = join(root, path.replace(/^\/lib\//, '/usr/lib/'))
    if (!existsSync(place)) copyFileSync(path, place)
  }
}
