/** An operation of another tool, run on an engine of this machine. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  formatImageName,
  jobOfOperation,
  type Operation,
  optionsOf,
  readImageName,
  readOperation,
} from '../../contracts/cnab/index.ts'
import { runJob } from '../../host/run-job.ts'
import { type Listener, openWorkshop, type Workshop } from '../../host/workshop.ts'
import { fail, failAll } from '../../model/problem.ts'
import type { Report } from '../../model/report.ts'

export { handledTypes } from '../../contracts/cnab/index.ts'

export interface OperationCall {
  readonly operation: Operation
  readonly dataDir: string
  readonly engine: string
  /** Where outputs are written to, by their paths in the container. */
  readonly outputs: string | undefined
}

/** Reads the document that a tool hands over. Problems: cnab.operation.invalid, all at once. */
export function acceptOperation(document: string): Operation {
  const reading = readOperation(Buffer.from(document))
  return reading.kind === 'refused' ? failAll(reading.problems) : reading.value
}

/** Runs it and answers the exit status. Problems: usage.invalid, cnab.run.start, those of the image. */
export async function runOperation(call: OperationCall, listener: Listener): Promise<number> {
  const { operation } = call
  const engine = (['auto', 'embedded', 'docker'] as const).find((one) => one === call.engine)
  const workshop = await openWorkshop(
    call.dataDir,
    engine ?? fail('usage.invalid', `no engine ${call.engine}`),
  )
  try {
    const image = await imageOf(workshop, operation, listener)
    const job = jobOfOperation(operation, image, optionsOf({}))
    const about = { cluster: 'local', purpose: 'driver', ...listener }
    const report = await runJob(workshop.room.engines, job, about)
    if (call.outputs !== undefined) writeOutputs(call.outputs, operation, report)
    return exitOf(report)
  } finally {
    await workshop.close()
  }
}

/** Names of images as other tools write them, and references of ours. */
async function imageOf(
  { artifacts }: Workshop,
  { image: { image, contentDigest } }: Operation,
  { signal }: Listener,
): Promise<{ readonly reference: string; readonly digest: string }> {
  const name = /^(?:oci|oci-archive|docker-archive|kept):(?!\d+\/)/.test(image)
    ? undefined
    : readImageName(image)
  const digest = contentDigest ?? name?.digest
  const reference =
    name === undefined ? image : formatImageName(digest === undefined ? name : { ...name, digest })
  if (digest !== undefined) return { reference, digest }
  return { reference, digest: (await artifacts.describe(reference, signal)).digest }
}

function exitOf({ end, steps }: Report): number {
  switch (end.kind) {
    case 'finished':
      return steps[0]?.exit ?? 1
    case 'not-started':
      return fail('cnab.run.start', end.detail)
    default:
      return fail('cnab.run.failed', end.kind)
  }
}

/** Whatever the end was: what was written is the caller's. */
function writeOutputs(folder: string, { outputs }: Operation, { got }: Report): void {
  for (const [path, name] of Object.entries(outputs)) {
    const found = got.get(name)
    if (found?.kind !== 'bytes') continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), found.bytes, { mode: 0o600 })
  }
}
