/** Bindings as operators see and order them; credentials are a document of their own. */
import { Type } from 'typebox'
import { sha256 } from '../kit/hash.ts'
import { present } from '../kit/present.ts'
import { type Delivery, secretNameOf } from '../model/delivery.ts'
import type { Binding as ModelBinding } from '../model/instance.ts'
import type { BindingAnswer } from '../model/outcome.ts'
import { describeProblem } from '../model/problem.ts'
import { Anything, Free, Moment, moment, type Of } from './words.ts'

export const bindingStates = [
  'binding',
  'bound',
  'unbinding',
  'failed',
  'gone',
] as const satisfies readonly ModelBinding['state'][]

export const Binding = Type.Object(
  {
    platform: Type.String(),
    instance: Type.String(),
    id: Type.String(),
    state: Type.Unsafe<ModelBinding['state']>({ type: 'string', enum: bindingStates }),
    operation: Type.Optional(Type.String({ description: 'The operation that is under way.' })),
    predecessor: Type.Optional(Type.String()),
    expiresAt: Type.Optional(Moment),
    secrets: Type.Optional(
      Type.Array(
        Type.Object({
          namespace: Type.String(),
          name: Type.String(),
          wish: Type.Unsafe<Delivery['wish']>({ type: 'string', enum: ['there', 'gone'] }),
          state: Type.Unsafe<Delivery['state']>({ type: 'string', enum: ['waits', 'failed', 'done'] }),
          problem: Type.Optional(Type.String({ description: 'Why the last attempt failed.' })),
        }),
        { description: 'Secrets of a Kubernetes cluster that hold what it gives; told of a single binding.' },
      ),
    ),
    createdAt: Moment,
    updatedAt: Moment,
  },
  { title: 'Binding', description: 'Never with credentials; those are asked for on their own.' },
)
export type Binding = Of<typeof Binding>

export const BindingList = Type.Object({ items: Type.Array(Binding) })
export type BindingList = Of<typeof BindingList>

export const NewBinding = Type.Object(
  {
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    parameters: Type.Optional(Free),
    resource: Type.Optional(Free),
    context: Type.Optional(Free),
  },
  { title: 'NewBinding', additionalProperties: false },
)
export type NewBinding = Of<typeof NewBinding>

export const Rotation = Type.Object(
  { id: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Id of the new binding.' })) },
  { title: 'Rotation', additionalProperties: false },
)
export type Rotation = Of<typeof Rotation>

export const Credentials = Type.Object(
  {
    credentials: Type.Optional(Free),
    syslogDrainUrl: Type.Optional(Type.String()),
    routeServiceUrl: Type.Optional(Type.String()),
    volumeMounts: Type.Optional(Type.Array(Anything)),
    endpoints: Type.Optional(Type.Array(Anything)),
    expiresAt: Type.Optional(Type.String()),
    renewBefore: Type.Optional(Type.String()),
  },
  { title: 'Credentials', description: 'What an application needs; every look is audited.' },
)
export type Credentials = Of<typeof Credentials>

export function toBinding(binding: ModelBinding, deliveries: readonly Delivery[] = []): Binding {
  return present({
    platform: binding.platform,
    instance: binding.instance,
    id: binding.binding,
    state: binding.state,
    operation: binding.currentOperation,
    predecessor: binding.predecessor,
    expiresAt: binding.expiresAt === undefined ? undefined : moment(binding.expiresAt),
    secrets: deliveries.length === 0 ? undefined : deliveries.map(toSecret),
    createdAt: moment(binding.createdAt),
    updatedAt: moment(binding.updatedAt),
  })
}

function toSecret(delivery: Delivery): NonNullable<Binding['secrets']>[number] {
  const { namespace, wish, state, problem } = delivery
  const name = secretNameOf(delivery, sha256)
  return { namespace, name, wish, state, ...present({ problem: problem && describeProblem(problem) }) }
}

export function toCredentials(answer: BindingAnswer): Credentials {
  return present({
    credentials: answer.credentials,
    syslogDrainUrl: answer.syslogDrainUrl,
    routeServiceUrl: answer.routeServiceUrl,
    volumeMounts: answer.volumeMounts,
    endpoints: answer.endpoints,
    expiresAt: answer.expiresAt,
    renewBefore: answer.renewBefore,
  })
}
