/** Makes the sandbox of a run: the namespace, which decides whose it is, and everything that the pod finds there. */
import { isObject } from '../../kit/json.ts'
import { readJwt } from '../../kit/jwt.ts'
import { fail, ProblemError } from '../../model/problem.ts'
import type { RunOrder, Watch } from '../engine.ts'
import { expectDone, type KubeAnswer, type KubeCall } from './client.ts'
import type { KubernetesContext, Sandbox } from './context.ts'
import { labels, marks, type RunRecord } from './pod.ts'
import { labelsOf } from './pod-body.ts'
import { bindingOf, bindingsPath, enterTarget, makeThere } from './sandbox-target.ts'

/** The ClusterRole of the broker in sandboxes, and that of runs in theirs. */
export const sandboxRoles = { broker: 'chandler-sandbox', run: 'chandler-bundle' } as const

interface Marking {
  readonly order: RunOrder
  readonly spec: string
  readonly record: RunRecord
}

/** Answers whether it was this call that made it. */
export async function makeNamespace(
  { kube }: KubernetesContext,
  { run, namespace, pod, target }: Sandbox,
  { order, spec, record }: Marking,
): Promise<boolean> {
  const { job, cluster, operation, fence } = order
  const answer = await kube.ask({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: namespace,
        labels: {
          ...labelsOf(job),
          [labels.managed]: 'chandler',
          [labels.cluster]: cluster,
          [labels.operation]: operation,
          [labels.run]: run,
          // The container begins as root, with the capabilities that it needs for files of other users.
          'pod-security.kubernetes.io/enforce': 'baseline',
        },
        annotations: {
          [marks.spec]: spec,
          [marks.fence]: String(fence),
          [marks.record]: JSON.stringify(record),
          [marks.pod]: pod,
          [marks.target]: target,
        },
      },
    },
  })
  if (answer.reason === 'AlreadyExists') return false
  expectDone(answer, 'make the sandbox')
  return true
}

/** Done again it is nothing. */
export async function fillSandbox(
  context: KubernetesContext,
  sandbox: Sandbox,
  { job, cluster }: Pick<RunOrder, 'job' | 'cluster'>,
  watch: Watch,
): Promise<void> {
  const { kube, options } = context
  const { namespace, pod, target } = sandbox
  const core = `/api/v1/namespaces/${namespace}`
  await enterSandbox(context, sandbox, watch.signal)
  const state = job.sandbox?.state
  const made: readonly (readonly [string, object])[] = [
    [`${core}/serviceaccounts`, { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: pod } }],
    [bindingsPath(namespace), bindingOf(sandbox, { name: pod, role: sandboxRoles.run })],
    ...(state === undefined
      ? []
      : [
          [
            `${core}/configmaps`,
            { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: pod }, data: state },
          ] as const,
        ]),
  ]
  for (const [path, body] of made)
    if (!(await makeThere(kube, path, body))) fail('engine.layout-gone', `${namespace} is gone`)
  for (const name of options.pullSecrets ?? []) await copySecret(context, { name, to: namespace })
  if (!(await enterTarget(context, sandbox, cluster))) watch.progress(`there is no namespace ${target}`)
}

/** Rights that were just given are known to every API server after a moment. */
const knownMs = 15_000
const pauseMs = 100

/** The broker gives itself its role there, and waits until it holds. An account that is no service account has what it needs. */
async function enterSandbox(
  { kube, clock }: KubernetesContext,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<void> {
  const account = accountOf((await kube.place.credentials(false)).token)
  if (account === undefined) return
  const { namespace } = sandbox
  const body = bindingOf(sandbox, { name: sandboxRoles.broker, role: sandboxRoles.broker, account })
  if (!(await makeThere(kube, bindingsPath(namespace), body)))
    fail('engine.layout-gone', `${namespace} is gone`)
  const until = clock.monotonic() + knownMs
  const look: KubeCall = {
    method: 'GET',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/default`,
    signal,
  }
  for (;;) {
    const answer = await kube.ask(look).catch((error: unknown): KubeAnswer | undefined => {
      const isEarly = error instanceof ProblemError && error.problem.code === 'engine.denied'
      if (!isEarly || clock.monotonic() > until) throw error
      return undefined
    })
    if (answer !== undefined) return
    await clock.sleep(pauseMs, signal)
  }
}

/** Of the token of a service account. */
function accountOf(token = ''): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] =
    /^system:serviceaccount:([^:]+):([^:]+)$/.exec(String(readJwt(token)?.claims['sub'] ?? '')) ?? []
  return namespace === undefined || name === undefined ? undefined : { namespace, name }
}

/** Images are pulled with Secrets of the pod's own namespace. */
async function copySecret(
  { kube, home }: KubernetesContext,
  { name, to }: { readonly name: string; readonly to: string },
): Promise<void> {
  const answer = await kube.ask({ method: 'GET', path: `/api/v1/namespaces/${home}/secrets/${name}` })
  if (answer.status === 404)
    fail('engine.start-failed', `the namespace ${home} has no Secret ${name} to pull images with`)
  expectDone(answer, `read the Secret ${name}`)
  const { type, data } = answer.body
  const body = {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name },
    type,
    data: isObject(data) ? data : {},
  }
  await makeThere(kube, `/api/v1/namespaces/${to}/secrets`, body)
}
