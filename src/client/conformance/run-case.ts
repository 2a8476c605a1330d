/** Runs one case against a broker: makes what is given, takes the steps, judges, cleans up. */
import type { Chance, Clock } from '../../kit/clock.ts'
import { ulid } from '../../kit/id.ts'
import type { Json, JsonObject } from '../../kit/json.ts'
import { describeProblem, toProblem } from '../../model/problem.ts'
import type { BrokerAnswer, BrokerConnection } from '../broker-connection.ts'
import { lookUp } from './answer-path.ts'
import { buildRequest } from './build-request.ts'
import type { Case, Fixture, Given, RequestForm, Step } from './case.ts'
import { judge, judgeAll } from './compare.ts'
import { match } from './match.ts'
import { deleteThing, pollThing, type Thing } from './thing.ts'
import { fillText, type Variables, variablesIn } from './variables.ts'

export interface Bench {
  readonly connection: BrokerConnection
  readonly fixture: Fixture
  /** Ids of the catalog and credentials, by the symbols of the cases. */
  readonly symbols: Variables
  readonly clock: Clock
  readonly chance: Chance
  /** How long a broker may take to bring one operation to its end. */
  readonly waitMs: number
}

export interface CaseVerdict {
  readonly case: Case
  readonly outcome: 'passed' | 'failed' | 'skipped'
  readonly faults: readonly string[]
  readonly warnings: readonly string[]
}

/** The verdict on one case; it never throws for what a broker does. */
export async function runCase(one: Case, bench: Bench): Promise<CaseVerdict> {
  const missing = symbolsOf(one, bench.fixture).filter((name) => !bench.symbols.has(name))
  if (missing.length > 0) {
    const why = `the broker's catalog has nothing for ${[...new Set(missing)].join(', ')}`
    return { case: one, outcome: 'skipped', faults: [why], warnings: [] }
  }
  const run = begin(bench)
  try {
    for (const given of one.given) await prepare(given, run)
    for (const [i, step] of one.steps.entries()) await take(step, `step ${i + 1}`, run)
  } catch (error) {
    run.faults.push(describeProblem(toProblem(error)))
  } finally {
    await cleanUp(run)
  }
  const { faults, warnings } = run
  return { case: one, outcome: faults.length === 0 ? 'passed' : 'failed', faults, warnings }
}

/** What a case has to do with: its variables, what it made, what it found. */
interface Run extends Bench {
  readonly variables: Map<string, Json>
  readonly made: Map<string, Thing>
  readonly faults: string[]
  readonly warnings: string[]
}

/** The names that are a fresh id in every case. */
const freshIds = ['i', 'j', 'b', 'c', 'd']

function begin(bench: Bench): Run {
  const fresh = freshIds.map((name) => [name, `chk-${ulid(bench.clock.now(), bench.chance)}`] as const)
  return {
    ...bench,
    variables: new Map<string, Json>([...bench.symbols, ...fresh]),
    made: new Map(),
    faults: [],
    warnings: [],
  }
}

function symbolsOf(one: Case, fixture: Fixture): readonly string[] {
  const named = variablesIn([one.given, one.steps]).filter((name) => /^(svc|plan)\./.test(name))
  const templates = [...JSON.stringify([one.steps]).matchAll(/"use":"([^"]+)"/g)].flatMap(([, name]) =>
    variablesIn(fixture.templates.get(name ?? '')),
  )
  const plans = [...one.given, ...one.steps].flatMap((item) =>
    'plan' in item ? [`plan.${item.plan}`, `svc.${fixture.serviceOf.get(item.plan)}`] : [],
  )
  return [...named, ...templates, ...plans]
}

async function prepare(given: Given, run: Run): Promise<void> {
  const binding = given.kind === 'binding' || given.kind === 'pending-binding'
  const thing = thingOf(given, run)
  const what = `given ${given.kind} \${${given.as}}`
  const sim = given.kind === 'failed-instance' ? { create: { ms: 50, outcome: 'fail' } } : {}
  const parameters: JsonObject = {
    ...given.parameters,
    ...(given.sim || given.kind === 'failed-instance' ? { sim: { ...sim, ...given.sim } } : {}),
  }
  const form: RequestForm = {
    method: 'PUT',
    path: thing.path,
    query: { accepts_incomplete: 'true' },
    body: {
      use: binding ? 'bind' : 'provision',
      with: {
        service_id: thing.service,
        plan_id: thing.plan,
        ...(Object.keys(parameters).length > 0 ? { parameters } : {}),
      },
    },
  }
  const answer = await ask(form, run)
  const operation = lookUp(answer, 'body.operation')
  if (given.save !== undefined && typeof operation === 'string') run.variables.set(given.save, operation)
  if (given.kind === 'failed-instance') {
    if (answer.status >= 500) return
    await expectEnd('failed', what, { thing, answer, run })
    return
  }
  const fits = [200, 201, 202].includes(answer.status)
  if (!fits) run.faults.push(`${what}: got status ${answer.status} with ${answer.text}`)
  if (fits && !given.kind.startsWith('pending')) await expectEnd('succeeded', what, { thing, answer, run })
}

