/**
 * Lints folders, several at a time, and prints what was found as JSON. A process of its own: it starts programs for each of
 * them, which takes long in a process as large as one that runs tests.
 */
import { join } from 'node:path'
import { lintPath, type PathLint } from '../../src/authoring/sources/lint.ts'

const [data = '', ...folders] = process.argv.slice(2)
const lanes = 4
const listener = {
  signal: new AbortController().signal,
  log: () => Promise.resolve(),
  progress: () => undefined,
}
const lints = new Map<string, PathLint>()
const queue = [...folders]

async function work(lane: number): Promise<void> {
  for (let folder = queue.shift(); folder !== undefined; folder = queue.shift())
    lints.set(folder, await lintPath(folder, join(data, String(lane)), listener))
}

await Promise.all(Array.from({ length: lanes }, (_, lane) => work(lane)))
console.log(JSON.stringify(folders.map((folder) => lints.get(folder))))
