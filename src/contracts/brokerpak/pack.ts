/** What a source folder packs: its manifest and definitions with everything they refer to inside, and the programs to fetch. */
import { invariant } from '../../kit/assert.ts'
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { readYaml, writeYaml } from '../../kit/yaml.ts'
import type { ArchiveArtifact } from '../../model/artifact.ts'
import { isProvider, type Manifest, type Platform } from './manifest.ts'
import type { Notes } from './notes.ts'

export interface Packing {
  readonly name: string
  readonly version: string
  readonly documents: readonly { readonly path: string; readonly text: string }[]
  readonly programs: readonly ProgramSource[]
}

export interface ProgramSource {
  readonly name: string
  /** A URL, or a path relative to the source folder. */
  readonly from: string
  /** Folder in the archive. */
  readonly into: string
}

/** Packs a folder that was read without faults, for the platforms named or for all of its manifest. */
export async function packingOf(
  source: ArchiveArtifact,
  { manifest, definitions }: Notes,
  platforms: readonly Platform[] = manifest.platforms,
): Promise<Packing> {
  const packed = definitions.map(({ name }, i) => `definitions/service${i}-${name}.yml`)
  const documents = await Promise.all(
    manifest.definitions.map(async (path, i) => {
      const text = writeYaml(await inlined(source, await documentAt(source, path)))
      return { path: packed[i] ?? path, text }
    }),
  )
  const written: JsonObject = {
    ...(await documentAt(source, 'manifest.yml')),
    platforms: platforms.map(({ os, arch }) => ({ os, arch })),
    service_definitions: packed,
  }
  return {
    name: manifest.name,
    version: manifest.version,
    documents: [{ path: 'manifest.yml', text: writeYaml(written) }, ...documents],
    programs: platforms.flatMap((platform) => programsFor(manifest, platform)),
  }
}

function programsFor(manifest: Manifest, { os, arch }: Platform): readonly ProgramSource[] {
  return manifest.binaries.map((binary) => {
    const { name, version, urlTemplate } = binary
    const words = { name, version, os, arch }
    const from =
      urlTemplate === ''
        ? usualUrl(words)
        : urlTemplate.replaceAll(
            /\$\{(name|version|os|arch)\}/g,
            (_all, word: keyof typeof words) => words[word],
          )
    const isEngine = name === 'tofu' && !isProvider(binary)
    return { name, from, into: `bin/${os}/${arch}${isEngine ? `/${version}` : ''}` }
  })
}

function usualUrl({ name, version, os, arch }: Record<'name' | 'version' | 'os' | 'arch', string>): string {
  const file = `${name}_${version}_${os}_${arch}.zip`
  return name === 'tofu'
    ? `https://github.com/opentofu/opentofu/releases/download/v${version}/${file}`
    : `https://releases.hashicorp.com/${name}/${version}/${file}`
}

/** A packed definition refers to nothing outside of itself: other brokers look nowhere else. */
async function inlined(source: ArchiveArtifact, definition: JsonObject): Promise<JsonObject> {
  const image = definition['image_url']
  const file = typeof image === 'string' && image.startsWith('file://') ? image.slice(7) : undefined
  const bytes = file === undefined ? undefined : await source.file(plain(file))
  const type = imageTypes[/\.\w+$/.exec(file ?? '')?.[0]?.toLowerCase() ?? ''] ?? 'image/png'
  const url =
    bytes === undefined ? {} : { image_url: `data:${type};base64,${Buffer.from(bytes).toString('base64')}` }
  const actions = await Promise.all(
    ['provision', 'bind'].flatMap((name) => {
      const action = definition[name]
      return isObject(action)
        ? [withTemplates(source, action as JsonObject).then((done) => [name, done] as const)]
        : []
    }),
  )
  return { ...definition, ...url, ...Object.fromEntries(actions) }
}

const imageTypes: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
}

async function withTemplates(source: ArchiveArtifact, action: JsonObject): Promise<JsonObject> {
  const { template_ref: ref, template_refs: refs, ...rest } = action
  const load = async (path: Json) => Buffer.from((await source.file(plain(String(path)))) ?? []).toString()
  const one = typeof ref === 'string' && ref !== '' && !rest['template'] ? { template: await load(ref) } : {}
  if (!isObject(refs)) return { ...rest, ...one }
  const loaded = await Promise.all(
    Object.entries(refs as JsonObject).map(async ([name, path]) => [name, await load(path)] as const),
  )
  const own = isObject(rest['templates']) ? (rest['templates'] as JsonObject) : {}
  return { ...rest, ...one, templates: { ...Object.fromEntries(loaded), ...own } }
}

async function documentAt(source: ArchiveArtifact, path: string): Promise<JsonObject> {
  const { value } = readYaml(Buffer.from((await source.file(plain(path))) ?? []).toString(), { merge: true })
  invariant(isObject(value), 'the folder was read before it is packed')
  return value as JsonObject
}

/** A path of a source folder as its entries have it. */
export function plain(path: string): string {
  return path.replace(/^(?:\.\/)+/, '')
}
