/** Carries out what is wished of Secrets in a cluster, from the rows alone: whichever broker comes by takes up what is due. */
import { offerOf } from '../broker/offering.ts'
import { orders } from '../broker/orders.ts'
import type { Ports } from '../broker/ports.ts'
import { sha256 } from '../kit/hash.ts'
import { present } from '../kit/present.ts'
import { redactText, secretTexts } from '../kit/redact.ts'
import { auditObjectOf } from '../model/audit.ts'
import { type ClusterSecrets, type Delivery, secretNameOf } from '../model/delivery.ts'
import { toProblem } from '../model/problem.ts'
import { bindingData, hasCredentials } from './binding-data.ts'
import type { Tools } from './tools.ts'

interface DeliveryParts {
  readonly tools: Pick<Tools, 'cluster' | 'report'> & {
    readonly ports: Pick<Ports, 'store' | 'clock' | 'chance' | 'node' | 'newId'>
  }
  readonly secrets: ClusterSecrets
  /** Whether a platform wants Secrets at the moment; those of before are looked after all the same. */
  isWanted(): boolean
}

const tickMs = 1000
/** Without a platform that wants Secrets: what is left of one that did. */
const idleMs = 30_000
const batch = 20
/** A lease ends long after the last answer that is waited for. */
const leaseMs = 60_000
const withinMs = 20_000
/** Secrets are looked at again: others may have changed or removed them. */
const againMs = 3_600_000
/** What an attempt from before wrote late is found after its lease, whatever kept it. */
const surelyMs = 2 * leaseMs
const firstPauseMs = 2_000
const longestPauseMs = 300_000

/** Starts the loop; stops after what is under way. */
export function startDeliveries(parts: DeliveryParts): { stop(): Promise<void> } {
  const { ports, report } = parts.tools
  const leaving = new AbortController()
  const running = (async () => {
    while (!leaving.signal.aborted) {
      await deliverDue(parts).catch((error: unknown) =>
        report.event({ kind: 'fault', doing: 'write Secrets of bindings', error }),
      )
      await ports.clock.sleep(parts.isWanted() ? tickMs : idleMs, leaving.signal)
    }
  })()
  return {
    async stop() {
      leaving.abort()
      await running
    },
  }
}

/** Carries out what is due now, until nothing is. */
export async function deliverDue(parts: Omit<DeliveryParts, 'isWanted'>): Promise<void> {
  const { store } = parts.tools.ports
  while (await store.look.isDeliveryDue()) {
    // On the word of a copy of before nothing is written and nothing is cleared away.
    if ((await store.look.cluster()).freeze?.isCopy) return
    const claimed = await store.write((tx) => tx.claimDeliveries({ leaseMs, most: batch }))
    if (claimed.length === 0) return
    await Promise.all(claimed.map((one) => deliver(parts, one)))
  }
}

interface Came {
  readonly isChanged: boolean
  readonly problem?: NonNullable<Delivery['problem']>
}

async function deliver(parts: Omit<DeliveryParts, 'isWanted'>, delivery: Delivery): Promise<void> {
  const { ports } = parts.tools
  const came = await attempt(parts, delivery)
  await ports.store.write(async (tx) => {
    if (!(await tx.putDelivered(delivery, resultOf(delivery, came, ports.chance.number())))) {
      await tx.remindDelivery(delivery)
      return
    }
    const isNews = came.isChanged || (came.problem !== undefined && delivery.failures === 0)
    if (!isNews) return
    const tenant = await tx.tenantOf(delivery)
    await tx.addAudit({
      actor: { kind: 'system', id: ports.node },
      action: delivery.wish === 'there' ? 'binding.deliver' : 'binding.withdraw',
      object: auditObjectOf(delivery),
      ...present({ tenant, code: came.problem?.code }),
      decision: 'allowed',
      result: came.problem === undefined ? 'succeeded' : 'failed',
      requestId: ports.newId(ports.clock.now()),
      node: ports.node,
    })
  })
}

/** Undefined: nothing is left to look after. */
function resultOf({ wish, state, failures }: Delivery, { problem }: Came, chance: number) {
  if (problem !== undefined) {
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures, 10))
    return {
      state: 'failed',
      problem,
      failures: failures + 1,
      againMs: about(pauseMs, chance),
    } as const
  }
  if (wish === 'there') return { state: 'done', failures: 0, againMs: about(againMs, chance) } as const
  return state === 'done' ? undefined : ({ state: 'done', failures: 0, againMs: surelyMs } as const)
}

/** Whole milliseconds, so that many do not come due at once. */
function about(ms: number, chance: number): number {
  return Math.round(ms * (0.8 + 0.4 * chance))
}

async function attempt(
  { tools, secrets }: Omit<DeliveryParts, 'isWanted'>,
  delivery: Delivery,
): Promise<Came> {
  const { platform, instance, binding, namespace } = delivery
  const { look } = tools.ports.store
  const name = secretNameOf(delivery, sha256)
  const mark = sha256(JSON.stringify([platform, instance, binding])).slice(0, 40)
  const place = { namespace, name, owner: { cluster: tools.cluster.id, binding: mark } }
  let values: readonly string[] = []
  try {
    const signal = AbortSignal.timeout(withinMs)
    const credentials =
      delivery.wish === 'there' ? (await orders.answer(look, delivery))?.credentials : undefined
    if (!hasCredentials(credentials)) return { isChanged: await secrets.remove(place, signal) }
    values = [...secretTexts(credentials)]
    const row = await look.binding(delivery)
    const { service } = await offerOf(look, { planId: row?.planId ?? '', digest: '' })
    const annotations = {
      'chandler.io/platform': platform,
      'chandler.io/instance': instance,
      'chandler.io/binding': binding,
    }
    const content = { ...bindingData(credentials, service.name), annotations }
    return { isChanged: await secrets.put(place, content, signal) }
  } catch (error) {
    const { code, detail } = toProblem(error)
    if (code === 'internal.unexpected')
      tools.report.event({ kind: 'fault', doing: `write the Secret ${name}`, error })
    const told = detail === undefined ? undefined : redactText(detail, values).slice(0, 500)
    return { isChanged: false, problem: { code, ...present({ detail: told }) } }
  }
}
