/** One action of one bundle on one installation of this machine, recorded from before its start to its end. */
import {
  actionOf,
  type Bundle,
  type BundleAction,
  bundleBytes,
  bundleIn,
  type Claim,
  type CnabOptions,
  claimCustom,
  claimDocument,
  definitionOf,
  givenIn,
  inject,
  isSensitive,
  jobOf,
  judgeRun,
  type KeptBundle,
  logsOutput,
  type RecordedRun,
  recordOf,
  resolveValues,
  resultOf,
  runFile,
  sourcedValue,
  textOfValue,
  type Verdict,
} from '../../contracts/cnab/index.ts'
import type { LogPiece } from '../../engines/engine.ts'
import { newRunName } from '../../host/run-job.ts'
import type { Listener } from '../../host/workshop.ts'
import { parseJson } from '../../kit/exact.ts'
import { digestOf } from '../../kit/hash.ts'
import type { JsonObject } from '../../kit/json.ts'
import { maskOf, type Redactor } from '../../kit/redact.ts'
import type { Job } from '../../model/job.ts'
import { describeProblem, fail, failAll, type Problem, toProblem } from '../../model/problem.ts'
import type { Report } from '../../model/report.ts'
import { beginRecord, modifies, newestOutput, runCustom, runsOf, writeResult } from './records.ts'
import type { CnabRoom } from './room.ts'

export interface ActionOrder {
  readonly installation: string
  readonly action: string
  readonly bundle: KeptBundle
  /** Typed, of this call. */
  readonly given: JsonObject
  readonly credentials: Readonly<Record<string, string>>
  readonly options: CnabOptions
  /** Take nothing over from what was given for earlier runs. */
  readonly anew: boolean
  /** The bundles that this one depends on, byte for byte; its run tool looks at them. */
  readonly dependencies: Readonly<Record<string, Uint8Array>>
}

/** Whatever runs a job: an engine, or a program of somebody else. */
export type Runner = (job: Job, about: RunAbout, listener: Listener) => Promise<Report>

export interface RunAbout {
  readonly run: string
  readonly bundle: Bundle
  readonly claim: Claim
}

export interface ActionRan {
  readonly claim: Claim
  readonly verdict: Verdict
}

/** Prepares, runs and records. Problems: cnab.action.undefined, cnab.parameter.*, cnab.credential.*, those of the runner. */
export async function performAction(
  room: CnabRoom,
  order: ActionOrder,
  run: Runner,
  listener: Listener,
): Promise<ActionRan> {
  const { bundle, action, claim, job } = prepareAction(room, order)
  const name = newRunName('cnab')
  const recorded = recordOf(action).kept !== 'never'
  if (recorded) beginRecord(room, claim, runCustom(name))
  const masked = maskedListener(secretsOf(order, bundle, claim), listener, order.options.logBytes)
  let report: Report
  try {
    report = await run(job, { run: name, bundle, claim }, masked.listener)
  } catch (error) {
    if (recorded) recordFailure(room, claim, toProblem(error))
    throw error
  }
  await masked.end()
  const judged = judgeRun({ bundle, action: action.name, options: order.options }, report)
  const verdict = { ...judged, message: masked.hide(judged.message) }
  if (recorded) recordEnd(room, claim, { verdict, log: masked.log(), modifies: action.modifies })
  return { claim, verdict }
}

interface Prepared {
  readonly bundle: Bundle
  readonly action: BundleAction
  readonly claim: Claim
  readonly job: Job
}

/** What would be run. Problems: those of the parameters and credentials, all at once. */
export function prepareAction(room: CnabRoom, order: ActionOrder): Prepared {
  const { installation, bundle: kept, given, credentials, options } = order
  const bundle = bundleIn(kept) ?? fail('cnab.bundle.invalid')
  const action =
    actionOf(bundle, order.action) ??
    fail('cnab.action.undefined', `action not defined ${JSON.stringify(order.action)}`)
  const runs = action.stateless ? [] : runsOf(room.claims, installation)
  const last = runs.findLast(({ claim }) => modifies(claim)) ?? runs.at(-1)
  const remembered = last === undefined || order.anew ? {} : givenIn(last.claim, bundle)
  const resolved = resolveValues(bundle, action.name, {
    given,
    remembered,
    sourced: sourceOf(room, { bundle, installation, runs }),
    ...(last === undefined ? {} : { fixed: last.claim.parameters }),
  })
  if (resolved.kind === 'refused') failAll(resolved.problems)
  const injected = inject({ bundle, action: action.name, values: resolved.values, credentials })
  if (injected.kind === 'refused') failAll(injected.problems)
  const revision = recordOf(action).newRevision || last === undefined ? room.newId() : last.claim.revision
  const bytes = bundleBytes(kept)
  const claim: Claim = {
    id: room.newId(),
    installation,
    revision,
    action: action.name,
    bundle: documentOf(bytes),
    created: new Date().toISOString(),
    bundleReference: kept.reference,
    parameters: resolved.values,
    custom: claimCustom(Object.keys({ ...remembered, ...given })),
  }
  const { reference, digest } = kept.image
  if (digest === undefined) return fail('cnab.image.unpinned', reference)
  const job = jobOf({
    bundle,
    bytes,
    image: { reference, digest },
    relocation: kept.relocation,
    action: action.name,
    installation,
    revision,
    ...(action.stateless ? {} : { claim: claimDocument(claim) }),
    injected,
    files: Object.entries(order.dependencies).map(([alias, document]) =>
      runFile(`/cnab/app/dependencies/${alias}/bundle.json`, 0o644, document),
    ),
    options,
  })
  return { bundle, action, claim, job }
}

