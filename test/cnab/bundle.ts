/** Bundles whose invocation image is made here: a shell script on busybox, packed with the bundle as a thick one. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '../../src/kit/json.ts'
import { busyboxImage } from '../support/busybox.ts'
import type { TreeItem } from '../support/image.ts'

export interface TestBundle {
  /** A folder with bundle.json and the image in `artifacts/layout`. */
  readonly folder: string
  /** Of the invocation image. */
  readonly digest: string
}

export interface BundleRecipe {
  readonly name: string
  /** The run tool. */
  readonly run: string
  /** Everything but name, schema version and images. */
  readonly bundle: JsonObject
  readonly user?: string
  /** What is in the image besides. */
  readonly tree?: Readonly<Record<string, TreeItem>>
}

/** Lays a thick bundle out below a folder; needs the program busybox. */
export async function thickBundle(parent: string, recipe: BundleRecipe): Promise<TestBundle> {
  const { name, run, bundle, user, tree = {} } = recipe
  const folder = join(parent, name)
  const artifacts = join(folder, 'artifacts')
  mkdirSync(artifacts, { recursive: true })
  const scratch = join(parent, `${name}-image`)
  mkdirSync(scratch)
  const image = `registry.invalid/bundles/${name}-installer:0.1.0`
  const { digest } = await busyboxImage(scratch, image, {
    layout: join(artifacts, 'layout'),
    tree: { ...tree, 'cnab/app/run': { bytes: `#!/bin/sh\nset -eu\n${run}`, mode: 0o755 } },
    settings: { entrypoint: ['/bin/false'], command: ['ignored'], ...(user === undefined ? {} : { user }) },
  })
  const document = {
    schemaVersion: '1.2.0',
    name,
    version: '0.1.0',
    invocationImages: [{ image, imageType: 'docker', contentDigest: digest }],
    ...bundle,
  }
  writeFileSync(join(folder, 'bundle.json'), JSON.stringify(document, null, 2))
  return { folder, digest }
}
