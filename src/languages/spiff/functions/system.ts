/** Functions that touch the world; each asks its port, and an absent port is a denial. */
import { fromBase64 } from '../../../kit/bytes.ts'
import { type Call, effect, type Run, type SpiffFunction } from '../env.ts'
import { bytesOf, textOf } from '../go-text.ts'
import { failure } from '../issue.ts'
import type { Files, Programs } from '../ports.ts'
import { Dict, dictOf, List, typeName, type Value } from '../value.ts'
import { DocumentFault, readDocument } from '../yaml-read.ts'
import { writeYaml } from '../yaml-write.ts'
import { count, newList, simple, text } from './arguments.ts'
import { readMode } from './read-mode.ts'

export const systemFunctions: readonly (readonly [string, SpiffFunction])[] = [
  ['env', env],
  ['read', (call) => read(call, true)],
  ['read_uncached', (call) => read(call, false)],
  ['write', write],
  ['tempfile', tempfile],
  ['mkdir', mkdir],
  ['lookup_file', (call) => lookup(call, 'file')],
  ['lookup_dir', (call) => lookup(call, 'folder')],
  ['list_files', (call) => listFolder(call, false)],
  ['list_dirs', (call) => listFolder(call, true)],
  ['exec', (call) => exec(call, true)],
  ['exec_uncached', (call) => exec(call, false)],
  ['pipe', (call) => pipe(call, true)],
  ['pipe_uncached', (call) => pipe(call, false)],
]

/** Fails because the environment does not offer an operation. */
export function denied(name: string): never {
  return failure(`${name}: no OS operations supported in this execution environment`)
}

function files(call: Call, name: string): Files {
  return call.env.run.ports.files ?? denied(name)
}

function env(call: Call): Value {
  const names = call.args.flatMap((value, i): readonly string[] => {
    const plain = simple(value)
    if (plain !== undefined) return [plain]
    if (!(value instanceof List)) return failure(`env argument ${i} must be simple value or list`)
    return value.cells.map(
      (cell) => simple(cell.value) ?? failure(`elements of list(arg ${i}) to env must be simple values`),
    )
  })
  if (call.args.length === 0) return failure('')
  const environment = call.env.run.ports.environment ?? denied('env')
  const [only] = names
  if (only !== undefined && names.length === 1)
    return environment(only) ?? failure(`environment variable '${only}' not set`)
  return dictOf(
    names.flatMap((name): readonly (readonly [string, Value])[] => {
      const value = environment(name)
      return value === undefined ? [] : [[name, value]]
    }),
    call.env.stand.made,
  )
}

/** What was read or run once in a run stays. */
const caches = new WeakMap<Run, Map<string, Uint8Array>>()

function cached(run: Run, key: string, use: boolean, get: () => Uint8Array): Uint8Array {
  const cache = caches.get(run) ?? new Map<string, Uint8Array>()
  caches.set(run, cache)
  const known = use ? cache.get(key) : undefined
  if (known !== undefined) return known
  const content = get()
  cache.set(key, content)
  return content
}

function read(call: Call, useCache: boolean): Value {
  const { run } = call.env
  const remote = /^https?:/.test(String(call.args[0] ?? ''))
  if (run.ports.files === undefined && !(remote && run.ports.fetch)) return denied('read')
  count(call, 1, 2, 'read takes one or two arguments')
  const path = text(call.args[0], 'string value required for file path')
  const bytes = cached(run, `read ${path}`, useCache, () => fetched(call, path, remote))
  if (bytes.length > run.budget.limits.documentMax) return failure(`error reading [${path}]: file too large`)
  const byName = /\.(?:ya?ml|json)$/.test(path) ? 'yaml' : 'text'
  const [, mode = byName] = call.args
  return readMode(call, {
    name: path,
    text: textOf(bytes),
    mode: text(mode, 'string value required for type'),
  })
}

function fetched(call: Call, path: string, remote: boolean): Uint8Array {
  const { ports } = call.env.run
  try {
    if (remote) return (ports.fetch ?? denied('read'))(path)
    return files(call, 'read').read(path)
  } catch (error) {
    return failure(`error reading [${path}]: ${error instanceof Error ? error.message : 'not readable'}`)
  }
}

interface WriteOptions {
  readonly permissions: number
  readonly binary: boolean
  readonly multi: boolean
}

function writeOptions(call: Call, value: Value | undefined): WriteOptions {
  const given = typeof value === 'bigint' ? `0${value.toString(8)}` : (value ?? '')
  const parts = text(given, `options for ${call.name} must be a string`).split(',')
  let permissions = 0o644
  for (const part of parts.map((one) => one.trim())) {
    if (/^[0-7]+$/.test(part)) permissions = Number.parseInt(part, 8)
    else if (!['binary', '#', 'multiyaml', 'text', ''].includes(part))
      return failure(`invalid option "${part}" for ${call.name}`)
  }
  return {
    permissions,
    binary: parts.some((part) => part.trim() === 'binary' || part.trim() === '#'),
    multi: parts.some((part) => part.trim() === 'multiyaml'),
  }
}

