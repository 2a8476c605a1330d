/** Tables over archives and constructors: what must be found in them, and what must be refused. */
import { createWriteStream, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip, gunzipSync } from 'node:zlib'
import { packFolder } from '../../../src/artifacts/archive/pack-folder.ts'
import { tarEnd, tarHeader, tarPadding } from '../../../src/artifacts/archive/tar-writer.ts'
import { readConstructor } from '../../../src/artifacts/ocm/constructor.ts'
import { lookAt, treeOf } from '../../../src/authoring/ocm/look.ts'
import { build, verify } from '../../../src/authoring/ocm/make.ts'
import { describeProblem, ProblemError, toProblem } from '../../../src/model/problem.ts'
import { Archive } from '../../ocm/archive.ts'
import type { Verdict } from '../topic.ts'
import { json, type Judge, verdict } from './ocm-documents.ts'

export const archiveTables: Readonly<Record<string, Judge>> = {
  'ctf/mutations.json': mutations,
  'constructors/expected.json': constructors,
  'constructors/schema-cases.json': constructorShapes,
  'ctf/01/transport-archive/artifact-index.json': (file) => ofOtherTools(dirname(file)),
  'ctf/01/transport-archive.tar': ofOtherTools,
  'ctf/02/without-resource/artifact-index.json': (file) => ofOtherTools(dirname(file), 'read'),
  'ctf/component-archive-common/component-descriptor.yaml': (file) => ofOtherTools(dirname(file)),
  'e2e/authored/expected/expected.json': authoredVersions,
}

const place = { signal: new AbortController().signal }
const echo = 'example.org/chandler/echo'
const quiet = { progress: () => undefined }

/** The code of what is thrown, or "ok". */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'ok'
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return error.problem.code
  }
}

function checked(reference: string): Promise<unknown> {
  return verify({ reference, signatures: [], keys: [], roots: [], issuers: [], digestsOnly: true, ...quiet }, place)
}

/** Archives that other tools wrote are read, and whole where nothing of them lies in a registry. */
async function* ofOtherTools(archive: string, depth: 'read' | 'whole' = 'whole'): AsyncIterable<Verdict> {
  const name = `archive ${archive.split('/').slice(-2).join('/')}`
  yield verdict(`${name} is read`, await codeOf(lookAt(archive, place)), 'ok')
  if (depth === 'whole') yield verdict(`${name} is whole`, await codeOf(checked(archive)), 'ok')
}

async function* constructorShapes(file: string): AsyncIterable<Verdict> {
  const { cases } = json<{ cases: { id: string; document: unknown; valid: boolean }[] }>(file)
  for (const { id, document, valid } of cases) {
    const found = await codeOf(Promise.resolve().then(() => readConstructor(JSON.stringify(document), id, undefined)))
    yield verdict(`constructor ${id}`, found, valid ? 'ok' : 'ocm.constructor.invalid')
  }
}

interface Mutation {
  /** Changes the archive; answers where it is then. */
  readonly do: (archive: Archive) => Promise<string> | string
  readonly get: string
  readonly verify: string
}

const root = `//${echo}:1.0.0+b7`
const plain = (change: (archive: Archive) => void): Mutation['do'] => (archive) => {
  change(archive)
  return archive.folder
}

