/** The bytes of a blob from wherever it is, through broken connections. */
import { fail, ProblemError } from '../../model/problem.ts'
import type { Descriptor } from '../oci/manifest.ts'
import type { Source } from '../oci/place.ts'

/** Attempts in a row that may bring nothing new. */
const attemptsMax = 4

/** All bytes of a blob, not verified; where the connection to a registry breaks off, the rest is asked for. */
export async function* blobBytes(
  source: Source,
  blob: Descriptor,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  let at = 0
  for (let fruitless = 0; ; ) {
    const before = at
    const { from, bytes } = await source.blob(blob, at, signal)
    let broken: unknown
    try {
      // A registry that knows no ranges begins anew.
      let known = Math.max(0, at - from)
      for await (const piece of bytes) {
        const fresh = piece.subarray(Math.min(known, piece.byteLength))
        known -= piece.byteLength - fresh.byteLength
        at += fresh.byteLength
        if (fresh.byteLength > 0) yield fresh
      }
    } catch (error) {
      if (source.repository === undefined || signal.aborted || error instanceof ProblemError) throw error
      broken = error
    }
    if (at >= blob.size || source.repository === undefined) return
    // A registry whose blob is too short shows when all of it is hashed.
    if (at === before && broken === undefined) return
    fruitless = at === before ? fruitless + 1 : 0
    if (fruitless >= attemptsMax)
      fail('registry.unreachable', `the transfer was cut off after ${at} of ${blob.size} bytes`, {
        where: { source: source.name },
        cause: broken,
      })
  }
}
