/** The images of the behaviour table. */
import { chmodSync, copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { busyboxImage } from '../support/busybox.ts'
import { findProgram } from '../support/debian.ts'
import { imageInLayout } from '../support/image.ts'
import type { Images } from './run-row.ts'

/** Builds them below the folder. */
export async function testImages(folder: string): Promise<Images> {
  const tree = {
    'etc/motd': 'from the image\n',
    'etc/conf/of-image': 'x',
    'run/.keep': '',
    'var/run': { link: '/run' },
    escape: { link: '../../../etc' },
    closed: { folder: true, mode: 0o711 },
  } as const
  const environment = ['IMAGE_VAR=from the image']
  const plain = await busyboxImage(folder, 'plain', { tree, settings: { environment } })
  const app = await busyboxImage(folder, 'app', {
    tree,
    settings: { user: 'app', workingFolder: '/srv/new/place', volumes: ['/etc/conf', '/var/lib/new'] },
  })
  const named = await busyboxImage(folder, 'named', {
    settings: { entrypoint: ['/bin/echo', 'entry'], command: ['command'], user: 'app:staff' },
  })
  const bareRoot = join(folder, 'root-bare')
  mkdirSync(bareRoot)
  copyFileSync(findProgram('busybox') ?? '', join(bareRoot, 'busybox'))
  chmodSync(join(bareRoot, 'busybox'), 0o755)
  const settings = { entrypoint: ['/busybox'] }
  const bare = await imageInLayout(join(folder, 'layout'), 'bare', { root: bareRoot, settings })
  return { plain, app, named, bare }
}
