/** The Kubernetes engine: each run is a pod that carries its name, so that the API server decides which call made it. */
import type { Job } from '../../model/job.ts'
import { fail, type Problem } from '../../model/problem.ts'
import type { Report } from '../../model/report.ts'
import type { Engine, EngineFacts, FoundRun, RunOrder, RunSight, RunStart, Ticket, Watch } from '../engine.ts'
import { endScript, goScript } from './agent.ts'
import { expectDone, kubeAt, usualSilenceMs } from './client.ts'
import type { KubernetesContext, KubernetesOptions } from './context.ts'
import { findCluster } from './credentials.ts'
import { follow } from './follow.ts'
import { isInRegistry, whyNoRegistry } from './image.ts'
import { runInside } from './inside.ts'
import { layOut, mark } from './lay-out.ts'
import { foundRun, isOver, isUp, labels, marks, type Pod, readPod, recordOf } from './pod.ts'
import { lookAtPod, plainRuns, watchPods } from './pods.ts'
import { checkRights } from './rights.ts'
import { keeps, leaveSandbox, markFailed, placeOf, whyNoSandbox, within } from './sandbox.ts'
import { clusterObjects } from './sandbox-results.ts'
import { listSandboxes } from './sandbox-sweep.ts'
import { stopRun } from './stop.ts'

export { openAccessReviews } from './access-review.ts'
export type { KubernetesOptions } from './context.ts'
export { checkReviewRight } from './rights.ts'
export { openSecrets } from './secrets.ts'
export { openTokenReviews } from './token-review.ts'

/** Opens the engine; the cluster need not be reachable yet. */
export async function openKubernetesEngine(options: KubernetesOptions): Promise<Engine> {
  const { clock, silenceMs = usualSilenceMs } = options
  const place = await findCluster(options)
  const kube = kubeAt(place, silenceMs)
  const namespace = options.namespace ?? place.namespace
  const pods = watchPods(kube, namespace, { clock, silenceMs })
  const runs = plainRuns(kube, namespace, pods)
  const context: KubernetesContext = {
    ...{ options, kube, namespace, pods, runs, clock, silenceMs },
    home: namespace,
    configs: new Map(),
  }
  return {
    name: options.name ?? 'kubernetes',
    facts: options.sandboxes === undefined ? facts : { ...facts, cluster: ['none', 'stand-in', 'real'] },
    check: (signal) => checkRights(context, signal),
    refuses: (job) => refusal(job, options, namespace),
    layOut: (order, watch) => layOutWhere(context, order, watch),
    start: (order) => start(context, order),
    look: (run) => look(context, run),
    follow: (ticket, watch) => followWhere(context, ticket, watch),
    async stop(run, graceSeconds) {
      const at = await placeOf(context, run)
      const there = await at.context.runs.look(at.pod)
      const record = there && recordOf(there)
      if (record !== undefined) await stopRun({ ...at, record }, 'stopped', graceSeconds)
    },
    discard: (run) => discard(context, run),
    list: (cluster) => list(context, cluster),
    close: async () => {
      pods.close()
      kube.close()
    },
  }
}

const facts: EngineFacts = {
  programs: ['image'],
  run: 'container',
  severalSteps: true,
  outlives: true,
  streamsApart: true,
  readOnlyMounts: true,
  folderLimit: 'checked',
  networkNone: false,
  memoryLimit: true,
  processLimit: false,
  processorLimit: true,
  cluster: ['none'],
}

function refusal(
  { program, needs, sandbox, files, lent = [] }: Job,
  { registry, sandboxes }: KubernetesOptions,
  home: string,
): Problem | undefined {
  const refuse = (detail: string): Problem => ({ code: 'engine.refused', detail })
  if (program.kind !== 'image')
    return refuse(`the Kubernetes engine runs images, not programs of kind ${program.kind}`)
  const unfit = needs.cluster === 'none' ? undefined : whyNoSandbox(sandbox, sandboxes, home)
  if (unfit !== undefined) return refuse(unfit)
  if (needs.engineSocket) return refuse('a cluster has no socket of an engine to lend')
  if (lent.length > 0) return refuse('what listens on the host of the broker is not reached from pods')
  if (!isInRegistry(program) && registry === undefined) return refuse(whyNoRegistry(program))
  const large = files.find(({ content, readOnly }) => content.kind === 'artifact' && !readOnly)
  return large && refuse(`${large.path}: large things are mounted read-only on this engine`)
}

async function layOutWhere(context: KubernetesContext, order: RunOrder, watch: Watch): Promise<void> {
  const { sandbox, needs } = order.job
  if (sandbox === undefined || needs.cluster === 'none') return await layOut(context, order, watch)
  const { namespace, pod, target } = sandbox
  const inner = within(context, { run: order.name, namespace, pod, target })
  await layOut(inner, { ...order, name: pod }, watch)
}

