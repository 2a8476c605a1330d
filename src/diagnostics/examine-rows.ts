/** What the rows of an open store tell doctor: its clock, its keys, the audit chain, nodes, and what stands still. */
import { verifyLatestAudit } from '../broker/audit.ts'
import { type Forsaken, lookForStuck, type Standing, type Stuck } from '../broker/stuck.ts'
import { why } from '../broker/why.ts'
import type { Clock } from '../kit/clock.ts'
import { sha256 } from '../kit/hash.ts'
import { secretNameOf } from '../model/delivery.ts'
import type { Problem } from '../model/problem.ts'
import type { KeyRing } from '../store/keys.ts'
import type { Look } from '../store/store.ts'
import type { Advice, Seen } from './seen.ts'

/** More would take long where there are years of them; `chandler audit verify` walks them all. */
const auditMost = 10_000

/** One entry per question; only reads. */
export async function examineRows(
  look: Look,
  { clock, ring }: { readonly clock: Clock; readonly ring: KeyRing },
): Promise<readonly Seen[]> {
  const standing = await lookForStuck(look)
  return [
    await clockOffset(look, clock),
    await sealed(look, ring),
    await audit(look),
    nodes(standing),
    await operations(look, standing),
    ...(await deliveries(look)),
  ]
}

const offsetMaxMs = 2000

async function clockOffset(look: Look, clock: Clock): Promise<Seen> {
  const id = 'clock'
  const asked = clock.now()
  const theirs = await look.now()
  const answered = clock.now()
  // Somewhere between question and answer; only what is outside for certain counts.
  const offset = theirs < asked ? theirs - asked : Math.max(0, theirs - answered)
  const what = `within ${offsetMaxMs / 1000} s of the database's`
  if (Math.abs(offset) <= offsetMaxMs) return { id, what, problems: [] }
  const seconds = Math.round(Math.abs(offset) / 1000)
  return {
    id,
    what: '',
    problems: [],
    advice: [
      {
        what: `${seconds} s ${offset > 0 ? 'behind' : 'ahead of'} the database's`,
        fix: 'Set both by the same time servers. Leases and deadlines go by the database, logs and certificates by this clock.',
      },
    ],
  }
}

async function sealed(look: Look, ring: KeyRing): Promise<Seen> {
  const counts = await look.sealedByKey()
  const known = new Set(ring.ids())
  return {
    id: 'keys',
    what: `${known.size} on the ring, they open all that is sealed`,
    problems: counts
      .filter(({ key, records }) => records > 0 && !known.has(key))
      .map(({ key, records }) => ({
        code: 'key.missing',
        detail: `records sealed by key ${key}: ${records}`,
      })),
  }
}

async function audit(look: Look): Promise<Seen> {
  const { records, firstBreak } = await verifyLatestAudit(look, auditMost)
  return {
    id: 'audit',
    what: `the latest ${records} records are unbroken`,
    problems:
      firstBreak === undefined
        ? []
        : [{ code: 'audit.broken', detail: `record ${firstBreak.seq}: ${firstBreak.reason}` }],
  }
}

function nodes({ alive, forsaken }: Standing): Seen {
  const versions = [...new Set(alive.map(({ version }) => version))].toSorted()
  const skew: readonly Advice[] =
    versions.length < 2
      ? []
      : [
          {
            what: `brokers of versions ${versions.join(' and ')} at once`,
            fix: 'Fine while an upgrade is under way; else start all of them in the same version.',
          },
        ]
  return {
    id: 'nodes',
    what: `${alive.length} heard of within a minute`,
    problems: [],
    advice: [...skew, ...forsaken.map((one) => adviceOn(one, alive.length > 0))],
  }
}

function adviceOn({ node, silentMs, operations: held }: Forsaken, others: boolean): Advice {
  const [first = ''] = held
  const silence =
    silentMs === undefined ? 'is not known any more' : `has been silent for ${lasting(silentMs)}`
  const works = held.length === 1 ? `operation ${first}` : `${held.length} operations, ${first} the oldest,`
  return {
    what: `node ${node} ${silence} and still has the lease of ${works}`,
    fix: others
      ? 'Another node takes over when the lease is over, within seconds. Should it not, look at the logs of those that live.'
      : 'Start a broker on this store: it goes on where that node ended. Should that node still live, chandler serve --take-over fences it out.',
  }
}

const shownMost = 5

async function operations(look: Look, { active, stuck }: Standing): Promise<Seen> {
  const shown = await Promise.all(stuck.slice(0, shownMost).map((one) => adviceAbout(look, one)))
  const rest = stuck.length - shown.length
  const more: readonly Advice[] =
    rest > 0 ? [{ what: `and ${rest} more`, fix: 'chandler operation list shows them.' }] : []
  return {
    id: 'operations',
    what: `${active} under way${stuck.length === 0 ? ', none stands still' : ''}`,
    problems: [],
    advice: [...shown, ...more],
  }
}

async function adviceAbout(look: Look, { operation, how }: Stuck): Promise<Advice> {
  const { id, action, target } = operation
  const fixes: Readonly<Record<Stuck['how'], string>> = {
    'held-back': `When its cause is gone: chandler operation release ${id}; else chandler operation cancel ${id}.`,
    overdue: 'A broker that lives ends it: start one, or look at the log of the one that runs.',
    still: `chandler operation logs ${id} shows what its program does, chandler operation cancel ${id} ends it.`,
  }
  return {
    what: `${action.kind} ${id} of instance ${target.instance}: ${await why(look, operation)}`,
    fix: fixes[how],
  }
}

function lasting(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}

/** Secrets of bindings that could not be written or removed; nothing is said where all could. */
async function deliveries(look: Look): Promise<readonly Seen[]> {
  const failed = await look.failedDeliveries(shownMost)
  if (failed.length === 0) return []
  const problems = failed.map((one): Problem => {
    const { problem, namespace, instance, binding } = one
    const code = problem?.code ?? 'secret.refused'
    const where = `Secret ${secretNameOf(one, sha256)} in the namespace ${namespace}, of the binding ${binding} of ${instance}`
    const detail = problem?.detail === undefined ? where : `${where}: ${problem.detail}`
    return { code, detail, ...(code === 'engine.denied' ? { hint: roleHint(namespace) } : {}) }
  })
  return [{ id: 'secrets of bindings', what: '', problems }]
}

function roleHint(namespace: string): string {
  return [
    'Apply this role, and bind it to the account of the broker; the Secret is tried again by itself:',
    'apiVersion: rbac.authorization.k8s.io/v1',
    'kind: Role',
    `metadata: {name: chandler-binding-secrets, namespace: ${namespace}}`,
    'rules:',
    "  - apiGroups: ['']",
    '    resources: [secrets]',
    '    verbs: [get, create, update, delete]',
  ].join('\n')
}
