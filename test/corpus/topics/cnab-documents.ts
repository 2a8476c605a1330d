/** Judges of documents: bundles, definitions, names and versions, sets of values, canonical text. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { actionOf, recordOf } from '../../../src/contracts/cnab/actions.ts'
import { compileDefinition, faultsOf } from '../../../src/contracts/cnab/definition.ts'
import { chooseVersion, requirementsOf } from '../../../src/contracts/cnab/dependencies.ts'
import { decide, readInstallationDocument } from '../../../src/contracts/cnab/desired-state.ts'
import { faultsOfExtensions } from '../../../src/contracts/cnab/extensions.ts'
import { readBundle } from '../../../src/contracts/cnab/format.ts'
import { type Health, readHealth } from '../../../src/contracts/cnab/health.ts'
import { chooseInvocationImage, pinnedName } from '../../../src/contracts/cnab/images.ts'
import { usualOptions } from '../../../src/contracts/cnab/options.ts'
import { sourcedValue } from '../../../src/contracts/cnab/sources.ts'
import { typedValue } from '../../../src/contracts/cnab/texts.ts'
import { readSource, readValueSet, valueFor } from '../../../src/contracts/cnab/value-sets.ts'
import { resolveValues } from '../../../src/contracts/cnab/values.ts'
import { isGraphic, judgeBundleVersion, judgeSchemaVersion } from '../../../src/contracts/cnab/words.ts'
import { resolveSets } from '../../../src/local/cnab/sets.ts'
import { resolveSource } from '../../../src/local/cnab/value-sources.ts'
import { resolveUser } from '../../../src/engines/user.ts'
import { approximate, isExact, parseJson } from '../../../src/kit/exact.ts'
import { sha256 } from '../../../src/kit/hash.ts'
import { canonical, deepEqual, isObject, type Json, type JsonObject } from '../../../src/kit/json.ts'
import { readYaml } from '../../../src/kit/yaml.ts'
import { ProblemError } from '../../../src/model/problem.ts'
import type { Verdict } from '../topic.ts'
import type { Judge } from './cnab.ts'
import { bundleOf, bundleWith, compare, corpusOf, load, type Row } from './cnab-verdict.ts'

export const documentTables: Readonly<Record<string, Judge>> = {
  'bundle-verdicts.json': verdicts,
  'canonical-json.json': canonicalTexts,
  'convert-text-to-value.json': texts,
  'definition-validation.json': definitions,
  'desired-state.json': desiredStates,
  'images.json': images,
  'names-versions-actions.json': names,
  'sources-and-dependencies.json': sourcesAndDependencies,
  'status.json': healths,
  'value-sources.json': valueSources,
}

/** Which warning a reason of the table asks for. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/^no contentDigest|without contentDigest/, 'cnab.image.unpinned'],
  [/^schemaVersion .*warn/, 'cnab.bundle.questionable'],
  [/is not full SemVer: warn/, 'cnab.bundle.questionable'],
  [/drop it from the image map with a warning/, 'cnab.bundle.questionable'],
  [/placeholder/, 'cnab.image.digest'],
  [/pre-1\.0 parameters|no schemaVersion/, 'cnab.bundle.legacy'],
]

function* verdicts(file: string): Iterable<Verdict> {
  for (const row of load(file).cases as readonly Row[]) {
    const path = join(corpusOf(file), row.file)
    if (!existsSync(path)) {
      yield { name: `verdict ${row.file}`, outcome: 'skipped', why: 'the bundle is not here' }
      continue
    }
    const reading = readBundle(readFileSync(path))
    if (reading.kind === 'refused') {
      yield compare(file, row.file, row.expect, 'refuse')
      continue
    }
    const { bundle, warnings } = reading
    const blocked = faultsOfExtensions(bundle, { ...usualOptions, allowDockerHostAccess: true })
    const invalid = blocked.some(({ code }) => code === 'cnab.extension.invalid')
    const accepted = invalid ? 'accept-with-error' : 'accept'
    const codes = [...warnings, ...blocked].map(({ code }) => code as string)
    const because = row.because as readonly string[]
    const pinned = because.some((one) => one.startsWith('digest instead of contentDigest'))
    const expected = because
      .flatMap((one) => reasons.flatMap(([sign, code]) => (sign.test(one) ? [code] : [])))
      // Where the digest stands under its old name, there is nothing left to report.
      .filter((code) => !(pinned && code === 'cnab.image.unpinned'))
    yield compare(file, row.file, [row.expect, []], [
      bundle.legacy ? 'legacy' : accepted,
      expected.filter((code) => !codes.includes(code)),
    ])
  }
}

function* canonicalTexts(file: string): Iterable<Verdict> {
  const table = load(file)
  for (const { value, canonical: wanted } of table.cases) yield compare(file, wanted, wanted, canonical(value))
  for (const row of table.wholeBundles?.cases ?? []) {
    const path = join(corpusOf(file), row.file)
    const text = canonical(parseJson(readFileSync(path, 'utf8')) as Json)
    yield compare(file, row.file, [row.bytes, row.sha256], [Buffer.byteLength(text), sha256(text)])
  }
}

function* texts(file: string): Iterable<Verdict> {
  for (const { id, definition, text, expect } of load(file).cases as readonly Row[]) {
    const got = typedValue(definition, text)
    const shown = got.kind === 'value' ? { value: got.value } : { error: true }
    const same = expect.any === true || sameNumbers(expect, shown)
    yield compare(file, id, expect, same ? expect : shown)
  }
}

/** Digit by digit where the table has so many. */
function sameNumbers(a: Json, b: Json): boolean {
  const exact = (value: unknown) => JSON.stringify(value)
  return deepEqual(approximate(a), approximate(b)) && (!holdsExact(a) || exact(a) === exact(b))
}