interface Lookup {
  readonly bundle: Bundle
  readonly installation: string
  readonly runs: readonly RecordedRun[]
}

function sourceOf(room: CnabRoom, { bundle, installation, runs }: Lookup) {
  return (parameter: string): Uint8Array | undefined =>
    sourcedValue(bundle, parameter, ({ dependency, output }) =>
      dependency === undefined
        ? newestOutput(room.claims, runs, output)
        : newestOutput(room.claims, runsOf(room.claims, `${installation}-${dependency}`), output),
    )
}

function documentOf(bytes: Uint8Array): JsonObject {
  return parseJson(Buffer.from(bytes).toString()) as JsonObject
}

/** Texts that must not be seen. */
export function* secretsOf(
  { credentials }: ActionOrder,
  bundle: Bundle,
  { parameters }: Claim,
): Iterable<string> {
  yield* Object.values(credentials)
  for (const [name, value] of Object.entries(parameters)) {
    const declared = bundle.parameters[name]
    if (declared && isSensitive(definitionOf(bundle, declared))) yield textOfValue(value)
  }
}

/** Passes a log on without secrets, and keeps as much of it as is recorded. */
function maskedListener(secrets: Iterable<string>, listener: Listener, bytesMax: number) {
  const hidden = [...secrets]
  const all = maskOf(hidden)
  // A secret of several lines may go on in what comes next; any other ends with its line.
  const wholeLines = !hidden.some((secret) => secret.includes('\n'))
  const streams = new Map<string, { readonly mask: Redactor; readonly piece: LogPiece }>()
  const kept: Uint8Array[] = []
  let left = bytesMax
  const pass = async (piece: LogPiece, bytes: Uint8Array): Promise<void> => {
    if (bytes.length === 0) return
    kept.push(bytes.subarray(0, left))
    left -= Math.min(left, bytes.length)
    await listener.log({ ...piece, bytes })
  }
  return {
    listener: {
      ...listener,
      log: async (piece: LogPiece) => {
        const key = `${piece.step} ${piece.stream}`
        const { mask } = streams.get(key) ?? { mask: all.open() }
        streams.set(key, { mask, piece })
        const lines = wholeLines ? piece.bytes.lastIndexOf(10) + 1 : 0
        await pass(piece, mask.push(piece.bytes.subarray(0, lines)))
        if (lines > 0) await pass(piece, mask.end())
        await pass(piece, mask.push(piece.bytes.subarray(lines)))
      },
    },
    end: async () => {
      for (const { mask, piece } of streams.values()) await pass(piece, mask.end())
    },
    log: () => Buffer.concat(kept),
    hide: all.text,
  }
}

interface End {
  readonly verdict: Verdict
  readonly log: Uint8Array
  readonly modifies: boolean
}

/** Outputs first: a result never names what is not there. */
function recordEnd(room: CnabRoom, claim: Claim, { verdict, log, modifies: changes }: End): void {
  const id = room.newId()
  // What the authoring tool keeps for itself must not move on with actions that change nothing.
  const outputs = verdict.outputs.filter(({ internal }) => changes || !internal)
  for (const { name, bytes } of outputs) room.claims.writeOutput(id, name, bytes)
  room.claims.writeOutput(id, logsOutput, log)
  const result = resultOf(
    { ...verdict, outputs },
    { id, claimId: claim.id, created: new Date().toISOString() },
  )
  const logs = { contentDigest: digestOf(log), generatedByBundle: 'false' }
  writeResult(room, { ...result, outputs: { ...result.outputs, [logsOutput]: logs } })
}

function recordFailure(room: CnabRoom, claim: Claim, problem: Problem): void {
  writeResult(room, {
    id: room.newId(),
    claimId: claim.id,
    created: new Date().toISOString(),
    status: 'failed',
    message: describeProblem(problem),
    outputs: {},
  })
}
