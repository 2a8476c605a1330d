/** Asks what the settings name elsewhere, for doctor: registries, sources, files of the web, identity provider, audit server. */
import { parseReference } from '../artifacts/reference.ts'
import { webFile } from '../artifacts/registry/web-file.ts'
import { reachSyslog } from '../audit/syslog-sink.ts'
import { sourceOf } from '../catalog/source-of.ts'
import { knownRegistries, openArtifacts } from '../host/artifacts.ts'
import { makeAskProvider } from '../http/oidc/ask-provider.ts'
import { makeProvider } from '../http/oidc/provider.ts'
import { systemClock } from '../kit/clock.ts'
import { inParallel } from '../kit/in-parallel.ts'
import { plural, sizeText } from '../kit/text.ts'
import { ProblemError, toProblem } from '../model/problem.ts'
import type { CatalogEntry, SourceEntry } from '../settings/catalog-settings.ts'
import { entriesOf } from '../settings/catalog-settings.ts'
import type { Settings } from '../settings/settings.ts'
import type { Seen } from './seen.ts'

const withinMs = 20_000
const atOnce = 4

interface Question {
  readonly id: string
  /** Answers what was found. */
  ask(signal: AbortSignal): Promise<string>
}

/** One entry per thing that is elsewhere; nothing is kept of what is asked for. */
export async function examineOnline(settings: Settings, limitMs = withinMs): Promise<readonly Seen[]> {
  const questions = [...ofCatalog(settings), ...ofProvider(settings), ...ofAudit(settings)]
  return await inParallel(questions, atOnce, (one) => answered(one, limitMs))
}

async function answered({ id, ask }: Question, limitMs: number): Promise<Seen> {
  const late = AbortSignal.timeout(limitMs)
  const since = systemClock.monotonic()
  try {
    const found = await ask(late)
    return { id, what: `${found} (${Math.round(systemClock.monotonic() - since)} ms)`, problems: [] }
  } catch (error) {
    const problem = late.aborted
      ? ({ code: 'registry.unreachable', detail: `no answer within ${limitMs / 1000} s` } as const)
      : toProblem(error)
    return { id, what: '', problems: [problem] }
  }
}

function ofCatalog(settings: Settings): readonly Question[] {
  const artifacts = openArtifacts(settings)
  const ofPackage = ({ package: reference }: CatalogEntry): readonly Question[] => {
    const ask = asking(settings, artifacts, reference)
    return ask === undefined ? [] : [{ id: `package ${reference}`, ask }]
  }
  const ofSource = (entry: SourceEntry): readonly Question[] => {
    const { name, place, login } = sourceOf(entry)
    if (place.kind === 'folder' || place.kind === 'layouts') return []
    const ask = async (signal: AbortSignal) =>
      `lists ${plural((await artifacts.list(place, login, signal)).length, 'image')}`
    return [{ id: `source ${name}`, ask }]
  }
  return entriesOf(settings.catalog).flatMap((entry) =>
    'package' in entry ? ofPackage(entry) : ofSource(entry),
  )
}

/** How a package is asked for without bringing it; undefined: it is on this machine. */
function asking(
  settings: Settings,
  artifacts: ReturnType<typeof openArtifacts>,
  reference: string,
): Question['ask'] | undefined {
  if (reference.startsWith('sim:')) return undefined
  const place = parseReference(reference, knownRegistries(settings))
  switch (place.kind) {
    case 'registry':
      return async (signal) => `is ${(await artifacts.describe(reference, signal)).digest}`
    case 'url':
      return async (signal) => {
        for await (const piece of webFile(place.url, knownRegistries(settings), signal))
          return `is there, its first ${sizeText(piece.length)} came`
        return 'is there, and empty'
      }
    case 'component':
      return async (signal) => {
        const component = await artifacts.open(reference, signal)
        if ('close' in component) await component.close()
        return `is ${component.digest}`
      }
    default:
      return undefined
  }
}

function ofProvider({ auth }: Settings): readonly Question[] {
  const { issuer, clockSkew, caFile } = auth.oidc
  if (issuer === undefined) return []
  const provider = makeProvider({
    ...{ issuer, skewMs: clockSkew, clock: systemClock },
    ask: makeAskProvider(() => caFile),
  })
  const ask = async () => `describes itself, logs in at ${await provider.endpoint('authorization_endpoint')}`
  return [{ id: 'identity provider', ask }]
}

function ofAudit({ audit }: Settings): readonly Question[] {
  const { syslog } = audit
  if (syslog === undefined) return []
  const ask = async () => {
    if (syslog.startsWith('udp:')) return 'is sent datagrams, which no server answers'
    await reachSyslog(syslog).catch((cause: unknown) => {
      const detail = cause instanceof Error ? cause.message : String(cause)
      const hint = 'Check audit.syslog and the network: a broker whose audit sink takes nothing is not ready.'
      throw new ProblemError({ code: 'file.unwritable', detail, hint, cause })
    })
    return `${syslog} takes connections`
  }
  return [{ id: 'audit server', ask }]
}
