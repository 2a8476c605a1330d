/** What a program left in its sandbox: the Secret and the ConfigMap that are named like its pod, and what it wrote on the pod. */
import { isObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { ClusterObjects } from '../../model/report.ts'
import { expectDone } from './client.ts'
import type { KubernetesContext } from './context.ts'
import { lookAtPod } from './pods.ts'
import type { Shape } from './shape.ts'

/** Read again and again it is the same, until the run is discarded. */
export async function clusterObjects(context: KubernetesContext, pod: string): Promise<ClusterObjects> {
  const { kube, namespace } = context
  const secret = await dataOf(context, `secrets/${pod}`)
  const state = await dataOf(context, `configmaps/${pod}`)
  const there = await lookAtPod(kube, namespace, pod)
  return {
    kind: 'cluster-objects',
    real: true,
    annotations: there?.annotations ?? {},
    unserved: [],
    ...present({
      secret: secret && mapped(secret, (text) => new Uint8Array(Buffer.from(text, 'base64'))),
      state: state && mapped(state, (text) => text),
    }),
  }
}

async function dataOf({ kube, namespace }: KubernetesContext, object: string): Promise<Shape | undefined> {
  const answer = await kube.ask({ method: 'GET', path: `/api/v1/namespaces/${namespace}/${object}` })
  if (answer.status === 404) return undefined
  expectDone(answer, 'read what the program left')
  const { data } = answer.body
  return isObject(data) ? data : {}
}

function mapped<T>(data: Shape, as: (text: string) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, as(String(value))]))
}
