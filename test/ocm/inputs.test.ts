/** What a constructor takes its content from: packages and charts of repositories, files of the web, templates with libraries. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tarEnd, tarHeader, tarPadding } from '../../src/artifacts/archive/tar-writer.ts'
import { download, lookAt } from '../../src/authoring/ocm/look.ts'
import { build } from '../../src/authoring/ocm/make.ts'
import { spiffTemplate, templateFor } from '../../src/cli/ocm/options.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import { freshFolder } from '../support/image.ts'
import { codesOf, judge, place, problemsOf } from './make.ts'

let home: string
let server: Server
let base: string
let count = 0

const chart = gzipSync(
  Buffer.concat([
    ...tarFile('app/Chart.yaml', 'apiVersion: v2\nname: app\nversion: 1.2.3+b4\n'),
    ...tarFile('app/values.yaml', 'size: 1\n'),
    tarEnd(),
  ]),
)
const tarball = Buffer.from('a tarball of npm')
const files: Readonly<Record<string, string | Buffer>> = {
  '/file.txt': 'from the web',
  '/charts/index.yaml':
    'apiVersion: v1\nentries:\n  app:\n  - {version: 1.2.3, urls: [files/app.tgz]}\n  bad:\n  - {version: 1.2.3, urls: ["file:///etc/passwd"]}\n',
  '/charts/files/app.tgz': chart,
  '/maven/org/acme/tool/1.0/tool-1.0-all.jar': 'a jar',
  '/npm/tarballs/lib.tgz': tarball,
}

function tarFile(path: string, text: string): readonly Uint8Array[] {
  const bytes = Buffer.from(text)
  const head = {
    kind: 'file',
    path,
    target: '',
    bytes: bytes.length,
    mode: 0o644,
    uid: 0,
    gid: 0,
    mtime: 0,
  } as const
  return [tarHeader(head), bytes, tarPadding(bytes.length)]
}

beforeAll(async () => {
  home = freshFolder('ocm-inputs')
  const integrity = (bytes: Buffer) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  server = createServer(({ url = '' }, response) => {
    const [, lied] = /^\/npm\/(?:%40scope%2F|@scope%2F)?(lib|lied)\/1\.0\.0$/.exec(url) ?? []
    const dist = {
      tarball: `${base}/npm/tarballs/lib.tgz`,
      integrity: integrity(lied === 'lied' ? chart : tarball),
    }
    const found = lied === undefined ? files[url] : JSON.stringify({ name: 'lib', dist })
    response.statusCode = found === undefined ? 404 : 200
    response.end(found ?? '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.close()
  rmSync(home, { recursive: true, force: true })
})

/** Builds a component of one resource; answers its archive. */
async function made(resource: JsonObject): Promise<string> {
  const folder = join(home, `made-${++count}`)
  mkdirSync(folder)
  const file = join(home, 'constructor.yaml')
  const document = { name: 'example.org/test/inputs', version: '1.0.0', provider: { name: 'x' } }
  writeFileSync(file, JSON.stringify({ ...document, resources: [{ name: 'it', type: 'blob', ...resource }] }))
  const to = join(folder, 'ctf')
  await build(
    {
      file,
      to,
      overwrite: false,
      skipDigests: false,
      template: (text) => text,
      inputTemplate: await spiffTemplate(),
      values: { who: 'world' },
      progress: () => undefined,
    },
    place,
  )
  return to
}

async function resourceIn(archive: string): Promise<JsonObject> {
  const [shown] = await lookAt(archive, place)
  const document = shown?.descriptor as { component?: { resources: readonly JsonObject[] } } | undefined
  return document?.component?.resources[0] ?? {}
}

async function contentIn(archive: string): Promise<Buffer> {
  const to = `${archive}-it`
  await download({ reference: archive, pattern: { name: 'it' }, to }, place)
  return readFileSync(to)
}

const fetched: readonly (readonly [string, () => JsonObject, string | Buffer])[] = [
  ['a file of the web', () => ({ type: 'wget', url: `${base}/file.txt` }), 'from the web'],
  [
    'a file of a Maven repository',
    () => ({
      type: 'maven',
      repoUrl: `${base}/maven`,
      groupId: 'org.acme',
      artifactId: 'tool',
      version: '1.0',
      classifier: 'all',
      extension: 'jar',
    }),
    'a jar',
  ],
  [
    'a package of npm',
    () => ({ type: 'npm', registry: `${base}/npm`, package: 'lib', version: '1.0.0' }),
    tarball,
  ],
  [
    'a package of npm with a scope',
    () => ({ type: 'npm', registry: `${base}/npm/`, package: '@scope/lib', version: '1.0.0' }),
    tarball,
  ],
]

describe.each(fetched)('%s', (_, spec, bytes) => {
  test('becomes a blob of the version as an input, and is fetched as an access', async () => {
    const stored = await made({ input: spec() })
    const linked = await made({ version: '1.0.0', access: spec() })

    expect(await contentIn(stored)).toEqual(Buffer.from(bytes))
    expect(await contentIn(linked)).toEqual(Buffer.from(bytes))
    for (const archive of [stored, linked])
      expect(await codesOf(judge(archive, { digestsOnly: true }))).toEqual([])
  })
})

