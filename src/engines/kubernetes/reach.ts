/** A cluster that is reached without an engine: found with the first question, and looked for again where that failed. */
import { type Kube, kubeAt } from './client.ts'
import { findCluster, type PlaceOptions } from './credentials.ts'

/** Connections that are kept hold up no process. Problems: engine.unconfigured, engine.unavailable. */
export function reachLater(place: PlaceOptions): () => Promise<Kube> {
  let found: Promise<Kube> | undefined
  return () => {
    found ??= findCluster(place)
      .then(kubeAt)
      .catch((error: unknown) => {
        found = undefined
        throw error
      })
    return found
  }
}
