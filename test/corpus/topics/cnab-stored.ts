/** Judges of what lies outside of a bundle: indexes of registries, claim stores, drivers. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { asTheyAre, openClaimFiles } from '../../../src/local/cnab/claim-files.ts'
import { callDriver, findDriver, refuseUnhandled, typesHandledBy } from '../../../src/local/cnab/command-driver.ts'
import { modifies, runsOf } from '../../../src/contracts/cnab/installation/records.ts'
import { byId, isOver, startOf, stateOf, statusOfResults } from '../../../src/contracts/cnab/history.ts'
import { flattenedName } from '../../../src/contracts/cnab/image-name.ts'
import {
  bundleIndexOf,
  configBlobOf,
  configManifestsOf,
  readBundleIndex,
  relocationOf,
} from '../../../src/contracts/cnab/oci-form.ts'
import { readOperation } from '../../../src/contracts/cnab/operation.ts'
import { relocationIn } from '../../../src/contracts/cnab/source.ts'
import { digestOf } from '../../../src/kit/hash.ts'
import type { JsonObject } from '../../../src/kit/json.ts'
import { toProblem } from '../../../src/model/problem.ts'
import type { Got } from '../../../src/model/report.ts'
import type { Verdict } from '../topic.ts'
import type { Judge } from './cnab.ts'
import { bundleOf, compare, corpusOf, load, type Row } from './cnab-verdict.ts'

export const storedTables: Readonly<Record<string, Judge>> = {
  'relocation.json': relocations,
  'command-driver.json': drivers,
}

function* relocations(file: string): Iterable<Verdict> {
  const table = load(file)
  const at = (path: string): Buffer => readFileSync(join(corpusOf(file), path))
  const { mapping, invocationImage, expectRunImage } = table.specExample
  const read = relocationIn(Buffer.from(JSON.stringify(mapping)))
  yield compare(file, 'the image that is run', expectRunImage, read.relocation[invocationImage])
  yield* indexesRead(file, table, at)
  yield* indexesMade(file, table, at)
  for (const [name, { file: path, bytes, sha256 }] of documents(table)) {
    const content = at(path)
    yield compare(file, `bytes of ${name}`, [bytes, `sha256:${sha256}`], [content.length, digestOf(content)])
  }
  for (const { prefix, image, expect } of table.flattenedNames.cases)
    yield compare(file, `flattened ${image}`, expect, flattenedName(prefix, image))
}

function documents({ digests: { about: _, ...files } }: Row): readonly (readonly [string, Row])[] {
  return Object.entries(files)
}

type At = (path: string) => Buffer

/** The table's changes, made to an index. */
const readerChanges: Readonly<Record<string, (index: Row) => void>> = {
  'a manifests entry without annotation io.cnab.manifest.type': (index) => {
    delete index.manifests[1].annotations['io.cnab.manifest.type']
  },
  'io.cnab.manifest.type=component without io.cnab.component.name': (index) => {
    delete index.manifests[2].annotations['io.cnab.component.name']
  },
  'io.cnab.component.name names an image the bundle lacks': (index) => {
    index.manifests[2].annotations['io.cnab.component.name'] = 'ghost'
  },
  'io.cnab.manifest.type=other': (index) => {
    index.manifests[1].annotations['io.cnab.manifest.type'] = 'other'
  },
  'mediaType of a manifests entry not an OCI/Docker manifest or index/list': (index) => {
    index.manifests[1].mediaType = 'text/plain'
  },
  'no entry of type config': (index) => {
    index.manifests.shift()
  },
}

function* indexesRead(file: string, { fromIndex }: Row, at: At): Iterable<Verdict> {
  const bundle: JsonObject = JSON.parse(String(at(fromIndex.bundle)))
  const repository = String(fromIndex.pulledFrom).replace(/:[^/:]*$/, '')
  const judge = (index: Row) => relocationOf(bundle, readBundleIndex(index), repository)
  const plain = judge(JSON.parse(String(at(fromIndex.index))))
  yield compare(file, 'the map of an index', fromIndex.expect, plain.relocation)
  for (const { change, message = '' } of fromIndex.errors) {
    const index = JSON.parse(String(at(fromIndex.index)))
    readerChanges[change]?.(index)
    const said = judge(index).problems.map(({ detail }) => detail ?? '')
    yield compare(file, change, true, change in readerChanges && said.some((one) => one.includes(message)))
  }
}

