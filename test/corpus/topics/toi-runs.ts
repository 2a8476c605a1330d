/** Recorded and authored runs of packages: what their executors found in their files. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { main } from '../../../src/cli/main.ts'
import { toiNotes } from '../../../src/contracts/toi/index.ts'
import { isObject, type Json, type JsonObject } from '../../../src/kit/json.ts'
import { readSpiff } from '../../../src/languages/spiff/index.ts'
import type { Job } from '../../../src/model/job.ts'
import { make } from '../../ocm/make.ts'
import { inputOf, packageAt, prepared, situation } from '../../toi/stage.ts'
import type { Verdict } from '../topic.ts'
import { type Judge, json, verdict } from './ocm-documents.ts'

export const runTables: Readonly<Record<string, Judge>> = {
  'e2e/authored/expected/expected.json': authored,
  'e2e/complex/expected/notes.json': recorded,
  'cases/bootstrap-configuration.json': configurations,
}

interface ConfigurationCase {
  readonly id: string
  readonly component: string
  readonly version: string
  readonly resource: { readonly name: string; readonly type: string }
  readonly package: string
  readonly expectFiles: Readonly<Record<string, string>>
}

/** The files that `toi configuration` writes for a package. */
async function* configurations(file: string): AsyncIterable<Verdict> {
  for (const one of json<{ cases: ConfigurationCase[] }>(file).cases) {
    const home = mkdtempSync(join(tmpdir(), 'chandler-toi-'))
    try {
      const resources = [{ ...one.resource, input: { type: 'utf8', text: one.package } }]
      const constructed = { name: one.component, version: one.version, provider: { name: 'test' }, resources }
      await make(home, join(home, 'ctf'), constructed)
      const files = ['-p', join(home, 'TOIParameters'), '-c', join(home, 'TOICredentials'), '--data-dir', home]
      const exit = await main(['toi', 'configuration', `${home}/ctf//${one.component}:${one.version}`, ...files])
      const names = readdirSync(home).filter((name) => name.startsWith('TOI'))
      const found = Object.fromEntries(names.map((name) => [name, readFileSync(join(home, name), 'utf8')]))
      yield verdict(`configuration ${one.id}`, { exit, found }, { exit: 0, found: one.expectFiles })
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  }
}

function parsed(text: string | undefined): Json {
  const read = readSpiff({ name: 'document', text: text ?? 'null' })
  return JSON.parse(read.kind === 'done' ? (read.documents[0]?.json() ?? 'null') : 'null') as Json
}

function parametersOf(file: string): JsonObject {
  const value = parsed(readFileSync(file, 'utf8'))
  return isObject(value) ? (value as JsonObject) : {}
}

interface Run {
  readonly reference: string
  readonly options: JsonObject
  readonly action: string
  readonly parameters: string
  readonly credentials: string
}

/** The job of a run, and the digest of the image that was found. */
async function jobOf({ reference, options, action, parameters, credentials }: Run): Promise<{ readonly job: Job; readonly pkg: Awaited<ReturnType<typeof packageAt>> }> {
  const home = mkdtempSync(join(tmpdir(), 'chandler-toi-'))
  try {
    const pkg = await packageAt(home, reference, options)
    const from = situation(
      pkg.package,
      { parameters: parametersOf(parameters), infrastructure: { TOICredentials: readFileSync(credentials, 'utf8') } },
      { ...options, expressions: true },
    )
    const job = prepared({ kind: 'invoke', name: action }, from)
    if (!('program' in job)) throw new Error(JSON.stringify(job))
    return { job, pkg }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

interface Authored {
  readonly packagePattern: JsonObject
  readonly action: string
  readonly arguments: readonly string[]
  readonly config: Json
  readonly parameters: Json
  readonly ocmconfig: Json
  readonly image: { readonly manifestDigest: string }
  readonly outputsWanted: Readonly<Record<string, string>>
}

async function* authored(file: string): AsyncIterable<Verdict> {
  const expected = json<Authored>(file)
  const base = join(dirname(file), '..')
  for (const archive of ['ctf', 'ctf.tgz']) {
    const { job, pkg } = await jobOf({
      reference: `ocm:${join(base, archive)}//example.org/chandler/echo:1.0.0+b7`,
      options: { package: expected.packagePattern },
      action: expected.action,
      parameters: join(base, 'parameters.yaml'),
      credentials: join(base, 'credentials.yaml'),
    })
    const [{ command }] = job.steps
    yield verdict(`${archive}: arguments`, command.kind === 'entrypoint' ? command.arguments : command, expected.arguments)
    for (const name of ['config', 'parameters', 'ocmconfig'] as const)
      yield verdict(`${archive}: ${name}`, parsed(inputOf(job, name)), expected[name])
    yield verdict(`${archive}: image`, job.program.kind === 'image' ? job.program.digest : null, expected.image.manifestDigest)
    yield verdict(`${archive}: outputs`, toiNotes(pkg.package).executors[0]?.outputs, expected.outputsWanted)
  }
}

interface Recorded {
  readonly component: string
  readonly version: string
  readonly packagePattern: JsonObject
  readonly action: string
  readonly arguments: readonly string[]
}

async function* recorded(file: string): AsyncIterable<Verdict> {
  const notes = json<Recorded>(file)
  const folder = dirname(file)
  const base = join(folder, '..')
  if (!existsSync(join(base, 'ocmrepo.tgz'))) return
  const { job } = await jobOf({
    reference: `ocm:${join(base, 'ocmrepo.tgz')}//${notes.component}:${notes.version}`,
    options: { package: notes.packagePattern },
    action: notes.action,
    parameters: join(base, 'parametersFromCLI.yaml'),
    credentials: join(base, 'credentials-recorded.yaml'),
  })
  const [{ command, environment }] = job.steps
  yield verdict('recorded: arguments', command.kind === 'entrypoint' ? command.arguments : command, notes.arguments)
  yield verdict('recorded: nothing in the environment', environment, {})
  for (const name of ['config', 'parameters'])
    yield verdict(`recorded: ${name}, byte for byte`, inputOf(job, name), readFileSync(join(folder, name), 'utf8'))
  // What its operator had set for logs was passed on, too.
  yield verdict('recorded: ocmconfig', parsed(inputOf(job, 'ocmconfig')), withoutLogging(parsed(readFileSync(join(folder, 'ocmconfig'), 'utf8'))))
}

function withoutLogging(document: Json): Json {
  const { configurations, ...rest } = isObject(document) ? (document as JsonObject) : {}
  const kept = (Array.isArray(configurations) ? configurations : []).filter(
    (one: Json) => !(isObject(one) && String(one['type']).startsWith('logging')),
  )
  return { ...rest, configurations: kept }
}
