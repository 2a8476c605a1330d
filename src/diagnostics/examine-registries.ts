/** What doctor learns of registries: whether each answers for what the catalog takes from it, and which are trusted blindly. */
import type { ArtifactStore } from '../artifacts/index.ts'
import { parseReference, type RegistryReference } from '../artifacts/reference.ts'
import { toProblem } from '../model/problem.ts'
import type { Settings } from '../settings/settings.ts'
import type { Advice, Seen } from './seen.ts'

/** Where there are more, they are the registries of a mirror, and asking all would take long. */
const hostsMost = 20
const answerWithinMs = 5000

/** One entry per registry that references or settings name. */
export async function examineRegistries(
  references: readonly string[],
  { settings, artifacts }: { readonly settings: Settings; readonly artifacts: ArtifactStore },
): Promise<readonly Seen[]> {
  const { hosts, defaultHost } = settings.registries
  const named = new Map<string, string | undefined>(hosts.map(({ host }) => [host, undefined]))
  for (const text of references) {
    const host = registryOf(text, defaultHost)?.host
    if (host !== undefined) named.set(host, named.get(host) ?? text)
  }
  return Promise.all(
    [...named].slice(0, hostsMost).map(async ([host, reference]): Promise<Seen> => {
      const advice = blindTrust(hosts.find((one) => one.host === host))
      const id = `registry ${host}`
      if (reference === undefined)
        return { id, what: 'no package of the catalog comes from there', problems: [], advice }
      return { id, advice, ...(await ask(reference, artifacts)) }
    }),
  )
}

function registryOf(text: string, defaultHost: string | undefined): RegistryReference | undefined {
  try {
    const reference = parseReference(text, defaultHost === undefined ? {} : { defaultHost })
    return reference.kind === 'registry' ? reference : undefined
  } catch {
    // Reading the package refuses what is no reference, with its reason.
    return undefined
  }
}

async function ask(reference: string, artifacts: ArtifactStore): Promise<Pick<Seen, 'what' | 'problems'>> {
  try {
    await artifacts.describe(reference, AbortSignal.timeout(answerWithinMs))
    return { what: `answers for ${reference}`, problems: [] }
  } catch (error) {
    return { what: '', problems: [toProblem(error)] }
  }
}

function blindTrust(host: Settings['registries']['hosts'][number] | undefined): readonly Advice[] {
  return [
    ...(host?.plainHttp
      ? [{ what: 'spoken to without encryption', fix: 'Have it speak TLS, and take plainHttp away.' }]
      : []),
    ...(host?.unverified
      ? [{ what: 'any certificate is taken', fix: 'Name its authority in caFile, and take unverified away.' }]
      : []),
  ]
}
