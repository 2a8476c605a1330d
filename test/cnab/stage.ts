/** A bundle, an instance of it and the ends of its runs, to play the contract through without engine or broker. */
import { readBundle } from '../../src/contracts/cnab/format.ts'
import { cnab } from '../../src/contracts/cnab/index.ts'
import type { Lookup } from '../../src/contracts/contract.ts'
import { digestOf } from '../../src/kit/hash.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import { Secret } from '../../src/kit/secret.ts'
import type { DocumentArtifact } from '../../src/model/artifact.ts'
import type { Job } from '../../src/model/job.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import type { Package } from '../../src/model/package.ts'
import type { Report, RunEnd } from '../../src/model/report.ts'
import type { Action, Situation } from '../../src/model/situation.ts'

export const imageDigest = `sha256:${'a'.repeat(64)}`

const whole: JsonObject = {
  schemaVersion: '1.2.0',
  name: 'app',
  version: '1.0.0',
  invocationImages: [{ image: 'registry.example/app:1', contentDigest: imageDigest }],
}

export function document(fragment: JsonObject, reference = './bundle.json'): DocumentArtifact {
  const bytes = new TextEncoder().encode(JSON.stringify({ ...whole, ...fragment }))
  return { kind: 'document', reference, digest: digestOf(bytes), bytes }
}

/** A fragment made whole; it must be readable. */
export function bundleOf(fragment: JsonObject) {
  const reading = readBundle(document(fragment).bytes)
  if (reading.kind === 'refused') throw new Error(JSON.stringify(reading.problems))
  return reading.bundle
}

/** What reading says: a package, or the codes of why not. */
export async function readAs(
  fragment: JsonObject,
  more: { readonly options?: JsonObject; readonly lookup?: Lookup } = {},
): Promise<Package | readonly string[]> {
  const { options = {}, lookup } = more
  const reading = await cnab.read(document(fragment), { options, ...(lookup ? { lookup } : {}) })
  if (reading.kind === 'package') return reading.package
  return reading.kind === 'refused' ? reading.problems.map(({ code }) => code) : []
}

export async function packageOf(
  fragment: JsonObject,
  more: Parameters<typeof readAs>[1] = {},
): Promise<Package> {
  const read = await readAs(fragment, more)
  if ('services' in read) return read
  throw new Error(JSON.stringify(read))
}

export function situation(pkg: Package, more: Partial<Situation> = {}): Situation {
  const [service] = pkg.services
  const [plan] = service?.plans ?? []
  if (service === undefined || plan === undefined) throw new Error('it offers no plan')
  return {
    package: pkg,
    service,
    plan,
    instance: { id: '0c7f9a2e-0000-4000-8000-00000000abcd', context: {}, parameters: {} },
    parameters: {},
    infrastructure: {},
    carryover: {},
    operation: { id: '01kb0000000000000000000001', stage: 0, attempt: 1 },
    platform: 'test',
    now: 1_764_000_000_000,
    random: (count) => new Uint8Array(count),
    ...more,
  }
}

export interface Ending {
  readonly end?: RunEnd
  readonly exit?: number
  readonly written?: Readonly<Record<string, string | Uint8Array>>
  readonly logTail?: string
}

export function report({ end, exit = 0, written = {}, logTail = '' }: Ending = {}): Report {
  const got = Object.entries(written).map(([name, content]) => {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    return [`output ${name}`, { kind: 'bytes', bytes }] as const
  })
  const ended = end ?? { kind: 'finished' as const }
  return {
    end: ended,
    steps: ended.kind === 'not-started' ? [] : [{ name: 'run', exit }],
    got: new Map(got),
    logTail,
    startedAt: 0,
    finishedAt: 0,
    notes: [],
  }
}

/** The job of an action; it must not be refused. */
export function jobFor(action: Action, from: Situation): Job {
  const prepared = cnab.prepare(action, from)
  if (prepared.kind === 'job') return prepared.job
  throw new Error(JSON.stringify(prepared))
}

/** The outcome of an action whose last run ended so. */
export function outcomeOf(action: Action, from: Situation, ending: Ending = {}): Outcome {
  const conclusion = cnab.conclude(action, from, report(ending))
  if (conclusion.kind === 'done') return conclusion.outcome
  throw new Error('another stage follows')
}

/** Variables and files of a job as texts. */
export function seenBy({ steps, files }: Job) {
  const reveal = (text: string | Secret) => (text instanceof Secret ? text.reveal() : text)
  return {
    env: Object.fromEntries(Object.entries(steps[0].environment).map(([name, text]) => [name, reveal(text)])),
    files: Object.fromEntries(files.map(({ path, content }) => [path, textOf(content)])),
  }
}

function textOf(content: Job['files'][0]['content']): string {
  if (content.kind === 'bytes') return Buffer.from(content.bytes).toString()
  return content.kind === 'secret' ? content.secret.reveal() : ''
}

/** An output under the usual path. */
export const out = (name: string, more: JsonObject = {}) => ({
  definition: name,
  path: `/cnab/app/outputs/${name}`,
  ...more,
})

/** Of everything that a bundle can declare, one. */
export const fragment: JsonObject = {
  definitions: {
    text: { type: 'string', default: '' },
    count: { type: 'integer' },
    state: { type: 'string', $comment: 'porter-internal', default: '' },
    secret: { type: 'string', writeOnly: true },
    status: { type: 'object' },
  },
  parameters: {
    text: { definition: 'text', destination: { env: 'TEXT' } },
    secret: { definition: 'secret', destination: { env: 'SECRET' } },
  },
  credentials: { key: { env: 'KEY', path: '/key' } },
  outputs: {
    text: out('text', { applyTo: ['install', 'upgrade', 'change'] }),
    state: out('state', { applyTo: ['install', 'look'] }),
    count: out('count', { applyTo: ['look', 'count'] }),
    status: out('status', { applyTo: ['status'] }),
  },
  images: { web: { image: 'web:1', contentDigest: imageDigest } },
  actions: { look: {}, count: {}, change: { modifies: true }, help: { stateless: true }, status: {} },
}