test('a chart is the same artifact from a folder of files, an archive and a repository', async () => {
  writeFileSync(join(home, 'app.tgz'), chart)
  const archives = [
    await made({ input: { type: 'helm', path: 'app.tgz' } }),
    await made({ input: { type: 'helm', path: 'app', helmRepository: `${base}/charts`, version: '1.2.3' } }),
  ]
  const digests = await Promise.all(archives.map(resourceIn))

  expect(digests.map(({ digest }) => digest)).toEqual([
    { hashAlgorithm: 'SHA-256', normalisationAlgorithm: 'ociArtifactDigest/v1', value: expect.any(String) },
    digests[0]?.['digest'],
  ])
  expect(digests[0]?.['access']).toMatchObject({
    type: 'localBlob',
    mediaType: 'application/vnd.oci.image.manifest.v1+tar+gzip',
    referenceName: 'example.org/test/inputs/app:1.2.3_b4',
  })
  mkdirSync(join(home, 'folder'))
  writeFileSync(join(home, 'folder/Chart.yaml'), 'apiVersion: v2\nname: app\nversion: 2.0.0\n')
  const folder = await made({ input: { type: 'helm', path: 'folder', repository: '/charts/app:2' } })
  expect((await resourceIn(folder))['access']).toMatchObject({
    referenceName: 'charts/app:2',
  })
  for (const archive of [...archives, folder])
    expect(await codesOf(judge(archive, { digestsOnly: true }))).toEqual([])
})

test('a chart of a repository is fetched as an access', async () => {
  const access = { type: 'helm', helmRepository: `${base}/charts`, helmChart: 'app:1.2.3' }
  expect(await contentIn(await made({ version: '1.0.0', access }))).toEqual(chart)
})

test('a template sees its libraries, what it is given and what all are given', async () => {
  writeFileSync(
    join(home, 'template.yaml'),
    'hello: (( values.who ))\nby: (( inputvalues.by ))\nword: none\n',
  )
  writeFileSync(join(home, 'library.yaml'), 'word: library\n')
  const spec = { type: 'spiff', path: 'template.yaml', values: { by: 'me' }, libraries: ['library.yaml'] }

  expect((await contentIn(await made({ input: spec }))).toString()).toBe(
    'by: me\nhello: world\nword: library\n',
  )
})

test('a folder holds what is included wherever it lies, and nothing that is excluded', async () => {
  mkdirSync(join(home, 'tree/sub'), { recursive: true })
  for (const name of ['a.txt', 'b.md', 'sub/c.txt', 'sub/d.txt'])
    writeFileSync(join(home, 'tree', name), name)
  const spec = { type: 'dir', path: 'tree', includeFiles: ['\\.txt$'], excludeFiles: ['d\\.txt$'] }
  const tar = (await contentIn(await made({ input: spec }))).toString('latin1')

  expect(['a.txt', 'b.md', 'sub/c.txt', 'sub/d.txt'].map((name) => tar.includes(name))).toEqual([
    true,
    false,
    true,
    false,
  ])
})

test.each<[string, () => JsonObject, string, string]>([
  [
    'an image of a daemon',
    () => ({ type: 'docker', path: 'app:1' }),
    'ocm.constructor.invalid',
    'docker at app:1',
  ],
  [
    'images of a daemon',
    () => ({ type: 'dockermulti', variants: [] }),
    'ocm.constructor.invalid',
    'dockermulti',
  ],
  [
    'a repository of git',
    () => ({ type: 'git', repository: 'https://h.example/x' }),
    'ocm.constructor.invalid',
    'git at https://h.example/x',
  ],
  ['a bucket', () => ({ type: 's3', bucketName: 'b', objectKey: 'k' }), 'ocm.constructor.invalid', 's3 at b'],
  [
    'a kind that nobody knows',
    () => ({ type: 'carrierPigeon', path: 'ring' }),
    'ocm.constructor.invalid',
    'carrierPigeon at ring',
  ],
  [
    'a package that is not there',
    () => ({ type: 'npm', registry: `${base}/npm`, package: 'none', version: '1.0.0' }),
    'artifact.not-found',
    '',
  ],
  [
    'a package that its registry lies about',
    () => ({ type: 'npm', registry: `${base}/npm`, package: 'lied', version: '1.0.0' }),
    'artifact.altered',
    'lied@1.0.0',
  ],
  [
    'all files of a Maven version',
    () => ({ type: 'maven', repoUrl: `${base}/maven`, groupId: 'g', artifactId: 'a', version: '1' }),
    'ocm.access.unsupported',
    'maven at',
  ],
  [
    'a Maven path that climbs out',
    () => ({
      type: 'maven',
      repoUrl: `${base}/maven`,
      groupId: 'g',
      artifactId: '../../x',
      version: '1',
      extension: 'jar',
    }),
    'ocm.access.invalid',
    'maven at',
  ],
  [
    'a chart that leads to a file',
    () => ({ type: 'helm', helmRepository: `${base}/charts`, path: 'bad', version: '1.2.3' }),
    'ocm.access.unsupported',
    'file:///etc/passwd',
  ],
  [
    'a chart that is not there',
    () => ({ type: 'helm', helmRepository: `${base}/charts`, path: 'app', version: '9.9.9' }),
    'artifact.not-found',
    'app:9.9.9',
  ],
  [
    'a chart without its description',
    () => ({ type: 'helm', path: 'tree' }),
    'ocm.constructor.invalid',
    'Chart.yaml is missing',
  ],
])('%s is refused, by type and place', async (_, spec, code, said) => {
  mkdirSync(join(home, 'tree'), { recursive: true })
  const [problem, ...others] = await problemsOf(made({ input: spec() }))

  expect([problem?.code, others]).toEqual([code, []])
  expect(problem?.detail ?? '').toContain(said)
})

test('templates of Go are refused with what to do instead', async () => {
  const [problem] = await problemsOf(templateFor('go'))
  expect(problem).toMatchObject({ code: 'usage.invalid', hint: expect.stringContaining('subst or spiff') })
})
