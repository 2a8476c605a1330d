/** The Node that a release brings along. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Architecture } from './architectures.ts'

/** This Node for an architecture: the one that runs, or the same version from npm. */
export function nodeFor(architecture: Architecture): string {
  if (architecture === process.arch) return process.execPath
  const { version } = process
  const cache = resolve('node_modules/.cache', `node-${version}-${architecture}`)
  const program = join(cache, 'package/bin/node')
  if (existsSync(program)) return program
  mkdirSync(cache, { recursive: true })
  const name = `node-linux-${architecture}@${version.slice(1)}`
  const packed = execFileSync('npm', ['pack', name, '--silent', '--pack-destination', cache], {
    encoding: 'utf8',
  })
  execFileSync('tar', ['-xzf', join(cache, packed.trim()), '-C', cache])
  return program
}
