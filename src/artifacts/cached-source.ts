/** A source that need not be asked for what the content store has: by digest a copy works with its registry gone. */
import { stat } from 'node:fs/promises'
import { fail } from '../model/problem.ts'
import type { ContentStore } from './content/content-store.ts'
import { openRegular } from './content/durable.ts'
import { parseManifest } from './oci/manifest.ts'
import type { Source } from './oci/place.ts'
import { formatReference, type Reference } from './reference.ts'
import { openSource, type SourceOptions } from './sources.ts'

/** Opens the source of a reference behind the content store; it is opened itself only when something is missing. */
export function cachedSource(reference: Reference, content: ContentStore, options: SourceOptions): Source {
  let opened: Promise<Source> | undefined
  const origin = (): Promise<Source> => {
    opened ??= openSource(reference, options)
    return opened
  }
  return {
    name: formatReference(reference),
    // Blobs of a registry can be mounted from there, whichever source the manifest came from.
    ...(reference.kind === 'registry'
      ? { repository: { host: reference.host, repository: reference.repository } }
      : {}),
    manifest: async (wanted, signal) => {
      const bytes = wanted.digest === undefined ? undefined : await content.document(wanted.digest)
      if (bytes === undefined) return await (await origin()).manifest(wanted, signal)
      return parseManifest(bytes, undefined, wanted.digest ?? '')
    },
    blob: async (wanted, from, signal) => {
      const there = (await content.has(wanted.digest))
        ? await openRegular(content.pathOf(wanted.digest))
        : undefined
      if (there === undefined) return await (await origin()).blob(wanted, from, signal)
      return { from, bytes: there.createReadStream({ start: from, highWaterMark: 512 * 1024 }) }
    },
    sizeOf: async (digest, signal) => {
      const there = await stat(content.pathOf(digest)).catch(() => undefined)
      if (there !== undefined) return there.size
      const source = await origin()
      return (
        (await source.sizeOf?.(digest, signal)) ??
        fail('artifact.not-found', digest, { where: { source: source.name } })
      )
    },
    referrers: async (digest, signal) => await (await origin()).referrers(digest, signal),
    close: async () => {
      const source = await opened?.catch(() => undefined)
      await source?.close()
    },
  }
}
