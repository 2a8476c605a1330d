/** A Debian package: the program with its Node, a systemd unit, manual pages and completions. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Architecture, debianArchitectures } from './architectures.ts'
import type { Making } from './making.ts'
import { writeManPages } from './man-pages.ts'
import { settleModes } from './modes.ts'
import { layOutProgram, programParts } from './program.ts'
import type { Staged } from './stage.ts'

/** How Debian calls the file. */
export function debianName(version: string, architecture: Architecture): string {
  return `chandler_${version}_${debianArchitectures[architecture]}.deb`
}

/** Makes it as a file. */
export async function makeDebianPackage(
  staged: Staged,
  { architecture, to, builtAt }: Making,
): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'chandler-debian-'))
  try {
    chmodSync(root, 0o755)
    await layOut(root, staged, architecture)
    for (const script of ['postinst', 'prerm', 'postrm'])
      put(root, `DEBIAN/${script}`, `packaging/debian/${script}`, 0o755)
    write(root, 'DEBIAN/conffiles', '/etc/chandler/chandler.yml\n')
    write(
      root,
      'DEBIAN/control',
      control(staged.version, debianArchitectures[architecture], kilobytesOf(root)),
    )
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z6', '--build', root, to], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, SOURCE_DATE_EPOCH: String(builtAt) },
    })
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

async function layOut(root: string, staged: Staged, architecture: Architecture): Promise<void> {
  const { folder, version } = staged
  const home = join(root, 'usr/lib/chandler')
  layOutProgram(home, staged, { architecture, parts: [...programParts, 'docs', 'examples'] })
  write(
    root,
    'usr/bin/chandler',
    '#!/bin/sh\nexec /usr/lib/chandler/bin/node /usr/lib/chandler/bin/chandler.mjs "$@"\n',
    0o755,
  )
  symlinkSync('../lib/chandler/bin/cnab-chandler', join(root, 'usr/bin/cnab-chandler'))
  put(root, 'lib/systemd/system/chandler.service', 'packaging/systemd/chandler.service')
  put(root, 'etc/chandler/chandler.yml', 'packaging/debian/chandler.yml')
  await writeManPages(join(root, 'usr/share/man/man1'), version)
  const completion = (shell: string): string =>
    execFileSync(process.execPath, [join(folder, 'bin/chandler.mjs'), 'completion', shell], {
      encoding: 'utf8',
    })
  write(root, 'usr/share/bash-completion/completions/chandler', completion('bash'))
  write(root, 'usr/share/zsh/vendor-completions/_chandler', completion('zsh'))
  write(root, 'usr/share/fish/vendor_completions.d/chandler.fish', completion('fish'))
  put(root, 'usr/share/doc/chandler/copyright', 'LICENSE')
  put(root, 'usr/share/doc/chandler/NOTICE', join(folder, 'NOTICE'))
  write(
    root,
    'usr/share/doc/chandler/changelog.gz',
    gzipSync(execFileSync('cat', ['CHANGELOG.md']), { level: 9 }),
  )
  settleModes(root)
}

function control(version: string, architecture: string, kilobytes: number): string {
  return `Package: chandler
Version: ${version}
Architecture: ${architecture}
Maintainer: The Chandler authors <chandler@chandler.example>
Installed-Size: ${kilobytes}
Depends: libc6 (>= 2.28), libstdc++6, passwd
Recommends: crun | runc, ca-certificates
Suggests: podman, postgresql
Section: admin
Priority: optional
Description: service broker and package runtime for five packaging contracts
 Chandler offers Tweed pattern images, Automation Broker service bundles,
 brokerpaks, CNAB bundles and OCM TOI packages through the Open Service Broker
 API, an operator API, a command line and a web UI, and runs them on an engine
 of its own, on Docker or Podman, or on Kubernetes.
`
}

function kilobytesOf(path: string): number {
  const stat = lstatSync(path)
  if (!stat.isDirectory()) return Math.ceil(stat.size / 1024)
  return readdirSync(path).reduce((sum, name) => sum + kilobytesOf(join(path, name)), 1)
}

function put(root: string, path: string, from: string, mode = 0o644): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  copyFileSync(from, join(root, path))
  chmodSync(join(root, path), mode)
}

function write(root: string, path: string, text: string | Uint8Array, mode = 0o644): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
  chmodSync(join(root, path), mode)
}
