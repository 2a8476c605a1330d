/** Real registries with mirrors: what is had from where, and what happens when one of them is away. */
import { rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freshFolder, imageInLayout, writeTree } from '../../../test/support/image.ts'
import { registryMissing, startRegistry, type TestRegistry } from '../../../test/support/registry.ts'
import { Secret } from '../../kit/secret.ts'
import { ProblemError, toProblem } from '../../model/problem.ts'
import { openArtifactStore } from '../artifacts.ts'
import type { Source } from '../oci/place.ts'
import { copyPackage } from '../packages.ts'
import { mirroredSource } from './mirrored-source.ts'
import type { RegistrySettings } from './settings.ts'

const home = freshFolder('mirrors')
const missing = registryMissing()
const { signal } = new AbortController()
const running: { stop(): Promise<void> }[] = []
let count = 0
let registry: TestRegistry
let mirror: TestRegistry
let layout = ''
let digest = ''

beforeAll(async () => {
  const root = writeTree(join(home, 'root'), { greeting: 'ahoy' })
  const built = await imageInLayout(join(home, 'layout'), 'v1', { root, settings: {} })
  layout = built.reference
  digest = built.digest
  if (missing !== undefined) return
  registry = await startRegistry()
  mirror = await startRegistry()
  running.push(registry, mirror)
})

afterAll(async () => {
  await Promise.all(running.map((one) => one.stop()))
  rmSync(home, { recursive: true, force: true })
})

function copy(from: string, to: string, registries: RegistrySettings = {}) {
  const order = { from, to, signal, progress: () => undefined }
  return copyPackage(order, { registries, scratchFolder: join(home, 'scratch') })
}

/** The digest of what is read from there into a layout of its own. */
async function read(reference: string, registries: RegistrySettings): Promise<string> {
  return (await copy(reference, `oci:${join(home, `out-${++count}`)}:x`, registries)).digest
}

/** A port at which connections are counted and closed. */
async function awayMirror(): Promise<{ readonly host: string; readonly asked: () => number }> {
  let asked = 0
  const server: Server = createServer((socket) => {
    asked++
    socket.on('error', () => undefined)
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return { host: `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, asked: () => asked }
}

describe.skipIf(missing !== undefined)('a registry with mirrors', () => {
  test('an image that a mirror has is had from there, with the registry away', async () => {
    await copy(layout, `docker://${mirror.host}/hub/team/app:v1`)
    const { host } = await awayMirror()
    const hosts = { [host]: { mirrors: [`${mirror.host}/hub`] } }

    expect(await read(`docker://${host}/team/app:v1`, { hosts })).toBe(digest)
    expect(await read(`docker://${host}/team/app@${digest}`, { hosts })).toBe(digest)
  })

  test('an image that the mirror lacks is had from the registry; what is written goes there alone', async () => {
    const settings = { hosts: { [registry.host]: { mirrors: [mirror.host] } } }
    await copy(layout, `docker://${registry.host}/team/own:v1`, settings)
    const lacking = read(`docker://${mirror.host}/team/own:v1`, {})

    await expect(lacking).rejects.toMatchObject({ problem: { code: 'artifact.not-found' } })
    expect(await read(`docker://${registry.host}/team/own:v1`, settings)).toBe(digest)
  })

  test('a mirror that is away is asked once, and not again by the packages that are read next', async () => {
    await copy(layout, `docker://${registry.host}/team/app:v1`)
    const away = await awayMirror()
    const registries = { hosts: { [registry.host]: { mirrors: [away.host] } } }
    const store = openArtifactStore({ folder: join(home, 'away'), registries })
    const image = await store.images.open(`docker://${registry.host}/team/app:v1`)
    const asked = away.asked()
    await store.images.unpack({
      ...{ reference: `docker://${registry.host}/team/app:v1`, digest: image.digest, signal },
      progress: () => undefined,
    })
    const visit = store.visit()
    await visit.artifacts.digestNow(`docker://${registry.host}/team/app:v1`, signal)
    await visit.leave()
    await store.close()

    expect(image.digest).toBe(digest)
    expect(asked).toBeGreaterThan(0)
    expect(away.asked()).toBe(asked)
  })

  test('a mirror is reached as its own entry says, with its own certificate', async () => {
    const closed = await startRegistry({ tls: 'mutual' })
    running.push(closed)
    const { ca = '', client } = closed
    const shown = { certificate: client?.certificate ?? '', key: new Secret(client?.key ?? '') }
    const hosts = { [closed.host]: { ca, client: shown } }
    await copy(layout, `docker://${closed.host}/team/kept:v1`, { hosts })

    const mirrored = { ...hosts, [registry.host]: { mirrors: [closed.host] } }

    expect(await read(`docker://${registry.host}/team/kept:v1`, { hosts: mirrored })).toBe(digest)
  })

  test('when all are away, the registry is named, and its mirrors after it', async () => {
    const [away, other] = [await awayMirror(), await awayMirror()]
    const hosts = { [away.host]: { mirrors: [other.host] } }
    const failed = await read(`docker://${away.host}/app:v1`, { hosts }).catch(toProblem)

    expect(failed).toMatchObject({
      code: 'registry.unreachable',
      detail: expect.stringContaining(`its mirror ${other.host} failed, too`),
      where: { source: away.host },
    })
  })
})