/** What a run left in its sandbox is part of its report; read first, since it says what a clean-up must know. */
async function followWhere(context: KubernetesContext, run: string, watch: Watch): Promise<Report> {
  const { context: at, pod } = await placeOf(context, run)
  const report = await follow(at, pod, watch)
  if (at.sandbox === undefined || watch.signal.aborted) return report
  const got = new Map([...report.got, ['cluster', await clusterObjects(at, pod)] as const])
  const hasFailed = report.end.kind !== 'finished' || report.steps.some(({ exit }) => exit !== 0)
  if (!hasFailed || at.options.sandboxes?.keepFailedMs === undefined) return { ...report, got }
  await markFailed(at)
  return { ...report, got, notes: [...report.notes, `the sandbox ${at.namespace} is kept for a while`] }
}

/** The first to write that it was started is the one that starts it; the pod itself begins once, however often it is told to. */
async function start(outer: KubernetesContext, { name, fence }: RunStart): Promise<Ticket> {
  const { context, pod } = await placeOf(outer, name)
  for (;;) {
    const there = await context.runs.look(pod)
    if (there === undefined) return fail('engine.layout-gone', name)
    const isStarted = there.annotations[marks.started] !== undefined
    if (isStarted && isOver(there)) return name
    if (!isStarted) {
      const own = String(fence)
      const isReady = there.annotations[marks.fence] === own && there.annotations[marks.ready] === own
      if (there.isGoing || !isReady) return fail('engine.layout-gone', name)
      if (!(await mark(context, there, { [marks.started]: String(context.clock.now()) }))) continue
    }
    await runInside(context, { pod, container: 'sidecar', script: goScript })
    return name
  }
}

async function look(outer: KubernetesContext, run: string): Promise<RunSight> {
  const { context, pod } = await placeOf(outer, run)
  const there = await context.runs.look(pod)
  if (there === undefined) return { kind: 'absent' }
  if (there.labels[labels.cluster] === undefined)
    return { kind: 'foreign', detail: `the pod ${pod} has no label of ours` }
  return there.annotations[marks.started] === undefined
    ? { kind: 'laid-out' }
    : { kind: 'started', ticket: run }
}

/** So long a node that answers takes to end a pod; one that is lost never does. */
const goneMs = 60_000

/**
 * What runs is ended first, and can begin no more: then the pod need not be waited for. Where the pod cannot be asked, it is gone
 * when its node says that nothing of it runs any more.
 */
async function discard(outer: KubernetesContext, run: string): Promise<void> {
  const { context, pod } = await placeOf(outer, run)
  const there = await context.runs.look(pod)
  if (there === undefined || there.labels[labels.cluster] === undefined) return
  const inSandbox = context.sandbox && (await lookAtPod(context.kube, context.namespace, pod))
  const found = context.sandbox === undefined ? there : inSandbox
  const isKept = keeps(context, there)
  const stays = found !== undefined && isKept && (isOver(found) || (await isEnded(context, pod)))
  if (found !== undefined && !stays) await removePod(context, found)
  await leaveSandbox(context, there)
}

async function removePod(context: KubernetesContext, there: Pod): Promise<void> {
  const { kube, namespace, pods, clock } = context
  const run = there.name
  const remove = async (gracePeriodSeconds: number): Promise<void> => {
    const path = `/api/v1/namespaces/${namespace}/pods/${run}`
    const body = { gracePeriodSeconds, preconditions: { uid: there.uid } }
    const answer = await kube.ask({ method: 'DELETE', path, body })
    if (answer.status !== 404 && answer.status !== 409) expectDone(answer, 'remove the pod')
  }
  if (isOver(there) || !isUp(there) || (await isEnded(context, run))) return await remove(0)
  await remove(1)
  const patience = new AbortController()
  const over = new AbortController()
  clock.sleep(goneMs, over.signal).then(
    () => patience.abort(),
    () => undefined,
  )
  try {
    await pods.until(run, (pod) => (pod?.uid === there.uid ? undefined : true), patience.signal)
  } catch {
    await remove(0)
  } finally {
    over.abort()
  }
}

async function isEnded(context: KubernetesContext, pod: string): Promise<boolean> {
  return await runInside(context, { pod, script: endScript }).then(
    ({ exit }) => exit === 0,
    () => false,
  )
}

async function list(context: KubernetesContext, cluster: string): Promise<readonly FoundRun[]> {
  const { kube, namespace, clock } = context
  const inSandboxes = await listSandboxes(context, cluster)
  const selector = encodeURIComponent(`${labels.cluster}=${cluster}`)
  const answer = await kube.ask({
    method: 'GET',
    path: `/api/v1/namespaces/${namespace}/pods?labelSelector=${selector}`,
  })
  expectDone(answer, 'list the pods')
  const { items } = answer.body
  const plain = (Array.isArray(items) ? items : []).flatMap((item) => {
    const pod = readPod(item)
    return pod === undefined ? [] : [foundRun(pod, pod.name, clock.now())]
  })
  return [...plain, ...inSandboxes]
}
