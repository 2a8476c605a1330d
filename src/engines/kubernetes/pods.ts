/**
 * The pods that the broker made in its namespace, as one watch shows them. What others run there is never asked for. The watch is
 * there while a caller waits for something; a server that has forgotten where it stood is asked for everything again.
 */

import type { Clock } from '../../kit/clock.ts'
import { enough } from '../../kit/enough.ts'
import { isObject } from '../../kit/json.ts'
import { fail, ProblemError } from '../../model/problem.ts'
import { expectDone, type Kube } from './client.ts'
import { type Pod, readPod } from './pod.ts'
import type { RunObjects } from './run-objects.ts'
import type { Shape } from './shape.ts'

export const ours = 'app.kubernetes.io/managed-by=chandler'

export interface Pods {
  /** Resolves with the first sight of the pod that fits; undefined: it is not there. Rejects only when the signal fires. */
  until<T>(name: string, fits: (pod: Pod | undefined) => T | undefined, signal: AbortSignal): Promise<T>
  close(): void
}

const longestPauseMs = 5_000
const firstPauseMs = 50
/** How many silences one request watches. */
const watchedSilences = 4

export interface WatchOptions {
  readonly clock: Clock
  /** A watch of which nothing comes for so long beyond its end is lost. */
  readonly silenceMs: number
}

export function watchPods(kube: Kube, namespace: string, { clock, silenceMs }: WatchOptions): Pods {
  const waiting = new Set<() => void>()
  const place = { path: `/api/v1/namespaces/${namespace}/pods`, watchMs: watchedSilences * silenceMs }
  const seen = sightsOf(kube, place, () => {
    for (const look of [...waiting]) look()
  })
  let watching: AbortController | undefined

  async function run(signal: AbortSignal): Promise<void> {
    let at: string | undefined
    let pause = firstPauseMs
    while (!signal.aborted) {
      try {
        const from = at
        const patience = { clock, ms: place.watchMs + silenceMs, left: signal }
        at = await (from === undefined
          ? seen.list(signal)
          : inTime(patience, (left) => seen.follow(from, left)))
        pause = firstPauseMs
      } catch (error) {
        if (signal.aborted) return
        // Also what is denied is asked for again: rights may come.
        if (!(error instanceof ProblemError)) at = undefined
        await clock.sleep(pause, signal)
        pause = Math.min(pause * 2, longestPauseMs)
      }
    }
  }

  function begin(): void {
    if (watching !== undefined) return
    watching = new AbortController()
    seen.forget()
    run(watching.signal).catch(() => undefined)
  }

  function end(): void {
    watching?.abort()
    watching = undefined
  }

  return {
    until: (name, fits, signal) =>
      new Promise((resolve, reject) => {
        const leave = (): void => {
          waiting.delete(look)
          signal.removeEventListener('abort', stop)
          if (waiting.size === 0) end()
        }
        const stop = (): void => {
          leave()
          reject(signal.reason)
        }
        const verdict = verdictOn(seen, name, () => lookAtPod(kube, namespace, name))
        const look = (): void => {
          const sight = waiting.has(look) ? verdict(look) : undefined
          const found = sight && fits(sight.pod)
          if (found === undefined) return
          leave()
          resolve(found)
        }
        if (signal.aborted) return reject(signal.reason)
        signal.addEventListener('abort', stop)
        waiting.add(look)
        begin()
        look()
      }),
    close: end,
  }
}

/** Follows so long at the most: a server that is lost ends no watch. */
async function inTime<T>(
  { clock, ms, left }: { readonly clock: Clock; readonly ms: number; readonly left: AbortSignal },
  follow: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const [late, over] = [new AbortController(), new AbortController()]
  void clock.sleep(ms, over.signal).then(() => late.abort(enough))
  try {
    return await follow(AbortSignal.any([left, late.signal]))
  } finally {
    over.abort(enough)
  }
}

type Sight = ReturnType<Sights['of']>

