/** Whether the cluster gives the broker the rights that its work takes, and the manifest that gives what lacks. */
import { isObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { type Problem, toProblem } from '../../model/problem.ts'
import { expectDone, type Kube } from './client.ts'
import type { KubernetesContext } from './context.ts'
import type { PlaceOptions } from './credentials.ts'
import { reachLater } from './reach.ts'

interface Right {
  /** Absent: the core group. */
  readonly group?: string
  readonly resource: string
  readonly verb: string
}

/** In the namespace of its runs and nowhere else. Servers ask for either verb of exec, by their release. */
const wanted: readonly Right[] = [
  ...['get', 'list', 'watch', 'create', 'patch', 'delete'].map((verb) => ({ resource: 'pods', verb })),
  ...['get', 'create'].map((verb) => ({ resource: 'pods/exec', verb })),
]

/** Asks for all of those that runs take. */
export function checkRights(
  { kube, namespace }: KubernetesContext,
  signal: AbortSignal,
): Promise<readonly Problem[]> {
  return checkEach(async () => kube, wanted, { namespace, signal })
}

const reviewRight: Right = {
  group: 'authorization.k8s.io',
  resource: 'subjectaccessreviews',
  verb: 'create',
}

/** Asks whether the broker may ask what users may do. */
export function checkReviewRight(place: PlaceOptions, signal: AbortSignal): Promise<readonly Problem[]> {
  return checkEach(reachLater(place), [reviewRight], { signal })
}

interface Where {
  /** Absent: in all of the cluster. */
  readonly namespace?: string
  readonly signal: AbortSignal
}

async function checkEach(
  reach: () => Promise<Kube>,
  rights: readonly Right[],
  where: Where,
): Promise<readonly Problem[]> {
  const { namespace } = where
  try {
    const kube = await reach()
    const lacking: Right[] = []
    for (const right of rights) if (!(await isAllowed(kube, right, where))) lacking.push(right)
    if (lacking.length === 0) return []
    const named = lacking.map(({ resource, verb }) => `${verb} ${resource}`).join(', ')
    return [
      {
        code: 'engine.denied',
        detail: `in ${namespace === undefined ? 'the cluster' : `the namespace ${namespace}`}: ${named}`,
        hint: `Apply this role, and bind it to the account of the broker:\n${roleOf(lacking, namespace)}`,
      },
    ]
  } catch (error) {
    return [toProblem(error)]
  }
}

async function isAllowed(
  kube: Kube,
  { group, resource, verb }: Right,
  { namespace, signal }: Where,
): Promise<boolean> {
  const [name, subresource] = resource.split('/')
  const attributes = { verb, resource: name, ...present({ namespace, group, subresource }) }
  const answer = await kube.ask({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: attributes },
    },
    signal,
  })
  expectDone(answer, 'ask for the rights of the broker')
  const { status } = answer.body
  return isObject(status) && status['allowed'] === true
}

function roleOf(lacking: readonly Right[], namespace: string | undefined): string {
  const byResource = Map.groupBy(lacking, ({ group = '', resource }) => `${group} ${resource}`)
  const rules = [...byResource.values()].flatMap((rights) => {
    const [first] = rights
    return [
      `  - apiGroups: ['${first?.group ?? ''}']`,
      `    resources: [${first?.resource ?? ''}]`,
      `    verbs: [${rights.map(({ verb }) => verb).join(', ')}]`,
    ]
  })
  return [
    'apiVersion: rbac.authorization.k8s.io/v1',
    `kind: ${namespace === undefined ? 'ClusterRole' : 'Role'}`,
    `metadata: {name: chandler-lacking${namespace === undefined ? '' : `, namespace: ${namespace}`}}`,
    'rules:',
    ...rules,
  ].join('\n')
}
