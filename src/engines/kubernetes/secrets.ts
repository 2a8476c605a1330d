/** Secrets of a cluster that belong to this broker: written, kept and removed one by one; those of others are never touched. */
import { isObject } from '../../kit/json.ts'
import type { ClusterSecrets, SecretContent, SecretPlace } from '../../model/delivery.ts'
import { fail } from '../../model/problem.ts'
import type { Kube, KubeAnswer } from './client.ts'
import type { PlaceOptions } from './credentials.ts'
import { labels } from './pod.ts'
import { reachLater } from './reach.ts'
import type { Shape } from './shape.ts'

/** Others change it between question and answer; so often it is looked at again. */
const triesMax = 4

/** Finds its cluster with the first question. */
export function openSecrets(place: PlaceOptions): ClusterSecrets {
  const reach = reachLater(place)
  return {
    async put(where, content, signal) {
      const kube = await reach()
      for (let i = 0; i < triesMax; i++) {
        const isChanged = await putOnce(kube, where, { content, signal })
        if (isChanged !== undefined) return isChanged
      }
      return fail('secret.refused', `${nameOf(where)} is changed by others all the time`)
    },
    async remove(where, signal) {
      const kube = await reach()
      const there = await find(kube, where, signal)
      if (there === undefined || !isOurs(there, where)) return false
      await removeOne(kube, where, { there, signal })
      return true
    },
  }
}

/** Undefined: something else happened to it meanwhile. */
async function putOnce(
  kube: Kube,
  where: SecretPlace,
  { content, signal }: { readonly content: SecretContent; readonly signal: AbortSignal },
): Promise<boolean | undefined> {
  const there = await find(kube, where, signal)
  const body = bodyOf(where, content)
  if (there === undefined)
    return isTaken(await kube.ask({ method: 'POST', path: folderOf(where), body, signal }), where)
  if (!isOurs(there, where)) return fail('secret.foreign', nameOf(where))
  // What kind of Secret it is can never be changed.
  if (there['type'] !== content.type || there['immutable'] === true) {
    await removeOne(kube, where, { there, signal })
    return undefined
  }
  if (holds(there, body)) return false
  const metadata = { ...body.metadata, resourceVersion: metadataOf(there)['resourceVersion'] }
  return isTaken(
    await kube.ask({ method: 'PUT', path: pathOf(where), body: { ...body, metadata }, signal }),
    where,
  )
}

async function find(kube: Kube, where: SecretPlace, signal: AbortSignal): Promise<Shape | undefined> {
  const answer = await kube.ask({ method: 'GET', path: pathOf(where), signal })
  if (answer.status === 404) return undefined
  expectTaken(answer, where)
  return answer.body
}

/** Only the one that was looked at. */
async function removeOne(
  kube: Kube,
  where: SecretPlace,
  { there, signal }: { readonly there: Shape; readonly signal: AbortSignal },
): Promise<void> {
  const body = { preconditions: { uid: metadataOf(there)['uid'] } }
  const answer = await kube.ask({ method: 'DELETE', path: pathOf(where), body, signal })
  if (answer.status !== 404 && answer.status !== 409) expectTaken(answer, where)
}

function isTaken(answer: KubeAnswer, where: SecretPlace): true | undefined {
  // A name that is taken, a version that is old, a Secret that is gone.
  const isLate = answer.status === 409 || (answer.status === 404 && !answer.message.includes('namespaces'))
  if (isLate) return undefined
  expectTaken(answer, where)
  return true
}

function expectTaken({ status, message }: KubeAnswer, where: SecretPlace): void {
  if (status >= 200 && status < 300) return
  fail(
    status === 429 || status >= 500 ? 'engine.unavailable' : 'secret.refused',
    `${nameOf(where)}: ${message || `status ${status}`}`,
  )
}

function bodyOf({ namespace, name, owner }: SecretPlace, { type, data, annotations }: SecretContent) {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...{ name, namespace, annotations },
      labels: {
        [labels.managed]: 'chandler',
        [labels.cluster]: owner.cluster,
        [labels.binding]: owner.binding,
      },
    },
    type,
    data: Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    ),
  }
}

/** Marks of others beside ours stay: they change nothing of what it holds. */
function holds(there: Shape, { data }: { readonly data: Readonly<Record<string, string>> }): boolean {
  const before = isObject(there['data']) ? there['data'] : {}
  const keys = Object.keys(data)
  return keys.length === Object.keys(before).length && keys.every((key) => before[key] === data[key])
}

function isOurs(there: Shape, { owner }: SecretPlace): boolean {
  const own = metadataOf(there)['labels']
  return isObject(own) && own[labels.cluster] === owner.cluster && own[labels.binding] === owner.binding
}

function metadataOf(there: Shape): Shape {
  const { metadata } = there
  return isObject(metadata) ? metadata : {}
}

const folderOf = ({ namespace }: SecretPlace): string => `/api/v1/namespaces/${namespace}/secrets`
const pathOf = (where: SecretPlace): string => `${folderOf(where)}/${where.name}`
const nameOf = ({ namespace, name }: SecretPlace): string => `Secret ${name} in the namespace ${namespace}`
