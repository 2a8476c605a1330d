/** The world of an author's own machine for the spiff commands: files, programs, environment, chance and clock. */
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { present } from '../../kit/present.ts'
import type { Files, Ports, Programs } from '../../languages/spiff/index.ts'
import { fail } from '../../model/problem.ts'

/** Everything an author may want. */
export function localPorts(): Ports {
  const key = process.env['SPIFF_ENCRYPTION_KEY']
  return {
    files: localFiles(),
    programs: localPrograms(),
    environment: (name) => process.env[name],
    random: (count) => new Uint8Array(randomBytes(count)),
    now: () => Date.now(),
    fetch: fetchUrl,
    ...present({ encryptionKey: key }),
  }
}

/** The files of this machine. */
export function localFiles(): Files {
  return {
    read: (path) => new Uint8Array(readFileSync(path)),
    kind: (path) => {
      const found = statSync(path, { throwIfNoEntry: false })
      if (found === undefined) return undefined
      return found.isDirectory() ? 'folder' : 'file'
    },
    list: (path) =>
      readdirSync(path, { withFileTypes: true }).map((entry) => ({
        name: entry.name,
        folder: entry.isDirectory(),
      })),
    write: (path, content, permissions) => writeFileSync(path, content, { mode: permissions }),
    makeFolder: (path, permissions) => {
      mkdirSync(path, { recursive: true, mode: permissions })
    },
    temporary: (content) => {
      const folder = mkdtempSync(join(tmpdir(), 'spiff-'))
      process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
      writeFileSync(join(folder, 'file'), content)
      return join(folder, 'file')
    },
    resolve: (path) => {
      try {
        return realpathSync(path)
      } catch {
        return path
      }
    },
  }
}

/** The programs of this machine. */
export function localPrograms(): Programs {
  return {
    run: (command, args, input) => {
      try {
        const output = execFileSync(command, args, {
          ...present({ input }),
          stdio: ['pipe', 'pipe', 'inherit'],
          maxBuffer: 64 * 1024 * 1024,
        })
        return new Uint8Array(output)
      } catch {
        return undefined
      }
    },
  }
}

/** What is at an address: evaluation cannot wait, so another process does. Problems: spiff.document.unreadable. */
export function fetchUrl(url: string): Uint8Array {
  const { status, stdout, stderr, error } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', fetching, url],
    { stdio: ['ignore', 'pipe', 'pipe'], timeout: 30_000, maxBuffer: 64 * 1024 * 1024 },
  )
  if (status === 0) return new Uint8Array(stdout)
  const why = stderr.toString().trim()
  return fail('spiff.document.unreadable', why === '' ? (error?.message ?? 'no answer') : why, {
    where: { source: url },
    hint: 'Check the address, or name a file.',
  })
}

/** Says in one line why there is no answer. */
const fetching = `
try {
  const response = await fetch(process.argv[1])
  if (!response.ok) throw { message: 'HTTP status ' + response.status }
  process.stdout.write(Buffer.from(await response.arrayBuffer()))
} catch (error) {
  process.stderr.write(error.cause?.message || error.cause?.code || error.message)
  process.exitCode = 1
}`