const writerChanges: Readonly<Record<string, (order: Row) => void>> = {
  'relocation value for the invocation image in another repository': ({ relocation, names }) => {
    relocation[names[0]] = relocation[names[0]].replace('namespace/', 'elsewhere/')
  },
  'relocation value without digest': ({ relocation, names }) => {
    relocation[names[0]] = relocation[names[0]].replace(/@.*/, ':1')
  },
  'invocationImages[0].size = 0': ({ bundle }) => {
    bundle.invocationImages[0].size = 0
  },
  'two invocation images': ({ bundle }) => {
    bundle.invocationImages.push(bundle.invocationImages[0])
  },
  'mediaType some-invalid-mediatype': ({ bundle }) => {
    bundle.invocationImages[0].mediaType = 'some-invalid-mediatype'
  },
}

function* indexesMade(file: string, { fromIndex, toIndex, digests }: Row, at: At): Iterable<Verdict> {
  const repository = String(fromIndex.pulledFrom).replace(/:[^/:]*$/, '')
  const order = () => {
    const bundle = JSON.parse(String(at(fromIndex.bundle)))
    const [manifest] = configManifestsOf(configBlobOf(bundle))
    const bytes = manifest?.bytes ?? new Uint8Array()
    return {
      bundle,
      names: [bundle.invocationImages[0].image],
      relocation: { ...fromIndex.expect },
      repository,
      configManifest: { mediaType: manifest?.mediaType ?? '', digest: digestOf(bytes), size: bytes.length },
    }
  }
  const made = bundleIndexOf(order())
  const text = made.kind === 'index' ? Buffer.from(made.documents[0].bytes).toString() : ''
  yield compare(file, 'the index, byte for byte', String(at(digests.index.file)), text)
  for (const { change, message } of toIndex.errors) {
    const changed = order()
    writerChanges[change]?.(changed)
    const wrong = bundleIndexOf(changed)
    const said = wrong.kind === 'refused' ? wrong.problems.map(({ detail }) => detail).join('\n') : ''
    yield compare(file, change, true, said.includes(message))
  }
}

