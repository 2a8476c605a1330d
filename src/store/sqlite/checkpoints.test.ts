/** The thread that keeps the log of the database short. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

test('whoever closes has closed, though nothing else keeps the process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-checkpoints-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
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