/** What is known of a pod. What the watch does not know may be newer than what it was told: it is asked for, until it was seen once. */
function verdictOn(
  seen: Sights,
  name: string,
  ask: () => Promise<Pod | undefined>,
): (again: () => void) => Sight {
  let knows = false
  let asks = false
  return (again) => {
    const sight = seen.of(name)
    knows ||= sight?.pod !== undefined
    if (sight === undefined || knows) return sight
    if (asks) return undefined
    asks = true
    const answered = (isAbsent: boolean): void => {
      asks = false
      knows = isAbsent
      if (isAbsent) again()
    }
    ask().then(
      (pod) => answered(pod === undefined),
      () => answered(false),
    )
    return undefined
  }
}

interface Sights {
  /** Nothing is known, not even that a pod is absent. */
  forget(): void
  /** Undefined while nothing is known. */
  of(name: string): { readonly pod: Pod | undefined } | undefined
  /** Sees everything once; answers where the server stands. */
  list(signal: AbortSignal): Promise<string>
  /** Follows what changes; answers where it stands then, or nothing when the server has forgotten that. */
  follow(from: string, signal: AbortSignal): Promise<string | undefined>
}

interface PodsPlace {
  readonly path: string
  /** How long one request watches. */
  readonly watchMs: number
}

function sightsOf(kube: Kube, { path, watchMs }: PodsPlace, changed: () => void): Sights {
  const seen = new Map<string, Pod>()
  let isKnown = false

  function take(type: string, object: Shape): void {
    const pod = readPod(object)
    if (pod === undefined) return
    if (type === 'DELETED') seen.delete(pod.name)
    else seen.set(pod.name, pod)
  }

  return {
    forget: () => {
      isKnown = false
    },
    of: (name) => (isKnown ? { pod: seen.get(name) } : undefined),
    async list(signal) {
      const call = {
        method: 'GET',
        path: `${path}?labelSelector=${encodeURIComponent(ours)}`,
        signal,
      } as const
      const answer = await kube.ask(call)
      expectDone(answer, 'list the pods')
      const { items } = answer.body
      seen.clear()
      for (const item of (Array.isArray(items) ? items : []).filter(isObject)) take('ADDED', item)
      isKnown = true
      changed()
      return versionOf(answer.body)
    },
    async follow(from, signal) {
      const query = new URLSearchParams({
        ...{ watch: 'true', labelSelector: ours, allowWatchBookmarks: 'true', resourceVersion: from },
        timeoutSeconds: String(Math.ceil(watchMs / 1000)),
      })
      const { status, lines } = await kube.lines({ method: 'GET', path: `${path}?${query}`, signal })
      if (status !== 200) return undefined
      let at = from
      for await (const line of lines) {
        const event: unknown = JSON.parse(line)
        if (!isObject(event) || !isObject(event['object']) || event['type'] === 'ERROR') return undefined
        take(String(event['type']), event['object'])
        at = versionOf(event['object']) || at
        changed()
      }
      return at
    },
  }
}

function versionOf(object: Shape): string {
  const { metadata } = object
  return isObject(metadata) ? String(metadata['resourceVersion'] ?? '') : ''
}

/** A pod as it is now. */
export async function lookAtPod(kube: Kube, namespace: string, name: string): Promise<Pod | undefined> {
  const answer = await kube.ask({ method: 'GET', path: `/api/v1/namespaces/${namespace}/pods/${name}` })
  if (answer.status === 404) return undefined
  expectDone(answer, 'look at the pod')
  return readPod(answer.body) ?? fail('engine.unavailable', 'the answer is no pod')
}

/** Runs whose pods carry their marks themselves. */
export function plainRuns(kube: Kube, namespace: string, pods: Pods): RunObjects {
  return {
    look: (pod) => lookAtPod(kube, namespace, pod),
    marked: (pod) => `/api/v1/namespaces/${namespace}/pods/${pod}`,
    gone: async ({ name, uid }, signal) => {
      await pods.until(name, (pod) => (pod?.uid === uid ? undefined : true), signal)
    },
  }
}
