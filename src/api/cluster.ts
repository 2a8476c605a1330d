/** The broker itself as operators see it: nodes, counts, freeze, keys, and the account that asks. */
import { Type } from 'typebox'
import { present } from '../kit/present.ts'
import { Moment, moment, type Of } from './words.ts'

export const About = Type.Object(
  {
    name: Type.Literal('chandler'),
    version: Type.String(),
    cluster: Type.String(),
    user: Type.Object({ name: Type.String(), role: Type.String() }),
  },
  { title: 'About' },
)
export type About = Of<typeof About>

export const Freeze = Type.Object(
  {
    reason: Type.String({ minLength: 1, maxLength: 500 }),
    all: Type.Optional(Type.Boolean({ description: 'Refuse deletes and unbinds, too.' })),
  },
  { title: 'Freeze', additionalProperties: false },
)
export type Freeze = Of<typeof Freeze>

export const Cluster = Type.Object(
  {
    id: Type.String(),
    epoch: Type.Integer(),
    freeze: Type.Optional(Type.Object({ reason: Type.String(), by: Type.String(), all: Type.Boolean() })),
    nodes: Type.Array(
      Type.Object({
        name: Type.String(),
        version: Type.String(),
        draining: Type.Boolean(),
        startedAt: Moment,
        heartbeatAt: Moment,
      }),
    ),
    counts: Type.Array(
      Type.Object({
        of: Type.Union([Type.Literal('instance'), Type.Literal('binding'), Type.Literal('operation')]),
        state: Type.String(),
        count: Type.Integer(),
        oldestSeconds: Type.Number(),
      }),
    ),
  },
  { title: 'Cluster' },
)
export type Cluster = Of<typeof Cluster>

export const Health = Type.Object(
  {
    node: Type.String({ description: 'The process that answers.' }),
    checks: Type.Array(
      Type.Object({
        name: Type.String({ description: 'A loop of the process, `store`, `disk`, `engine embedded`, …' }),
        ok: Type.Boolean(),
        detail: Type.String(),
        hint: Type.Optional(Type.String({ description: 'What to do about it.' })),
      }),
    ),
  },
  { title: 'Health', description: 'What a process of the broker sees of itself and of its engines.' },
)
export type Health = Of<typeof Health>

interface ClusterFacts {
  readonly cluster: {
    readonly id: string
    readonly epoch: number
    readonly freeze?: { readonly reason: string; readonly by: string; readonly all: boolean }
  }
  readonly nodes: readonly {
    readonly name: string
    readonly version: string
    readonly draining: boolean
    readonly startedAt: number
    readonly heartbeatAt: number
  }[]
  readonly counts: readonly {
    readonly of: 'instance' | 'binding' | 'operation'
    readonly state: string
    readonly count: number
    readonly oldestMs: number
  }[]
}

export function toCluster({ cluster, nodes, counts }: ClusterFacts): Cluster {
  return present({
    id: cluster.id,
    epoch: cluster.epoch,
    freeze: cluster.freeze,
    nodes: nodes.map(({ name, version, draining, startedAt, heartbeatAt }) => ({
      name,
      version,
      draining,
      startedAt: moment(startedAt),
      heartbeatAt: moment(heartbeatAt),
    })),
    counts: byState(counts).map(({ of, state, count, oldestMs }) => ({
      of,
      state,
      count,
      oldestSeconds: oldestMs / 1000,
    })),
  })
}

/** Operations are counted by what they do; here only their state matters. */
function byState(counts: ClusterFacts['counts']): ClusterFacts['counts'] {
  const sums = new Map<string, ClusterFacts['counts'][number]>()
  for (const one of counts) {
    const name = `${one.of} ${one.state}`
    const sum = sums.get(name)
    sums.set(name, {
      ...one,
      count: one.count + (sum?.count ?? 0),
      oldestMs: Math.max(one.oldestMs, sum?.oldestMs ?? 0),
    })
  }
  return [...sums.values()]
}

export const Keys = Type.Object(
  {
    active: Type.String(),
    added: Type.Optional(Type.String({ description: 'The key that was added.' })),
    keys: Type.Array(
      Type.Object({
        id: Type.String(),
        active: Type.Boolean(),
        records: Type.Integer({ description: 'How many records it seals.' }),
      }),
    ),
  },
  { title: 'Keys' },
)
export type Keys = Of<typeof Keys>

export const SupportQuery = Type.Object({
  sinceSeconds: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_592_000, description: 'What was ordered since then; two hours.' }),
  ),
  operation: Type.Optional(Type.String({ description: 'An operation to tell everything of, its log too.' })),
})
export type SupportQuery = Of<typeof SupportQuery>

export const Backup = Type.Object({ file: Type.String() }, { title: 'Backup' })
export type Backup = Of<typeof Backup>
