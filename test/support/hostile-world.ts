/** A place of its own for each test of hostile packages, with something beside it that must not be touched. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, expect } from 'vitest'
import { type ArtifactStore, openArtifactStore } from '../../src/artifacts/artifacts.ts'
import { digestOf } from '../../src/artifacts/digest.ts'
import { type ArchiveLimits, usualArchiveLimits } from '../../src/artifacts/limits.ts'
import { toProblem } from '../../src/model/problem.ts'
import type { ProblemCode } from '../../src/model/problem-codes.ts'
import { freshFolder } from './image.ts'

/** Small bounds make small bombs. */
const limits: ArchiveLimits = {
  ...usualArchiveLimits,
  archiveBytesMax: 64 * 1024 ** 2,
  archiveEntriesMax: 1000,
  ratioFreeBytes: 1024 ** 2,
  nestingDepthMax: 60,
}

/** Spoils the documents of a layout before they are written. */
export type Spoil = (parts: {
  manifest: Record<string, unknown>
  index: Record<string, unknown>
  layout: string
}) => void

interface LayerOptions {
  readonly type?: string
  readonly diffId?: string
  readonly spoil?: Spoil
  /** Through an index of its own inside the layout. */
  readonly viaIndex?: boolean
}

interface HostileWorld {
  readonly folder: string
  readonly store: ArtifactStore
  /** Opens bytes as the package of an archive and extracts all of it. */
  openAndExtract(bytes: Uint8Array): Promise<void>
  /** Unpacks an image with one layer. */
  unpack(layer: Uint8Array, options?: LayerOptions): Promise<void>
  /** One clear problem, and nothing changed outside of what is ours. */
  expectRefused(work: () => Promise<unknown>, code: ProblemCode): Promise<void>
  /** Nothing changed outside of what is ours. */
  expectUntouched(): void
}

const { signal } = new AbortController()

/** To be called once by each file of tests: it makes a new place before each of them. */
export function hostileWorld(): HostileWorld {
  const home = freshFolder('hostile', 'memory')
  afterAll(() => rmSync(home, { recursive: true, force: true }))
  let round = 0
  let world = ''
  let store: ArtifactStore
  beforeEach(() => {
    world = join(home, `world-${round++}`)
    mkdirSync(join(world, 'outside'), { recursive: true })
    writeFileSync(join(world, 'outside/precious'), 'gold')
    store = openArtifactStore({ folder: join(world, 'store'), archiveLimits: limits, layerLimits: limits })
  })
  return {
    get folder() {
      return world
    },
    get store() {
      return store
    },
    openAndExtract: (bytes) => openAndExtract(store, world, bytes),
    unpack: (layer, options) => unpack(store, world, layer, options),
    expectRefused: (work, code) => expectRefused(world, work, code),
    expectUntouched: () => expectUntouched(world),
  }
}

async function openAndExtract(store: ArtifactStore, world: string, bytes: Uint8Array): Promise<void> {
  const path = join(world, 'package')
  writeFileSync(path, bytes)
  const archive = await store.open(path, signal)
  if (archive.kind !== 'archive' || !('extract' in archive)) throw new Error(`opened as ${archive.kind}`)
  try {
    await archive.extract({ folder: join(world, 'target') })
  } finally {
    await archive.close()
  }
}

async function unpack(
  store: ArtifactStore,
  world: string,
  layer: Uint8Array,
  { type, diffId, spoil, viaIndex }: LayerOptions = {},
): Promise<void> {
  const layout = join(world, 'layout')
  mkdirSync(join(layout, 'blobs/sha256'), { recursive: true })
  const put = (bytes: Uint8Array): { digest: string; size: number } => {
    const digest = digestOf(bytes)
    writeFileSync(join(layout, 'blobs/sha256', digest.slice('sha256:'.length)), bytes)
    return { digest, size: bytes.length }
  }
  const config = put(
    Buffer.from(
      JSON.stringify({
        os: 'linux',
        architecture: 'amd64',
        rootfs: { diff_ids: [diffId ?? digestOf(layer)] },
      }),
    ),
  )
  const manifest: Record<string, unknown> = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
    layers: [{ mediaType: type ?? 'application/vnd.oci.image.layer.v1.tar', ...put(layer) }],
  }
  const index: Record<string, unknown> = { schemaVersion: 2, manifests: [{}] }
  writeFileSync(join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
  writeFileSync(join(layout, 'index.json'), '{}')
  const early = { manifest, index, layout }
  if (spoil !== undefined && viaIndex) spoil(early)
  const listed = {
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    ...put(Buffer.from(JSON.stringify(manifest))),
  }
  index['manifests'] = [{ ...listed, ...((index['manifests'] as object[])[0] ?? {}) }]
  if (readFileSyncOr(join(layout, 'index.json')) === '{}') {
    const inner = put(
      Buffer.from(JSON.stringify({ ...index, mediaType: 'application/vnd.oci.image.index.v1+json' })),
    )
    writeFileSync(
      join(layout, 'index.json'),
      JSON.stringify(
        viaIndex
          ? {
              schemaVersion: 2,
              manifests: [{ mediaType: 'application/vnd.oci.image.index.v1+json', ...inner }],
            }
          : index,
      ),
    )
  }
  const reference = `oci:${layout}`
  const image = await store.images.open(reference)
  await store.images.unpack({ reference, digest: image.digest, signal, progress: () => undefined })
}

function readFileSyncOr(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

async function expectRefused(world: string, work: () => Promise<unknown>, code: ProblemCode): Promise<void> {
  const outcome = await work().then(
    () => 'it was accepted',
    (error: unknown) => toProblem(error),
  )

  expect(outcome).toMatchObject({ code })
  expectUntouched(world)
  expect(readdirSync(world).filter((name) => name.startsWith('target'))).toEqual([])
  for (const room of ['layers', 'stacks', 'scratch']) expect(listing(join(world, 'store', room))).toEqual([])
}

function expectUntouched(world: string): void {
  expect(listing(join(world, 'outside'))).toEqual(['precious'])
  expect(readFileSync(join(world, 'outside/precious'), 'utf8')).toBe('gold')
}

function listing(folder: string): readonly string[] {
  try {
    return lstatSync(folder).isDirectory() ? readdirSync(folder) : []
  } catch {
    return []
  }
}

/** Some bytes overwritten in the middle. */
export function broken(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes)
  const middle = Math.floor(copy.length / 3)
  copy.fill(0xa5, middle, middle + 12)
  return copy
}
