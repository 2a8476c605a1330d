import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyPackage } from '../../src/artifacts/packages.ts'
import { download, lookAt, treeOf } from '../../src/authoring/ocm/look.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder, imageInLayout, writeTree } from '../support/image.ts'
import { installedProgram } from '../support/installed.ts'
import {
  registryMissing,
  registryPassword,
  registryUser,
  startRegistry,
  type TestRegistry,
} from '../support/registry.ts'
import { Archive } from './archive.ts'
import { codesOf, judge, keyPair, make, move, place, problemsOf, signAs } from './make.ts'

const missing = registryMissing() ?? ensurePrograms('openssl')
let home: string
let registry: TestRegistry
let image: string
const name = 'example.org/team/app'

beforeAll(async () => {
  home = freshFolder('ocm-registry')
  if (missing !== undefined) return
  registry = await startRegistry()
  const root = writeTree(join(home, 'root'), { hello: 'world' })
  const { reference } = await imageInLayout(join(home, 'layout'), 'one', { root })
  image = `${registry.host}/images/app:1`
  await copyPackage(
    { from: reference, to: `docker://${image}`, signal: place.signal, progress: () => undefined },
    { registries: {}, scratchFolder: join(home, 'scratch') },
  )
})
afterAll(async () => {
  await registry?.stop()
  rmSync(home, { recursive: true, force: true })
})

const component = (version: string, more: readonly object[] = [], references: readonly object[] = []) => ({
  name,
  version,
  provider: { name: 'example.org' },
  resources: [
    { name: 'words', type: 'plainText', input: { type: 'utf8', text: `words of ${version}` } },
    { name: 'image', type: 'ociImage', version, access: { type: 'ociArtifact', imageReference: image } },
    ...more,
  ],
  references,
})

