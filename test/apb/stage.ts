/** A bundle, an instance of it and the ends of its runs, to play the contract through without engine or broker. */
import { apb } from '../../src/contracts/apb/index.ts'
import type { Reading } from '../../src/contracts/contract.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import type { ImageArtifact } from '../../src/model/artifact.ts'
import type { Job } from '../../src/model/job.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import type { Package, Plan } from '../../src/model/package.ts'
import type { ClusterObjects, Got, Report, RunEnd } from '../../src/model/report.ts'
import type { Action, Situation } from '../../src/model/situation.ts'

export const imageDigest = `sha256:${'a'.repeat(64)}`

/** An image with these labels. */
export function image(labels: Readonly<Record<string, string>>): ImageArtifact {
  return {
    kind: 'image',
    reference: 'docker://registry.example/bundle:latest',
    digest: imageDigest,
    config: {
      entrypoint: ['entrypoint.sh'],
      command: [],
      environment: [],
      user: 'apb',
      workingFolder: '/',
      volumes: [],
      labels,
      platform: { os: 'linux', architecture: 'amd64' },
    },
    annotations: {},
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    manifest: {},
    blob: async () => undefined,
  }
}

/** What reading an image says whose label holds this spec. */
export function readSpecOf(spec: string, options: JsonObject = {}, runtime = '2'): Promise<Reading> {
  const labels = {
    'com.redhat.apb.spec': Buffer.from(spec).toString('base64'),
    'com.redhat.apb.runtime': runtime,
  }
  return apb.read(image(labels), { options })
}

/** The package of a spec, its plans fitted to the options; it must be readable. */
export async function packageOf(spec: string, options: JsonObject = {}, runtime = '2'): Promise<Package> {
  const reading = await readSpecOf(spec, options, runtime)
  if (reading.kind !== 'package') throw new Error(JSON.stringify(reading))
  const pkg = reading.package
  return {
    ...pkg,
    services: pkg.services.map((service) => ({
      ...service,
      plans: service.plans.map((plan) => fitted(pkg, plan, options)),
    })),
  }
}

function fitted(pkg: Package, plan: Plan, options: JsonObject): Plan {
  const operator = { ...plan.operator, options: { ...plan.operator.options, ...options } }
  return apb.offer?.(pkg, { ...plan, operator }).plan ?? plan
}

export const instanceId = 'd6ac6b10-fbff-4944-8e6b-3478313e20d1'

/** An instance of the package's first plan, or of the one that is named. */
export function situation(
  pkg: Package,
  more: Partial<Situation> & { readonly planName?: string } = {},
): Situation {
  const { planName, ...rest } = more
  const [service] = pkg.services
  const plan = service?.plans.find(({ name }) => planName === undefined || name === planName)
  if (service === undefined || plan === undefined) throw new Error('it offers no such plan')
  return {
    package: pkg,
    service,
    plan,
    instance: { id: instanceId, context: { namespace: 'target-ns' }, parameters: {} },
    parameters: {},
    infrastructure: {},
    carryover: {},
    operation: { id: '01kb0000000000000000000001', stage: 0, attempt: 1 },
    platform: 'test',
    now: 1_764_000_000_000,
    random: (count) => new Uint8Array(count),
    ...rest,
  }
}

export interface Ending {
  readonly end?: RunEnd
  readonly exit?: number
  readonly message?: string
  readonly credentials?: JsonObject | string
  readonly annotations?: Readonly<Record<string, string>>
  readonly state?: Readonly<Record<string, string>>
  readonly objects?: Uint8Array
  /** Of a real cluster. */
  readonly real?: true
  readonly unserved?: readonly string[]
  readonly answers?: Readonly<Record<string, string>>
}

/** The report of a run that ended so. */
export function report(ending: Ending = {}): Report {
  const { end, exit = 0, message = '', answers = {} } = ending
  const ended = end ?? { kind: 'finished' as const }
  const bytes = (text: string): Got => ({ kind: 'bytes', bytes: new TextEncoder().encode(text) })
  return {
    end: ended,
    steps: ended.kind === 'finished' ? [{ name: 'apb', exit }] : [],
    got: new Map<string, Got>([
      ['termination-message', bytes(message)],
      ['cluster', clusterObjects(ending)],
      ...Object.entries(answers).map(([name, text]) => [name, bytes(text)] as const),
    ]),
    logTail: '',
    startedAt: 0,
    finishedAt: 0,
    notes: [],
  }
}

function clusterObjects({
  credentials,
  annotations = {},
  state,
  objects,
  real,
  unserved = [],
}: Ending): ClusterObjects {
  const text = typeof credentials === 'string' ? credentials : JSON.stringify(credentials)
  return {
    kind: 'cluster-objects',
    annotations,
    unserved,
    ...(credentials === undefined ? {} : { secret: { fields: new TextEncoder().encode(text) } }),
    ...(state === undefined ? {} : { state }),
    ...(objects === undefined ? {} : { objects }),
    ...(real === undefined ? {} : { real }),
  }
}

/** The job of an action; it must not be refused. */
export function jobFor(action: Action, from: Situation): Job {
  const prepared = apb.prepare(action, from)
  if (prepared.kind === 'job') return prepared.job
  throw new Error(JSON.stringify(prepared))
}

/** The arguments of the one step of a job, the last of them parsed. */
export function argumentsOf({ steps }: Job): { readonly args: readonly string[]; readonly vars: JsonObject } {
  const { command } = steps[0]
  if (command.kind !== 'entrypoint') throw new Error('the entrypoint is not kept')
  return { args: command.arguments, vars: JSON.parse(command.arguments[2] ?? '{}') as JsonObject }
}

/** The outcome of an action whose run ended so. */
export function outcomeOf(action: Action, from: Situation, ending: Ending = {}): Outcome {
  const conclusion = apb.conclude(action, from, report(ending))
  if (conclusion.kind === 'done') return conclusion.outcome
  throw new Error('another stage follows')
}

/** The problem codes and details of a refusal. */
export function refusalOf(action: Action, from: Situation): readonly string[] {
  const prepared = apb.prepare(action, from)
  if (prepared.kind !== 'refused') return []
  return prepared.problems.map(({ detail, where }) => [where?.pointer, detail].filter(Boolean).join(' '))
}
