/** What doctor finds of a broker that runs: host, store, engines and registries, as its own process sees them. */
import type { Examination } from '../api/findings.ts'
import { moment } from '../api/words.ts'
import type { ArtifactStore } from '../artifacts/index.ts'
import type { Catalog } from '../broker/catalog.ts'
import type { Ports } from '../broker/ports.ts'
import { contracts } from '../contracts/index.ts'
import type { Engine } from '../engines/engine.ts'
import { toProblem } from '../model/problem.ts'
import type { Settings } from '../settings/settings.ts'
import type { KeyRing } from '../store/keys.ts'
import { engineWords } from './engine-words.ts'
import { examineCluster } from './examine-cluster.ts'
import { examineHost, runtime } from './examine-host.ts'
import { examineRegistries } from './examine-registries.ts'
import { examineRows } from './examine-rows.ts'
import { examineTenants } from './examine-tenants.ts'
import { findingsOf } from './findings.ts'
import { storeFault } from './health.ts'
import { lintCatalog } from './lint.ts'
import type { Seen } from './seen.ts'

interface Parts {
  readonly ports: Pick<Ports, 'store' | 'clock' | 'node' | 'catalog' | 'policy'>
  readonly ring: KeyRing
  readonly engines: readonly Engine[]
  readonly artifacts: ArtifactStore
  /** As they are at the moment. */
  readonly settings: () => Settings
  /** What is seen of traces. */
  readonly traces: () => readonly Seen[]
}

/** Pages ask again whenever something changes; engines and registries are not to be busy with that. */
const freshMs = 30_000

/** Examines when it is asked, not more often than every half minute; callers at the same time share one. */
export function makeExamination(parts: Parts): () => Promise<Examination> {
  const { clock } = parts.ports
  let last: { readonly at: number; readonly found: Promise<Examination> } | undefined
  return () => {
    const now = clock.monotonic()
    if (last === undefined || now - last.at > freshMs) last = { at: now, found: examineBroker(parts) }
    return last.found
  }
}

async function examineBroker(parts: Parts): Promise<Examination> {
  const { ports, settings, engines } = parts
  const looks = [storeOf(parts), enginesOf(engines), registriesOf(parts), examineCluster(settings())]
  const tenants = examineTenants(ports.policy().tenants ?? [], engines)
  const seen = [...(await Promise.all(looks)), tenants, [catalogOf(ports.catalog())], parts.traces()]
  return {
    node: ports.node,
    at: moment(ports.clock.now()),
    findings: [runtime(), ...examineHost(settings()), ...seen.flat().flatMap(findingsOf)],
  }
}

async function storeOf({ ports: { store, clock }, ring }: Parts): Promise<readonly Seen[]> {
  const id = 'store'
  const fault = await storeFault({ clock, store })
  if (fault !== undefined) return [{ id, what: '', problems: [{ code: 'store.unavailable', detail: fault }] }]
  try {
    return [{ id, what: 'takes writes', problems: [] }, ...(await examineRows(store.look, { clock, ring }))]
  } catch (error) {
    return [{ id, what: '', problems: [toProblem(error)] }]
  }
}

/** What platforms object to. */
function catalogOf({ document, offers }: Catalog): Seen {
  const advice = lintCatalog(document).findings.map(({ pointer, message, remedy }) => ({
    what: `${pointer}: ${message}`,
    fix: remedy,
  }))
  return { id: 'catalog', what: `${offers.length} plans are offered`, problems: [], advice }
}

const engineWithinMs = 5000

function enginesOf(engines: readonly Engine[]): Promise<readonly Seen[]> {
  return Promise.all(
    engines.map(async (engine): Promise<Seen> => {
      const id = `engine ${engine.name}`
      const check = engine.check(AbortSignal.timeout(engineWithinMs))
      return check.then(
        (problems) => ({ id, what: engineWords(engine.facts, contracts), problems }),
        (error: unknown) => ({ id, what: '', problems: [toProblem(error)] }),
      )
    }),
  )
}

async function registriesOf({ ports, artifacts, settings }: Parts): Promise<readonly Seen[]> {
  try {
    const enrolments = await ports.store.look.enrolments()
    const references = enrolments.map(({ reference }) => reference)
    return await examineRegistries(references, { settings: settings(), artifacts })
  } catch (error) {
    return [{ id: 'registries', what: '', problems: [toProblem(error)] }]
  }
}