function holdsExact(value: unknown): boolean {
  return isExact(value) || (isObject(value) && Object.values(value).some(holdsExact))
}

function* definitions(file: string): Iterable<Verdict> {
  for (const { id, definition, value, expect } of load(file).cases as readonly Row[]) {
    const compiled = compileDefinition(definition)
    const judged = compiled.kind === 'check' && faultsOf(definition, value).length === 0 ? 'valid' : 'invalid'
    yield compare(file, id, expect, compiled.kind === 'check' ? judged : 'schema-error')
  }
}

function* desiredStates(file: string): Iterable<Verdict> {
  for (const [i, row] of (load(file).cases as readonly Row[]).entries()) {
    const was = row.installed === true ? 'installed' : 'defined'
    const labelsOnly = row.changed === 'labels only'
    const action = decide({
      state: row.uninstalled === true ? 'uninstalled' : was,
      wantsUninstalled: row.uninstalledFlag === true,
      changed: typeof row.changed === 'string' && !labelsOnly ? [row.changed] : [],
      force: row.force === true,
    })
    const got = row.dryRun === true ? `report ${action}, run nothing` : action
    yield compare(file, `${i + 1} ${row.changed ?? ''}`, row.expect, got)
  }
}

function* images(file: string): Iterable<Verdict> {
  const table = load(file)
  for (const [i, row] of (table.selectInvocationImage?.cases ?? []).entries()) {
    const list = row.images.map((one: Row) => ({ labels: {}, ...one, imageType: one.imageType ?? 'oci' }))
    const chosen = chooseInvocationImage(list)
    const reading = bundleWith({ invocationImages: row.images })
    const none = reading.kind === 'refused'
    const wanted = row.expect.error === undefined ? row.expect.index : 'error'
    yield compare(file, `choose ${i + 1}`, wanted, none || chosen === undefined ? 'error' : list.indexOf(chosen))
  }
  for (const [i, row] of (table.digestCheck?.cases ?? []).entries()) {
    // The product asks for the image by its digest: what answers by another one is not found.
    const pinned = pinnedName(row.repoDigests[0] ?? 'example.org/image', row.contentDigest)
    const wanted = pinned.kind === 'name' ? pinned.digest : row.contentDigest
    const there = row.repoDigests.some((one: string) => one.endsWith(`@${wanted}`))
    const got = pinned.kind === 'name' && wanted === undefined ? 'report-missing' : there ? 'ok' : 'error'
    yield compare(file, `digest ${i + 1}`, row.expect, got)
  }
  for (const row of table.containerUser?.cases ?? []) {
    const passwd = row.user === 'someuser' ? 'someuser:x:0:0::/:/bin/sh' : undefined
    const { uid } = resolveUser(row.user, { passwd, group: undefined })
    yield compare(file, `user ${row.user}`, row.uid, uid)
  }
  for (const row of table.imageWithDigest?.cases ?? []) {
    const got = pinnedName(row.image, row.contentDigest)
    const shown = got.kind === 'name' ? got.text : 'error'
    const said = got.kind === 'refused' && (got.problem.detail ?? '').includes(row.error ?? '')
    yield compare(file, `pin ${row.image}`, row.error === undefined ? row.expect : 'error', shown === 'error' && !said ? got : shown)
  }
  for (const row of table.kubernetesNames?.cases ?? []) {
    const why = 'names of Kubernetes jobs belong to an engine that is not here; runs have names of their own'
    yield { name: `images.json name ${row.expect}`, outcome: 'skipped', why }
  }
}

