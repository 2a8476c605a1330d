/** Runs in namespaces of their own: found by a label, as they are now, and what is left when they are discarded. */
import { isObject } from '../../kit/json.ts'
import type { ClusterSandbox } from '../../model/job.ts'
import { expectDone, type Kube } from './client.ts'
import type { KubernetesContext, Sandbox, SandboxOptions } from './context.ts'
import { absent, labels, marks, type Pod, readPod } from './pod.ts'
import { lookAtPod, watchPods } from './pods.ts'
import type { RunObjects } from './run-objects.ts'
import { leaveTarget } from './sandbox-target.ts'

/** Where a run is: the context of its namespace, and its pod there. */
export interface RunPlace {
  readonly context: KubernetesContext
  readonly pod: string
}

/** In its sandbox, if it has one. */
export async function placeOf(context: KubernetesContext, run: string): Promise<RunPlace> {
  const plain = { context, pod: run }
  if (context.options.sandboxes === undefined) return plain
  const [found] = await sandboxesWith(context.kube, `${labels.run}=${run}`)
  const sandbox = found && sandboxOf(found, run)
  return sandbox === undefined ? plain : { context: within(context, sandbox), pod: sandbox.pod }
}

/** Why a run cannot be given a namespace of its own, if so. */
export function whyNoSandbox(
  sandbox: ClusterSandbox | undefined,
  given: SandboxOptions | undefined,
  home: string,
): string | undefined {
  if (given === undefined || sandbox === undefined)
    return 'pods are given no access to the cluster: kubernetes.sandboxes.targets names no namespace'
  if (sandbox.cluster !== undefined) return `the namespace ${sandbox.target} is in another cluster`
  if (sandbox.target === home) return `packages run in the namespace ${home}, and may not work for it`
  if (!given.targets.includes(sandbox.target))
    return `the namespace ${sandbox.target} is not among kubernetes.sandboxes.targets`
  // A stand-in that held nothing has written down an empty list: two bytes.
  if ((sandbox.objects?.length ?? 0) > '[]'.length)
    return 'a stand-in holds what earlier runs left in the target namespace'
  return undefined
}

/** The context for the namespace of one run. */
export function within(context: KubernetesContext, sandbox: Sandbox): KubernetesContext {
  const { kube, clock, silenceMs } = context
  const pods = watchPods(kube, sandbox.namespace, { clock, silenceMs })
  return { ...context, namespace: sandbox.namespace, pods, runs: sandboxRun(context, sandbox), sandbox }
}

function sandboxOf({ name, annotations }: Pod, run: string): Sandbox | undefined {
  const { [marks.pod]: pod, [marks.target]: target } = annotations
  return pod === undefined || target === undefined ? undefined : { run, namespace: name, pod, target }
}

const goneMs = 300

function sandboxRun({ kube, clock }: KubernetesContext, { namespace, pod: own }: Sandbox): RunObjects {
  const path = `/api/v1/namespaces/${namespace}`
  const see = async (): Promise<Pod | undefined> => {
    const answer = await kube.ask({ method: 'GET', path })
    if (answer.status === 404) return undefined
    expectDone(answer, 'look at the sandbox')
    return readPod(answer.body)
  }
  return {
    async look() {
      const marked = await see()
      if (marked === undefined) return undefined
      const pod = await lookAtPod(kube, namespace, own)
      const { uid, version, annotations, createdAt, isGoing } = marked
      const of = { name: own, uid, version, labels: marked.labels, annotations, createdAt, isGoing }
      if (pod !== undefined) return { ...pod, ...of }
      // It is made after its namespace; when it was started, it was there.
      const isLost = annotations[marks.started] !== undefined
      return { ...marked, ...of, phase: isLost ? 'Failed' : absent, reason: isLost ? 'the pod is gone' : '' }
    },
    marked: () => path,
    async gone({ uid }, signal) {
      while ((await see())?.uid === uid) {
        signal.throwIfAborted()
        await clock.sleep(goneMs, signal)
      }
    },
  }
}

/** The namespaces with such labels. A namespace has of a pod what is read here: name, labels, annotations, age. */
export async function sandboxesWith(kube: Kube, selector: string): Promise<readonly Pod[]> {
  const path = `/api/v1/namespaces?labelSelector=${encodeURIComponent(`${labels.managed}=chandler,${selector}`)}`
  const answer = await kube.ask({ method: 'GET', path })
  expectDone(answer, 'list the sandboxes')
  const { items } = answer.body
  return (Array.isArray(items) ? items : []).filter(isObject).flatMap((item) => readPod(item) ?? [])
}

/** Said on its namespace of a run that failed, so that its discard keeps what can be looked at. */
export async function markFailed({ kube, clock, sandbox }: KubernetesContext): Promise<void> {
  if (sandbox === undefined) return
  const annotations = { [marks.failed]: String(clock.now()) }
  const path = `/api/v1/namespaces/${sandbox.namespace}`
  expectDone(
    await kube.ask({ method: 'PATCH', path, body: { metadata: { annotations } } }),
    'mark the sandbox',
  )
}

/** Whether the sandbox of a run stays when it is discarded: it failed, and the operator wants to look at it. */
export function keeps({ sandbox, options }: KubernetesContext, { annotations }: Pod): boolean {
  const isAsked = sandbox !== undefined && options.sandboxes?.keepFailedMs !== undefined
  return isAsked && annotations[marks.failed] !== undefined
}

/** After the run has ended: nothing is left in the target, and the sandbox goes, unless it is kept. */
export async function leaveSandbox(context: KubernetesContext, there: Pod): Promise<void> {
  const { kube, sandbox } = context
  const { uid } = there
  if (sandbox === undefined) return
  await leaveTarget(kube, sandbox)
  if (!keeps(context, there)) return await removeSandbox(kube, sandbox.namespace, uid)
  // Without its name there is no run any more that could be found or started.
  const path = `/api/v1/namespaces/${sandbox.namespace}`
  const answer = await kube.ask({
    method: 'PATCH',
    path,
    body: { metadata: { uid, labels: { [labels.run]: null, [labels.kept]: 'true' } } },
  })
  if (answer.status !== 404) expectDone(answer, 'keep the sandbox')
}

/** Asks for the removal; the cluster takes its time for it. */
export async function removeSandbox(kube: Kube, namespace: string, uid: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}`
  const answer = await kube.ask({ method: 'DELETE', path, body: { preconditions: { uid } } })
  if (answer.status !== 404 && answer.status !== 409) expectDone(answer, 'remove the sandbox')
}