describe.skipIf(missing !== undefined)('component versions in a registry', () => {
  test('are written, listed newest first, shown, signed where they lie, and verified', async () => {
    const to = `http://${registry.host}/listed`
    for (const version of ['1.0.0', '1.10.0', '1.9.0', '1.9.0+b1'])
      await make(home, to, component(version) as never)
    const { key, pub } = keyPair(home, 'registry')
    await signAs(`${to}//${name}:1.9.0+b1`, 'acme', key)

    expect((await lookAt(`${to}//${name}`, place)).map(({ version }) => version)).toEqual([
      '1.10.0',
      expect.stringMatching(/^1\.9\.0/),
      expect.stringMatching(/^1\.9\.0/),
      '1.0.0',
    ])
    expect(
      (await judge(`${to}//${name}:1.9.0+b1`, { signatures: ['acme'], keys: [pub] })).versions,
    ).toMatchObject([{ resources: 2, unprotected: [] }])
    expect(await codesOf(lookAt(`${to}//${name}:2.0.0`, place))).toEqual(['ocm.version.unknown'])
    expect(await codesOf(lookAt(to, place))).toEqual(['ocm.reference.invalid'])
  })

  test('are found however their names were mapped', async () => {
    const hashed = JSON.stringify({
      type: 'OCIRegistry',
      baseUrl: `http://${registry.host}`,
      subPath: 'mapped',
      componentNameMapping: 'sha256-digest',
    })
    await make(home, hashed, component('1.0.0') as never)

    expect(await lookAt(`${hashed}//${name}`, place)).toMatchObject([{ version: '1.0.0' }])
    expect(await lookAt(`http://${registry.host}/mapped//${name}:1.0.0`, place)).toMatchObject([
      { version: '1.0.0' },
    ])
  })

  test('go to an archive by value, and need their registry no more; signatures stay valid', async () => {
    const folder = join(home, 'signed')
    await make(home, folder, component('2.0.0') as never)
    const { key, pub } = keyPair(home, 'value')
    await signAs(folder, 'acme', key)
    const away = join(home, 'airgap.tgz')
    await move(`${folder}//${name}:2.0.0`, away, { byValue: true })
    const [version] = await lookAt(away, place)

    expect(version?.resources.map(({ access }) => access.split(' ')[0])).toEqual(['localBlob', 'localBlob'])
    expect((await judge(away, { signatures: ['acme'], keys: [pub] })).versions[0]?.resources).toBe(2)
    const file = join(home, 'image.tgz')
    expect(await download({ reference: away, pattern: { name: 'image' }, to: file }, place)).toMatchObject({
      mediaType: 'application/vnd.oci.image.manifest.v1+tar+gzip',
    })
    // And back into a registry, from which the same is fetched.
    await move(away, `http://${registry.host}/back`)
    expect(
      (await judge(`http://${registry.host}/back//${name}:2.0.0`, { signatures: ['acme'], keys: [pub] }))
        .signatures,
    ).toHaveLength(1)
  })

  test('are refused by value when what lies elsewhere has changed', async () => {
    const folder = join(home, 'moved-on')
    await make(home, folder, component('3.0.0') as never)
    const archive = new Archive(join(home, 'moved-on-copy'), folder)
    archive.replaceDescriptor(
      'app',
      archive.descriptor('app').replace(/("ociArtifactDigest\/v1",\s*"value": ")../, '$100'),
    )

    expect(
      await codesOf(move(`${archive.folder}//${name}:3.0.0`, join(home, 'never.tgz'), { byValue: true })),
    ).toEqual(['ocm.digest.resource'])
    expect(readdirSync(home).filter((one) => one.includes('never'))).toEqual([])
  })

  test('are not replaced by others of their name, unless that is wanted', async () => {
    const folder = join(home, 'first')
    const other = join(home, 'second')
    const to = `http://${registry.host}/taken`
    await make(home, folder, component('1.0.0') as never)
    await make(
      home,
      other,
      component('1.0.0', [
        { name: 'more', type: 'plainText', input: { type: 'utf8', text: 'more' } },
      ]) as never,
    )
    await move(folder, to)

    expect((await move(folder, to)).map(({ present }) => present)).toEqual([true])
    expect(await codesOf(move(other, to))).toEqual(['ocm.version.exists'])
    expect((await move(other, to, { overwrite: true })).map(({ present }) => present)).toEqual([false])
  })

  test('are a tree over repositories, where one says where to look', async () => {
    const low = join(home, 'low')
    const high = join(home, 'high')
    await make(home, low, { ...component('1.0.0'), name: 'example.org/team/low' } as never)
    await make(
      home,
      high,
      component(
        '1.0.0',
        [],
        [{ name: 'low', componentName: 'example.org/team/low', version: '1.0.0' }],
      ) as never,
    )

    expect(await codesOf(treeOf(high, place))).toEqual(['ocm.reference.unresolved'])
    expect(await treeOf(high, { ...place, lookup: [low] })).toMatchObject({
      references: [{ component: 'example.org/team/low' }],
    })
    const config = join(home, 'resolving.ocmconfig')
    const resolver = {
      repository: { type: 'CommonTransportFormat', filePath: low },
      prefix: 'example.org/team',
    }
    writeFileSync(config, JSON.stringify({ type: 'ocm.config.ocm.software', resolvers: [resolver] }))
    expect(await treeOf(high, { ...place, config })).toMatchObject({ references: [{ version: '1.0.0' }] })
  })

  test('are reached with the credentials of a configuration of OCM', async () => {
    const guarded = await startRegistry({ auth: 'password' })
    try {
      const [hostname, port] = guarded.host.split(':')
      const consumer = {
        identity: { type: 'OCIRegistry', hostname, port },
        credentials: [
          { type: 'Credentials', properties: { username: registryUser, password: registryPassword } },
        ],
      }
      const config = join(home, 'guarded.ocmconfig')
      writeFileSync(
        config,
        JSON.stringify({ type: 'credentials.config.ocm.software', consumers: [consumer] }),
      )
      const { transfer } = await import('../../src/authoring/ocm/make.ts')
      const folder = join(home, 'for-guarded')
      await make(home, folder, component('1.0.0') as never)
      const how = {
        recursive: true,
        byValue: false,
        keepGlobalAccess: false,
        overwrite: false,
        progress: () => undefined,
      }

      expect(
        await codesOf(transfer({ from: folder, to: `http://${guarded.host}/team`, ...how }, place)),
      ).toEqual(['registry.unauthorized'])
      expect(
        await transfer({ from: folder, to: `http://${guarded.host}/team`, ...how }, { ...place, config }),
      ).toMatchObject([{ present: false }])
      expect(await lookAt(`http://${guarded.host}/team//${name}:1.0.0`, { ...place, config })).toMatchObject([
        { version: '1.0.0' },
      ])
    } finally {
      await guarded.stop()
    }
  })
})

describe.skipIf(missing !== undefined)('content', () => {
  test.each<[string, () => object, readonly string[]]>([
    ['of an S3 bucket', () => ({ type: 's3', bucketName: 'b', objectKey: 'k' }), ['ocm.access.unsupported']],
    [
      'of a Maven repository',
      () => ({ type: 'maven', repoUrl: 'https://repo.example', groupId: 'g', artifactId: 'a', version: '1' }),
      ['ocm.access.unsupported'],
    ],
    [
      'of a type that nobody knows',
      () => ({ type: 'carrierPigeon/v7', ring: 'x' }),
      ['ocm.access.unsupported'],
    ],
    [
      'of a chart in a registry',
      () => ({ type: 'helm', helmRepository: `oci://${registry.host}/images`, helmChart: 'app:1' }),
      [],
    ],
    [
      'of an image without a path',
      () => ({ type: 'ociArtifact', imageReference: '' }),
      ['ocm.access.invalid'],
    ],
    ['of an older spelling', () => ({ type: 'ociRegistry', imageReference: image }), []],
    ['of nothing', () => ({ type: 'none' }), []],
    [
      'of a repository without its commit',
      () => ({ type: 'gitHub', repoUrl: 'github.com/a/b' }),
      ['ocm.access.invalid'],
    ],
    [
      'of an address with a header',
      () => ({ type: 'wget', url: 'https://h.example/x', header: { a: ['b'] } }),
      ['ocm.access.unsupported'],
    ],
    [
      'of a file by the address',
      () => ({ type: 'wget', url: 'file:///etc/passwd' }),
      ['ocm.access.invalid', 'reference.invalid'],
    ],
    [
      'of a file on the machine of its maker',
      () => ({
        type: 'ocm',
        ocmRepository: { type: 'ctf', filePath: '/etc' },
        resourceRef: { resource: { name: 'x' } },
      }),
      ['ocm.access.unsupported'],
    ],
  ])('%s is fetched or named', async (what, access, codes) => {
    const folder = join(home, `access-${what.replaceAll(/\W+/g, '-')}`)
    const resource = { name: 'there', type: 'blob', version: '1.0.0', access: access() }
    await make(
      home,
      folder,
      { name, version: '1.0.0', provider: { name: 'x' }, resources: [resource] } as never,
      { skipDigests: true },
    )
    const found = await problemsOf(judge(folder, { digestsOnly: true }))

    expect(found.every(({ code }) => codes.includes(code))).toBe(true)
    expect(found.length > 0).toBe(codes.length > 0)
  })

  test('of an address is fetched, and of another version', async () => {
    const server = createServer((_, response) => response.end('from the web'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`
      const to = `http://${registry.host}/web`
      await make(home, to, {
        name,
        version: '1.0.0',
        provider: { name: 'x' },
        resources: [{ name: 'web', type: 'blob', version: '1.0.0', access: { type: 'wget', url } }],
      } as never)
      const pointing = {
        type: 'ocm',
        ocmRepository: { type: 'OCIRegistry', baseUrl: `http://${registry.host}/web` },
        component: name,
        version: '1.0.0',
        resourceRef: { resource: { name: 'web' } },
      }
      const folder = join(home, 'pointing')
      await make(home, folder, {
        name,
        version: '2.0.0',
        provider: { name: 'x' },
        resources: [{ name: 'there', type: 'blob', version: '1.0.0', access: pointing }],
      } as never)
      const file = join(home, 'fetched')
      await download({ reference: folder, pattern: { name: 'there' }, to: file }, place)

      expect(readFileSync(file, 'utf8')).toBe('from the web')
      const open = join(home, 'open')
      const access = { type: 'wget', url: 'http://web.example/x' }
      const resources = [{ name: 'web', type: 'blob', version: '1.0.0', access }]
      await make(home, open, { name, version: '1.0.0', provider: { name: 'x' }, resources } as never, {
        skipDigests: true,
      })
      expect(await codesOf(download({ reference: open, pattern: { name: 'web' }, to: file }, place))).toEqual(
        ['registry.insecure'],
      )
    } finally {
      server.close()
    }
  })
})

describe.skipIf(missing !== undefined)('kill -9 during a transfer', () => {
  test.each(['directory', 'tgz', 'registry'])(
    'to a %s: the next one goes on, and what is visible is whole',
    async (kind) => {
      const folder = join(home, `large-${kind}`)
      mkdirSync(folder)
      const parts = Array.from({ length: 6 }, (_, i) => {
        const file = join(folder, `part-${i}`)
        writeFileSync(file, Buffer.alloc(8 * 1024 * 1024, i + 1))
        return { name: `part-${i}`, type: 'blob', input: { type: 'file', path: file } }
      })
      const from = join(folder, 'from')
      await make(folder, from, { name, version: '1.0.0', provider: { name: 'x' }, resources: parts } as never)
      const to =
        kind === 'registry' ? `http://${registry.host}/large` : join(folder, kind === 'tgz' ? 'to.tgz' : 'to')
      const program = installedProgram()
      for (const patience of [150, 300, 450]) {
        const child = spawn(process.execPath, [program, 'ocm', 'transfer', from, '--to', to], {
          stdio: 'ignore',
        })
        const gone = new Promise((resolve) => child.once('exit', resolve))
        await new Promise((resolve) => setTimeout(resolve, patience))
        child.kill('SIGKILL')
        await gone
        const found = await codesOf(
          judge(kind === 'registry' ? `${to}//${name}:1.0.0` : to, { digestsOnly: true }),
        )
        expect([
          [],
          ['ocm.version.unknown'],
          ['ocm.repository.invalid'],
          ['artifact.not-found'],
        ]).toContainEqual(found)
      }
      await move(from, to)

      expect((await judge(`${to}//${name}:1.0.0`, { digestsOnly: true })).versions).toMatchObject([
        { resources: 6 },
      ])
      expect(readdirSync(folder).filter((one) => one.includes('.parts'))).toEqual([])
      if (kind === 'tgz') expect(statSync(to).isFile()).toBe(true)
    },
  )
})