/** What is done, and what looking at it and verifying it then come to. */
export const mutated: Readonly<Record<string, Mutation>> = {
  'index-schema-2': { do: plain((one) => one.writeIndex({ ...one.index(), schemaVersion: 2 })), get: 'ocm.repository.invalid', verify: 'ocm.repository.invalid' },
  'index-missing': { do: plain((one) => rmSync(one.path('artifact-index.json'))), get: 'ocm.repository.invalid', verify: 'ocm.repository.invalid' },
  'index-unknown-field': { do: plain((one) => one.writeIndex({ ...one.index(), foo: 1 })), get: 'ok', verify: 'ok' },
  'index-media-type': {
    do: plain((one) => one.writeIndex({ ...one.index(), artifacts: one.index().artifacts.map((entry) => ({ ...entry, mediaType: 'application/vnd.oci.image.manifest.v1+json' })) })),
    get: 'ok',
    verify: 'ok',
  },
  'blob-missing': { do: plain((one) => rmSync(one.blob(one.entry('echo').digest))), get: 'artifact.not-found', verify: 'artifact.not-found' },
  'blob-corrupt': {
    do: plain((one) => writeFileSync(one.path('blobs/sha256.1d4da14f769dc061df9dcd408a936475c59a0848c7901850c5bcaed72f1bbe37'), 'sizes: {}\n\n\n\n\n\n')),
    get: 'ok',
    verify: 'artifact.altered',
  },
  'descriptor-name-mismatch': { do: plain((one) => one.replaceDescriptor('echo', one.descriptor('echo').replace(`name: ${echo}`, 'name: example.org/chandler/other'))), get: 'ocm.descriptor.invalid', verify: 'ocm.descriptor.invalid' },
  'reference-missing': {
    do: plain((one) => one.writeIndex({ ...one.index(), artifacts: one.index().artifacts.filter(({ repository }) => !repository.endsWith('/base')) })),
    get: 'ok',
    verify: 'ocm.reference.unresolved',
  },
  'reference-digest': {
    do: plain((one) => one.replaceDescriptor('base', one.descriptor('base').replace('value: 5891b5b5', 'value: 5891b5b6'))),
    get: 'ok',
    verify: 'ocm.digest.resource',
  },
  untagged: {
    do: plain((one) => one.writeIndex({ ...one.index(), artifacts: [...one.index().artifacts, { repository: 'component-descriptors/example.org/chandler/echo', digest: one.entry('base').digest }] })),
    get: 'ok',
    verify: 'ok',
  },
  'tag-plain-plus': {
    do: plain((one) => one.writeIndex({ ...one.index(), artifacts: one.index().artifacts.map((entry) => ({ ...entry, tag: entry.tag?.replace('.build-', '+') })) })),
    get: 'ocm.version.unknown',
    verify: 'ocm.version.unknown',
  },
  'nested-blob-path': {
    do: plain((one) => {
      mkdirSync(one.path('blobs/sha256'))
      for (const name of readdirSync(one.path('blobs')).filter((each) => each.startsWith('sha256.')))
        renameSync(one.path(`blobs/${name}`), one.path(`blobs/sha256/${name.slice('sha256.'.length)}`))
    }),
    get: 'ok',
    verify: 'ok',
  },
  'tar-order': { do: (one) => tarOf(one, (path) => (path === 'artifact-index.json' ? 1 : 0), ''), get: 'ok', verify: 'ok' },
  'tar-dot-slash': { do: (one) => tarOf(one, () => 0, './'), get: 'ok', verify: 'ok' },
  'tar-traversal': { do: (one) => tarOf(one, () => 0, '', { 'blobs/../../x': 'out' }), get: 'archive.path-unsafe', verify: 'archive.path-unsafe' },
  'tar-bomb': { do: bomb, get: 'archive.limit', verify: 'archive.limit' },
  'reference-cycle': {
    do: plain((one) =>
      one.replaceDescriptor('base', one.descriptor('base').replace('  references: []', `  references:\n  - name: back\n    version: 1.0.0+b7\n    componentName: ${echo}`)),
    ),
    get: 'ok',
    verify: 'ocm.reference.cycle',
  },
}

