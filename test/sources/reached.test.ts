/** How registries are reached, told to commands and brokers: client certificates and mirrors, by settings and by files of Podman. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { register as registerOcm } from '../../src/cli/commands/ocm.ts'
import { register } from '../../src/cli/commands/package.ts'
import type { ProblemError } from '../../src/model/problem.ts'
import { offeringOn, Platform } from '../cnab/platform.ts'
import { pairs, pemOf } from '../signatures/make.ts'
import { startTestBroker } from '../support/broker.ts'
import { freshFolder, imageInLayout, writeTree } from '../support/image.ts'
import { registryMissing, startRegistry, type TestRegistry } from '../support/registry.ts'
import { runCommand } from '../support/run-command.ts'
import { bundleLabels } from './push.ts'

const home = freshFolder('reached')
const missing = registryMissing()
/** Nothing listens there. */
const away = '127.0.0.1:9'
let registry: TestRegistry
let settings = ''
let digest = ''

/** What a configuration says of the registry that demands certificates, and of one that is away. */
const hosts = () => [
  {
    host: registry.host,
    caFile: join(home, 'ca.pem'),
    certificateFile: join(home, 'client.pem'),
    keyFile: join(home, 'client.key'),
  },
  { host: away, mirrors: [`${registry.host}/mirror`] },
]

beforeAll(async () => {
  if (missing !== undefined) return
  registry = await startRegistry({ tls: 'mutual' })
  const { ca = '', client } = registry
  const files = { 'ca.pem': ca, 'client.pem': client?.certificate ?? '', 'client.key': client?.key ?? '' }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text)
  settings = join(home, 'registries.yml')
  writeFileSync(settings, JSON.stringify({ registries: { hosts: hosts() }, http: { listen: 'for brokers' } }))
  const root = writeTree(join(home, 'root'), { greeting: 'ahoy' })
  const labels = bundleLabels('moored-apb')
  const built = await imageInLayout(join(home, 'layout'), 'v1', { root, settings: { labels } })
  digest = built.digest
  await run(
    'package',
    'copy',
    built.reference,
    `docker://${registry.host}/mirror/team/app:v1`,
    '--registries',
    settings,
  )
})

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
afterAll(async () => {
  await registry?.stop()
  rmSync(home, { recursive: true, force: true })
})

const run = (...words: readonly string[]): Promise<string> => runCommand(register, words)
const inspect = (reference: string, ...more: readonly string[]): Promise<string> =>
  run('package', 'inspect', reference, '--data-dir', join(home, 'data'), ...more)
const said = (): string =>
  vi
    .mocked(process.stderr.write)
    .mock.calls.map(([text]) => String(text))
    .join('')
const there = (): string => `docker://${registry.host}/mirror/team/app:v1`
const elsewhere = `docker://${away}/team/app:v1`

describe.skipIf(missing !== undefined)('a registry that demands client certificates', () => {
  test.each<[string, () => Readonly<Record<string, string>>, () => readonly string[]]>([
    ['--registries', () => ({}), () => ['--registries', settings]],
    ['CHANDLER_CONFIG', () => ({ CHANDLER_CONFIG: settings }), () => []],
    ['CHANDLER_REGISTRIES_HOSTS', () => ({ CHANDLER_REGISTRIES_HOSTS: JSON.stringify(hosts()) }), () => []],
  ])(
    'is read by commands that know of it by %s, and so is what it mirrors',
    async (_, environment, words) => {
      for (const [name, value] of Object.entries(environment())) vi.stubEnv(name, value)

      expect(await inspect(there(), ...words())).toContain('moored-apb')
      expect(await inspect(elsewhere, ...words())).toContain('moored-apb')
      expect(said()).toContain(`warning: The registry cannot be reached: ${away}`)
      const out = `oci:${join(home, 'out')}:x`
      expect(await run('package', 'copy', elsewhere, out, ...words())).toContain(digest)
    },
  )

  test('is the mirror that registries.conf names', async () => {
    const conf = join(home, 'registries.conf')
    writeFileSync(
      conf,
      `[[registry]]\nprefix = "hub.example"\nlocation = "${registry.host}/mirror"\n[[registry]]\nlocation = "evil.example"\nblocked = true`,
    )
    vi.stubEnv('CONTAINERS_REGISTRIES_CONF', conf)

    expect(await inspect('docker://hub.example/team/app:v1', '--registries', settings)).toContain(
      'moored-apb',
    )
    const blocked = inspect('docker://evil.example/team/app:v1')
    await expect(blocked).rejects.toMatchObject({ problem: { code: 'registry.blocked' } })
  })

  test('with its signatures left at a registry that is away, is no proof that a package is signed', async () => {
    const policy = join(home, 'signing.yml')
    writeFileSync(policy, 'signers: {team: {keys: [team.pub]}}\nrequired: [{packages: "", by: [team]}]')
    writeFileSync(join(home, 'team.pub'), pemOf(pairs.p256))
    const asked = inspect(elsewhere, '--registries', settings, '--signing-policy', policy)

    await expect(asked).rejects.toMatchObject({
      problem: { code: 'registry.unreachable', where: { source: away } },
    })
  })

  test('a broker offers what it has for a registry that is away', async () => {
    const broker = await startTestBroker(
      '',
      undefined,
      (text) =>
        `registries: ${JSON.stringify({ hosts: hosts() })}\n${offeringOn([{ package: elsewhere }])(text)}`,
    )
    const { services } = (await new Platform(broker).catalog()) as unknown as {
      readonly services: readonly { readonly name: string }[]
    }
    await broker.stop()

    expect(services.map(({ name }) => name)).toEqual(['local-moored-apb'])
  })
})

test.each<[string, string, object]>([
  [
    'half a certificate',
    'registries: {hosts: [{host: a.example, keyFile: k.pem}]}',
    { code: 'settings.invalid', detail: expect.stringContaining('a.example needs both') },
  ],
  [
    'a mirror that is no place',
    'registries: {hosts: [{host: a.example, mirrors: ["https://m.example"]}]}',
    { code: 'settings.invalid', detail: expect.stringContaining('host:port/folder') },
  ],
  [
    'a key that cannot be read',
    'registries: {hosts: [{host: a.example, certificateFile: c.pem, keyFile: none.pem}]}',
    { code: 'file.unreadable', detail: expect.stringContaining('c.pem') },
  ],
])('%s in the settings of a command is told before anything is asked', async (_, text, expected) => {
  const file = join(home, 'faulty.yml')
  writeFileSync(file, text)
  const failed = inspect('docker://a.example/app', '--registries', file)

  await expect(failed).rejects.toMatchObject({ problem: expected } as Partial<ProblemError>)
})

test.skipIf(missing !== undefined)('component versions go by the same settings', async () => {
  const words = ['ocm', 'get', `${registry.host}/mirror//example.org/none`]
  const refused = runCommand(registerOcm, words)
  await expect(refused).rejects.toMatchObject({ problem: { code: 'registry.unreachable' } })

  const answered = runCommand(registerOcm, [...words, '--registries', settings])
  await expect(answered).rejects.not.toMatchObject({ problem: { code: 'registry.unreachable' } })
})