interface Pretended {
  readonly manifest?: boolean
  readonly blob?: boolean
  readonly away?: boolean
}

/** Places that note which of them was asked; the last is the registry itself. */
function pretended(kinds: readonly Pretended[], pulls: 'all' | 'digest-only' | 'tag-only' = 'all') {
  const asked: string[] = []
  const clock = { time: 0 }
  const places = kinds.map(({ manifest, blob, away }, i) => {
    const answer = <T>(what: string, has: boolean | undefined, value: T): T | undefined => {
      asked.push(`${i} ${what}`)
      if (away) throw new ProblemError({ code: 'registry.unreachable' })
      return has ? value : undefined
    }
    const source = {
      manifest: async () => answer('manifest', manifest, { digest: 'd' }),
      blob: async () => {
        const found = answer('blob', blob, { from: 0 })
        if (found === undefined) throw new ProblemError({ code: 'artifact.not-found' })
        return found
      },
      close: async () => undefined,
    } as unknown as Source
    return { host: `${i}`, pulls: i === kinds.length - 1 ? 'all' : pulls, open: () => source } as const
  })
  const settings: RegistrySettings = {}
  const open = (): Source =>
    mirroredSource({
      repository: { host: 'r', repository: 'app' },
      ...{ places, settings },
      clock: { now: () => 0, monotonic: () => clock.time, sleep: async () => undefined },
    })
  const askedFor = async (work: (source: Source) => Promise<unknown>): Promise<readonly string[]> => {
    asked.length = 0
    await work(open()).catch(() => undefined)
    return [...asked]
  }
  return { open, askedFor, clock }
}

const blob = { digest: `sha256:${'0'.repeat(64)}`, size: 1, mediaType: 'x' }
const byTag = (source: Source): Promise<unknown> => source.manifest({ name: 'v1' }, signal)
const whole = async (source: Source): Promise<void> => {
  await byTag(source)
  await source.blob(blob, 0, signal)
}

test.each<[string, readonly Pretended[], readonly string[]]>([
  [
    'the first that has it is asked for its parts',
    [{}, { manifest: true, blob: true }, {}],
    ['0 manifest', '1 manifest', '1 blob'],
  ],
  [
    'a part that a mirror lacks is had elsewhere',
    [{ manifest: true }, { blob: true }],
    ['0 manifest', '0 blob', '1 blob'],
  ],
])('%s', async (_, kinds, expected) => {
  expect(await pretended(kinds).askedFor(whole)).toEqual(expected)
})

test.each<[string, 'digest-only' | 'tag-only', readonly string[], readonly string[]]>([
  ['digests', 'digest-only', ['1 manifest'], ['0 manifest']],
  ['tags', 'tag-only', ['0 manifest'], ['1 manifest']],
])('a mirror for %s only is asked for those', async (_, pulls, forTag, forDigest) => {
  const { askedFor } = pretended([{ manifest: true }, { manifest: true }], pulls)

  expect(await askedFor(byTag)).toEqual(forTag)
  expect(await askedFor((source) => source.manifest({ digest: 'd' }, signal))).toEqual(forDigest)
})

test('a mirror that was away is asked first again after a minute', async () => {
  const { askedFor, clock } = pretended([{ away: true }, { manifest: true }])

  expect(await askedFor(byTag)).toEqual(['0 manifest', '1 manifest'])
  expect(await askedFor(byTag)).toEqual(['1 manifest'])
  clock.time = 60_001
  expect(await askedFor(byTag)).toEqual(['0 manifest', '1 manifest'])
})

test('what no place has is not there, though a mirror is away', async () => {
  expect(
    await pretended([{ away: true }, {}])
      .open()
      .manifest({ name: 'v1' }, signal),
  ).toBeUndefined()
})
