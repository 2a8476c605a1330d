/** Makes a support bundle: what a maintainer needs to see of a broker, and nothing that is secret. */
import { firstFile, packFiles } from '../../artifacts/archive/pack-files.ts'
import type { Clock } from '../../kit/clock.ts'
import { parseJson } from '../../kit/exact.ts'
import { sha256 } from '../../kit/hash.ts'
import { present } from '../../kit/present.ts'
import { makeMask } from '../../kit/redact.ts'
import { describeProblem, toProblem } from '../../model/problem.ts'
import type { Seen } from '../seen.ts'
import type { SupportFile, SupportWish } from './file.ts'
import { type SecretPorts, secretsAround } from './secrets.ts'
import { logFile, storeFiles, toldOperations } from './store-files.ts'

export interface BundleParts {
  readonly version: string
  readonly clock: Clock
  /** What is told besides the rows of the store. */
  readonly files: readonly SupportFile[]
  /** What is known to be secret besides what the store says. */
  readonly secrets: readonly string[]
  /** Absent where it cannot be opened. */
  readonly store?: SecretPorts & { readonly findings: readonly Seen[] }
  /** Why something that could be told is not. */
  readonly leftOut: readonly string[]
}

/** The first file of a bundle. */
export interface Manifest {
  readonly madeAt: string
  readonly version: string
  readonly files: readonly {
    readonly name: string
    readonly about: string
    readonly bytes: number
    readonly sha256: string
  }[]
  readonly leftOut: readonly string[]
}

/** A tar (gzip) whose first file lists the others. Problems: operation.unknown. */
export async function makeBundle(parts: BundleParts, wish: SupportWish): Promise<Uint8Array> {
  const { clock, version } = parts
  const told = await toldOf(parts, wish)
  const mask = await makeMask([...parts.secrets, ...told.secrets], clock)
  const files = [...parts.files, ...told.files].map(({ name, about, text }) => ({
    ...{ name, about, bytes: Buffer.from(mask.text(text)) },
  }))
  const now = clock.now()
  const madeAt = new Date(now).toISOString()
  const manifest = {
    ...{ apiVersion: 'chandler/v1', kind: 'SupportBundle', madeAt, version },
    ...present({ operation: wish.operation }),
    sinceSeconds: wish.sinceMs / 1000,
    files: files.map(({ name, about, bytes }) => ({
      name,
      about,
      bytes: bytes.length,
      sha256: sha256(bytes),
    })),
    leftOut: [...parts.leftOut, ...told.leftOut],
  }
  const folder = `chandler-support-${madeAt.replace(/[-:]|\.\d+/g, '')}`
  const listed = { name: 'manifest.json', bytes: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`) }
  return packFiles(
    [listed, ...files].map(({ name, bytes }) => ({ path: `${folder}/${name}`, bytes })),
    Math.floor(now / 1000),
  )
}

/** What a bundle says of itself. */
export function manifestOf(bundle: Uint8Array): Manifest {
  // Written by makeBundle alone.
  return parseJson(Buffer.from(firstFile(bundle)).toString()) as unknown as Manifest
}

interface Told {
  readonly files: readonly SupportFile[]
  readonly secrets: readonly string[]
  readonly leftOut: readonly string[]
}

/** What the store tells. An operation whose secrets cannot be read is not told: what to hide in it is not known. */
async function toldOf({ store: ports }: BundleParts, wish: SupportWish): Promise<Told> {
  if (ports === undefined) return { files: [], secrets: [], leftOut: [] }
  const { look } = ports.store
  const operations = await toldOperations(look, wish)
  const secrets: string[] = []
  const leftOut: string[] = []
  const told = []
  for (const operation of operations) {
    try {
      secrets.push(...(await secretsAround(ports, operation)))
      told.push(operation)
    } catch (error) {
      leftOut.push(`operation ${operation.id}: ${describeProblem(toProblem(error))}`)
    }
  }
  const log = told.some(({ id }) => id === wish.operation) ? wish.operation : undefined
  const files = await storeFiles(look, told, ports.findings)
  return { files: log === undefined ? files : [...files, await logFile(look, log)], secrets, leftOut }
}
