/** Whether the cluster gives the broker the rights that its runs take, and the manifest that gives what lacks. */
import { isObject } from '../../kit/json.ts'
import { type Problem, toProblem } from '../../model/problem.ts'
import { expectDone } from './client.ts'
import type { KubernetesContext } from './context.ts'

interface Right {
  readonly resource: string
  readonly verb: string
}

/** In the namespace of its runs and nowhere else. Servers ask for either verb of exec, by their release. */
const wanted: readonly Right[] = [
  ...['get', 'list', 'watch', 'create', 'patch', 'delete'].map((verb) => ({ resource: 'pods', verb })),
  ...['get', 'create'].map((verb) => ({ resource: 'pods/exec', verb })),
]

/** Asks for all of them. */
export async function checkRights(
  context: KubernetesContext,
  signal: AbortSignal,
): Promise<readonly Problem[]> {
  const { namespace } = context
  try {
    const lacking: Right[] = []
    for (const right of wanted) if (!(await isAllowed(context, right, signal))) lacking.push(right)
    if (lacking.length === 0) return []
    const named = lacking.map(({ resource, verb }) => `${verb} ${resource}`).join(', ')
    return [
      {
        code: 'engine.denied',
        detail: `in the namespace ${namespace}: ${named}`,
        hint: `Apply this role, and bind it to the account of the broker:\n${roleOf(lacking, namespace)}`,
      },
    ]
  } catch (error) {
    return [toProblem(error)]
  }
}

async function isAllowed(
  { kube, namespace }: KubernetesContext,
  { resource, verb }: Right,
  signal: AbortSignal,
): Promise<boolean> {
  const [name, subresource] = resource.split('/')
  const attributes = { namespace, verb, resource: name, ...(subresource ? { subresource } : {}) }
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

function roleOf(lacking: readonly Right[], namespace: string): string {
  const rules = [...Map.groupBy(lacking, ({ resource }) => resource)].flatMap(([resource, rights]) => [
    "  - apiGroups: ['']",
    `    resources: [${resource}]`,
    `    verbs: [${rights.map(({ verb }) => verb).join(', ')}]`,
  ])
  return [
    'apiVersion: rbac.authorization.k8s.io/v1',
    'kind: Role',
    `metadata: {name: chandler-lacking, namespace: ${namespace}}`,
    'rules:',
    ...rules,
  ].join('\n')
}
