/** How long an author waits from a saved edit to the answer of the bundle. */
import { execFile } from 'node:child_process'
import { appendFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { freshFolder } from '../../test/support/image.ts'
import { installedProgram } from '../../test/support/installed.ts'
import { median } from '../figures.ts'

const warmUp = 2
/** Even with the warm-up, so that the last one deletes what the next way makes anew from another image. */
const rounds = 10
const goalMs = 2000

/** Edits the entrypoint of a new bundle, in shell alone and upon a base whose layers are here, and runs an action each time. */
export async function tellEdits(): Promise<void> {
  const program = installedProgram()
  const folder = freshFolder('bench-edit')
  const data = ['--data-dir', join(folder, 'data')]
  const chandler = async (...words: readonly string[]): Promise<void> => {
    await promisify(execFile)(process.execPath, [program, 'apb', ...words], { cwd: folder })
  }
  try {
    await chandler('init', 'mine')
    await chandler('build', 'mine', '--to', 'oci:images:base', ...data)
    for (const [name, base] of [
      ['whose programs are of this machine', []],
      ['upon a base image', ['--base', 'oci:images:base']],
    ] as const) {
      const taken: number[] = []
      for (let round = 0; round < warmUp + rounds; round++) {
        appendFileSync(join(folder, 'mine/root/opt/bundle/entrypoint'), `# edit ${round}\n`)
        const begun = performance.now()
        await chandler('run', round % 2 === 0 ? 'provision' : 'deprovision', 'mine', ...base, ...data)
        taken.push(performance.now() - begun)
      }
      const ms = median(taken.slice(warmUp))
      const met = ms <= goalMs ? 'met' : 'missed'
      console.log(
        `from an edit to the answer of a bundle ${name}: ${ms.toFixed(0)} ms (goal at most ${goalMs}: ${met})`,
      )
    }
  } finally {
    rmSync(dirname(dirname(program)), { recursive: true })
    rmSync(folder, { recursive: true, force: true })
  }
}
