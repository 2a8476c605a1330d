/** What authors of bundles do without a broker: build, look over, run and test. */
import type { MountedPrograms } from '../../broker/ports.ts'
import type { Listener } from '../../host/workshop.ts'
import type { JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { ActionRan } from '../../local/ran.ts'
import { runAction } from '../run-action.ts'
import { buildBundle, isBundleFolder } from './build.ts'

export interface BundleWish {
  /** An image, or a folder with an `apb.yml` that is built first. */
  readonly reference: string
  /** The image to build upon instead of the one that the folder names. */
  readonly base?: string
  readonly dataDir: string
}

export interface BundleRun extends BundleWish {
  readonly action: string
  /** The instance that is acted upon; kept on this machine between actions. */
  readonly name: string
  readonly binding: string
  readonly plan?: string
  /** The target namespace: a word, where there is no cluster. */
  readonly namespace: string
  readonly parameters: JsonObject
  /** Secrets as an operator lends them, by `SECRET/KEY`. */
  readonly lent: MountedPrograms
}

/** Runs one action as a broker would; a failed run is an answer with problems. Problems: those of building and ordering. */
export async function runBundle(wish: BundleRun, listener: Listener): Promise<ActionRan> {
  const { namespace, lent, plan, base: _, ...rest } = wish
  return runAction(
    {
      ...rest,
      reference: await builtBundle(wish),
      contract: 'apb',
      options: { namespace },
      ...present({ plan, lent: Object.keys(lent).length === 0 ? undefined : lent }),
    },
    listener,
  )
}

/** The reference of a bundle's image, built first where it is a folder. */
export async function builtBundle({ reference, base, dataDir }: BundleWish, to?: string): Promise<string> {
  if (!isBundleFolder(reference)) return reference
  return buildBundle({ folder: reference, dataDir, ...present({ base, to }) })
}
