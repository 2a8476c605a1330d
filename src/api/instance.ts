/** Instances as operators see and order them. */
import { Type } from 'typebox'
import { present } from '../kit/present.ts'
import type { Instance as ModelInstance } from '../model/instance.ts'
import type { Output as ModelOutput } from '../model/outcome.ts'
import { Operation } from './operation.ts'
import { Problem } from './problem.ts'
import { Digest, Free, Moment, moment, type Of, PageQuery, pageOf } from './words.ts'

export const instanceStates = [
  'provisioning',
  'ready',
  'updating',
  'deprovisioning',
  'failed',
  'gone',
] as const satisfies readonly ModelInstance['state'][]
const State = Type.Unsafe<ModelInstance['state']>({ type: 'string', enum: instanceStates })

/** A service or plan by id and by the name it has, or had, in the catalog. */
const Named = Type.Object({ id: Type.String(), name: Type.Optional(Type.String()) })

export const Instance = Type.Object(
  {
    platform: Type.String({ description: 'The account it belongs to.' }),
    tenant: Type.String({ description: 'Whom it is for.' }),
    id: Type.String(),
    name: Type.Optional(Type.String()),
    state: State,
    service: Named,
    plan: Named,
    package: Type.Object({ digest: Digest }),
    organization: Type.Optional(Type.String()),
    space: Type.Optional(Type.String()),
    operation: Type.Optional(Type.String({ description: 'The operation that is under way.' })),
    dashboardUrl: Type.Optional(Type.String()),
    labels: Type.Optional(Type.Record(Type.String(), Type.String())),
    maintenance: Type.Optional(Type.String()),
    createdAt: Moment,
    updatedAt: Moment,
  },
  { title: 'Instance' },
)
export type Instance = Of<typeof Instance>

export const InstanceDetail = Type.Object(
  {
    ...Instance.properties,
    parameters: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        ...Free,
        description: 'What it was ordered with, without what is secret.',
      }),
    ),
    context: Type.Optional(Free),
    bindings: Type.Integer({ description: 'How many bindings it has.' }),
    lastOperation: Type.Optional(Operation),
    barred: Type.Object(
      { update: Type.Optional(Problem), bind: Type.Optional(Problem) },
      { description: 'Which orders are refused whatever they say, and why.' },
    ),
  },
  { title: 'InstanceDetail' },
)
export type InstanceDetail = Of<typeof InstanceDetail>

export const InstancePage = pageOf(Instance)
export type InstancePage = Of<typeof InstancePage>

export const InstanceQuery = Type.Object({
  ...PageQuery,
  platform: Type.Optional(Type.String()),
  tenant: Type.Optional(Type.String({ description: 'A tenant, or `NAME/*` for all below one.' })),
  service: Type.Optional(Type.String({ description: 'Id or name.' })),
  plan: Type.Optional(Type.String({ description: 'Id or name.' })),
  state: Type.Optional(State),
  text: Type.Optional(Type.String({ description: 'Id, beginning of an id, or name.' })),
  beginning: Type.Optional(Type.String({ description: 'How an id or a name begins.' })),
  present: Type.Optional(Type.Boolean({ description: 'Only those that are not gone.' })),
  order: Type.Optional(
    Type.Unsafe<'id' | 'latest'>({
      type: 'string',
      enum: ['id', 'latest'],
      description: 'By id, or the latest change first.',
    }),
  ),
})
export type InstanceQuery = Of<typeof InstanceQuery>

const TenantName = Type.String({
  minLength: 1,
  maxLength: 300,
  pattern: '^[^\\s*]+$',
  description:
    'Whom it is for; absent: the only tenant of an account that has one, else as the context says.',
})

export const NewInstance = Type.Object(
  {
    service: Type.String({ minLength: 1, description: 'Id or name.' }),
    plan: Type.Optional(
      Type.String({ minLength: 1, description: 'Id or name; may be left out when there is one.' }),
    ),
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    platform: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'On whose behalf; `chandler` when absent.' }),
    ),
    tenant: Type.Optional(TenantName),
    parameters: Type.Optional(Free),
    context: Type.Optional(Free),
  },
  { title: 'NewInstance', additionalProperties: false },
)
export type NewInstance = Of<typeof NewInstance>

