/** The offline scenarios of the brokerpak corpus, driven through the contract with a real Terraform. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { brokerpak } from '../../../src/contracts/brokerpak/index.ts'
import { isEmpty, outputsOf, stateOf } from '../../../src/contracts/brokerpak/state.ts'
import { parseJson } from '../../../src/kit/exact.ts'
import { deepEqual, isObject, type Json, type JsonObject } from '../../../src/kit/json.ts'
import type { ArchiveArtifact } from '../../../src/model/artifact.ts'
import type { Job } from '../../../src/model/job.ts'
import type { Carryover, Outcome } from '../../../src/model/outcome.ts'
import type { Package, Plan } from '../../../src/model/package.ts'
import { describeProblem } from '../../../src/model/problem.ts'
import type { Action, Situation } from '../../../src/model/situation.ts'
import type { Verdict } from '../topic.ts'
import type { Scenario, Step } from '../../brokerpak/offline.ts'
import { hostEngine, runHere } from './brokerpak-terraform.ts'

interface Live {
  plan: Plan
  parameters: JsonObject
  context: JsonObject
  carryover: Carryover
  readonly bindings: Map<string, { parameters: JsonObject; carryover: Carryover; app: string }>
}

interface Ended {
  readonly state: 'succeeded' | 'failed' | 'refused'
  readonly said: string
  readonly outcome: Outcome | undefined
  readonly jobs: readonly Job[]
  readonly logs: string
}

/** Every scenario below a folder. */
export async function* scenarios(folder: string): AsyncIterable<Verdict> {
  for (const name of readdirSync(join(folder, 'scenarios'))) yield* scenario(join(folder, 'scenarios', name))
}

/** One verdict per step. */
export async function* scenario(file: string): AsyncIterable<Verdict> {
  const program = hostEngine()
  const plot = parseJson(readFileSync(file, 'utf8')) as Scenario
  const folder = join(dirname(dirname(file)), plot.pak)
  const name = basename(file, '.json')
  const complete = existsSync(folder) && plot.pak !== 'init-example' ? true : existsSync(join(folder, 'example-service-definition.yml'))
  if (program === undefined || !complete) {
    yield { name, outcome: 'skipped', why: program === undefined ? 'no terraform or tofu here' : 'its definition is not here' }
    return
  }
  const reading = await brokerpak.read(artifactOf(folder), { options: { engine: 'host', host_program: program } })
  if (reading.kind !== 'package') {
    yield { name, outcome: 'failed', why: JSON.stringify(reading) }
    return
  }
  yield* play(plot, name, reading.package, folder)
}

async function* play(plot: Scenario, name: string, pkg: Package, folder: string): AsyncIterable<Verdict> {
  const instances = new Map<string, Live>()
  const past: JsonObject[] = []
  for (const [i, step] of plot.steps.entries()) {
    const ended = await act(plot, pkg, folder, { step, instances })
    const live = instances.get(step.instance)
    const outputs = live === undefined ? {} : outputsOf(stateOf(live.carryover))
    const credentials = (ended.outcome?.binding?.credentials ?? {}) as JsonObject
    past.push({ outputs, credentials })
    const faults = judge(step, ended, { outputs, credentials, live, past })
    yield {
      name: `${name} ${i + 1} ${step.op}`,
      outcome: faults.length === 0 ? 'passed' : 'failed',
      ...(faults.length === 0 ? {} : { why: `${faults.join('\n')}\n${ended.said}\n${ended.logs.slice(-1500)}` }),
    }
  }
}

