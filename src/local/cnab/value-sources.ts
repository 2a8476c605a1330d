/** Where values of credential and parameter sets come from: only operators write these, for some of them look at this machine. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { SourceKind } from '../../contracts/cnab/index.ts'
import { isObject, type Json } from '../../kit/json.ts'
import { fail } from '../../model/problem.ts'

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** What relative paths start from. */
  readonly folder: string
  /** Of the store of secrets on this machine. */
  secret(name: string): string | undefined
}

const bytesMax = 8 * 1024 * 1024
const commandMs = 60_000

/** One value. Problems: cnab.source.unresolved, whose detail never holds a value. */
export async function resolveSource(kind: SourceKind, value: Json, at: Surroundings): Promise<Json> {
  if (kind === 'value') return value
  if (typeof value !== 'string') return unresolved(`${kind} is not followed by a text`)
  switch (kind) {
    case 'env':
      return at.environment[value] ?? unresolved(`environment variable ${value} is not defined`)
    case 'path':
      return fileOfSource(value, at).toString()
    case 'command':
      return await fromCommand(value, at)
    case 'secret':
      return at.secret(value) ?? unresolved(`there is no secret ${value}`)
  }
}

/** The bytes of a source that names a file. Problems: cnab.source.unresolved. */
export function fileOfSource(path: string, { environment, folder }: Surroundings): Buffer {
  const expanded = path.replace(
    /\$(?:\{(\w+)\}|(\w+))/g,
    (_, braced: string | undefined, bare: string | undefined) => environment[braced ?? bare ?? ''] ?? '',
  )
  const file = expanded.startsWith('/') ? expanded : `${folder}/${expanded}`
  try {
    const bytes = readFileSync(file)
    return bytes.length > bytesMax ? unresolved(`${expanded} is larger than is read`) : bytes
  } catch (error) {
    return unresolved(
      `${expanded} cannot be read: ${isObject(error) && 'code' in error ? String(error['code']) : 'no file'}`,
    )
  }
}

/** The words as they are: no shell sees them. */
async function fromCommand(text: string, { environment, folder }: Surroundings): Promise<string> {
  const [program = '', ...words] = text.split(' ')
  const child = spawn(program, words, {
    cwd: folder,
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: commandMs,
    killSignal: 'SIGKILL',
  })
  const pieces: Buffer[] = []
  let bytes = 0
  const take = (piece: Buffer): void => {
    bytes += piece.length
    if (bytes > bytesMax) child.kill('SIGKILL')
    else pieces.push(piece)
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  const exit = await new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'no exit status'))
  })
  // What it printed may be half a secret.
  return exit === 0 ? Buffer.concat(pieces).toString() : unresolved(`${program} ended with ${exit}`)
}

function unresolved(detail: string): never {
  return fail('cnab.source.unresolved', detail)
}
