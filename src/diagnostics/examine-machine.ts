/** Looks at store, keys and engines for doctor, without changing anything that is there. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { contracts } from '../contracts/index.ts'
import { openArtifacts } from '../host/artifacts.ts'
import { openEngines } from '../host/engines.ts'
import { systemChance, systemClock } from '../kit/clock.ts'
import { toProblem } from '../model/problem.ts'
import type { TenantRule } from '../model/tenant-rule.ts'
import { keyFileOf, storeUrlOf } from '../settings/data-folder.ts'
import type { Settings } from '../settings/settings.ts'
import { openStore } from '../store/index.ts'
import { type KeyRing, openKeyRing } from '../store/keys.ts'
import { engineWords } from './engine-words.ts'
import { examineCluster } from './examine-cluster.ts'
import { examineRows } from './examine-rows.ts'
import { examineTenants } from './examine-tenants.ts'
import type { Seen } from './seen.ts'

const engineWithinMs = 5000

/** One entry per part. */
export async function examineMachine(settings: Settings): Promise<readonly Seen[]> {
  const { seen, decided = [] } = await store(settings)
  return [...seen, ...(await engines(settings, decided)), ...(await examineCluster(settings))]
}

interface StoreSeen {
  readonly seen: readonly Seen[]
  /** What was decided for tenants by command; absent where the store cannot be looked into. */
  readonly decided?: readonly TenantRule[]
}

async function store(settings: Settings): Promise<StoreSeen> {
  const id = 'store'
  const file = join(settings.dataDir, 'chandler.db')
  const ring = keyRing(settings)
  // A ring that cannot be read tells nothing about the store.
  if ('problems' in ring) return { seen: [ring] }
  if (settings.store.url === 'sqlite' && !existsSync(file))
    return { seen: [{ id, what: `${file} will be made`, problems: [] }] }
  const startedAt = performance.now()
  try {
    // The time is asked for anew each time, else the difference to our clock could not be seen.
    const manner = { schema: 'as-is', timeTrustMs: 0 } as const
    const opened = await openStore({ url: storeUrlOf(settings), keys: ring, clock: systemClock, ...manner })
    try {
      await opened.probe()
      await opened.verify()
      const ms = Math.round(performance.now() - startedAt)
      const what = `opens and takes writes (${ms} ms), its keys fit`
      const rows = await examineRows(opened.look, { clock: systemClock, ring })
      return { seen: [{ id, what, problems: [] }, ...rows], decided: await opened.look.tenantRules() }
    } finally {
      await opened.close()
    }
  } catch (error) {
    const problem = toProblem(error)
    if (problem.code !== 'store.older') return { seen: [{ id, what: '', problems: [problem] }] }
    // Every start after an upgrade does that.
    const fix = 'The next start brings it forward; make a backup before, if there is anything in it.'
    const advice = [{ what: 'its schema is of an earlier release', fix }]
    return { seen: [{ id, what: 'opens', problems: [], advice }] }
  }
}

/** A broker has the database file to itself; the ring can be looked at all the same. */
function keyRing(settings: Settings): KeyRing | Seen {
  try {
    return openKeyRing(keyFileOf(settings), systemChance)
  } catch (error) {
    return { id: 'keys', what: '', problems: [toProblem(error)] }
  }
}

async function engines(settings: Settings, decided: readonly TenantRule[]): Promise<readonly Seen[]> {
  const { tenants } = settings
  // What the configuration decides for a name stands before what was decided for it by command.
  const rules = [...tenants, ...decided.filter(({ name }) => tenants.every((one) => one.name !== name))]
  const reasons = new Map<string, string>()
  try {
    const artifacts = openArtifacts(settings)
    const opened = await openEngines({
      folder: settings.dataDir,
      clock: systemClock,
      artifacts,
      choice: settings.engine,
      kubernetes: settings.kubernetes,
      network: settings.runs.network,
      named: tenants.flatMap(({ engine }) => engine ?? []),
      decided: rules.flatMap(({ engine }) => engine ?? []),
      unopened: (name, error) => {
        const { code, detail = code } = toProblem(error)
        reasons.set(name, detail)
      },
      anew: true,
    })
    const seen = await Promise.all(
      opened.map(async (engine): Promise<Seen> => {
        const problems = await engine.check(AbortSignal.timeout(engineWithinMs))
        await engine.close()
        return { id: `engine ${engine.name}`, what: engineWords(engine.facts, contracts), problems }
      }),
    )
    return [...seen, ...examineTenants(rules, opened, reasons)]
  } catch (error) {
    return [{ id: 'engines', what: '', problems: [toProblem(error)] }]
  }
}
