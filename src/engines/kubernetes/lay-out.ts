/** Lays a run out: a pod that waits, with all its files. The API server decides which claim it belongs to. */
import { encode } from '../../kit/codec.ts'
import { sha256 } from '../../kit/hash.ts'
import type { Job } from '../../model/job.ts'
import { fail, type Problem } from '../../model/problem.ts'
import { type ContainerFilePlan, planContainerFiles } from '../container-plan.ts'
import type { RunOrder, Watch } from '../engine.ts'
import type { ProgramImage } from '../image-program.ts'
import { stepRecords } from '../step-files.ts'
import { printedFiles, stepScript, streamsOf, tools } from './agent.ts'
import { expectDone } from './client.ts'
import { type KubernetesContext, usual } from './context.ts'
import { type ClusterImage, clusterImage } from './image.ts'
import { whileThere } from './inside.ts'
import { absent, isUp, labels, marks, type Pod, type RunRecord, waitsFor, whyNotUp } from './pod.ts'
import { podBody } from './pod-body.ts'
import { parentsBelow, putFixed, putInRoot } from './put-files.ts'
import { fillSandbox, makeNamespace } from './sandbox-objects.ts'
import { apiVariables } from './sandbox-variables.ts'
import { asUser, type StepImage, stepLine, stepUser } from './steps.ts'
import { surveyImage } from './survey.ts'

/** Idempotent by name. Problems: engine.name-conflict, engine.layout-gone, engine.start-failed, engine.image-unavailable … */
export async function layOut(context: KubernetesContext, order: RunOrder, watch: Watch): Promise<void> {
  const spec = sha256(encode(order.job))
  const plan = planContainerFiles(order.job, true)
  for (;;) {
    const there = await context.runs.look(order.name)
    const step = there === undefined ? 'make' : await claim(context, { order, spec, there })
    if (step === 'done') return
    if (step === 'again') continue
    if (there !== undefined && step === 'wait') {
      await context.runs.gone(there, watch.signal)
      continue
    }
    const { program } = order.job
    if (program.kind !== 'image') return fail('engine.refused', program.kind)
    const image = await clusterImage(context, program, watch)
    const making = { order, spec, plan, image, record: recordFor(order.job) }
    if (step === 'make' && !(await begin(context, making))) continue
    const lacksPod = step === 'make' || there?.phase === absent
    if (lacksPod && !(await make(context, making, watch))) continue
    await waitUntilUp(context, order.name, watch)
    await whileThere(
      context,
      { pod: order.name, fits: (pod) => !pod.isGoing && isUp(pod), left: watch.signal },
      (signal) => fill(context, { order, plan, image }, signal),
    )
    await markReady(context, order)
    return
  }
}

interface Claim {
  readonly order: RunOrder
  readonly spec: string
  readonly there: Pod
}

/** What is to be done with the pod that lies under the name. */
async function claim(
  context: KubernetesContext,
  { order, spec, there }: Claim,
): Promise<'done' | 'wait' | 'again' | 'fill'> {
  const { name, cluster, fence } = order
  if (there.labels[labels.cluster] !== cluster)
    return fail('engine.name-conflict', `there is a foreign pod ${name}`)
  // It is on its way out, and its name is free when it has gone.
  if (there.isGoing) return 'wait'
  if (there.annotations[marks.spec] !== spec)
    return fail('engine.name-conflict', 'it was laid out for another job')
  if (there.annotations[marks.started] !== undefined) return 'done'
  const before = Number(there.annotations[marks.fence])
  if (before > fence) return fail('engine.layout-gone', name)
  if (before < fence) {
    await mark(context, there, { [marks.fence]: String(fence), [marks.ready]: null })
    return 'again'
  }
  return there.annotations[marks.ready] === String(fence) ? 'done' : 'fill'
}

/** Writes on a pod as it was seen; answers whether it was still that. */
export async function mark(
  { kube, runs }: KubernetesContext,
  { name, version, uid }: Pod,
  annotations: Readonly<Record<string, string | null>>,
): Promise<boolean> {
  const answer = await kube.ask({
    method: 'PATCH',
    path: runs.marked(name),
    body: { metadata: { uid, resourceVersion: version, annotations } },
  })
  if (answer.status === 409 || answer.status === 404) return false
  expectDone(answer, 'write on the pod')
  return true
}

interface Making {
  readonly order: RunOrder
  readonly spec: string
  readonly plan: ContainerFilePlan
  readonly image: ClusterImage
  readonly record: RunRecord
}

/** Answers whether the run is this call's; the namespace of a sandbox decides that, else the pod. */
async function begin(context: KubernetesContext, making: Making): Promise<boolean> {
  const { sandbox } = context
  return sandbox === undefined || (await makeNamespace(context, sandbox, making))
}

/** Servers need a moment for a namespace that is new. */
const namespaceMs = 30_000

