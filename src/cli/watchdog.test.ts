/** The watchdog, over a process whose event loop hangs. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const watchdog = fileURLToPath(new URL('./watchdog.ts', import.meta.url))

function run(
  body: string,
): Promise<{ readonly code: number | null; readonly signal: string | null; readonly said: string }> {
  const program = `import { startWatchdog } from ${JSON.stringify(watchdog)}
    const watchdog = startWatchdog({ stallMs: 500, beatMs: 100, line: 'the loop hangs' })
    ${body}`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (text: Buffer) => {
    said += text.toString()
  })
  return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal, said })))
}

test('a process whose loop hangs is ended, and why is said', async () => {
  const ended = await run('setTimeout(() => { for (;;); }, 100)')

  expect(ended).toMatchObject({ signal: 'SIGKILL', said: expect.stringContaining('the loop hangs') })
})

test('nobody is kept from ending by the watchdog', async () => {
  expect(await run('')).toMatchObject({ code: 0, said: '' })
  expect(await run('watchdog.stop()')).toMatchObject({ code: 0, said: '' })
})
