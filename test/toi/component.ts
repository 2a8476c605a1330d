/** Component versions with a package and an executor of their own, built by our constructor. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from '../../src/authoring/ocm/make.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import { busyboxImage } from '../support/busybox.ts'
import type { TreeItem } from '../support/image.ts'

export const componentName = 'example.org/test/service'

export interface TestComponent {
  /** Absent: the usual one. */
  readonly name?: string
  readonly version?: string
  /** The body of /toi/run. */
  readonly run: string
  /** Whom the executor runs as. */
  readonly user?: string
  readonly package: JsonObject
  readonly executor?: JsonObject
  /** What is in the image of the executor besides. */
  readonly tree?: Readonly<Record<string, TreeItem>>
  readonly libraries?: Readonly<Record<string, string>>
}

export const quiet = { progress: () => undefined }
export const place = { signal: new AbortController().signal }

/** Builds it into a transport archive; answers the path of that. */
export async function componentIn(
  folder: string,
  {
    name: component = componentName,
    version = '1.0.0',
    run,
    user,
    package: pkg,
    executor,
    libraries = {},
    tree = {},
  }: TestComponent,
): Promise<string> {
  mkdirSync(folder, { recursive: true })
  const layout = join(folder, `layout-${version}`)
  await busyboxImage(folder, `executor-${version}`, {
    layout,
    tree: { ...tree, 'toi/run': { bytes: `#!/bin/sh\n${run}`, mode: 0o755 } },
    settings: { entrypoint: ['/toi/run'], ...(user === undefined ? {} : { user }) },
  })
  const document = (value: JsonObject) => ({ type: 'utf8', json: value, mediaType: 'application/x-yaml' })
  const image = {
    name: 'image',
    type: 'ociImage',
    input: { type: 'ociArtifact', path: `oci:${layout}:executor-${version}` },
  }
  const name = 'example.org/test/executor'
  const constructed = {
    components: [
      {
        name,
        version,
        provider: { name: 'example.org' },
        resources: [
          image,
          {
            name: 'executor',
            type: 'toiExecutor',
            input: document({ imageRef: { resource: { name: 'image' } }, ...executor }),
          },
        ],
      },
      {
        name: component,
        version,
        provider: { name: 'example.org' },
        resources: [
          { name: 'package', type: 'toiPackage', input: document(pkg) },
          ...Object.entries(libraries).map(([library, text]) => ({
            name: library,
            type: 'yaml',
            input: { type: 'utf8', text },
          })),
        ],
        references: [{ name: 'executor', componentName: name, version }],
      },
    ],
  }
  const file = join(folder, `constructor-${version}.yaml`)
  writeFileSync(file, JSON.stringify(constructed))
  const to = join(folder, 'ctf')
  const templates = { template: (text: string) => text, inputTemplate: (text: string) => text, values: {} }
  await build({ file, to, overwrite: true, skipDigests: false, ...templates, ...quiet }, place)
  return to
}

/** What leads from the package to its executor. */
export const executorRef = { resource: { name: 'executor' }, referencePath: [{ name: 'executor' }] }