async function* mutations(file: string): AsyncIterable<Verdict> {
  const { cases } = json<{ cases: { id: string }[] }>(file)
  for (const { id } of cases) {
    const mutation = mutated[id]
    if (mutation === undefined) {
      yield { name: `archive ${id}`, outcome: 'failed', why: 'nothing does this to an archive' }
      continue
    }
    const folder = mkdtempSync(join(tmpdir(), 'chandler-ctf-'))
    try {
      const archive = new Archive(join(folder, 'ctf'), join(dirname(file), '../e2e/authored/ctf'))
      const where = await mutation.do(archive)
      const found = [await codeOf(lookAt(`${where}${root}`, place)), await codeOf(checked(`${where}${root}`))]
      yield verdict(`archive ${id}`, found, [mutation.get, mutation.verify])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** A tar with its entries in another order, under other names, or with more of them. */
async function tarOf(archive: Archive, order: (path: string) => number, prefix: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const files = ['artifact-index.json', ...archive.blobs().map((name) => `blobs/${name}`)].toSorted((a, b) => order(a) - order(b))
  const entries = [...files.map((path) => [path, readFileSync(archive.path(path))] as const), ...Object.entries(more).map(([path, text]) => [path, Buffer.from(text)] as const)]
  const to = `${archive.folder}.tar`
  const pieces = entries.flatMap(([path, bytes]) => [
    tarHeader({ kind: 'file', path: prefix + path, target: '', bytes: bytes.length, mode: 0o644, uid: 0, gid: 0, mtime: 0 }),
    bytes,
    tarPadding(bytes.length),
  ])
  writeFileSync(to, Buffer.concat([...pieces, tarEnd()]))
  return to
}

/** Zeros that would fill a disk, in a small archive. */
async function bomb(archive: Archive): Promise<string> {
  const to = `${archive.folder}.tgz`
  const zeros = async function* (): AsyncIterable<Uint8Array> {
    const piece = new Uint8Array(1024 * 1024)
    const bytes = 600 * piece.length
    yield tarHeader({ kind: 'file', path: `blobs/sha256.${'0'.repeat(64)}`, target: '', bytes, mode: 0o644, uid: 0, gid: 0, mtime: 0 })
    for (let i = 0; i < 600; i++) yield piece
    yield* packFolder(archive.folder, { mtime: 0 })
  }
  await pipeline(Readable.from(zeros()), createGzip(), createWriteStream(to))
  return to
}

interface ConstructorCase {
  readonly file: string
  readonly options?: readonly string[]
  readonly error?: string
  readonly expect?: {
    readonly component?: string
    readonly version?: string
    readonly references?: readonly unknown[]
    readonly digestPresent?: Readonly<Record<string, boolean>>
  }
}

async function* constructors(file: string): AsyncIterable<Verdict> {
  for (const { file: name, options = [], error, expect = {} } of json<{ cases: ConstructorCase[] }>(file).cases) {
    const to = join(mkdtempSync(join(tmpdir(), 'chandler-build-')), 'ctf')
    const source = join(dirname(file), name)
    const title = `constructor ${name} ${options.join(' ')}`.trim()
    try {
      await build(
        {
          file: source,
          to,
          overwrite: false,
          skipDigests: options.includes('--skip-digest-generation'),
          template: (text) => text,
          inputTemplate: (text) => text,
          values: {},
          ...(options.includes('--version') ? { version: options[options.indexOf('--version') + 1] ?? '' } : {}),
          ...quiet,
        },
        place,
      )
      const [version] = await lookAt(to, place)
      const found = {
        ...(expect.component === undefined ? {} : { component: version?.component, version: version?.version }),
        ...(expect.digestPresent === undefined
          ? {}
          : { digestPresent: Object.fromEntries((version?.resources ?? []).map((one) => [one.name, one.digest !== undefined])) }),
        ...(expect.references === undefined
          ? {}
          : { references: version?.references.map((one) => ({ name: one.name, version: one.version, componentName: one.component })) }),
      }
      const { component, version: wanted, digestPresent, references } = expect
      yield verdict(title, found, {
        ...(component === undefined ? {} : { component, version: wanted }),
        ...(digestPresent === undefined ? {} : { digestPresent }),
        ...(references === undefined ? {} : { references }),
      })
    } catch (caught) {
      const said = describeProblem(toProblem(caught)).replaceAll(source, `testdata/${name}`)
      if (error !== undefined && said.includes(error)) yield { name: title, outcome: 'passed' }
      else yield { name: title, outcome: 'failed', why: said }
    } finally {
      rmSync(dirname(to), { recursive: true, force: true })
    }
  }
}

interface Authored {
  readonly closure: readonly string[]
  readonly signatures: Readonly<Record<string, string>>
}

/** Both forms of the archive hold the same, and each signature gets its own verdict. */
async function* authoredVersions(file: string): AsyncIterable<Verdict> {
  const { closure, signatures } = json<Authored>(file)
  const base = join(dirname(file), '..')
  for (const archive of ['ctf', 'ctf.tgz']) {
    const reference = join(base, archive) + root
    const tree = await treeOf(reference, place)
    const names = (node: typeof tree): readonly string[] => [`${node.component}:${node.version}`, ...node.references.flatMap(names)]
    yield verdict(`${archive}: closure`, names(tree).toSorted(), closure)
    for (const [name, wanted] of Object.entries(signatures)) {
      const keys = [join(base, 'public-key.pem')]
      const found = await codeOf(verify({ reference, signatures: [name], keys, roots: [], issuers: [], digestsOnly: false, ...quiet }, place))
      yield verdict(`${archive}: signature ${name}`, found, codeFor(wanted))
    }
  }
  // What is packed is what lies in the folder.
  yield verdict('ctf.tgz is a tar', gunzipSync(readFileSync(join(base, 'ctf.tgz'))).toString('latin1', 257, 262), 'ustar')
}

function codeFor(wanted: string): string {
  if (wanted === 'valid') return 'ok'
  if (wanted.includes('does not match found digest')) return 'ocm.signature.digest'
  return wanted.includes('not found') ? 'ocm.signature.missing' : 'ocm.signature.value'
}
