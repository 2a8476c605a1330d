/** The archives of the brokerpak corpus: hostile ones are refused, a good one is installed where it must be. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ArtifactStore, openArtifactStore } from '../../../src/artifacts/artifacts.ts'
import { usualArchiveLimits } from '../../../src/artifacts/limits.ts'
import { brokerpak } from '../../../src/contracts/brokerpak/index.ts'
import { notesOf } from '../../../src/contracts/brokerpak/notes.ts'
import type { Reading } from '../../../src/contracts/contract.ts'
import type { JsonObject } from '../../../src/kit/json.ts'
import { describeProblem, toProblem } from '../../../src/model/problem.ts'
import type { Verdict } from '../topic.ts'
import { verdict } from './brokerpak-tables.ts'

/** What a refusal must name. */
const names: Readonly<Record<string, RegExp>> = {
  'no-manifest.brokerpak': /manifest\.yml/,
  'manifest-not-yaml.brokerpak': /line \d+/,
  'packversion-2.brokerpak': /packversion: 2 is not known here/,
  'missing-definition.brokerpak': /couldn't find the file with the name/,
  'definition-path-escape.brokerpak': /\.\./,
  'definition-invalid.brokerpak': /is no UUID/,
  'wrong-platform.brokerpak': /doesn't contain binaries compatible/,
}

export async function* paks(folder: string): AsyncIterable<Verdict> {
  const scratch = mkdtempSync(join(tmpdir(), 'paks-'))
  const store = openStore(scratch, usualArchiveLimits.archiveBytesMax)
  const small = openStore(join(scratch, 'small'), 10_000_000)
  try {
    const index = JSON.parse(readFileSync(join(folder, 'hostile/index.json'), 'utf8')) as { cases: { file: string; expect: string }[] }
    for (const { file, expect } of index.cases) {
      const read = await readAt(file === 'zip-bomb.brokerpak' ? small : store, join(folder, 'hostile', file))
      yield hostile(file, expect, read)
    }
    if (existsSync(join(folder, 'expected/csb-style-layout.json'))) yield* installed(store, folder)
  } finally {
    await store.close()
    rmSync(scratch, { recursive: true, force: true })
  }
}

function openStore(folder: string, archiveBytesMax: number): ArtifactStore {
  return openArtifactStore({ folder, archiveLimits: { ...usualArchiveLimits, archiveBytesMax } })
}

async function readAt(store: ArtifactStore, path: string): Promise<Reading> {
  try {
    const artifact = await store.open(path, new AbortController().signal)
    const reading = await brokerpak.read(artifact, { options: {}, platform: 'linux/amd64' })
    if ('close' in artifact) await artifact.close()
    return reading
  } catch (error) {
    return { kind: 'refused', problems: [toProblem(error)] }
  }
}

function hostile(file: string, expect: string, reading: Reading): Verdict {
  const name = `hostile ${file}: ${expect}`
  if (file === 'no-binary.brokerpak') {
    const said = reading.kind === 'package' ? reading.warnings.map(describeProblem).join('\n') : ''
    return verdict(name, true, /terraform.*bin\/linux\/amd64/.test(said))
  }
  if (reading.kind !== 'refused') return verdict(name, 'refused', reading.kind)
  const said = reading.problems.map(describeProblem).join('\n')
  const unexpected = reading.problems.some(({ code }) => code === 'internal.unexpected')
  return verdict(name, true, unexpected ? said : (names[file] ?? /./).test(said) || said)
}

async function* installed(store: ArtifactStore, folder: string): AsyncIterable<Verdict> {
  const layout = JSON.parse(readFileSync(join(folder, 'expected/csb-style-layout.json'), 'utf8')) as JsonObject
  const reading = await readAt(store, join(folder, 'csb-style-0.0.1.brokerpak'))
  if (reading.kind !== 'package') {
    yield verdict('csb-style pak', 'package', reading)
    return
  }
  const { installation } = notesOf(reading.package)
  const wanted = layout['installed'] as Record<string, { from: string; to: string }>
  yield verdict('csb-style engines', ['1.6.0', '1.7.1'], installation.engines.map(({ version }) => version))
  for (const { path, entry } of installation.providers) {
    yield verdict(`csb-style ${path}`, Object.values(wanted).find((one) => one.from === entry)?.to, path)
  }
  yield verdict('csb-style extras', [{ name: 'psql-13.4', entry: 'bin/linux/amd64/psql-13.4' }], installation.extras)
  const v1 = await readAt(store, join(folder, 'mail-services-1.2.3.brokerpak'))
  yield verdict('the pak of V1', 'package', v1.kind === 'package' ? v1.kind : v1)
}

