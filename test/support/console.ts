/** Runs what a page shows: every command of its console blocks, in one shell, and holds the output against it. */
import { spawn } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'vitest'

export interface Console {
  /** Where the shell works, and its home. */
  readonly folder: string
  /** The program that `npx chandler` stands for. */
  readonly program: string
}

interface Step {
  readonly command: string
  readonly expected: readonly string[]
}

/** Runs the blocks from top to bottom as one person would; `…` stands for anything, a blank for any blanks. */
export async function runPage(page: string, { folder, program }: Console): Promise<number> {
  const address = `127.0.0.1:${await freePort()}`
  const steps = stepsOf(page.replaceAll('127.0.0.1:8080', address))
  const npx = join(folder, 'npx')
  writeFileSync(npx, `#!/bin/sh\nshift\nexec ${process.execPath} ${program} "$@"\n`)
  chmodSync(npx, 0o755)
  const commands = steps.map((step) => step.command)
  const outputs = await runAll(commands, { folder, address })
  expect(outputs.length, outputs.at(-1)).toBe(steps.length)
  for (const [i, { command, expected }] of steps.entries()) {
    for (const line of expected) expect(outputs[i], `after $ ${command}`).toMatch(patternOf(line))
  }
  return steps.length
}

/** A line that ends with a backslash goes on in the next one. */
function stepsOf(text: string): readonly Step[] {
  const steps: { command: string; expected: string[] }[] = []
  for (const [, block = ''] of text.matchAll(/```console\n(.*?)```/gs)) {
    for (const line of block.trimEnd().split('\n')) {
      const last = steps.at(-1)
      if (line.startsWith('$ ')) steps.push({ command: line.slice(2), expected: [] })
      else if (last?.command.endsWith('\\')) last.command += `\n${line}`
      else last?.expected.push(line)
    }
  }
  return steps
}

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

/** A command that goes on in the background is a broker: it is waited for. */
async function runAll(
  commands: readonly string[],
  { folder, address }: { readonly folder: string; readonly address: string },
): Promise<readonly string[]> {
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
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (output += bytes.toString()))
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
