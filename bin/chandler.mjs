#!/usr/bin/env node
// Starts the command line: with the Node that the project brings along when this one is too old, and from the bundle
// in dist when no source is newer. Plain JavaScript, for it runs on whatever Node the machine has.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [major] = process.versions.node.split('.')
const own = join(root, 'node_modules', '.bin', 'node')

if (Number(major) < 24) await startAgain()
else {
  const bundle = join(root, 'dist', 'chandler.mjs')
  const { main } = await import(isFresh(bundle) ? bundle : join(root, 'src', 'cli', 'main.ts'))
  process.exitCode = await main(process.argv.slice(2))
}

/** The same command on the project's own Node; signals are passed on. */
async function startAgain() {
  if (!existsSync(own)) {
    const hint = existsSync(join(root, 'src'))
      ? 'Run "npm start" once in this folder: it brings Node 24 along.'
      : 'Install Node 24 or newer, or take the executable of the release, which brings it along.'
    console.error(`error: chandler needs Node 24, and this is ${process.version}. ${hint}`)
    process.exit(1)
  }
  const { spawn } = await import('node:child_process')
  const child = spawn(own, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  // All that a broker listens to; Node would open its debug port on SIGUSR1, were there nobody to hear it.
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2']
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    for (const name of signals) process.removeAllListeners(name)
    process.kill(process.pid, signal)
  })
}

/** Whether the bundle is there and none of its sources is newer; an installed package has no sources. */
function isFresh(bundle) {
  const list = join(dirname(bundle), 'sources.json')
  if (!existsSync(list)) return false
  if (!existsSync(join(root, 'src'))) return true
  const built = statSync(list).mtimeMs
  return JSON.parse(readFileSync(list, 'utf8')).every((file) => {
    const source = statSync(`${root}/${file}`, { throwIfNoEntry: false })
    return source !== undefined && source.mtimeMs <= built
  })
}
