/** A repository that is read from several places: the first that has it answers, and goes on answering. */
import { type Clock, systemClock } from '../../kit/clock.ts'
import { fail, ProblemError } from '../../model/problem.ts'
import type { Source } from '../oci/place.ts'
import type { RegistryPlace } from './places.ts'
import type { RegistrySettings } from './settings.ts'

/** A place and the source there, opened when it is needed. */
export interface MirrorPlace extends Pick<RegistryPlace, 'host' | 'pulls'> {
  open(): Source
}

export interface Mirrored {
  readonly repository: { readonly host: string; readonly repository: string }
  /** The last is the registry itself. */
  readonly places: readonly MirrorPlace[]
  /** What is opened by the same settings knows together which mirrors are away. */
  readonly settings: RegistrySettings
  readonly clock?: Clock
}

/** For so long a mirror that could not be reached is asked last. */
const restMs = 60_000
const resting = new WeakMap<RegistrySettings, Map<string, number>>()

/** Makes the source. When all places fail, it fails as the registry itself did, and says how its mirrors did. */
export function mirroredSource({ repository, ...parts }: Mirrored): Source {
  const name = `${repository.host}/${repository.repository}`
  const turns = new Turns(parts)
  const lacking = (digest: string): never => fail('artifact.not-found', digest, { where: { source: name } })
  return {
    ...{ name, repository },
    manifest: (wanted, signal) =>
      turns.first({ pull: wanted.digest === undefined ? 'tag-only' : 'digest-only', signal }, (source) =>
        source.manifest(wanted, signal),
      ),
    digestNow: (tag, signal) =>
      turns.first({ pull: 'tag-only', signal }, async (source) => await source.digestNow?.(tag, signal)),
    blob: async (wanted, from, signal) =>
      (await turns.first({ signal }, (source) => source.blob(wanted, from, signal))) ??
      lacking(wanted.digest),
    sizeOf: async (digest, signal) =>
      (await turns.first({ signal }, async (source) => await source.sizeOf?.(digest, signal))) ??
      lacking(digest),
    referrers: async (digest, signal) => {
      const listed = await turns.first({ signal }, async (source) => {
        const found = await source.referrers(digest, signal)
        // Mirrors that keep no such lists answer so, too.
        return found.length === 0 ? undefined : found
      })
      return listed ?? []
    },
    close: () => turns.close(),
  }
}

interface Question {
  /** Which kind of reference it is about; absent: what a manifest names, which any place may have. */
  readonly pull?: 'tag-only' | 'digest-only'
  readonly signal: AbortSignal
}

/** A class for what is learnt from one question and used for the next. */
class Turns {
  readonly #places: readonly MirrorPlace[]
  readonly #clock: Clock
  readonly #resting: Map<string, number>
  readonly #open = new Map<MirrorPlace, Source>()
  /** The one that answered last. */
  #chosen: MirrorPlace | undefined

  constructor({ places, settings, clock = systemClock }: Omit<Mirrored, 'repository'>) {
    this.#places = places
    this.#clock = clock
    this.#resting = resting.get(settings) ?? new Map()
    resting.set(settings, this.#resting)
  }

  /** The first answer there is; undefined where no place that could be asked has one. */
  async first<T>(
    { pull, signal }: Question,
    ask: (source: Source) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const faults: { readonly place: MirrorPlace; readonly error: ProblemError }[] = []
    for (const place of this.#inOrder(pull)) {
      try {
        const answer = await ask(this.#sourceOf(place))
        if (answer === undefined) continue
        this.#chosen = place
        return answer
      } catch (error) {
        if (!(error instanceof ProblemError) || signal.aborted) throw error
        if (error.problem.code === 'registry.unreachable')
          this.#resting.set(place.host, this.#clock.monotonic() + restMs)
        faults.push({ place, error })
      }
    }
    const own = faults.find(({ place }) => place === this.#places.at(-1))
    if (own === undefined) return undefined
    const mirrors = faults.filter((one) => one !== own)
    throw mirrors.length === 0 ? own.error : withMirrors(own.error, mirrors)
  }

  async close(): Promise<void> {
    for (const source of this.#open.values()) await source.close()
  }

  #sourceOf(place: MirrorPlace): Source {
    const source = this.#open.get(place) ?? place.open()
    this.#open.set(place, source)
    return source
  }

  #inOrder(pull: Question['pull']): readonly MirrorPlace[] {
    const asked = this.#places.filter(({ pulls }) => pull === undefined || pulls === 'all' || pulls === pull)
    const own = this.#places.at(-1)
    const rank = (place: MirrorPlace): number => {
      if (place !== own && this.#isResting(place)) return 2
      return pull === undefined && place === this.#chosen ? 0 : 1
    }
    return asked.toSorted((a, b) => rank(a) - rank(b))
  }

  #isResting({ host }: MirrorPlace): boolean {
    return (this.#resting.get(host) ?? 0) > this.#clock.monotonic()
  }
}

function withMirrors(
  { problem }: ProblemError,
  mirrors: readonly { readonly place: MirrorPlace; readonly error: ProblemError }[],
): ProblemError {
  const told = mirrors.map(({ place, error }) => `its mirror ${place.host} failed, too (${error.message})`)
  return new ProblemError({
    ...problem,
    detail: [problem.detail, ...told].filter(Boolean).join('; '),
  })
}
