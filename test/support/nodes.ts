/** Programs of Node in other versions than ours: those of this machine, else from npm. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

const cache = resolve(import.meta.dirname, '../../node_modules/.cache')

/** The program of a major version; undefined, and said, where it cannot be had. */
export function nodeOf(major: number): string | undefined {
  const known = [process.execPath, '/usr/local/bin/node', '/usr/bin/node'].find(
    (path) => majorOf(path) === major,
  )
  return known ?? fromNpm(major)
}

function majorOf(path: string): number | undefined {
  if (!existsSync(path)) return undefined
  const { stdout } = spawnSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' })
  return Number.parseInt(stdout, 10)
}

function fromNpm(major: number): string | undefined {
  const name = `node-${process.platform}-${process.arch}`
  const folder = join(cache, `node-${major}`)
  const program = join(folder, 'node_modules', name, 'bin/node')
  if (majorOf(program) === major) return program
  const { status } = spawnSync(
    'npm',
    [
      'install',
      '--prefix',
      folder,
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      `${name}@${major}`,
    ],
    { stdio: 'ignore' },
  )
  if (status === 0 && majorOf(program) === major) return program
  console.log(`skipped: Node ${major} missing: npm could not install ${name}@${major}`)
  return undefined
}
