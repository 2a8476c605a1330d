/** From sources to a package that can be run: images are built, components put together, all in the data folder. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { readConstructor } from '../../artifacts/ocm/constructor.ts'
import { parseJson } from '../../kit/exact.ts'
import { isObject, type JsonObject } from '../../kit/json.ts'
import { inCnabContext } from '../../local/cnab/tools.ts'
import { buildBundle } from '../apb/build.ts'
import { buildFolder, isImageFolder } from '../build-folder.ts'
import { archiveBundle } from '../cnab/bundle-tools.ts'
import { build as buildComponents } from '../ocm/make.ts'
import { packageComponent } from './component-sources.ts'
import { firstFileOf, type Sources, sourcesAt } from './kind.ts'

export interface RunnablePackage {
  readonly reference: string
  readonly contract?: string
  /** Settings of the contract that sources need. */
  readonly options?: JsonObject
}

export interface BuildPlace {
  readonly dataDir: string
  readonly signal: AbortSignal
  progress(text: string): void
}

/** The package behind a reference: what a folder of sources holds is built first. Problems: those of building. */
export async function packageBehind(reference: string, place: BuildPlace): Promise<RunnablePackage> {
  const isFolder = statSync(reference, { throwIfNoEntry: false })?.isDirectory() === true
  return isFolder ? runnablePackage(reference, place) : { reference }
}

/** The package at a path, built first where the path leads to sources. Problems: those of building. */
export async function runnablePackage(path: string, place: BuildPlace): Promise<RunnablePackage> {
  const sources = sourcesAt(path)
  if (sources === undefined) return { reference: path }
  const { kind, folder } = sources
  const { dataDir } = place
  switch (kind) {
    case 'tweed':
      return { contract: kind, reference: await buildFolder({ folder, dataDir }) }
    case 'apb':
      return { contract: kind, reference: await buildBundle({ folder, dataDir }) }
    case 'brokerpak':
      // A pak that was unpacked has the programs that it names; sources have none yet.
      return {
        contract: kind,
        reference: folder,
        ...(hasPrograms(folder) ? {} : { options: { engine: 'host' } }),
      }
    case 'cnab':
      // A bundle without an image.yml has nothing to build: one that was unpacked, or whose images lie in a registry.
      return { contract: kind, reference: isImageFolder(folder) ? await packBundle(sources, place) : folder }
    case 'toi':
      return { contract: kind, reference: await packComponents(sources, place) }
  }
}

function hasPrograms(folder: string): boolean {
  return existsSync(join(folder, 'bin'))
}

/** The image of the folder stands for the invocation image that the bundle names. */
async function packBundle(sources: Sources, { dataDir, signal, progress }: BuildPlace): Promise<string> {
  const { folder } = sources
  const reference = firstFileOf(sources)
  const image = imageIn(parseJson(readFileSync(reference, 'utf8')))
  const relocation: Record<string, string> =
    image === undefined ? {} : { [image]: await buildFolder({ folder, dataDir }) }
  const to = builtPath(sources, dataDir, '.tgz')
  return inCnabContext(dataDir, 'none', (room) =>
    archiveBundle(room.house.workshop.artifacts, {
      ...{ reference, relocation, to, signal, progress },
      thin: false,
      compression: 'fastest',
    }),
  )
}

function imageIn(bundle: unknown): string | undefined {
  const images: unknown = isObject(bundle) ? bundle['invocationImages'] : undefined
  const first: unknown = Array.isArray(images) ? images[0] : undefined
  const image = isObject(first) ? first['image'] : undefined
  return typeof image === 'string' ? image : undefined
}

/** Every folder beside the constructor that describes an image is built; the constructor finds them as `oci:${LAYOUT}:FOLDER`. */
async function packComponents(sources: Sources, { dataDir, signal, progress }: BuildPlace): Promise<string> {
  const file = firstFileOf(sources)
  const layout = builtPath(sources, dataDir, '.images')
  for (const entry of readdirSync(sources.folder, { withFileTypes: true })) {
    const folder = join(sources.folder, entry.name)
    if (entry.isDirectory() && isImageFolder(folder))
      await buildFolder({ folder, dataDir, to: `oci:${layout}:${entry.name}` })
  }
  const filled = (text: string) => text.replaceAll(`\${LAYOUT}`, layout)
  const to = builtPath(sources, dataDir, '.ctf')
  const order = { file, to, overwrite: true, skipDigests: false, values: {}, progress }
  await buildComponents({ ...order, template: filled, inputTemplate: (text) => text }, { signal })
  return `ocm:${to}//${packageComponent(readConstructor(filled(readFileSync(file, 'utf8')), file, undefined), file)}`
}

function builtPath({ folder }: Sources, dataDir: string, ending: string): string {
  return join(resolve(dataDir), 'built', `${basename(resolve(folder))}${ending}`)
}
