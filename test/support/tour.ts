/** Plays the console blocks of a page: every command in one shell, as one person would, and what each of them prints. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'

export interface Tour {
  /** The page; 127.0.0.1:8080 in it becomes an address that is free. */
  readonly page: string
  readonly folder: string
  /** What `chandler` stands for; absent where the page brings it along itself. */
  readonly program?: string
  readonly environment?: Readonly<Record<string, string>>
}

export interface Played {
  readonly command: string
  /** Lines that the page shows; `…` in them stands for anything, a blank for any blanks. */
  readonly expected: readonly RegExp[]
  readonly printed: string | undefined
}

/** Plays it to its end, or to the moment when a command takes far too long. */
export async function playTour({ page, folder, program, environment }: Tour): Promise<readonly Played[]> {
  const address = `127.0.0.1:${await freePort()}`
  const text = readFileSync(page, 'utf8').replaceAll('127.0.0.1:8080', address)
  if (program !== undefined)
    writeFileSync(join(folder, 'chandler'), `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`, {
      mode: 0o755,
    })
  for (const { name, content } of filesOf(text)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content, { mode: content.startsWith('#!') ? 0o755 : 0o644 })
  }
  const steps = stepsOf(text)
  const printed = await runAll(
    steps.map(({ command }) => command),
    { folder, environment: { ...environment, CHANDLER_HTTP_LISTEN: address } },
  )
  return steps.map(({ command, expected }, i) => ({
    command,
    expected: expected.map(patternOf),
    printed: printed[i],
  }))
}

/** A block of YAML that begins with its own name (`# chandler.yml`), or is called by one (```json app.json), is a file of the reader's. */
function filesOf(text: string): readonly { readonly name: string; readonly content: string }[] {
  const blocks = [...text.matchAll(/```(?:yaml\n# (\S+\.yml)|\w+ (\S+))\n(.*?)```/gs)]
  return blocks.map(([, begun, called, content = '']) => ({ name: begun ?? called ?? '', content }))
}

function stepsOf(
  text: string,
): readonly { readonly command: string; readonly expected: readonly string[] }[] {
  const steps: { command: string; expected: string[] }[] = []
  for (const [, block = ''] of text.matchAll(/```console\n(.*?)```/gs)) {
    for (const line of block.trimEnd().split('\n')) {
      if (line.startsWith('$ ')) steps.push({ command: line.slice(2), expected: [] })
      else steps.at(-1)?.expected.push(line)
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
/** A page that leaves something running would never end. */
const patienceMs = 840_000

async function runAll(
  commands: readonly string[],
  where: {
    readonly folder: string
    readonly environment: Readonly<Record<string, string>>
  },
): Promise<readonly string[]> {
  const { folder, environment } = where
  // One stream, as in a terminal: of two, what a command says last could be read behind the mark.
  const script = ['exec 2>&1', ...commands.flatMap((command) => [command, `echo '${mark}'`])]
  // A group of its own, so that nothing outlives the shell.
  const child = spawn('bash', ['-c', script.join('\n')], {
    cwd: folder,
    detached: true,
    env: { PATH: `${folder}:${process.env['PATH'] ?? ''}`, HOME: folder, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const end = (): void => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL')
    } catch {
      // The group has ended already.
    }
  }
  const late = setTimeout(end, patienceMs)
  let output = ''
  child.stdout.on('data', (bytes: Buffer) => {
    output += bytes.toString()
  })
  await new Promise((resolve) => child.once('exit', resolve))
  clearTimeout(late)
  end()
  if (!child.stdout.readableEnded) await new Promise((resolve) => child.once('close', resolve))
  return output.split(`${mark}\n`).slice(0, -1)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
