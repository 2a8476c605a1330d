/** What a run has in the namespace that it works for: a role, and where policies hold, a way in. */
import { isObject } from '../../kit/json.ts'
import { expectDone, type Kube } from './client.ts'
import type { KubernetesContext, Sandbox } from './context.ts'
import { labels, readPod } from './pod.ts'

/** Where the role bindings of a namespace are. */
export const bindingsPath = (namespace: string): string =>
  `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`
const policies = (namespace: string): string =>
  `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`

/** A binding of a ClusterRole to the account of a run, or to another one. */
export function bindingOf(
  { namespace, pod }: Sandbox,
  of: {
    readonly name: string
    readonly role: string
    readonly labels?: Readonly<Record<string, string>>
    readonly account?: { readonly namespace: string; readonly name: string }
  },
): object {
  const account = of.account ?? { namespace, name: pod }
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: of.name, labels: of.labels ?? {} },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: of.role },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  }
}

/** Makes an object; one that is there is as it should be. Answers whether its namespace is there. */
export async function makeThere(kube: Kube, path: string, body: object): Promise<boolean> {
  const answer = await kube.ask({ method: 'POST', path, body })
  if (answer.status === 404) return false
  if (answer.reason !== 'AlreadyExists') expectDone(answer, `make ${path}`)
  return true
}

/** Answers whether the target is there; without one the program finds no rights, and says so. */
export async function enterTarget(
  { kube, options }: KubernetesContext,
  sandbox: Sandbox,
  cluster: string,
): Promise<boolean> {
  const { target, pod, run } = sandbox
  const { role = 'edit' } = options.sandboxes ?? {}
  const marked = { [labels.managed]: 'chandler', [labels.cluster]: cluster, [labels.run]: run }
  const body = bindingOf(sandbox, { name: pod, role, labels: marked })
  if (!(await makeThere(kube, bindingsPath(target), body))) return false
  const others = await kube.ask({ method: 'GET', path: `${policies(target)}?limit=1` })
  expectDone(others, 'look at the network policies of the target')
  if (Array.isArray(others.body['items']) && others.body['items'].length > 0)
    await makeThere(kube, policies(target), {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: pod, labels: marked },
      spec: {
        podSelector: {},
        policyTypes: ['Ingress'],
        ingress: [{ from: [{ namespaceSelector: { matchLabels: { [labels.run]: run } } }] }],
      },
    })
  return true
}

/** Removes both. */
export async function leaveTarget(
  kube: Kube,
  { target, pod }: Pick<Sandbox, 'target' | 'pod'>,
): Promise<void> {
  for (const path of [`${policies(target)}/${pod}`, `${bindingsPath(target)}/${pod}`]) {
    const answer = await kube.ask({ method: 'DELETE', path })
    if (answer.status !== 404) expectDone(answer, `remove ${path}`)
  }
}

/** The names of pods of this broker's runs that have a role in the target. */
export async function foundInTarget(kube: Kube, target: string, cluster: string): Promise<readonly Found[]> {
  const selector = encodeURIComponent(`${labels.managed}=chandler,${labels.cluster}=${cluster}`)
  const answer = await kube.ask({ method: 'GET', path: `${bindingsPath(target)}?labelSelector=${selector}` })
  expectDone(answer, 'list the bindings of runs')
  const { items } = answer.body
  return (Array.isArray(items) ? items : []).filter(isObject).flatMap((item) => {
    const binding = readPod(item)
    return binding === undefined ? [] : [{ pod: binding.name, run: binding.labels[labels.run] ?? '' }]
  })
}

interface Found {
  readonly pod: string
  readonly run: string
}