async function expectEnd(
  state: 'succeeded' | 'failed',
  what: string,
  { thing, answer, run }: { readonly thing: Thing; readonly answer: BrokerAnswer; readonly run: Run },
): Promise<void> {
  if (answer.status !== 202 && state === 'succeeded') return
  const operation = lookUp(answer, 'body.operation')
  const last = await pollThing(thing, typeof operation === 'string' ? operation : undefined, run)
  const got = lookUp(last, 'body.state')
  if (got !== state) run.faults.push(`${what}: expected it to end ${state}, got ${last.status} ${last.text}`)
}

async function take(step: Step, name: string, run: Run): Promise<void> {
  if (run.faults.length > 0) return
  switch (step.kind) {
    case 'do':
      return takeDo(step, name, run)
    case 'poll':
      return takePoll(step, name, run)
    case 'delete': {
      const fault = await deleteThing(thingOf({ of: '', ...step }, run), run)
      if (fault !== undefined) run.faults.push(`${name}: ${fault}`)
      return
    }
    case 'parallel': {
      const answers = await Promise.all(step.requests.map((request) => ask(request, run)))
      run.faults.push(...judgeAll(answers, step.wantAll).map((fault) => `${name}: ${fault}`))
      return
    }
  }
}

async function takeDo(step: Step & { kind: 'do' }, name: string, run: Run): Promise<void> {
  const answer = await ask(step.request, run)
  const { faults, warnings } = judge(answer, step.want ?? {}, run.variables)
  const { method, path } = step.request
  run.faults.push(...faults.map((fault) => `${name}, ${method} ${path}: ${fault}`))
  run.warnings.push(...warnings.map((warning) => `${name}, ${method} ${path}: ${warning}`))
  for (const [variable, path] of Object.entries(step.save)) {
    const found = lookUp(answer, path)
    if (found !== undefined) run.variables.set(variable, found as Json)
  }
}

async function takePoll(step: Step & { kind: 'poll' }, name: string, run: Run): Promise<void> {
  const text = (form: string) => fillText(form, run.variables)
  const path = `/v2/service_instances/${text(step.instance)}${step.binding === undefined ? '' : `/service_bindings/${text(step.binding)}`}`
  const operation = step.operation === undefined ? undefined : text(step.operation)
  const last = await pollThing({ path, service: '', plan: '' }, operation, run)
  const state = lookUp(last, 'body.state')
  const fits = step.want === 'gone' ? last.status === 410 || state === 'succeeded' : state === step.want
  if (!fits) run.faults.push(`${name}, poll: expected ${step.want}, got ${last.status} ${last.text}`)
  if (step.body !== undefined && fits) {
    run.faults.push(
      ...match(step.body, last.body).map(
        ({ pointer, message }) => `${name}, poll: body${pointer}: ${message}`,
      ),
    )
  }
}

async function ask(form: RequestForm, run: Run): Promise<BrokerAnswer> {
  const request = buildRequest(form, run.fixture, run.variables)
  const answer = await run.connection.send(request)
  if (request.method === 'PUT' && (answer.status < 400 || answer.status >= 500)) {
    const [path = ''] = request.path.split('?')
    run.made.set(path, {
      path,
      service: idIn(request.body, 'service_id', run),
      plan: idIn(request.body, 'plan_id', run),
    })
  }
  return answer
}

/** The id that a body names; a rotation may leave it out, and deletes must name some. */
function idIn(body: string | undefined, name: 'service_id' | 'plan_id', run: Run): string {
  const [, found] = new RegExp(`"${name}":"([^"]+)"`).exec(body ?? '') ?? []
  return found ?? String(run.symbols.get(name === 'service_id' ? 'svc.alpha' : 'plan.small') ?? 'unknown')
}

function thingOf(item: { readonly as: string; readonly of: string; readonly plan: string }, run: Run): Thing {
  const id = (name: string) => encodeURIComponent(String(run.variables.get(name)))
  const instance = `/v2/service_instances/${id(item.of === '' ? item.as : item.of)}`
  const service = run.fixture.serviceOf.get(item.plan) ?? ''
  return {
    path: item.of === '' ? instance : `${instance}/service_bindings/${id(item.as)}`,
    service: String(run.symbols.get(`svc.${service}`)),
    plan: String(run.symbols.get(`plan.${item.plan}`)),
  }
}

/** Deletes what the case made, bindings first; faults here are not the case's. */
async function cleanUp(run: Run): Promise<void> {
  const things = [...run.made.values()].toSorted(
    (a, b) => b.path.split('/').length - a.path.split('/').length,
  )
  for (const thing of things) {
    // A pretended delete may be told to fail once.
    for (let tries = 0; tries < 2; tries++) {
      const fault = await deleteThing(thing, run).catch((error: unknown) => describeProblem(toProblem(error)))
      if (fault === undefined) break
    }
  }
}
