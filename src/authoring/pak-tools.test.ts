/** Paks built from folders: the same bytes every time, checked against their first build, readable by every reader. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { zip } from '../../test/support/hostile.ts'
import { buildPak, moveSettings, readPak } from './pak-tools.ts'

const home = mkdtempSync(join(tmpdir(), 'pak-tools-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const corpus = 'test/corpus/brokerpak'

/** The suite of the corpus with a program that is one file, as its manifest has it. */
function suite(name: string): string {
  const folder = join(home, name)
  cpSync(join(corpus, 'e2e-offline/csb-suite'), folder, { recursive: true })
  mkdirSync(join(folder, 'tools'))
  writeFileSync(join(folder, 'tools/tofu'), '#!/bin/sh\necho tofu\n')
  return folder
}

function build(folder: string, to = folder, more: { target?: string; stored?: boolean } = {}) {
  mkdirSync(to, { recursive: true })
  return buildPak({ folder, to, stored: false, progress: () => undefined, ...more })
}

test('a folder becomes a pak that holds everything it refers to', async () => {
  const built = await build(suite('whole'), join(home, 'out'))

  const { package: pkg, notes, entries } = await readPak(built.file, { strict: 'csb' })

  expect(built.file).toBe(join(home, 'out/offline-suite-2.0.0.brokerpak'))
  expect(built.warnings).toEqual([])
  expect(pkg.services.map(({ name }) => name)).toContain('offline-lifecycle')
  expect(notes.definitions[0]?.provision.templates).toMatchObject({
    main: expect.stringContaining('terraform_data'),
  })
  expect(notes.definitions[0]?.provision.templateRefs).toEqual({})
  expect(notes.definitions[0]?.imageUrl).toMatch(/^data:image\/png;base64,/)
  expect(entries.find(({ path }) => path === 'bin/linux/amd64/1.11.4/tofu')?.mode).toBe(0o755)
})

test.each([[false], [true]])(
  'the same folder is the same pak, byte for byte (stored: %s)',
  async (stored) => {
    const first = await build(suite(`one-${stored}`), join(home, `a-${stored}`), { stored })
    const second = await build(suite(`two-${stored}`), join(home, `b-${stored}`), { stored })

    expect(second.digest).toBe(first.digest)
    expect(readFileSync(second.file).equals(readFileSync(first.file))).toBe(true)
  },
)

test('a program that is not what it was at the first build is refused', async () => {
  const folder = suite('changed')
  await build(folder)
  writeFileSync(join(folder, 'tools/tofu'), '#!/bin/sh\necho other\n')

  await expect(build(folder)).rejects.toMatchObject({ problem: { code: 'pak.source.changed' } })
})

test('a program in a zip is unpacked, with what lies beside it', async () => {
  const folder = suite('zipped')
  const packed = zip(
    { name: 'tofu', content: Buffer.from('#!/bin/sh\n') },
    { name: 'LICENSE', content: Buffer.from('free') },
  )
  writeFileSync(join(folder, 'tools/tofu'), packed)

  const { entries } = await readPak((await build(folder)).file, {})

  const paths = entries.map(({ path }) => path)
  expect(paths).toContain('bin/linux/amd64/1.11.4/tofu')
  expect(paths).toContain('bin/linux/amd64/1.11.4/LICENSE')
})

test('a pak for one platform says so', async () => {
  const { file } = await build(suite('target'), join(home, 'arm'), { target: 'linux/arm64' })

  expect((await readPak(file, { engine: 'host' })).notes.manifest.platforms).toEqual([
    { os: 'linux', arch: 'arm64' },
  ])
})

test.each([
  [
    'a source that is not there',
    (folder: string) => rmSync(join(folder, 'tools/tofu')),
    'artifact.not-found',
  ],
  [
    'a folder without a manifest',
    (folder: string) => rmSync(join(folder, 'manifest.yml')),
    'pak.manifest.missing',
  ],
  [
    'a definition that is not there',
    (folder: string) => rmSync(join(folder, 'types.yml')),
    'pak.definition.missing',
  ],
])('%s is refused and nothing is written', async (name, spoil, code) => {
  const folder = suite(name.replaceAll(' ', '-'))
  spoil(folder)

  await expect(build(folder)).rejects.toMatchObject({ problem: { code } })
  expect(existsSync(join(folder, 'offline-suite-2.0.0.brokerpak'))).toBe(false)
})

test.each(['symlink-escape', 'absolute-path', 'duplicate-entry', 'truncated', 'not-a-zip'])(
  'the hostile archive %s is refused',
  async (name) => {
    await expect(readPak(join(corpus, 'pak/hostile', `${name}.brokerpak`), {})).rejects.toHaveProperty(
      'problem.code',
    )
  },
)

test('settings are moved over with the plans of the paks at hand', async () => {
  const { file } = await build(suite('moved'))
  const plans = '[{"id":"0f3522b2-f040-443b-bc53-4aed25284840","name":"own","tier":"basic","replicas":2}]'

  const { settings } = await moveSettings({ PORT: '9000', GSB_SERVICE_OFFLINE_LIFECYCLE_PLANS: plans }, [
    file,
  ])

  expect(settings).toMatchObject({
    http: { listen: '0.0.0.0:9000' },
    catalog: [{ package: file, options: { plans: { 'offline-lifecycle': [{ name: 'own' }] } } }],
  })
})
