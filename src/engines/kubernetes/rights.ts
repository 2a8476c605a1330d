/** Whether the cluster gives the broker the rights that its work takes, and the manifest that gives what lacks. */
import { isObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { type Problem, toProblem } from '../../model/problem.ts'
import { expectDone, type Kube } from './client.ts'
import type { KubernetesContext } from './context.ts'
import type { PlaceOptions } from './credentials.ts'
import { reachLater } from './reach.ts'
import { sandboxRoles } from './sandbox-objects.ts'

interface Right {
  /** Absent: the core group. */
  readonly group?: string
  readonly resource: string
  readonly verb: string
  /** Of the one object that it is for. */
  readonly name?: string
}

/** In the namespace of its runs and nowhere else. Servers ask for either verb of exec, by their release. */
const wanted: readonly Right[] = [
  ...['get', 'list', 'watch', 'create', 'patch', 'delete'].map((verb) => ({ resource: 'pods', verb })),
  ...['get', 'create'].map((verb) => ({ resource: 'pods/exec', verb })),
]

const rbac = 'rbac.authorization.k8s.io'
const each = (group: string, resource: string, verbs: readonly string[]): readonly Right[] =>
  verbs.map((verb) => ({ group, resource, verb }))

/** What sandboxes take in all of the cluster. */
const aroundSandboxes = (role: string): readonly Right[] => [
  ...each('', 'namespaces', ['get', 'list', 'create', 'patch', 'delete']),
  ...each(rbac, 'rolebindings', ['create']),
  ...[sandboxRoles.broker, sandboxRoles.run, role].map((name) => ({
    ...{ group: rbac, resource: 'clusterroles', verb: 'bind', name },
  })),
]

const inTargets: readonly Right[] = [
  ...each(rbac, 'rolebindings', ['list', 'create', 'delete']),
  ...each('networking.k8s.io', 'networkpolicies', ['list', 'create', 'delete']),
]

/** Asks for all of those that runs take. */
export async function checkRights(
  { kube, namespace, options }: KubernetesContext,
  signal: AbortSignal,
): Promise<readonly Problem[]> {
  const { sandboxes, pullSecrets = [] } = options
  const check = (rights: readonly Right[], where: Omit<Where, 'signal'>): Promise<readonly Problem[]> =>
    checkEach(async () => kube, rights, { ...where, signal })
  if (sandboxes === undefined) return await check(wanted, { namespace })
  const pulls = pullSecrets.map((name) => ({ resource: 'secrets', verb: 'get', name }))
  const found = [
    await check([...wanted, ...pulls], { namespace }),
    await check(aroundSandboxes(sandboxes.role), {}),
  ]
  for (const target of sandboxes.targets) found.push(await check(inTargets, { namespace: target }))
  return found.flat()
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
    const named = lacking
      .map(({ resource, verb, name = '' }) => `${verb} ${resource} ${name}`.trim())
      .join(', ')
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
  { group, resource, verb, name }: Right,
  { namespace, signal }: Where,
): Promise<boolean> {
  const [kind, subresource] = resource.split('/')
  const attributes = { verb, resource: kind, ...present({ name, namespace, group, subresource }) }
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
  const byResource = Map.groupBy(
    lacking,
    ({ group = '', resource, name = '' }) => `${group} ${resource} ${name}`,
  )
  const rules = [...byResource.values()].flatMap((rights) => {
    const [first] = rights
    return [
      `  - apiGroups: ['${first?.group ?? ''}']`,
      `    resources: [${first?.resource ?? ''}]`,
      ...(first?.name === undefined ? [] : [`    resourceNames: [${first.name}]`]),
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