function* names(file: string): Iterable<Verdict> {
  const table = load(file)
  for (const { name, spec } of table.installationNames?.cases ?? [])
    yield compare(file, `name ${JSON.stringify(name)}`, spec, isGraphic(name))
  for (const { text, expect } of table.schemaVersions?.cases ?? [])
    yield compare(file, `schema version ${text}`, expect, judgeSchemaVersion(text))
  for (const { text, expect } of table.bundleVersions?.cases ?? [])
    yield compare(file, `version ${text}`, expect, judgeBundleVersion(text))
  if (table.actions) {
    const bundle = bundleOf({ actions: table.actions.bundleActions })
    for (const row of table.actions.cases) {
      const found = actionOf(bundle, row.action)
      const got = found ? { modifies: found.modifies, stateless: found.stateless } : { error: row.error }
      const { action: _, ...wanted } = row
      yield compare(file, `action ${row.action}`, wanted, got)
    }
  }
  if (table.declaredBuiltin)
    yield compare(file, 'declared built-in', 'refused', bundleWith({ actions: table.declaredBuiltin.bundleActions }).kind)
  if (table.revisions) {
    const bundle = bundleOf({ actions: table.revisions.bundleActions })
    const kept = { always: true, optional: 'optional', never: false }
    for (const [i, row] of table.revisions.steps.entries()) {
      const found = actionOf(bundle, row.action)
      const record = found && recordOf(found)
      yield compare(file, `step ${i + 1} ${row.action}`, [row.newRevision, row.claimKept], [
        record?.newRevision,
        record && kept[record.kept],
      ])
    }
  }
}

function* sourcesAndDependencies(file: string): Iterable<Verdict> {
  const table = load(file)
  yield* precedences(file, table)
  for (const row of table.dependencyVersions?.cases ?? []) {
    const { dep, expect, error } = row
    const bundle = bundleOf({ custom: { 'io.cnab.dependencies': { requires: { it: dep } } } })
    const [requirement] = requirementsOf(bundle).list
    const tags = table.dependencyVersions.tags[dep.bundle] ?? []
    const chosen = requirement && chooseVersion(requirement, tags, row.strategy ?? 'exact')
    const got = chosen?.kind === 'tag' ? chosen.tag : (chosen?.problem.detail ?? '')
    const fits = error !== undefined && got.includes(error)
    yield compare(file, `${dep.bundle} ${row.strategy ?? ''}`, expect ?? error, fits ? error : got)
  }
  for (const { range, yes, no } of table.ranges?.cases ?? []) {
    const choose = (version: string) =>
      chooseVersion({ alias: 'a', bundle: 'x/a', ranges: [range], prereleases: false }, [version], 'max-minor')
    const inside = (version: string) => choose(version).kind === 'tag'
    yield compare(file, range, [yes.map(() => true), no.map(() => false)], [yes.map(inside), no.map(inside)])
  }
  for (const { requires, sequence, expect } of table.sequence?.cases ?? []) {
    const requirements = Object.fromEntries(requires.map((name: string) => [name, { bundle: `x/${name}:1` }]))
    const custom = { 'io.cnab.dependencies': { requires: requirements, sequence } }
    const order = requirementsOf(bundleOf({ custom })).list.map(({ alias }) => alias)
    yield compare(file, `sequence ${sequence}`, expect === 'any order' ? requires : expect, order)
  }
}

function* precedences(file: string, table: Row): Iterable<Verdict> {
  const { parameterPrecedence: precedence } = table
  if (precedence === undefined) return
  const path = join(corpusOf(file), precedence.bundle.split(' ')[0])
  const outputs = Object.fromEntries(
    Object.entries(load(path).outputs as Row).map(([name, one]) => [name, { path: `/cnab/app/outputs/${name}`, ...(one as JsonObject) }]),
  )
  const { bundle: _, ...document } = { bundle: 0, ...load(path), outputs }
  const bundle = bundleOf(document)
  const { installation, action } = precedence
  const judge = (given: JsonObject, there: Row, wanted: JsonObject) => {
    const got = resolveValues(bundle, action, {
      given,
      sourced: (name) =>
        sourcedValue(bundle, name, ({ dependency, output }) => {
          const from = dependency === undefined ? installation : `${installation}-${dependency}`
          const text = there[from]?.[output]
          return text === undefined ? undefined : Buffer.from(text)
        }),
    })
    const values = got.kind === 'values' ? got.values : {}
    return Object.keys(wanted).map((name) => values[name])
  }
  for (const { id, override, outputs: there, expect } of precedence.cases)
    yield compare(file, id, Object.values(expect), judge(override, there, expect))
  const { outputs: both, expect } = precedence.priority
  yield compare(file, 'priority', Object.values(expect), judge({}, both, expect))
}

