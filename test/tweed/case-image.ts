/** Builds the image of a case: busybox, the dispatching entrypoint, and one script per operation. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { buildPackage } from '../../src/artifacts/packages.ts'
import { findProgram } from '../support/debian.ts'
import { writeTree } from '../support/image.ts'
import { type CaseImage, operations } from './case.ts'

/** Images of cases in one layout folder, all on the same base. */
export interface ImageShop {
  /** Builds (again) under a name; answers the reference. */
  build(name: string, image: CaseImage): Promise<string>
}

/** A shop in a folder; its base holds busybox under all its names. */
export async function openImageShop(folder: string): Promise<ImageShop> {
  const busybox = findProgram('busybox')
  if (busybox === undefined) throw new Error('busybox is not here')
  const layout = join(folder, 'layout')
  const base = `oci:${layout}:base`
  await build(folder, base, (root) => {
    mkdirSync(join(root, 'bin'), { recursive: true })
    copyFileSync(busybox, join(root, 'bin/busybox'))
    const names = spawnSync(busybox, ['--list'], { encoding: 'utf8' }).stdout.trim().split('\n')
    for (const name of names) if (name !== 'busybox') symlinkSync('busybox', join(root, 'bin', name))
    writeTree(root, {
      tmp: { folder: true, mode: 0o1777 },
      srv: { folder: true },
      'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n',
      'etc/group': 'root:x:0:\nnogroup:x:65534:\n',
      root: { folder: true, mode: 0o700 },
      var: { folder: true },
    })
  })
  // The index of a layout is one file: one writer at a time.
  let before: Promise<void> = Promise.resolve()
  return {
    async build(name, image) {
      const reference = `oci:${layout}:${name}`
      before = before.then(() => build(folder, reference, (root) => fill(root, image), { base, image }))
      await before
      return reference
    },
  }
}

async function build(
  folder: string,
  to: string,
  fillRoot: (root: string) => void,
  on?: { readonly base: string; readonly image: CaseImage },
): Promise<void> {
  const root = mkdtempSync(join(folder, 'root-'))
  try {
    fillRoot(root)
    await buildPackage(
      {
        root,
        to,
        settings: on ? settingsOf(on.image) : { environment: ['PATH=/bin:/usr/bin'] },
        ...(on ? { base: on.base } : {}),
      },
      { registries: {}, scratchFolder: folder },
    )
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function settingsOf({ entrypoint, cmd, env, user, workdir }: CaseImage) {
  return {
    entrypoint: entrypoint ?? ['/pattern'],
    ...(cmd ? { command: cmd } : {}),
    ...(env ? { environment: Object.entries(env).map(([name, value]) => `${name}=${value}`) } : {}),
    ...(user ? { user } : {}),
    ...(workdir ? { workingFolder: workdir } : {}),
  }
}

const dispatch = '#!/bin/sh\nfor last; do :; done\nexec /bin/sh "/pattern.d/$last" "$@"\n'
const usual = {
  metadata: 'cat /pattern.d/metadata.yml\n',
  provision: 'exit 0\n',
  bind: 'echo "ok: true"\n',
  unbind: 'exit 0\n',
  deprovision: 'exit 0\n',
}

function fill(root: string, { ops = {}, metadata = {}, files = {} }: CaseImage): void {
  const document = { pattern: 'tweed/v1', name: 'Case', version: '1.0.0', ...metadata }
  writeTree(root, {
    pattern: { bytes: dispatch, mode: 0o755 },
    'pattern.d/metadata.yml': stringify(document),
    ...Object.fromEntries(operations.map((name) => [`pattern.d/${name}`, ops[name] ?? usual[name]])),
    ...Object.fromEntries(
      Object.entries(files).map(([path, text]) => [path.replace(/^\//, ''), { bytes: text, mode: 0o755 }]),
    ),
  })
}