/** Answers whether it was made; else another call was first. */
async function make(context: KubernetesContext, making: Making, watch: Watch): Promise<boolean> {
  const { kube, namespace, clock } = context
  const { sandbox } = context
  if (sandbox !== undefined) await fillSandbox(context, sandbox, making.order, watch)
  const body = podBody(context, making)
  const until = clock.monotonic() + namespaceMs
  for (;;) {
    const answer = await kube.ask({ method: 'POST', path: `/api/v1/namespaces/${namespace}/pods`, body })
    if (answer.status === 201) return true
    // In a sandbox it does not matter which call made it.
    if (answer.reason === 'AlreadyExists') return sandbox !== undefined
    if (/exceeded quota/.test(answer.message)) return fail('engine.quota-exceeded', answer.message)
    const isEarly =
      answer.reason === 'ServerTimeout' || /error looking up service account/.test(answer.message)
    if (!isEarly || clock.monotonic() > until || watch.signal.aborted) expectDone(answer, 'make the pod')
    await clock.sleep(200, watch.signal)
  }
}

function recordFor(job: Job): RunRecord {
  return {
    steps: stepRecords(job),
    wants: job.wants,
    limits: job.limits,
    checked: job.folders.flatMap(({ path, bytesMax, readOnly }) =>
      bytesMax === undefined || readOnly ? [] : [{ path, bytesMax }],
    ),
  }
}

/** Problems: engine.start-failed, engine.image-unavailable, engine.unschedulable. */
async function waitUntilUp(context: KubernetesContext, name: string, watch: Watch): Promise<void> {
  const { clock, pods, options } = context
  const patience = new AbortController()
  const signal = AbortSignal.any([watch.signal, patience.signal])
  const over = new AbortController()
  clock.sleep(options.startMs ?? usual.startMs, AbortSignal.any([over.signal, watch.signal])).then(
    () => patience.abort(),
    () => undefined,
  )
  let last: Pod | undefined
  let said = ''
  try {
    const fault = await pods.until(
      name,
      (pod): Problem | 'up' | undefined => {
        if (pod === undefined) return { code: 'engine.layout-gone', detail: name }
        last = pod
        const words = waitsFor(pod)
        if (words !== '' && words !== said) watch.progress(words)
        said = words
        return isUp(pod) ? 'up' : whyNotUp(pod)
      },
      signal,
    )
    if (fault !== 'up') fail(fault.code, fault.detail)
  } catch (error) {
    if (!patience.signal.aborted || watch.signal.aborted) throw error
    const words = last?.unscheduled
    if (words !== undefined) fail('engine.unschedulable', words)
    fail('engine.start-failed', `the pod did not start in time: ${said || 'its node does not tell why'}`)
  } finally {
    over.abort()
  }
}

async function fill(
  context: KubernetesContext,
  { order, plan, image }: Pick<Making, 'order' | 'plan' | 'image'>,
  signal: AbortSignal,
): Promise<void> {
  const { job, name } = order
  const { config } = image
  const known: StepImage & ProgramImage = { ...config, workingFolder: config.workingFolder || '/' }
  const parents = [...new Set(plan.uploads.flatMap(({ path }) => parentsBelow(path)))].sort()
  const { lists, absent: missing } = await surveyImage(context, {
    pod: name,
    job,
    image: known,
    parents,
    signal,
  })
  const scripts: Record<string, string> = {}
  const files = printedFiles(stepRecords(job))
  const users = job.steps.map((step) => stepUser(step, known, lists))
  const access = context.sandbox === undefined ? undefined : await apiVariables(context, name, signal)
  for (const [i, step] of job.steps.map((one) => access?.within(one) ?? one).entries()) {
    const [user, printed] = [users[i], files[i]]
    if (user === undefined || printed === undefined) continue
    const argv = stepLine(step, known, { user, more: { HOSTNAME: name, ...access?.variables } })
    scripts[`step.${i}`] = stepScript(streamsOf(printed), {
      folder: step.workingFolder ?? known.workingFolder,
      argv,
    })
    if (step.mayFail) scripts[`may-fail.${i}`] = ''
  }
  const [owner] = users
  if (owner === undefined) return
  // In front of what is asked while the program runs.
  scripts['as-user'] = asUser(owner, [`${tools}/env`]).join(' ')
  const putting = { pod: name, job, plan, owner, signal }
  await putFixed(context, putting)
  await putInRoot(context, putting, { absent: missing, scripts })
}

async function markReady(context: KubernetesContext, { name, fence }: RunOrder): Promise<void> {
  for (;;) {
    const there = await context.runs.look(name)
    if (there === undefined || there.isGoing) return fail('engine.layout-gone', name)
    if (there.annotations[marks.fence] !== String(fence)) return fail('engine.layout-gone', name)
    if (await mark(context, there, { [marks.ready]: String(fence) })) return
  }
}