function contentOf(value: Value, { binary, multi }: WriteOptions): { shown: string; bytes: Uint8Array } {
  const shown = typeof value === 'string' ? value : yamlText(value, multi)
  if (!binary) return { shown, bytes: bytesOf(shown) }
  return { shown, bytes: fromBase64(shown) }
}

function yamlText(value: Value, multi: boolean): string {
  if (multi && value instanceof List)
    return value.cells.map((cell) => `---\n${writeYaml(cell.value)}`).join('')
  return simple(value) ?? writeYaml(value)
}

function write(call: Call): Value {
  const put = files(call, 'write').write ?? denied('write')
  count(call, 2, 3, 'write requires two or three arguments')
  const path = text(call.args[0], 'file path argument must be a non-empty string')
  const options = writeOptions(call, call.args[2])
  const { shown, bytes } = contentOf(call.args[1] ?? null, options)
  return effect(call.env, () => {
    put(path, bytes, options.permissions)
    return shown
  })
}

function tempfile(call: Call): Value {
  const make = files(call, 'tempfile').temporary ?? denied('tempfile')
  count(call, 1, 2, 'tempfile requires one or two arguments')
  const { bytes } = contentOf(call.args[0] ?? null, writeOptions(call, call.args[1]))
  return effect(call.env, () => make(bytes))
}

function mkdir(call: Call): Value {
  const make = files(call, 'mkdir').makeFolder ?? denied('mkdir')
  count(call, 1, 2, 'mkdir requires one or two arguments')
  const path = text(call.args[0], 'first argument for mkdir must be a string')
  const permissions = call.args[1] === undefined ? 0o755 : writeOptions(call, call.args[1]).permissions
  return effect(call.env, () => {
    make(path, permissions)
    return path
  })
}

function lookup(call: Call, wanted: 'file' | 'folder'): Value {
  const { kind } = files(call, 'lookup')
  if (call.args.length === 0) return failure(`${call.name} requires at least one argument`)
  const name = text(call.args[0], `first argument for ${call.name} must be a string`)
  const folders = call.args.slice(1).flatMap((value): readonly string[] => {
    if (typeof value === 'string') return [value]
    if (!(value instanceof List))
      return failure(`${call.name}: path must be a string or list, but got ${typeName(value)}`)
    return value.cells.map((cell) => text(cell.value, `${call.name}: list elements must be strings`))
  })
  const paths = name.startsWith('/')
    ? [name]
    : folders.map((folder) => `${folder.replace(/\/+$/, '')}/${name}`)
  return newList(
    call,
    paths.filter((path) => kind(path) === wanted),
  )
}

function listFolder(call: Call, folders: boolean): Value {
  const { list, kind } = files(call, 'listFiles')
  count(call, 1, 1, `${call.name} requires one argument`)
  const path = text(call.args[0], `argument for ${call.name} must be a string`)
  if (kind(path) !== 'folder') return failure(`${call.name}: no directory '${path}'`)
  return newList(
    call,
    list(path)
      .filter((entry) => entry.folder === folders)
      .map((entry) => entry.name)
      .sort(),
  )
}

function argumentText(value: Value): string {
  if (value === null) return ''
  return simple(value) ?? (typeof value === 'number' ? writeYaml(value).trim() : `---\n${writeYaml(value)}`)
}

function programs(call: Call, name: string): Programs {
  return call.env.run.ports.programs ?? denied(name)
}

function exec(call: Call, useCache: boolean): Value {
  const port = programs(call, 'exec')
  const [command, ...args] = call.args.map(argumentText)
  if (command === undefined) return failure('exec: argument required')
  return runProgram(call, { port, command, args, input: undefined, useCache })
}

function pipe(call: Call, useCache: boolean): Value {
  if (call.args.length < 3) return failure('pipe requires at least two arguments')
  const port = programs(call, 'pipe')
  const [input = '', command = '', ...args] = call.args.map(argumentText)
  return runProgram(call, { port, command, args, input: bytesOf(input), useCache })
}

interface Program {
  readonly port: Programs
  readonly command: string
  readonly args: readonly string[]
  readonly input: Uint8Array | undefined
  readonly useCache: boolean
}

function runProgram(call: Call, { port, command, args, input, useCache }: Program): Value {
  const key = `exec ${JSON.stringify([command, args, input === undefined ? null : textOf(input)])}`
  const once = (): Value => {
    const output = cached(call.env.run, key, useCache, () => {
      return port.run(command, args, input) ?? failure(`execution '${command}' failed`)
    })
    return outputValue(call, textOf(output))
  }
  return useCache ? once() : effect(call.env, once)
}

/** A YAML map, a document that says so, an integer, or text. */
function outputValue(call: Call, output: string): Value {
  const plain = output.replace(/\n+$/, '')
  const marked = output.startsWith('---\n')
  const parsed = marked || output.includes(':') ? documentValue(call, output) : undefined
  if (parsed !== undefined && (marked || parsed instanceof Dict)) return parsed
  if (/^[-+]?[0-9]+$/.test(plain)) return BigInt(plain.replace('+', ''))
  return plain
}

function documentValue(call: Call, output: string): Value | undefined {
  try {
    return readDocument(output, call.name, call.env.run.budget.limits).value
  } catch (error) {
    if (error instanceof DocumentFault) return undefined
    throw error
  }
}