export const ChangedInstance = Type.Object(
  {
    plan: Type.Optional(Type.String({ minLength: 1, description: 'Id or name.' })),
    parameters: Type.Optional(Free),
    maintenance: Type.Optional(Type.String({ description: 'Version of the catalog to move to.' })),
  },
  { title: 'ChangedInstance', additionalProperties: false },
)
export type ChangedInstance = Of<typeof ChangedInstance>

export const NewName = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 255 }) },
  { title: 'NewName', additionalProperties: false },
)
export type NewName = Of<typeof NewName>

/** What an order leads to: the thing, and the operation that makes it so unless it was so already. */
export const Ordered = Type.Object(
  {
    platform: Type.String(),
    instance: Type.String(),
    binding: Type.Optional(Type.String()),
    operation: Type.Optional(Type.String({ description: 'Follow it; absent when there was nothing to do.' })),
  },
  { title: 'Ordered' },
)
export type Ordered = Of<typeof Ordered>

/** What an order would come to, were it sent. */
export const DryRun = Type.Object(
  {
    accepted: Type.Boolean(),
    problem: Type.Optional(Problem),
  },
  {
    title: 'DryRun',
    description: 'Whether the order would be taken, or the problem it would be refused with.',
  },
)
export type DryRun = Of<typeof DryRun>

export const Invocation = Type.Object(
  {
    action: Type.String({ minLength: 1, maxLength: 255 }),
    parameters: Type.Optional(Free),
    plan: Type.Optional(
      Type.String({ description: 'For actions that change nothing: as if the instance had this plan.' }),
    ),
    maintenance: Type.Optional(
      Type.String({ description: 'For actions that change nothing: as if it had moved to this version.' }),
    ),
  },
  { title: 'Invocation', additionalProperties: false },
)
export type Invocation = Of<typeof Invocation>

export const Output = Type.Object(
  {
    name: Type.String(),
    mediaType: Type.Optional(Type.String()),
    summary: Type.Optional(Type.String()),
    description: Type.Optional(Type.String({ description: 'Markdown.' })),
    state: Type.Union(
      [
        Type.Literal('present'),
        Type.Literal('missing'),
        Type.Literal('undeclared'),
        Type.Literal('too-large'),
      ],
      {
        description:
          '`missing`: announced and not there; `undeclared`: there and not announced; `too-large`: only its size is known.',
      },
    ),
    bytes: Type.Integer(),
    secret: Type.Boolean(),
  },
  { title: 'Output', description: 'A named result; its content is fetched by name.' },
)
export type Output = Of<typeof Output>

export function toOutput({ content, bytes, state, ...output }: ModelOutput): Output {
  const { name, mediaType, summary, description, secret } = output
  return present({
    name,
    mediaType,
    summary,
    description,
    state: state ?? ('present' as const),
    bytes: bytes ?? content.byteLength,
    secret,
  })
}

/** Names of service and plan, where they are known. */
export interface Names {
  readonly service?: string | undefined
  readonly plan?: string | undefined
}

/** An instance in the words of the API. */
export function toInstance(instance: ModelInstance, names: Names): Instance {
  return present({
    platform: instance.platform,
    tenant: instance.tenant,
    id: instance.instance,
    name: instance.name,
    state: instance.state,
    service: present({ id: instance.serviceId, name: names.service }),
    plan: present({ id: instance.planId, name: names.plan }),
    package: { digest: instance.digest },
    organization: instance.organization === '' ? undefined : instance.organization,
    space: instance.space === '' ? undefined : instance.space,
    operation: instance.currentOperation,
    dashboardUrl: instance.dashboardUrl,
    labels: instance.labels,
    maintenance: instance.maintenance,
    createdAt: moment(instance.createdAt),
    updatedAt: moment(instance.updatedAt),
  })
}
