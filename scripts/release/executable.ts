/** One executable per Linux architecture: Node with the whole program inside. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import type { Architecture } from './architectures.ts'
import { nodeFor } from './node-program.ts'
import { programParts } from './program.ts'
import type { Staged } from './stage.ts'

const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** Makes it as a file. */
export function makeExecutable({ folder }: Staged, architecture: Architecture, to: string): void {
  const work = mkdtempSync(join(tmpdir(), 'chandler-executable-'))
  try {
    writeFileSync(join(work, 'program'), carried(folder))
    writeFileSync(
      join(work, 'settings.json'),
      JSON.stringify({
        main: resolve('packaging/executable/start.cjs'),
        output: join(work, 'blob'),
        disableExperimentalSEAWarning: true,
        useSnapshot: false,
        useCodeCache: false,
        assets: { program: join(work, 'program') },
      }),
    )
    execFileSync(process.execPath, ['--experimental-sea-config', join(work, 'settings.json')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    copyFileSync(nodeFor(architecture), to)
    const words = [
      'node_modules/postject/dist/cli.js',
      to,
      'NODE_SEA_BLOB',
      join(work, 'blob'),
      '--sentinel-fuse',
      fuse,
    ]
    execFileSync(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] })
    chmodSync(to, 0o755)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The files of the program with their modes, in one piece. */
function carried(folder: string): Uint8Array {
  const files = programParts.flatMap((part) => filesBelow(join(folder, part))).toSorted()
  const entries = files.map((file) => {
    const mode = statSync(file).mode & 0o100 ? 0o755 : 0o644
    return [relative(folder, file), { mode, text: readFileSync(file).toString('base64') }] as const
  })
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 }
  return brotliCompressSync(JSON.stringify(Object.fromEntries(entries)), { params })
}

export function filesBelow(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path).flatMap((name) => filesBelow(join(path, name)))
}
