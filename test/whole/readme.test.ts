/** The tour of the README: every command is executed, and what it prints is compared. */
import { spawn } from 'node:child_process'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newFolder } from '../support/broker.ts'
import { installedProgram } from '../support/installed.ts'

let folder: string
let program: string
beforeAll(() => {
  folder = newFolder()
  program = installedProgram()
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  rmSync(dirname(dirname(program)), { recursive: true, force: true })
})

test('the tour of the README does what it says', async () => {
  const address = `127.0.0.1:${await freePort()}`
  const steps = stepsOf(readFileSync('README.md', 'utf8').replaceAll('127.0.0.1:8080', address))
  const npx = join(folder, 'npx')
  writeFileSync(npx, `#!/bin/sh\nshift\nexec ${process.execPath} ${program} "$@"\n`)
  chmodSync(npx, 0o755)

  const outputs = await runAll(
    steps.map((step) => step.command),
    address,
  )

  expect(steps.length).toBeGreaterThan(15)
  expect(outputs.length).toBe(steps.length)
  for (const [i, { command, expected }] of steps.entries()) {
    for (const line of expected) expect(outputs[i], `after $ ${command}`).toMatch(patternOf(line))
  }
})

interface Step {
  readonly command: string
  readonly expected: readonly string[]
}

function stepsOf(text: string): readonly Step[] {
  const steps: { command: string; expected: string[] }[] = []
  for (const [, block = ''] of text.matchAll(/```console\n(.*?)```/gs)) {
    for (const line of block.trimEnd().split('\n')) {
      if (line.startsWith('$ ')) steps.push({ command: line.slice(2), expected: [] })
      else steps.at(-1)?.expected.push(line)
    }
  }
  return steps
}

/** `…` stands for anything, a blank for any blanks. */
function patternOf(line: string): RegExp {
  const parts = line.split('…').map((part) =>
    part
      .split(/\s+/)
      .map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('\\s+'),
  )
  return new RegExp(parts.join('.*'), 's')
}

const mark = '--- next ---'

/** One shell runs everything, as one person would; the broker is waited for where it is started. */
async function runAll(commands: readonly string[], address: string): Promise<readonly string[]> {
  const script = commands.flatMap((command) => [
    command,
    ...(command.endsWith('&')
      ? [`until curl -sf http://${address}/readyz > readiness; do kill -0 $! || exit 1; sleep 0.05; done`]
      : []),
    `echo '${mark}'`,
  ])
  const child = spawn('bash', ['-c', script.join('\n')], {
    cwd: folder,
    env: {
      PATH: `${folder}:${process.env['PATH'] ?? ''}`,
      HOME: folder,
      CHANDLER_HTTP_LISTEN: address,
      CHANDLER_HTTP_ADMIN_LISTEN: 'off',
      CHANDLER_SHUTDOWN_DRAIN_DELAY: '0s',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (bytes) => {
    output += bytes
  })
  child.stderr.on('data', (bytes) => {
    output += bytes
  })
  await new Promise((resolve) => child.on('close', resolve))
  return output.split(`${mark}\n`).slice(0, -1)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
