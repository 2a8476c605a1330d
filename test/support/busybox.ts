/** A small image for engine tests: busybox, a few users, a link or two. */
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { BuildSettings } from '../../src/artifacts/build.ts'
import { findProgram } from './debian.ts'
import { imageInLayout, type TreeItem, writeTree } from './image.ts'

export interface TestImage {
  readonly reference: string
  readonly digest: string
}

const users = {
  'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\napp:x:1000:1001::/home/app:/bin/sh\n',
  'etc/group': 'root:x:0:\napp:x:1001:\nstaff:x:50:app\n',
}

/** Builds the image into a layout below the folder; needs the program busybox. */
export async function busyboxImage(
  folder: string,
  name: string,
  more: {
    readonly tree?: Readonly<Record<string, TreeItem>>
    readonly settings?: BuildSettings
    /** Where the image goes; `layout` below the folder when absent. */
    readonly layout?: string
  } = {},
): Promise<TestImage> {
  const root = join(folder, `root-${encodeURIComponent(name)}`)
  const busybox = findProgram('busybox') ?? ''
  mkdirSync(join(root, 'bin'), { recursive: true })
  copyFileSync(busybox, join(root, 'bin/busybox'))
  for (const applet of execFileSync(busybox, ['--list'], { encoding: 'utf8' }).trim().split('\n')) {
    if (applet !== 'busybox') symlinkSync('busybox', join(root, 'bin', applet))
  }
  writeTree(root, { ...users, 'home/app/.keep': '', tmp: { folder: true, mode: 0o1777 }, ...more.tree })
  chmodSync(join(root, 'tmp'), 0o1777)
  const settings = { entrypoint: ['/bin/sh', '-c'], ...more.settings }
  const { reference, digest } = await imageInLayout(more.layout ?? join(folder, 'layout'), name, {
    root,
    settings,
  })
  return { reference, digest }
}
