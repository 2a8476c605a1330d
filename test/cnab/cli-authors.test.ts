/** What authors do with bundles: begin one, name it as other tools do, make sets for it, pack it for other tools. */
import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { register } from '../../src/cli/commands/cnab.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { codeOf } from '../support/problems.ts'
import { registryMissing, startRegistry, type TestRegistry } from '../support/registry.ts'
import { runCommand } from '../support/run-command.ts'
import { installer, writeHello } from './cli-bundle.ts'

const missing = ensurePrograms('busybox')
const noRegistry = registryMissing()
const home = freshFolder('cnab-authors')
const data = ['--data-dir', join(home, 'data')]
const credentials = join(home, 'given.yml')
let file = ''
let image = ''
let registry: TestRegistry | undefined

function cnab(...words: readonly string[]): Promise<string> {
  return runCommand(register, ['cnab', ...words])
}

beforeAll(async () => {
  if (missing !== undefined) return
  const hello = await writeHello(home)
  file = hello.file
  writeFileSync(credentials, '{name: given, credentials: [{name: token, source: {value: kraken-0815}}]}')
  image = `${installer}=${hello.image.reference}`
  if (noRegistry === undefined) registry = await startRegistry()
})
afterAll(async () => {
  await registry?.stop()
  rmSync(home, { recursive: true, force: true })
})

test('init writes a bundle that installs as it says, and overwrites nothing', async () => {
  const folder = join(home, 'mine')
  const said = await cnab('init', folder)
  const next = /Next: {2}chandler cnab (.*)/.exec(said)?.[1]?.split(' ') ?? []

  expect(next.slice(0, 2)).toEqual(['install', 'demo'])
  await cnab(...next, ...data)
  expect(await cnab('outputs', 'demo', ...data)).toMatch(/uri +string +18 +greet:\/\/demo\/hello/)
  await cnab('invoke', 'demo', '--action', 'status', ...data)
  expect(await cnab('runs', 'list', 'demo', ...data)).toMatch(
    /RUN +ACTION +STATUS.*\n.* status +succeeded .*\n.* install +succeeded /,
  )
  await cnab('uninstall', 'demo', '--delete', ...data)
  expect(await codeOf(cnab('init', folder))).toBe('file.unwritable')
})

describe.skipIf(missing !== undefined)('a bundle', () => {
  test.each([
    ['an argument', () => [file]],
    ['--reference', () => ['--reference', file]],
    ['-r', () => ['-r', file]],
    ['--cnab-file', () => ['--cnab-file', file]],
  ])('is named by %s', async (_how, words) => {
    const printed = await cnab(
      'install',
      'named',
      ...words(),
      '--image',
      image,
      '--dry-run',
      '-c',
      credentials,
      ...data,
    )

    expect(JSON.parse(printed)).toMatchObject({ action: 'install', installation_name: 'named' })
  })

  test.each([
    ['install', 'twice', 'FILE', '--reference', 'FILE'],
    ['install', 'nothing'],
    ['invoke', 'nothing'],
  ])('%s %s is refused', async (...words) => {
    const named = words.map((word) => (word === 'FILE' ? file : word))

    expect(await codeOf(cnab(...named, ...data))).toBe('usage.invalid')
  })

  test.each([
    ['credentials', [{ name: 'token', source: { env: 'TOKEN' } }]],
    ['parameters', []],
  ] as const)('%s generate prints what it asks for, and apply keeps that', async (kind, entries) => {
    const printed = await cnab(kind, 'generate', 'start', '-r', file, ...data)
    writeFileSync(join(home, `${kind}.yml`), printed)

    expect(
      JSON.parse(await cnab(kind, 'generate', 'start', '-r', file, '-o', 'json', ...data)),
    ).toMatchObject({
      name: 'start',
      [kind]: entries,
    })
    await cnab(kind, 'apply', join(home, `${kind}.yml`), ...data)
    expect(await cnab(kind, 'list', ...data)).toMatch(/start/)
  })

  test('an archive has a relocation map, though nothing was moved', async () => {
    const to = join(home, 'plain.tgz')
    await cnab('archive', file, '--image', image, '--to', to, ...data)

    expect(relocationIn(to)).toEqual({})
    expect(namesIn(to)).toEqual([installer])
  })

  test.skipIf(noRegistry !== undefined)(
    'an archive of a published bundle names each image by both its names',
    async () => {
      const repository = `${registry?.host}/tests/hello`
      await cnab('publish', file, '--image', image, '--to', `docker://${repository}`, ...data)
      const to = join(home, 'moved.tgz')
      await cnab('archive', `docker://${repository}:v1.0.0`, '--to', to, ...data)
      const moved = relocationIn(to)

      expect(Object.keys(moved)).toEqual([installer])
      expect(namesIn(to)).toEqual([installer, String(moved[installer])])
      rmSync(join(home, 'elsewhere'), { recursive: true, force: true })
      await registry?.stop()
      registry = undefined
      await cnab('explain', to, '--data-dir', join(home, 'elsewhere'))
      const printed = await cnab(
        'install',
        'away',
        to,
        '--dry-run',
        '-c',
        credentials,
        '--data-dir',
        join(home, 'elsewhere'),
      )
      expect(JSON.parse(printed)).toMatchObject({ action: 'install' })
    },
  )
})

function textIn(archive: string, path: string): string {
  const members = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).split('\n')
  const member = members.find((one) => one.replace(/^\.\//, '') === path) ?? path
  return execFileSync('tar', ['-xzOf', archive, member], { encoding: 'utf8' })
}

function relocationIn(archive: string): JsonObject {
  expect(existsSync(archive)).toBe(true)
  return JSON.parse(textIn(archive, 'relocation-mapping.json'))
}

function namesIn(archive: string): readonly string[] {
  const index = JSON.parse(textIn(archive, 'artifacts/layout/index.json')) as {
    readonly manifests: readonly { readonly annotations?: JsonObject }[]
  }
  return index.manifests.map(({ annotations }) => String(annotations?.['org.opencontainers.image.ref.name']))
}
