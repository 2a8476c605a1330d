/** Paks as they are shipped: with the engine of this machine and the provider inside their archive. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPak } from '../../src/authoring/pak-tools.ts'
import { layOutPak } from './offline.ts'

const provider = 'terraform-provider-random_v3.99.0'

/** Lays the pak of the corpus with a provider out in a folder, both programs in its `tools`; answers its folder. */
export function layOutTools(folder: string, engine: string, name: string): string {
  const source = layOutPak('csb-random', folder)
  const tools = join(source, 'tools')
  mkdirSync(tools)
  const found = spawnSync('sh', ['-c', `command -v ${engine}`]).stdout.toString()
  copyFileSync(realpathSync(found.trim()), join(tools, name))
  cpSync(join(source, 'bin/linux/amd64', provider), join(tools, provider))
  rmSync(join(source, 'bin'), { recursive: true })
  return source
}

/** Packs a folder, quickly; answers the archive. */
export async function pack(folder: string, to: string): Promise<string> {
  const { file } = await buildPak({ folder, to, stored: true, progress: () => undefined })
  return file
}

const centralEntry = Buffer.from('PK\u0001\u0002', 'latin1')

/** Gives programs the flags of links, as csb does with those that it took from a folder of this machine. */
export function flagAsLinks(pak: string): string {
  const bytes = readFileSync(pak)
  for (let at = bytes.indexOf(centralEntry); at >= 0; at = bytes.indexOf(centralEntry, at + 4)) {
    const name = bytes.toString('utf8', at + 46, at + 46 + bytes.readUInt16LE(at + 28))
    if (name.startsWith('bin/') && !name.endsWith('/')) bytes.writeUInt32LE((0o120777 << 16) >>> 0, at + 38)
  }
  writeFileSync(pak, bytes)
  return pak
}
