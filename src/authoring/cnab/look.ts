/** Bundles looked at without running anything. */

import {
  bundleImagesOf,
  type Explanation,
  explainBundle,
  type Relocation,
  readBundle,
} from '../../contracts/cnab/index.ts'
import { present } from '../../kit/present.ts'
import { inCnabContext } from '../../local/cnab/tools.ts'
import { failAll, type Problem } from '../../model/problem.ts'
import { openBundle } from './bundle-tools.ts'

export type { Explanation } from '../../contracts/cnab/index.ts'

interface LookWish {
  readonly reference: string
  readonly dataDir: string
}

const quiet = { signal: new AbortController().signal, progress: () => undefined }

/** What a bundle wants and gives. Problems: all that is wrong with it. */
export async function explain(wish: LookWish & { readonly action?: string }): Promise<Explanation> {
  const { source } = await inCnabContext(wish.dataDir, 'none', (room) =>
    openBundle(room.house.workshop.artifacts, { reference: wish.reference, ...quiet }),
  )
  const reading = readBundle(source.bytes)
  if (reading.kind === 'refused') failAll(reading.problems)
  return explainBundle(reading.bundle, wish.action)
}

/** Everything that can be said about the document of a bundle. */
export async function lintDocument(
  wish: LookWish,
): Promise<{ readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] }> {
  const { source } = await inCnabContext(wish.dataDir, 'none', (room) =>
    openBundle(room.house.workshop.artifacts, { reference: wish.reference, ...quiet }),
  )
  const reading = readBundle(source.bytes)
  return { problems: reading.kind === 'refused' ? reading.problems : [], warnings: reading.warnings }
}

export interface Inspection {
  readonly name: string
  readonly version: string
  readonly schemaVersion: string
  readonly digest: string
  readonly thick: boolean
  readonly requiredExtensions: readonly string[]
  readonly relocation: Relocation
  readonly images: readonly {
    readonly name: string
    readonly image: string
    readonly contentDigest?: string
    /** Where it would be taken from. */
    readonly place: string
  }[]
}

/** Which images a bundle has and where they are. */
export async function inspectBundle(
  wish: LookWish & { readonly relocation: Relocation },
): Promise<Inspection> {
  const { reference, relocation } = wish
  const { source, document, digest } = await inCnabContext(wish.dataDir, 'none', (room) =>
    openBundle(room.house.workshop.artifacts, { reference, relocation, ...quiet }),
  )
  const extensions = document['requiredExtensions']
  return {
    name: String(document['name'] ?? ''),
    version: String(document['version'] ?? ''),
    schemaVersion: String(document['schemaVersion'] ?? ''),
    digest,
    thick: source.thick,
    requiredExtensions: Array.isArray(extensions) ? extensions.map(String) : [],
    relocation: source.relocation,
    images: bundleImagesOf(document).map((image) => ({
      name: image.component ?? 'invocation image',
      image: image.image,
      ...present({ contentDigest: image.contentDigest }),
      place: source.placeOf(image).reference,
    })),
  }
}
