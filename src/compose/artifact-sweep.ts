/** Gives the disk back: now and then everything goes that was brought for packages that are no longer offered or used. */
import type { ArtifactStore } from '../artifacts/index.ts'
import type { Chance, Clock } from '../kit/clock.ts'
import type { Json } from '../kit/json.ts'
import type { Store } from '../store/store.ts'

export interface ArtifactSweep {
  stop(): Promise<void>
}

export interface SweepingParts {
  readonly store: Pick<Store, 'look'>
  readonly artifacts: Pick<ArtifactStore, 'sweep'>
  readonly clock: Clock
  readonly chance: Chance
  /** What was used more recently stays, whichever process used it. */
  readonly keepUnusedMs: number
  fault(error: unknown): void
}

const roundMs = 3_600_000

/** Starts sweeping, first some minutes after the start: what the catalog names was not yet used by this process. */
export function startArtifactSweep(parts: SweepingParts): ArtifactSweep {
  const { clock, chance } = parts
  const leaving = new AbortController()
  const rounds = (async () => {
    for (let pause = roundMs / 12; ; pause = roundMs) {
      await clock.sleep(pause * (0.8 + 0.4 * chance.number()), leaving.signal)
      if (leaving.signal.aborted) return
      await sweepArtifacts(parts).catch(parts.fault)
    }
  })()
  return {
    async stop() {
      leaving.abort()
      await rounds
    },
  }
}

/** Sweeps once. */
export async function sweepArtifacts({
  store,
  artifacts,
  clock,
  keepUnusedMs,
}: SweepingParts): Promise<void> {
  const keep = await digestsInUse(store)
  await artifacts.sweep({ keep, unusedMs: keepUnusedMs, now: clock.now() })
}

/** Every digest in the papers of packages that are offered, or whose plans have instances: of packages, of their images. */
async function digestsInUse({ look }: Pick<Store, 'look'>): Promise<readonly string[]> {
  const digests = new Set<string>()
  const inUse = new Map<string, boolean>()
  for (const { planId, retired, digest, document } of await look.offerings()) {
    if (!inUse.has(planId)) inUse.set(planId, !retired || (await look.countInstances(planId)) > 0)
    if (retired && inUse.get(planId) === false) continue
    digests.add(digest)
    gatherDigests(document, digests)
  }
  for (const { digest, document } of await look.enrolments()) {
    digests.add(digest)
    gatherDigests(document, digests)
  }
  return [...digests]
}

const anywhere = /sha(?:256:[0-9a-f]{64}|512:[0-9a-f]{128})(?![0-9a-f])/g

function gatherDigests(value: Json, into: Set<string>): void {
  if (typeof value === 'string') for (const [digest] of value.matchAll(anywhere)) into.add(digest)
  else if (Array.isArray(value)) for (const item of value) gatherDigests(item, into)
  else if (value !== null && typeof value === 'object')
    for (const item of Object.values(value)) gatherDigests(item, into)
}
