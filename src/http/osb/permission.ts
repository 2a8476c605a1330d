/** What users of a cluster may order: its platform names the user of each order, and the cluster itself is asked. */
import { orders } from '../../broker/orders.ts'
import { isObject, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { fail } from '../../model/problem.ts'
import type { Requester } from '../../model/situation.ts'
import type { ClusterUser } from './access-review.ts'
import type { OsbRequest, OsbSurroundings } from './surroundings.ts'

/**
 * Refuses an order that the cluster does not allow its user. Deletes and unbinds are always taken: platforms send them for
 * what is not wanted any more, and often in the name of no user. Problems: request.user-missing, request.user-refused, request.review-away.
 */
export async function refuseUnpermitted(
  around: OsbSurroundings,
  { asker, instance, accessRule }: OsbRequest,
  context: JsonObject | undefined,
): Promise<void> {
  if (accessRule === undefined) return
  const user = userOf(asker.requester) ?? fail('request.user-missing', 'no username of a Kubernetes user')
  const namespace =
    namespaceIn(context) ??
    namespaceIn((await orders.instance(around.ports.store.look, { ...asker, instance })).context) ??
    fail('request.user-missing', 'its context names no namespace')
  const { isAllowed, reason } = await around.reviewAccess({
    ...user,
    attributes: { ...accessRule, namespace },
  })
  if (isAllowed) return
  const { verb, group, resource, subresource } = accessRule
  const what = [resource, ...(group === '' ? [] : [group])].join('.') + (subresource ? `/${subresource}` : '')
  const because = reason === '' ? '' : `: ${reason.slice(0, 300)}`
  fail('request.user-refused', `${user.user} may not ${verb} ${what} in the namespace ${namespace}${because}`)
}

/** As the API of a cluster takes a user; what is not of that shape is left out, which never allows more. */
function userOf(requester: Requester | undefined): ClusterUser | undefined {
  if (requester?.platform !== 'kubernetes') return undefined
  const { username, uid, groups, extra } = requester.identity
  if (typeof username !== 'string' || username === '') return undefined
  return {
    user: username,
    ...present({ uid: typeof uid === 'string' && uid !== '' ? uid : undefined }),
    groups: textsIn(groups),
    extra: isObject(extra)
      ? Object.fromEntries(Object.entries(extra).map(([name, values]) => [name, textsIn(values)]))
      : {},
  }
}

function textsIn(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  return list.filter((one) => typeof one === 'string')
}

function namespaceIn(context: JsonObject | undefined): string | undefined {
  const namespace = context?.['namespace']
  return typeof namespace === 'string' && namespace !== '' ? namespace : undefined
}
