/** Reads case files and the fixture; a file that says something unknown is refused rather than half understood. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isObject, type Json, type JsonObject, pointer } from '../../kit/json.ts'
import { compileSchema } from '../../kit/schema.ts'
import { readYaml, toldFault } from '../../kit/yaml.ts'
import { fail, failAll, type Problem } from '../../model/problem.ts'
import type { Case, Fixture, Given, RequestForm, Step, Want, WantAll } from './case.ts'
import { caseFileSchema, fixtureSchema } from './case-schema.ts'

export interface CaseSet {
  readonly fixture: Fixture
  readonly cases: readonly Case[]
}

const fixtureFile = 'fixture.yaml'

/** The cases that come with Chandler, whether it runs from its sources or from a build. */
export function ownCases(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, 'conformance', 'osb')
    if (isFile(join(candidate, fixtureFile))) return candidate
  }
  return fail('file.unreadable', 'the conformance cases are not installed')
}

/** Reads folders and files of cases; the fixture lies beside them, else ours is taken. Problems: file.unreadable, conformance.case-invalid. */
export function readCases(paths: readonly string[]): CaseSet {
  const files = paths.flatMap((path) => (isFile(path) ? [path] : filesIn(path)))
  const [first] = files
  if (first === undefined) return fail('file.unreadable', `no case files in ${paths.join(', ')}`)
  const beside = join(dirname(first), fixtureFile)
  return {
    fixture: readFixture(isFile(beside) ? beside : join(ownCases(), fixtureFile)),
    cases: files.filter((file) => basename(file) !== fixtureFile).flatMap(readCaseFile),
  }
}

interface CaseFile {
  readonly area: string
  readonly cases: readonly RawCase[]
}

interface RawCase extends Omit<Case, 'area' | 'given' | 'steps'> {
  readonly given?: readonly JsonObject[]
  readonly steps: readonly JsonObject[]
}

function readCaseFile(file: string): readonly Case[] {
  const { area, cases } = readDocument(file, caseFileSchema) as unknown as CaseFile
  return cases.map(({ given, steps, ...rest }) => ({
    ...rest,
    area,
    given: (given ?? []).map(toGiven),
    steps: steps.map(toStep),
  }))
}

/** The instance of a binding that names none. */
const usualInstance = 'i'

function toGiven(raw: JsonObject): Given {
  const [[kind, body] = ['', {}]] = Object.entries(raw) as [string, JsonObject][]
  const of = kind.endsWith('binding') ? usualInstance : ''
  return { of, ...body, kind: kind.replace('_', '-') } as unknown as Given
}

function toStep(raw: JsonObject): Step {
  const { do: request, want, save, poll, parallel, want_all } = raw
  if (isObject(request)) {
    return {
      kind: 'do',
      request: toRequest(request as JsonObject),
      ...(want === undefined ? {} : { want: want as Want }),
      save: (save ?? {}) as Record<string, string>,
    }
  }
  if (isObject(poll)) return { kind: 'poll', ...poll } as unknown as Step
  if (Array.isArray(parallel)) {
    const requests = parallel.map((one) => toRequest((one as { do: JsonObject }).do))
    return { kind: 'parallel', requests, wantAll: (want_all ?? {}) as WantAll }
  }
  const ofBinding = isObject(raw['delete_binding']) ? { of: usualInstance, ...raw['delete_binding'] } : {}
  return { kind: 'delete', ...(raw['delete_instance'] as object), ...ofBinding } as Step
}

const methods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const

function toRequest(raw: JsonObject): RequestForm {
  const method = methods.find((name) => Object.hasOwn(raw, name)) ?? 'GET'
  const { [method]: path, ...rest } = raw
  return { ...rest, method, path: String(path) } as RequestForm
}

function readFixture(file: string): Fixture {
  const { api_version, services, templates } = readDocument(file, fixtureSchema) as unknown as {
    readonly api_version: string
    readonly services: Readonly<Record<string, { readonly name: string; readonly plans: JsonObject }>>
    readonly templates: Readonly<Record<string, JsonObject>>
  }
  const names = Object.entries(services).map(([service, { name, plans }]) => ({
    service,
    serviceName: name,
    plans: Object.keys(plans),
  }))
  return {
    apiVersion: api_version,
    names,
    serviceOf: new Map(names.flatMap(({ service, plans }) => plans.map((plan) => [plan, service] as const))),
    templates: new Map(Object.entries(templates)),
  }
}

/** One document that obeys a schema, or all its faults. */
function readDocument(file: string, schema: JsonObject): Json {
  const { value, faults, place } = readYaml(readText(file))
  const compiled = compileSchema(schema)
  const invalid = compiled.kind === 'check' && faults.length === 0 ? compiled.check(value) : []
  failAll([
    ...faults.map((fault): Problem => ({ code: 'conformance.case-invalid', ...toldFault(fault, file) })),
    ...invalid.map((fault) =>
      problemAt(file, fault.message, { pointer: fault.pointer || pointer('', ''), ...place(fault.pointer) }),
    ),
  ])
  return value ?? null
}

function problemAt(source: string, detail: string, where: NonNullable<Problem['where']>): Problem {
  return { code: 'conformance.case-invalid', detail, where: { source, ...where } }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    return fail('file.unreadable', undefined, { where: { source: file }, cause })
  }
}

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return fail('file.unreadable', folder)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => join(folder, name))
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