async function act(
  plot: Scenario,
  pkg: Package,
  folder: string,
  { step, instances }: { readonly step: Step; readonly instances: Map<string, Live> },
): Promise<Ended> {
  const service = pkg.services.find((one) => one.name === plot.service)!
  const live = instances.get(step.instance)
  const named = service.plans.find((one) => one.name === (step.plan ?? live?.plan.name)) ?? service.plans[0]!
  const plan: Plan = {
    ...named,
    operator: { ...named.operator, options: { ...named.operator.options, engine: 'host', host_program: hostEngine()! } },
  }
  const own = live?.bindings.get(step.binding ?? '')
  const merged = { ...live?.parameters, ...step.params }
  const parameters = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
  const asks = step.op === 'bind' || step.op === 'unbind'
  const situation: Situation = {
    package: pkg,
    service,
    plan,
    instance: { id: step.instance, context: step.context ?? live?.context ?? {}, parameters: live?.parameters ?? {} },
    parameters: parametersOf(step, parameters, own?.parameters),
    infrastructure: plot.env ?? {},
    carryover: live?.carryover ?? {},
    operation: { id: 'test', stage: 0, attempt: 1 },
    platform: 'test',
    now: 1_700_000_000_000,
    random: (bytes) => new Uint8Array(bytes).fill(7),
    ...(step.op === 'update' && live ? { before: { parameters: live.parameters, plan: live.plan }, sent: step.params ?? {} } : {}),
    ...(asks
      ? {
          binding: {
            id: step.binding ?? '',
            context: step.context ?? {},
            resource: { app_guid: step.app_guid ?? own?.app ?? '' },
            carryover: own?.carryover ?? {},
          },
        }
      : {}),
  }
  const ended = await perform({ kind: step.op }, situation, folder)
  if (ended.state !== 'refused') settle(step, ended, situation, instances)
  return ended
}

function parametersOf(step: Step, merged: JsonObject, bound: JsonObject | undefined): JsonObject {
  if (step.op === 'bind') return step.params ?? {}
  if (step.op === 'unbind') return bound ?? {}
  return step.op === 'provision' ? (step.params ?? {}) : merged
}

async function perform(action: Action, from: Situation, folder: string): Promise<Ended> {
  const prepared = brokerpak.prepare(action, from)
  if (prepared.kind === 'refused') {
    return { state: 'refused', said: prepared.problems.map(describeProblem).join('\n'), outcome: undefined, jobs: [], logs: '' }
  }
  if (prepared.kind === 'nothing-to-run') return endedWith(prepared.outcome, [], '')
  const jobs = [prepared.job]
  let situation = from
  let logs = ''
  for (let stage = 0; stage < 20; stage++) {
    const report = await runHere(jobs.at(-1)!, (entry) => providerAt(folder, entry))
    logs += report.logTail
    const conclusion = brokerpak.conclude(action, situation, report)
    if (conclusion.kind === 'done') return endedWith(conclusion.outcome, jobs, logs)
    situation = { ...situation, carryover: conclusion.carryover, operation: { ...situation.operation, stage: stage + 1 } }
    jobs.push(conclusion.job)
  }
  throw new Error('the chain does not end')
}

function endedWith(outcome: Outcome, jobs: readonly Job[], logs: string): Ended {
  const failed = outcome.problems.length > 0
  const said = failed ? outcome.problems.map(describeProblem).join('\n') : (outcome.message ?? '')
  return { state: failed ? 'failed' : 'succeeded', said, outcome, jobs, logs }
}

function settle(step: Step, ended: Ended, situation: Situation, instances: Map<string, Live>): void {
  const { outcome, state } = ended
  const live = instances.get(step.instance)
  if (step.op === 'provision' || step.op === 'update') {
    instances.set(step.instance, {
      plan: situation.plan,
      parameters: situation.parameters,
      context: situation.instance.context,
      carryover: outcome?.carryover ?? live?.carryover ?? {},
      bindings: live?.bindings ?? new Map(),
    })
  } else if (step.op === 'deprovision' && live) live.carryover = outcome?.carryover ?? live.carryover
  else if (step.op === 'bind') {
    const { parameters } = situation
    live?.bindings.set(step.binding ?? '', { parameters, carryover: outcome?.bindingCarryover ?? {}, app: step.app_guid ?? '' })
  } else if (state === 'succeeded') live?.bindings.delete(step.binding ?? '')
}

interface Seen {
  readonly outputs: JsonObject
  readonly credentials: JsonObject
  readonly live: Live | undefined
  readonly past: readonly JsonObject[]
}

