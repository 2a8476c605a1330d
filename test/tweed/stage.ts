/** An image, a plan and the end of a run to play a contract through, without engine or broker. */
import { tweed } from '../../src/contracts/tweed/index.ts'
import type { Json, JsonObject } from '../../src/kit/json.ts'
import type { ImageArtifact, ImageConfig } from '../../src/model/artifact.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import type { OperatorChoice, Package, Plan } from '../../src/model/package.ts'
import { describeProblem, type Problem } from '../../src/model/problem.ts'
import type { Got, Report, RunEnd } from '../../src/model/report.ts'
import type { Action, Situation } from '../../src/model/situation.ts'

export function image(config: Partial<ImageConfig> = {}): ImageArtifact {
  return {
    kind: 'image',
    reference: 'oci:case',
    digest: `sha256:${'a'.repeat(64)}`,
    annotations: {},
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    manifest: {},
    config: {
      entrypoint: ['/pattern'],
      command: [],
      environment: [],
      user: '',
      workingFolder: '',
      volumes: [],
      labels: {},
      platform: { os: 'linux', architecture: 'amd64' },
      ...config,
    },
    blob: () => Promise.resolve(undefined),
  }
}

export interface Ending {
  readonly end?: RunEnd
  readonly exit?: number
  readonly stdout?: string | Uint8Array
  readonly got?: Readonly<Record<string, Got>>
}

export function report({ end, exit, stdout, got }: Ending = {}): Report {
  const bytes = typeof stdout === 'string' ? new TextEncoder().encode(stdout) : stdout
  return {
    end: end ?? { kind: 'finished' },
    steps: [{ name: 'step', exit: exit ?? 0, ...(bytes ? { stdout: bytes } : {}) }],
    got: new Map(Object.entries(got ?? {})),
    logTail: '',
    startedAt: 0,
    finishedAt: 1,
    notes: [],
  }
}

/** The package that some metadata describes; problems are thrown as a text. */
export async function packageOf(metadata: string): Promise<Package> {
  const reading = await tweed.read(image(), { options: {}, described: report({ stdout: metadata }) })
  if (reading.kind === 'package') return reading.package
  throw new Error(
    reading.kind === 'refused' ? reading.problems.map(describeProblem).join('\n') : reading.kind,
  )
}

export function metadataWith(keys: JsonObject = {}): string {
  return JSON.stringify({ pattern: 'tweed/v1', name: 'Case', version: '1.0.0', ...keys })
}

export interface Staging {
  readonly metadata?: JsonObject
  readonly operator?: Partial<OperatorChoice>
  readonly parameters?: Json
  readonly instance?: Partial<Situation['instance']>
  readonly binding?: Partial<NonNullable<Situation['binding']>>
  readonly carryover?: Situation['carryover']
  readonly infrastructure?: Situation['infrastructure']
}

/** Everything a contract may know; the plan is fitted to its operator as the catalog does it. */
export async function situation(
  staging: Staging = {},
): Promise<Situation & { readonly planProblems: readonly Problem[] }> {
  const pkg = await packageOf(metadataWith(staging.metadata))
  const service = pkg.services[0]!
  const base = service.plans[0]!
  const chosen: Plan = { ...base, operator: { ...base.operator, ...staging.operator } }
  const { plan, problems } = tweed.offer!(pkg, chosen)
  const parameters = (staging.parameters ?? {}) as JsonObject
  return {
    package: pkg,
    service: { ...service, id: 'service-id' },
    plan: { ...plan, id: 'plan-id' },
    planProblems: problems,
    instance: { id: 'i1', context: {}, parameters, ...staging.instance },
    ...(staging.binding
      ? { binding: { id: 'b1', context: {}, resource: {}, carryover: {}, ...staging.binding } }
      : {}),
    parameters: staging.binding ? {} : parameters,
    infrastructure: staging.infrastructure ?? {},
    carryover: staging.carryover ?? {},
    operation: { id: 'op1', stage: 0, attempt: 1 },
    platform: 'p',
    now: 0,
    random: (count) => new Uint8Array(count),
  }
}

export function conclude(kind: Exclude<Action['kind'], 'invoke'>, here: Situation, ending: Ending): Outcome {
  const conclusion = tweed.conclude({ kind }, here, report(ending))
  if (conclusion.kind === 'next') throw new Error('a pattern has no further stage')
  return conclusion.outcome
}

/** The class that the tables name: the last part of a problem's code. */
export function classOf(problem: Problem | undefined): string | undefined {
  return problem?.code.split('.').at(-1)
}
