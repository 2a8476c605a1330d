/** The thread that keeps the log of the database short. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openCheckpoints } from './checkpoints.ts'

test('whoever closes has closed, though nothing else keeps the process', () => {
  const folder = aFolder()
  const program = `
    import { openCheckpoints } from ${JSON.stringify(new URL('./checkpoints.ts', import.meta.url).href)}
    const path = ${JSON.stringify(join(folder, 'a.db'))}
    const apart = async (work) => await work()
    const failed = (error) => { throw error }
    const checkpoints = openCheckpoints({ path, apart, failed })
    for (let i = 0; i < 256; i++) checkpoints.written()
    await checkpoints.close()
    console.log('closed')`
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program])

  expect([stdout.toString(), status]).toEqual(['closed\n', 0])
})

test('a thread that died is told and begun anew, and whoever closes has closed', async ({ signal }) => {
  const deaths: string[] = []
  const checkpoints = openCheckpoints({
    // It dies of a place where no database can be.
    path: join(aFolder(), 'missing', 'a.db'),
    apart: (work) => work(),
    failed: ({ message }) => deaths.push(message),
  })

  const ofTheirOwn = (): number => deaths.filter((why) => why.includes('unable to open')).length
  while (ofTheirOwn() < 2 && !signal.aborted) {
    checkpoints.written()
    await turn()
  }
  await checkpoints.close()

  expect(ofTheirOwn()).toBe(2)
})

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-checkpoints-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
