// Makes a clone ready: brings npm packages (and with them Node 24) when they are missing or out of date.
// Plain JavaScript, for it runs on whatever Node the machine has.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stamp = join(root, 'node_modules', '.chandler-setup')
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')
const present = existsSync(stamp) ? readFileSync(stamp, 'utf8') : ''

if (present !== wanted) {
  console.error('Installing npm packages (once; Node 24 comes along) …')
  // Not `npm ci`: it refuses a lock file that lacks optional packages of other platforms, as some registries make them.
  const { status } = spawnSync(
    'npm',
    ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
    },
  )
  if (status !== 0) {
    console.error('error: npm install failed. Check that the npm registry can be reached, then try again.')
    process.exit(1)
  }
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, wanted)
}

// Our own commands lie beside those of the packages, so that one entry of the path brings them and Node 24.
const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
for (const [name, file] of Object.entries(bin)) {
  const link = join(root, 'node_modules', '.bin', name)
  if (!existsSync(link)) {
    rmSync(link, { force: true })
    symlinkSync(join('..', '..', file), link)
  }
}
