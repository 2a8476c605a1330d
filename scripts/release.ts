/**
 * Makes a release from the commit that is checked out: npm package, executables, Debian packages, container images, bill of materials,
 * checksums.
 * The same commit gives the same bytes.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import type { Architecture } from './release/architectures.ts'
import { billOfMaterials } from './release/bill-of-materials.ts'
import { containerName, makeContainerImage } from './release/container-image.ts'
import { debianName, makeDebianPackage } from './release/debian-package.ts'
import { makeExecutable } from './release/executable.ts'
import { type Staged, stage } from './release/stage.ts'

const { values } = parseArgs({
  options: {
    to: { type: 'string', default: 'release' },
    /** Without it, all. */
    architecture: { type: 'string' },
  },
})
const to = resolve(values.to)
const architectures = (['x64', 'arm64'] as const).filter((one) =>
  [undefined, one].includes(values.architecture as Architecture),
)
const builtAt = Number(execFileSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8' }).trim())

rmSync(to, { recursive: true, force: true })
mkdirSync(to, { recursive: true })
const work = mkdtempSync(join(tmpdir(), 'chandler-release-'))
try {
  const staged = stage(join(work, 'package'))
  npmPackage(staged)
  writeFileSync(join(to, `chandler-${staged.version}.cdx.json`), billOfMaterials(staged))
  for (const architecture of architectures) {
    makeExecutable(staged, architecture, join(to, `chandler-${staged.version}-linux-${architecture}`))
    const file = join(to, debianName(staged.version, architecture))
    await makeDebianPackage(staged, { architecture, to: file, builtAt })
    const image = join(to, containerName(staged.version, architecture))
    await makeContainerImage(staged, { architecture, to: image, builtAt })
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}
const sums = await Promise.all(
  readdirSync(to)
    .toSorted()
    .map(async (name) => `${await sumOf(join(to, name))}  ${name}\n`),
)
writeFileSync(join(to, 'SHA256SUMS'), sums.join(''))
process.stdout.write(sums.join(''))

function npmPackage({ folder }: Staged): void {
  execFileSync('npm', ['pack', '--ignore-scripts', '--offline', '--silent', '--pack-destination', to], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

async function sumOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
