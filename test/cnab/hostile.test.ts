/** Archives and run tools that were made to do harm: refused before anything starts, or kept in. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ArtifactStore, openArtifactStore } from '../../src/artifacts/index.ts'
import { readPackage } from '../../src/host/read-package.ts'
import { describeProblem, toProblem } from '../../src/model/problem.ts'
import type { TestBroker } from '../support/broker.ts'
import { ensurePrograms } from '../support/debian.ts'
import { type TarPart, tar } from '../support/hostile.ts'
import { freshFolder } from '../support/image.ts'
import { thickBundle } from './bundle.ts'
import { offering, Platform } from './platform.ts'

const digest = `sha256:${'a'.repeat(64)}`
const bundle = JSON.stringify({
  schemaVersion: '1.2.0',
  name: 'app',
  version: '1.0.0',
  invocationImages: [{ image: 'registry.invalid/app:1', contentDigest: digest }],
})
const good: TarPart = { path: 'bundle.json', content: bundle }
const layoutOf = (name: string, of: string) =>
  JSON.stringify({
    schemaVersion: 2,
    manifests: [
      {
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        digest: of,
        size: 2,
        annotations: { 'org.opencontainers.image.ref.name': name },
      },
    ],
  })

const archives: readonly (readonly [string, readonly TarPart[], RegExp])[] = [
  ['climbs out', [good, { path: '../escaped', content: 'x' }], /archive\.path-unsafe/],
  ['begins at the root', [good, { path: '/escaped', content: 'x' }], /archive\.path-unsafe/],
  [
    'links to a file of the host',
    [{ path: 'bundle.json', kind: 'link', target: '/etc/passwd' }],
    /archive\.link-unsafe|not-a-bundle|unrecognised/,
  ],
  [
    'links out of the folder',
    [good, { path: 'artifacts/x', kind: 'link', target: '../../x' }],
    /archive\.link-unsafe/,
  ],
  [
    'holds a device',
    [good, { path: 'artifacts/null', spoil: (header) => header.write('3', 156, 'latin1') }],
    /archive\./,
  ],
  ['names the bundle twice', [good, good], /archive\.conflict|archive\.invalid/],
  [
    'has everything a folder too deep',
    [{ path: 'app/bundle.json', content: bundle }],
    /package\.unrecognised/,
  ],
  [
    'holds a bundle that is none',
    [{ path: 'bundle.json', content: 'install: now' }],
    /cnab\.bundle\.not-json/,
  ],
  [
    'moves images to nowhere',
    [good, { path: 'relocation-mapping.json', content: '["a"]' }],
    /cnab\.bundle\.invalid/,
  ],
  [
    'brings another image than it says',
    [
      good,
      {
        path: 'artifacts/layout/index.json',
        content: layoutOf('registry.invalid/app:1', `sha256:${'b'.repeat(64)}`),
      },
      { path: `artifacts/layout/blobs/sha256/${'b'.repeat(64)}`, content: '{}' },
    ],
    /cnab\.image\.digest/,
  ],
]

let folder: string
let store: ArtifactStore

beforeAll(() => {
  folder = freshFolder('cnab-hostile')
  store = openArtifactStore({ folder: join(folder, 'store') })
})

afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function refusalOf(reference: string): Promise<string> {
  const wish = {
    reference,
    options: {},
    signal: new AbortController().signal,
    log: () => Promise.resolve(),
    progress: () => undefined,
  }
  try {
    await readPackage({ artifacts: store, engines: [] }, wish)
    return 'it was read'
  } catch (error) {
    const problem = toProblem(error)
    return [problem, ...(problem.others ?? [])].map((one) => `${one.code} ${describeProblem(one)}`).join('; ')
  }
}

test.each(archives)('an archive that %s is refused', async (name, parts, refusal) => {
  const file = join(folder, `${name.replaceAll(' ', '-')}.tgz`)
  writeFileSync(file, gzipSync(tar(...parts)))

  expect(await refusalOf(file)).toMatch(refusal)
  expect(existsSync(join(folder, 'escaped'))).toBe(false)
})

const missing = ensurePrograms('busybox')

const text = { type: 'string', default: 'nothing' }
const out = (name: string) => ({ definition: 'text', path: `/cnab/app/outputs/${name}` })

/** Tries what a run tool should not get away with, and says in an output how it went. */
const run = `
echo '{"forged":true}' > /cnab/bundle.json
ln -s /etc/passwd /cnab/app/outputs/link
mkdir -p /cnab/app/outputs/folder
ln -s /etc /cnab/app/outputs/linked
mkfifo /cnab/app/outputs/pipe
dd if=/dev/zero of=/cnab/app/outputs/huge bs=1M count=3 2> /dev/null
printf '\\377\\000\\376' > /cnab/app/outputs/bytes
echo not asked for > /cnab/app/outputs/more
{ cat /proc/1/environ; env; } 2> /dev/null | grep -c OF_THE_BROKER > /cnab/app/outputs/seen || true
exit 0
`

describe.skipIf(missing !== undefined)('a hostile run tool', () => {
  let at: TestBroker
  let platform: Platform
  const home = freshFolder('cnab-hostile-run')

  beforeAll(async () => {
    const names = ['link', 'folder', 'linked/passwd', 'pipe', 'huge', 'bytes', 'seen']
    const { folder: made } = await thickBundle(home, {
      name: 'hostile',
      run,
      bundle: {
        definitions: { text },
        outputs: Object.fromEntries(names.map((name) => [name, out(name)])),
      },
    })
    process.env['OF_THE_BROKER'] = 'secret'
    at = await offering([{ package: made }])
    platform = new Platform(at)
  })

  afterAll(async () => {
    delete process.env['OF_THE_BROKER']
    await at.stop()
    rmSync(home, { recursive: true, force: true })
  })

  test('leaves nothing behind but bytes of files that it wrote itself', async () => {
    const ended = await platform.end('h1', await platform.provision('h1', 'default', {}))
    const outputs = await platform.outputs('h1')

    expect(ended).toEqual({ state: 'failed', description: expect.stringContaining('huge has 3145728 bytes') })
    expect(Object.keys(outputs).sort()).toEqual(['bytes', 'folder', 'link', 'linked/passwd', 'pipe', 'seen'])
    expect(outputs).toMatchObject({
      link: 'nothing',
      folder: 'nothing',
      'linked/passwd': 'nothing',
      pipe: 'nothing',
      seen: '0\n',
    })
    expect(readFileSync(join(home, 'hostile', 'bundle.json'), 'utf8')).not.toContain('forged')
  })
})

test('a folder may be a bundle, too', async () => {
  const place = join(folder, 'plain')
  mkdirSync(place)
  writeFileSync(join(place, 'bundle.json'), bundle)

  expect(await refusalOf(place)).toBe('it was read')
})