function* healths(file: string): Iterable<Verdict> {
  const table = load(file)
  for (const row of table.cases) {
    const path = join(corpusOf(file), row.file)
    if (!existsSync(path)) continue
    const text = readFileSync(path, 'utf8')
    const health = readHealth(text)
    yield compare(file, `${row.file} overall`, row.overall, health.overall)
    const inner = Object.entries(health.components)
    if (row.components !== undefined) yield compare(file, `${row.file} components`, row.components, inner.length)
    if (row.failed !== undefined) {
      const failed = inner.flatMap(([name, one]) => (one.overall === 'Failed' ? [name] : []))
      yield compare(file, `${row.file} failed`, row.failed, failed)
    }
    for (const [name, parts] of Object.entries(row.nested ?? {})) {
      const found: Health | undefined = health.components[name]
      yield compare(file, `${row.file} ${name}`, parts, Object.keys(found?.components ?? {}).sort())
    }
    // What we do not know is not lost: the output itself is kept as bytes.
    for (const key of row.extraKeys ?? []) yield compare(file, `${row.file} ${key}`, true, text.includes(key))
  }
  for (const { text } of table.bad) yield compare(file, `bad ${text}`, 'unknown', readHealth(text).overall)
}

async function* valueSources(file: string): AsyncIterable<Verdict> {
  const table = load(file)
  if (table.resolve) yield* resolutions(file, table.resolve)
  if (table.nativeValues) {
    const { definitions: types, expect } = table.nativeValues
    for (const name of ['paramset-native.json', 'paramset-stringified.json']) {
      const set = readValueSet(load(join(corpusOf(file), 'parameters', name)), 'parameters')
      const entries = set.kind === 'set' ? set.set.entries : []
      const values = entries.map((entry) => {
        const typed = valueFor({ type: types[entry.name] }, entry.value ?? null)
        return [entry.name, typed.kind === 'value' ? typed.value : typed.message] as const
      })
      yield compare(file, name, expect, Object.fromEntries(values))
    }
  }
  for (const row of table.merge?.cases ?? []) {
    // The strict mode of another library: here the last one named wins, as the table says of us.
    if (row.error !== undefined) continue
    const sets = (row.sets as readonly JsonObject[]).map((values, i) => ({
      ...{ name: `set ${i + 1}`, namespace: '', labels: {} },
      entries: Object.entries(values).map(([name, value]) => ({ name, source: { kind: 'value' as const, value } })),
    }))
    const { values } = await resolveSets(sets, { environment: {}, folder: '/', secret: () => undefined })
    yield compare(file, `merge ${row.mode}`, row.expect, values)
  }
  for (const row of table.documents?.cases ?? []) {
    const path = join(corpusOf(file), row.file)
    const yaml = readYaml(readFileSync(path, 'utf8'))
    yield compare(file, row.file, row.expect, documentVerdict(row.file, yaml.value ?? null))
  }
}

function documentVerdict(name: string, document: Json): string {
  if (name.startsWith('installations/'))
    return readInstallationDocument(document).kind === 'read' ? 'ok' : 'error'
  return readValueSet(document, 'credentials').kind === 'set' ? 'ok' : 'error'
}

async function* resolutions(file: string, { env, files, cases }: Row): AsyncIterable<Verdict> {
  const { mkdtempSync, mkdirSync, rmSync, writeFileSync } = await import('node:fs')
  const { tmpdir } = await import('node:os')
  const folder = mkdtempSync(join(tmpdir(), 'cnab-sources-'))
  const home = join(folder, 'home/u')
  try {
    for (const [path, text] of Object.entries(files as Record<string, string>)) {
      const place = join(folder, path)
      mkdirSync(join(place, '..'), { recursive: true })
      writeFileSync(place, text)
    }
    const environment = { ...env, HOME: home, PATH: process.env['PATH'] }
    for (const row of cases) {
      const source = readSource(row.source)
      const got =
        typeof source === 'string' || source === undefined
          ? { error: source ?? 'no source' }
          : await resolveSource(source.kind, source.value, { environment, folder, secret: () => undefined }).then(
              (value) => ({ value }),
              (error: unknown) => ({ error: error instanceof ProblemError ? error.message : 'unexpected' }),
            )
      const wanted = row.expect === undefined ? { error: row.error } : { value: row.expect }
      const error = 'error' in got ? String(got.error) : undefined
      const same = error !== undefined && (row.error === true || (typeof row.error === 'string' && error.includes(row.error)))
      yield compare(file, row.id, wanted, same ? wanted : got)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
