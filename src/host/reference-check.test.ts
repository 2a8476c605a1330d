import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Problem } from '../model/problem.ts'
import { type Loaded, loadSettings } from '../settings/load.ts'
import { referenceCheck } from './reference-check.ts'

const forms = 'Use docker://, oci:, oci-archive:, docker-archive:, a path, a URL, ocm: or sim:.'
const contracts = 'apb, brokerpak, cnab, sim, toi, tweed'

test.each<[entry: string, pointer: string, detail: string, hint: string | undefined]>([
  [
    '{package: "sim:", contract: brokerpk}',
    'contract',
    `must be one of ${contracts}, not "brokerpk"`,
    'Write brokerpak instead.',
  ],
  ['{package: "sim:", contract: helm}', 'contract', `must be one of ${contracts}, not "helm"`, undefined],
  [
    '{package: "docker:redis:7"}',
    'package',
    'is no package reference: "docker:redis:7": the transport "docker" is not known',
    forms,
  ],
  [
    '{package: "docker://h.example/x@sha256:12"}',
    'package',
    'is no package reference: "h.example/x@sha256:12": "sha256:12" is not a digest',
    forms,
  ],
  [
    '{package: "docker://h.example/X"}',
    'package',
    'is no package reference: "h.example/X": "X" is not a repository name',
    forms,
  ],
  [
    '{package: "docker://redis:7"}',
    'package',
    'is no package reference: "redis:7": it names no registry host',
    'Write the host, as in docker://docker.io/library/redis:7.',
  ],
  [
    '{package: "https://u:p@h.example/x.tgz"}',
    'package',
    'is no package reference: "https://…@h.example/x.tgz": it holds a user or password',
    forms,
  ],
  [
    '{package: "oci:@sha256:12"}',
    'package',
    'is no package reference: "oci:@sha256:12": "sha256:12" is not a digest',
    forms,
  ],
])('%s is refused with its place and its remedy', (entry, pointer, detail, hint) => {
  const [first, ...others] = faults(load(`catalog:\n- {package: "sim:"}\n- ${entry}\n`))

  expect(others).toEqual([])
  expect(first?.detail).toBe(detail)
  expect(first?.hint).toBe(hint)
  expect(placed(first)).toBe(`chandler.yml line 4, /catalog/1/${pointer}`)
})

test('a host that stands in for one that is not named is taken from the configuration', () => {
  const text = 'catalog:\n- {package: "docker://redis:7"}\n'

  expect(load(`${text}registries: {default_host: docker.io}\n`).kind).toBe('settings')
})

test.each([
  ['./nowhere', 'nowhere'],
  ['oci:./nowhere:1', 'nowhere'],
  ['oci-archive:/nowhere/a.tar', '/nowhere/a.tar'],
  ['docker-archive:/nowhere/a.tar', '/nowhere/a.tar'],
])('that %s is not there is no fault of the configuration, and is told', (reference, path) => {
  const loaded = load(`catalog:\n- package: "${reference}"\n`)
  const absent = loaded.kind === 'settings' ? loaded.absent : []

  expect(absent.map(({ code }) => code)).toEqual(['artifact.not-found'])
  expect(absent[0]?.detail).toContain(`${path} does not exist`)
  expect(placed(absent[0])).toBe('chandler.yml line 3, /catalog/0/package')
})

test('what is there, elsewhere or made up is not missed', () => {
  const loaded = load(
    'catalog: [{package: ./chandler.yml}, {package: "sim:"}, {package: "docker://h.example/x"}, {package: "ocm:./x//a.b/c"}]\n',
  )

  expect(loaded.kind === 'settings' && loaded.absent).toEqual([])
})

test('all mistakes of a catalog are told at once, with those elsewhere', () => {
  const text =
    'engine: dokcer\ncatalog:\n- {package: "docker:x", contract: helm}\n- {package: ./nowhere}\n- {package: "ftp://y"}\n'

  expect(faults(load(text)).map(placed)).toEqual([
    'chandler.yml line 2, /engine',
    'chandler.yml line 4, /catalog/0/package',
    'chandler.yml line 4, /catalog/0/contract',
    'chandler.yml line 6, /catalog/2/package',
    'chandler.yml line 5, /catalog/1/package',
  ])
})

function load(text: string): Loaded {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-references-'))
  const file = join(folder, 'chandler.yml')
  writeFileSync(file, `auth: {users: [{name: a, password: pass-word, role: operator}]}\n${text}`)
  return loadSettings({ folder, environment: {}, file, references: referenceCheck })
}

function faults(loaded: Loaded): readonly Problem[] {
  return loaded.kind === 'faults' ? loaded.problems : []
}

function placed(problem: Problem | undefined): string | undefined {
  const { source = '', line, pointer } = problem?.where ?? {}
  return `${basename(source)} line ${line}, ${pointer}`
}