function judge({ expect }: Step, ended: Ended, seen: Seen): readonly string[] {
  const faults: string[] = []
  const check = (what: string, wanted: Json | undefined, got: Json) => {
    if (wanted !== undefined && !fits(wanted, got, seen.past)) {
      faults.push(`${what}: want ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`)
    }
  }
  const contains = (what: string, wanted: Json | undefined, got: string) => {
    for (const one of [wanted ?? []].flat()) if (!got.includes(String(one))) faults.push(`${what}: "${one}" is not in "${got.slice(0, 500)}"`)
  }
  if (expect['http_status'] !== undefined) {
    check('state', 'refused', ended.state)
    contains('error', expect['error_contains'], ended.said)
    return faults
  }
  check('state', expect['state'], ended.state)
  check('description', expect['description'], ended.said)
  contains('description', expect['description_contains'], ended.said.replace(/\s+/g, ' '))
  contains('log', expect['log_contains'], ended.logs)
  check('outputs', expect['outputs'], seen.outputs)
  check('credentials', expect['credentials'], seen.credentials)
  if (expect['variables']) checkVariables(expect['variables'] as JsonObject, ended, check)
  if (expect['empty_state'] === true && seen.live && !isEmpty(stateOf(seen.live.carryover))) faults.push('the state is not empty')
  const stored = fileOf(ended.jobs.at(-1), 'main.tf')
  contains('main.tf', expect['stored_main_contains'], stored)
  check('configuration', expect['stored_configuration'], configurationOf(ended.jobs.at(-1)))
  for (const [address, id] of (expect['import'] ?? []) as readonly (readonly [string, string])[]) {
    const steps = ended.jobs[0]?.steps.map((one) => (one.command.kind === 'exec' ? one.command.argv.join(' ') : '')) ?? []
    if (!steps.some((line) => line.endsWith(` ${address} ${id}`))) faults.push(`${address} ${id} was not imported`)
  }
  return faults
}

/** What the templates declare must have these values; what they do not declare is not handed over. */
function checkVariables(
  wanted: JsonObject,
  ended: Ended,
  check: (what: string, wanted: Json | undefined, got: Json) => void,
): void {
  const given = configurationOf(ended.jobs[0])
  for (const [name, value] of Object.entries(wanted)) {
    if (Object.hasOwn(given, name)) check(`variable ${name}`, value, given[name] ?? null)
  }
}

function configurationOf(job: Job | undefined): JsonObject {
  const text = fileOf(job, 'terraform.tfvars.json')
  return text === '' ? {} : (parseJson(text) as JsonObject)
}

function fileOf(job: Job | undefined, path: string): string {
  const content = job?.files.find((file) => file.path === path)?.content
  if (content?.kind === 'secret') return content.secret.reveal()
  return content?.kind === 'bytes' ? Buffer.from(content.bytes).toString() : ''
}

function fits(wanted: Json, got: Json, past: readonly JsonObject[]): boolean {
  if (isObject(wanted) && '$regex' in wanted) return new RegExp(String(wanted['$regex'])).test(String(got))
  if (isObject(wanted) && '$same' in wanted) return deepEqual(recalled(String(wanted['$same']), past), got)
  if (isObject(wanted) && '$concat' in wanted) {
    const parts = (wanted['$concat'] as readonly string[]).map((part) => (part.startsWith('$steps') ? String(recalled(part, past)) : part))
    return parts.join('') === got
  }
  if (Array.isArray(wanted)) {
    return Array.isArray(got) && wanted.length === got.length && wanted.every((one, i) => fits(one, got[i] as Json, past))
  }
  if (isObject(wanted) && !('rawJSON' in wanted) && isObject(got)) {
    const keys = new Set([...Object.keys(wanted), ...Object.keys(got)])
    return [...keys].every((key) => fits((wanted as JsonObject)[key] ?? null, (got as JsonObject)[key] ?? null, past))
  }
  return JSON.stringify(wanted) === JSON.stringify(got)
}

/** `$steps[0].outputs.x`: a value of an earlier step. */
function recalled(path: string, past: readonly JsonObject[]): Json | undefined {
  const [, index = '0', rest = ''] = /^\$steps\[(\d+)\]\.(.+)$/.exec(path) ?? []
  let here: Json | undefined = past[Number(index)]
  for (const key of rest.split('.')) here = isObject(here) ? (here[key] as Json) : undefined
  return here
}

/** The sources of a pak as if they were packed. */
function artifactOf(folder: string): ArchiveArtifact {
  const paths = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => statSync(join(folder, path)).isFile())
  const sources = paths.map((path) => ({ path, bytes: statSync(join(folder, path)).size, mode: 0o644 }))
  const provider = { path: 'bin/linux/amd64/terraform-provider-random_v3.99.0', bytes: 1, mode: 0o755 }
  return {
    kind: 'archive',
    reference: folder,
    digest: `sha256:${'0'.repeat(64)}`,
    entries: [...sources, provider],
    file: (path) => Promise.resolve(existsSync(join(folder, path)) ? new Uint8Array(readFileSync(join(folder, path))) : undefined),
  }
}

function providerAt(folder: string, entry: string): string {
  return join(dirname(folder), 'fake-provider', basename(entry))
}
