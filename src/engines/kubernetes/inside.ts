/** Small questions to the containers of a pod, answered by the tools that the pod brought. */
import { dirname } from 'node:path'
import { type Inside, tarReader } from '../inside.ts'
import { commandLine, quote } from '../shell.ts'
import { tools } from './agent.ts'
import type { KubernetesContext } from './context.ts'
import { type Executed, execute } from './exec.ts'
import { containers, type Pod } from './pod.ts'

export interface InPod {
  readonly pod: string
  readonly container?: 'program' | 'sidecar'
  readonly script: string
  readonly stdin?: AsyncIterable<Uint8Array>
  readonly signal?: AbortSignal
  take?(piece: Buffer): Promise<void> | void
}

/** Runs a script in a container of a pod. */
export async function runInside(
  context: KubernetesContext,
  { script, container = containers.program, ...rest }: InPod,
): Promise<Executed> {
  const { clock, silenceMs } = context
  return await execute(context.kube, {
    ...rest,
    ...{ clock, silenceMs },
    namespace: context.namespace,
    container,
    argv: [`${tools}/busybox`, 'sh', '-c', `export PATH=${tools}\n${script}`],
  })
}

/**
 * Works in a pod. What was begun there is broken off when the pod is gone or does not fit any more: a node that is lost breaks no
 * connection.
 */
export async function whileThere<T>(
  { pods }: KubernetesContext,
  { pod, fits, left }: { readonly pod: string; readonly left: AbortSignal; fits(there: Pod): boolean },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController()
  const signal = AbortSignal.any([left, gone.signal])
  const watching = pods
    .until(pod, (there) => (there !== undefined && fits(there) ? undefined : true), signal)
    .then(
      () => gone.abort(),
      () => undefined,
    )
  try {
    return await work(signal)
  } finally {
    gone.abort()
    await watching
  }
}

/** The container of the program, as those that collect what it left look into it. */
export function programInside(context: KubernetesContext, pod: string): Inside {
  return {
    clock: context.clock,
    async stat(path) {
      const { stdout } = await runInside(context, {
        pod,
        script: `[ -L ${quote(path)} ] && echo link || { [ -e ${quote(path)} ] && echo there; }`,
      })
      const text = stdout.toString().trim()
      return text === '' ? undefined : { isLink: text === 'link' }
    },
    async read(path, bytesMax) {
      const reader = tarReader(bytesMax)
      const enough = new AbortController()
      let isEnough = false
      const name = path.slice(path.lastIndexOf('/') + 1)
      const script = `cd ${quote(dirname(path))} && exec tar -cf - ${commandLine(['--', name])} 2>/dev/null`
      try {
        await runInside(context, {
          pod,
          script,
          signal: enough.signal,
          take: (piece) => {
            isEnough = !reader.push(piece)
            if (isEnough) enough.abort()
          },
        })
      } catch (error) {
        if (!isEnough) throw error
      }
      const out = reader.read()
      return out.items.length === 0 && !out.cut ? undefined : out
    },
  }
}

/** What tells one version of a file of the program from the next. */
export async function versionInside(
  context: KubernetesContext,
  pod: string,
  path: string,
): Promise<string | undefined> {
  const script = `stat -c '%i %s %Y' ${quote(path)} 2>/dev/null`
  const { stdout } = await runInside(context, { pod, script }).catch(() => ({ stdout: '' }))
  return stdout.toString().trim() || undefined
}

/** What a folder of the program takes, in bytes. */
export async function bytesInside(context: KubernetesContext, pod: string, path: string): Promise<number> {
  const { stdout } = await runInside(context, { pod, script: `du -sk ${quote(path)} 2>/dev/null` })
  return Number.parseInt(stdout.toString(), 10) * 1024 || 0
}
