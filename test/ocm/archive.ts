/** Transport archives that tests take apart and put together wrongly. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { digestOf } from '../../src/artifacts/digest.ts'

export const authored = 'test/corpus/ocm/authored'

interface IndexEntry {
  repository: string
  tag?: string
  digest: string
  mediaType?: string
}
interface Index {
  schemaVersion: number
  artifacts: IndexEntry[]
  [more: string]: unknown
}
interface Layer {
  digest: string
  size: number
  mediaType: string
}

/** An archive in a folder that a test may change. */
export class Archive {
  readonly folder: string
  constructor(folder: string, from = `${authored}/ctf`) {
    this.folder = folder
    cpSync(from, folder, { recursive: true })
  }

  index(): Index {
    return JSON.parse(readFileSync(this.path('artifact-index.json'), 'utf8')) as Index
  }

  writeIndex(index: object): void {
    writeFileSync(this.path('artifact-index.json'), JSON.stringify(index))
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  blob(digest: string): string {
    return this.path(`blobs/${digest.replace(':', '.')}`)
  }

  entry(component: string): IndexEntry {
    const found = this.index().artifacts.find(({ repository }) => repository.endsWith(`/${component}`))
    if (found === undefined) throw new Error(`no ${component}`)
    return found
  }

  put(bytes: Uint8Array | string): string {
    const digest = digestOf(bytes)
    writeFileSync(this.blob(digest), bytes)
    return digest
  }

  /** The text of the descriptor of a component. */
  descriptor(component: string): string {
    const tar = readFileSync(this.blob(this.layer(component).digest))
    const size = Number.parseInt(tar.toString('latin1', 124, 135), 8)
    return tar.toString('utf8', 512, 512 + size)
  }

  /** Puts another descriptor under a component, with manifest and index that fit it. */
  replaceDescriptor(component: string, text: string): void {
    const old = this.descriptor(component)
    const tar = readFileSync(this.blob(this.layer(component).digest))
    const head = Buffer.from(tar.subarray(0, 512))
    const bytes = Buffer.from(text)
    head.write(bytes.length.toString(8).padStart(11, '0'), 124, 'latin1')
    head.write('        ', 148, 'latin1')
    head.write(
      `${head
        .reduce((sum, one) => sum + one, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
      'latin1',
    )
    const padding = Buffer.alloc((512 - (bytes.length % 512)) % 512)
    const layer = Buffer.concat([head, bytes, padding, Buffer.alloc(1024)])
    if (old === text) return
    this.changeManifest(component, (manifest) => {
      const before = manifest.layers[0]
      if (before === undefined) throw new Error('no layer')
      const digest = this.put(layer)
      const config = Buffer.from(
        JSON.stringify({
          componentDescriptorLayer: { mediaType: before.mediaType, digest, size: layer.length },
        }),
      )
      manifest.layers[0] = { ...before, digest, size: layer.length }
      manifest.config = { ...manifest.config, digest: this.put(config), size: config.length }
    })
  }

  changeManifest(component: string, change: (manifest: { config: Layer; layers: Layer[] }) => void): void {
    const entry = this.entry(component)
    const manifest = JSON.parse(readFileSync(this.blob(entry.digest), 'utf8')) as {
      config: Layer
      layers: Layer[]
    }
    change(manifest)
    const digest = this.put(JSON.stringify(manifest))
    const index = this.index()
    this.writeIndex({
      ...index,
      artifacts: index.artifacts.map((one) =>
        one.repository === entry.repository ? { ...one, digest } : one,
      ),
    })
  }

  private layer(component: string): Layer {
    const manifest = JSON.parse(readFileSync(this.blob(this.entry(component).digest), 'utf8')) as {
      layers: Layer[]
    }
    const [layer] = manifest.layers
    if (layer === undefined) throw new Error('no layer')
    return layer
  }

  /** Names of all blobs, to see that nothing else was left. */
  blobs(): readonly string[] {
    return existsSync(this.path('blobs')) ? readdirSync(this.path('blobs')) : []
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