async function* drivers(file: string): AsyncIterable<Verdict> {
  const table = load(file)
  const folder = mkdtempSync(join(tmpdir(), 'cnab-drivers-'))
  try {
    yield* driverNames(file, folder)
    yield* handledTypes(file, table, folder)
    for (const path of table.operationFiles ?? []) {
      const place = join(corpusOf(file), path)
      if (existsSync(place)) yield compare(file, path, 'read', readOperation(readFileSync(place)).kind)
    }
    for (const row of table.run.cases) yield await runCase(file, table, { row, folder })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function* driverNames(file: string, folder: string): Iterable<Verdict> {
  const path = program(folder, 'cnab-lower', 'true')
  yield compare(file, 'names are lower case', path, findDriver('LOWER', { PATH: folder }))
  yield compare(file, 'absolute paths are taken', path, findDriver(path, { PATH: '' }))
}

async function* handledTypes(file: string, { handles }: Row, folder: string): AsyncIterable<Verdict> {
  const good = await typesHandledBy(program(folder, 'cnab-good', `printf '${handles.stdout.trim()}\\n'`))
  for (const { type, expect } of handles.cases)
    yield compare(file, `handles ${type}`, expect, good.includes(type))
  const bad = await typesHandledBy(program(folder, 'cnab-bad', 'echo oci; exit 1'))
  yield compare(file, 'a driver that fails handles nothing', [], bad)
}

function program(folder: string, name: string, script: string): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

async function runCase(
  file: string,
  { run, environmentOfDriver }: Row,
  { row, folder }: { readonly row: Row; readonly folder: string },
): Promise<Verdict> {
  const writes = Object.entries(row.writes as Record<string, string>).map(
    ([path, text]) => `printf '%b' '${text.replaceAll('\n', '\\n')}' > "$CNAB_OUTPUT_DIR/${path}"`,
  )
  // What the table says of the environment fails the run when it is not so. Other tools add what a bundle names; here
  // that stays out of it, for a driver is a program of the host.
  const demands =
    environmentOfDriver === undefined
      ? []
      : ['test "$CNAB_VARS" = CNAB_OUTPUT_DIR && test -z "$MINE" && test -n "$PATH" || exit 99']
  const lines = ['if [ "$1" = --handles ]; then echo oci; exit; fi', 'cat > /dev/null', ...demands, ...writes]
  const path = program(folder, `cnab-${row.id}`, [...lines, `exit ${row.exit}`].join('\n'))
  const outputs = Object.entries(run.outputs as Record<string, string>)
  const bundle = bundleOf({
    invocationImages: [{ image: 'example/a:1' }],
    definitions: { text: { type: 'string' } },
    outputs: Object.fromEntries(outputs.map(([place, name]) => [name, { definition: 'text', path: place }])),
  })
  const claim = {
    id: '01',
    installation: 'i',
    revision: '01',
    action: 'install',
    bundle: {},
    created: '',
    parameters: {},
  }
  const job = {
    program: { kind: 'image', reference: 'docker://example/a:1', digest: `sha256:${'a'.repeat(64)}` },
    steps: [
      {
        name: 'install',
        command: { kind: 'exec', argv: ['/cnab/app/run'] },
        environment: { MINE: 'yes' },
        streams: { kind: 'merged' },
      },
    ],
    files: [],
    folders: [],
    wants: outputs.map(([place, name]) => ({ kind: 'file', name, path: place, bytesMax: 1000 }) as const),
    needs: { cluster: 'none', network: 'default', readOnlyRoot: false },
    limits: { seconds: 60, graceSeconds: 1, memoryBytes: 1, processes: 1, cpus: 1, logBytes: 1, diskBytes: 1 },
  } as const
  const quiet = { signal: new AbortController().signal, log: async () => undefined }
  try {
    await refuseUnhandled(path, [bundle])
    const report = await callDriver(path, { job, about: { bundle, claim }, ...quiet })
    const got = Object.fromEntries([...report.got].flatMap(([name, one]) => textOf(name, one)))
    const failed = report.steps[0]?.exit !== 0
    // A run that fails gives what it wrote, too: the table wishes for it.
    const expect = row.expect ?? { output1: row.writes['cnab/app/outputs/output1'] }
    return compare(file, row.id, [expect, row.expectError === true], [got, failed])
  } catch (error) {
    return compare(file, row.id, row.expect, toProblem(error).detail)
  }
}

function textOf(name: string, got: Got): readonly (readonly [string, string])[] {
  return got.kind === 'bytes' ? [[name, Buffer.from(got.bytes).toString()]] : []
}

/** A store that another tool wrote: its runs, and what they come to. */
export function* judgeStore(file: string, { cases }: Row): Iterable<Verdict> {
  const store = join(corpusOf(file), 'claims', 'store')
  if (!existsSync(store)) return
  const files = openClaimFiles(store, asTheyAre)
  for (const { installation, runs, show, state, status } of cases) {
    const there = [...runsOf(files, installation)].sort((a, b) => byId(a.claim, b.claim))
    const found = there.toReversed().map(({ claim, results }) => {
      const last = results.at(-1)
      const over = last !== undefined && isOver(last.status)
      return {
        id: claim.id,
        version: claim.bundle['version'],
        action: claim.action,
        started: startOf({ claim, results }),
        stopped: over ? last.created : null,
        // The table's tool leaves out the word that the specification has for this.
        status: last === undefined ? '' : statusOfResults(results),
      }
    })
    yield compare(file, `runs of ${installation}`, load(join(corpusOf(file), runs)), found)
    const expected = load(join(corpusOf(file), show))
    const now = stateOf(there, modifies)
    yield compare(
      file,
      `state of ${installation}`,
      [expected.status.installed, expected.status.uninstalled, expected._calculated.displayInstallationState],
      [now.installed ?? null, now.uninstalled ?? null, now.state],
    )
    const last = now.last?.results ?? []
    if (state !== undefined)
      yield compare(file, `end of ${installation}`, [state, status], [now.state, statusOfResults(last)])
    yield compare(file, `bundle of ${basename(installation)}`, expected.status.runId, now.last?.claim.id)
  }
}
