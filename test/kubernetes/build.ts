/**
 * Builds the programs of a cluster from Debian's source package, which is the complete tree with all it needs, and unpacks what
 * else belongs to a node. Nothing is installed: packages are unpacked into a folder of scratch that goes afterwards.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findPrograms, version } from './programs.ts'

const place = findPrograms()
if (existsSync(join(place, 'complete'))) process.exit(0)

/** Programs that Debian brings, by their package. */
const brought = {
  containerd: ['usr/bin/containerd', 'usr/bin/containerd-shim-runc-v2', 'usr/bin/ctr'],
  'containernetworking-plugins': ['usr/lib/cni/bridge', 'usr/lib/cni/host-local', 'usr/lib/cni/loopback'],
  'etcd-server': ['usr/bin/etcd'],
  runc: ['usr/sbin/runc'],
} as const
/** What building takes. */
const tools = [
  ...['golang-1.19-go', 'golang-1.19-src', 'golang-github-modern-go-reflect2-dev'],
  ...['rsync', 'libpopt0', 'libxxhash0', 'jq', 'libjq1', 'libonig5'],
]
const built = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet']

const scratch = mkdtempSync(join(process.env['CHANDLER_SCRATCH'] ?? tmpdir(), 'chandler-kubernetes-'))
process.once('exit', () => {
  // Modules of Go are unpacked read-only.
  execFileSync('chmod', ['-R', 'u+w', scratch])
  rmSync(scratch, { recursive: true, force: true })
})
const root = join(scratch, 'root')
const run = (program: string, words: readonly string[], cwd: string, environment = {}): void => {
  execFileSync(program, words, { cwd, stdio: 'inherit', env: { ...process.env, ...environment } })
}

/** A configuration of apt that knows bookworm alone, with its sources, and touches nothing of the machine's. */
function ownApt(): { readonly APT_CONFIG: string } {
  const apt = join(scratch, 'apt')
  for (const folder of ['lists/partial', 'archives/partial'])
    mkdirSync(join(apt, folder), { recursive: true })
  const keys = '[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]'
  const archive = `${keys} ${archiveOfThisMachine()} bookworm main\n`
  writeFileSync(join(apt, 'sources.list'), `deb-src ${archive}deb ${archive}`)
  const lines = {
    'Dir::Etc::sourcelist': join(apt, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::lists': join(apt, 'lists'),
    // What the machine has installed may be newer than bookworm's, and could not be downloaded.
    'Dir::State::status': '/dev/null',
    'Dir::Cache': apt,
    'APT::Sandbox::User': 'root',
  }
  const file = join(apt, 'apt.conf')
  writeFileSync(
    file,
    Object.entries(lines)
      .map(([name, value]) => `${name} "${value}";\n`)
      .join(''),
  )
  return { APT_CONFIG: file }
}

/** The mirror that the machine itself uses. */
function archiveOfThisMachine(): string {
  const folder = '/etc/apt/sources.list.d'
  const files = ['/etc/apt/sources.list', ...readdirSync(folder).map((name) => join(folder, name))]
  const texts = files.filter(existsSync).map((file) => readFileSync(file, 'utf8'))
  const found = texts.map((text) => /https?:\/\/\S+\/debian\/?(?=\s)/.exec(text)?.[0])
  return found.find((url) => url !== undefined) ?? 'http://deb.debian.org/debian'
}

/** The tree, with the library that a newer Go asks for, and a link where Go looks for it. */
function unpackTree(): string {
  const tree = join(scratch, 'tree')
  mkdirSync(tree)
  const [tar = ''] = readdirSync(scratch).filter((name) => name.endsWith('.orig.tar.gz'))
  run('tar', ['-xzf', join(scratch, tar), '-C', tree, '--strip-components=1'], scratch)
  const newer = join(root, 'usr/share/gocode/src/github.com/modern-go/reflect2')
  const older = join(tree, 'vendor/github.com/modern-go/reflect2')
  const isSource = (name: string): boolean => /\.(go|s)$/.test(name)
  for (const name of readdirSync(older).filter(isSource)) rmSync(join(older, name))
  for (const name of readdirSync(newer).filter(isSource)) cpSync(join(newer, name), join(older, name))
  const link = join(tree, '.go/src/k8s.io/kubernetes')
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(tree, link)
  return tree
}

/** Programs that are linked to libraries which were only unpacked. */
function wrapPrograms(): string {
  const folder = join(scratch, 'wrapped')
  mkdirSync(folder)
  for (const name of ['rsync', 'jq']) {
    const libraries = join(root, 'usr/lib/x86_64-linux-gnu')
    const text = `#!/bin/sh\nLD_LIBRARY_PATH=${libraries} exec ${join(root, 'usr/bin', name)} "$@"\n`
    writeFileSync(join(folder, name), text)
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

const apt = ownApt()
run('apt-get', ['-qq', 'update'], scratch, apt)
run('apt-get', ['-qq', 'source', '--download-only', `kubernetes=${version}`], scratch, apt)
const debs = join(scratch, 'debs')
mkdirSync(debs)
run('apt-get', ['-qq', 'download', ...Object.keys(brought), ...tools], debs, apt)
for (const deb of readdirSync(debs)) run('dpkg', ['-x', join(debs, deb), root], scratch)
const tree = unpackTree()
const go = join(root, 'usr/lib/go-1.19')
run('make', [`WHAT=${built.map((name) => `cmd/${name}`).join(' ')}`, 'GOFLAGS=-p=2'], tree, {
  PATH: `${wrapPrograms()}:${join(go, 'bin')}:${process.env['PATH']}`,
  GOROOT: go,
  GOPATH: join(tree, '.go'),
  GOCACHE: join(scratch, 'gocache'),
  GO111MODULE: 'off',
  GOPROXY: 'off',
  CGO_ENABLED: '0',
  KUBE_GIT_VERSION: 'v1.20.2',
})
const aside = `${place}.${process.pid}`
mkdirSync(join(aside, 'cni'), { recursive: true })
for (const name of built) cpSync(join(tree, '_output/local/bin/linux/amd64', name), join(aside, name))
for (const path of Object.values(brought).flat()) {
  const name = path.slice(path.lastIndexOf('/') + 1)
  cpSync(join(root, path), join(aside, path.includes('/cni/') ? 'cni' : '.', name))
}
writeFileSync(join(aside, 'complete'), '')
rmSync(place, { recursive: true, force: true })
renameSync(aside, place)
