/** What of Debian lies in the container image: a shell, the few programs that engines call, and libraries. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What Node is linked to. */
const ofNode = ['libc6', 'libgcc-s1', 'libstdc++6']
/** What engines call, with the libraries of those programs. */
const ofEngines = [
  ...['busybox-static', 'crun', 'dash', 'mount', 'util-linux', 'slirp4netns', 'iproute2'],
  ...['libblkid1', 'libbpf1', 'libbsd0', 'libcap-ng0', 'libcap2', 'libelf1', 'libgcrypt20', 'libglib2.0-0'],
  ...[
    'libgpg-error0',
    'liblz4-1',
    'liblzma5',
    'libmd0',
    'libmnl0',
    'libmount1',
    'libpcre2-8-0',
    'libseccomp2',
  ],
  ...['libselinux1', 'libslirp0', 'libsmartcols1', 'libsystemd0', 'libyajl2', 'libzstd1', 'zlib1g'],
]
/** Curl, which Automation Broker bundles are written with here, and its libraries. */
const ofAuthors = [
  ...[
    'curl',
    'libbrotli1',
    'libcom-err2',
    'libcurl4',
    'libffi8',
    'libgmp10',
    'libgnutls30',
    'libgssapi-krb5-2',
  ],
  ...['libhogweed6', 'libidn2-0', 'libk5crypto3', 'libkeyutils1', 'libkrb5-3', 'libkrb5support0'],
  ...['libldap-2.5-0', 'libnettle8', 'libnghttp2-14', 'libp11-kit0', 'libpsl5', 'librtmp1', 'libsasl2-2'],
  ...['libssh2-1', 'libssl3', 'libtasn1-6', 'libunistring2'],
]
/** All that is kept of the programs in those packages. */
const kept = new Set([
  ...[
    'busybox',
    'crun',
    'curl',
    'dash',
    'flock',
    'ip',
    'mount',
    'mountpoint',
    'nsenter',
    'pivot_root',
    'setpriv',
  ],
  ...['slirp4netns', 'umount', 'unshare'],
])
/**
 * Programs of the image that are links to busybox: engines call them, and so do the builds of packages.
 * The shell is dash instead, for the shell of busybox runs its own programs before those that lie here.
 */
const busybox = [
  ...[
    'awk',
    'base64',
    'cat',
    'chmod',
    'chown',
    'cp',
    'cut',
    'date',
    'dd',
    'echo',
    'env',
    'expr',
    'find',
    'grep',
    'head',
  ],
  ...[
    'hostname',
    'id',
    'kill',
    'ln',
    'ls',
    'mkdir',
    'mkfifo',
    'mv',
    'od',
    'printf',
    'rm',
    'rmdir',
    'sed',
    'setsid',
  ],
  ...['sleep', 'sort', 'stat', 'tail', 'tar', 'test', 'timeout', 'touch', 'tr', 'true', 'uname', 'wc'],
]
const programFolders = ['bin', 'sbin', 'usr/bin', 'usr/sbin']
const dispensable = [
  ...[
    'etc',
    'usr/include',
    'usr/share/bash-completion',
    'usr/share/gcc',
    'usr/share/gdb',
    'usr/share/lintian',
  ],
  ...['usr/share/locale', 'usr/share/man', 'usr/share/menu', 'usr/lib/systemd', 'lib/systemd', 'var'],
]

/** From Debian's archive by a list of packages of our own, so that this system's is not looked at. */
export function layOutSystem(root: string, work: string, architecture: string): void {
  mkdirSync(root)
  for (const file of download(work, architecture)) execFileSync('dpkg-deb', ['--extract', file, root])
  for (const folder of programFolders.map((name) => join(root, name)))
    for (const name of readdirSync(folder))
      if (!kept.has(name)) rmSync(join(folder, name), { recursive: true })
  // Node converts characters by itself.
  const converters = readdirSync(join(root, 'usr/lib')).map((name) => join('usr/lib', name, 'gconv'))
  for (const folder of [...dispensable, ...converters])
    rmSync(join(root, folder), { recursive: true, force: true })
  symlinkSync('dash', join(root, 'bin/sh'))
  for (const name of busybox) symlinkSync('busybox', join(root, 'bin', name))
  const loader = architecture === 'amd64' ? '/lib64/ld-linux-x86-64.so.2' : '/lib/ld-linux-aarch64.so.1'
  // Debian's own wants another shell.
  writeFileSync(join(root, 'usr/bin/ldd'), `#!/bin/sh\nexec ${loader} --list "$1"\n`)
  chmodSync(join(root, 'usr/bin/ldd'), 0o755)
}

function download(work: string, architecture: string): readonly string[] {
  const to = join(work, 'download')
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
    execFileSync('apt-get', ['-qq', ...words, ...more], { cwd: to, stdio: ['ignore', 'ignore', 'inherit'] })
  apt('update')
  apt('download', ...ofNode, ...ofEngines, ...ofAuthors)
  return readdirSync(to).map((file) => join(to, file))
}
