/** What doctor says about registries, over an artifact store whose registries are pretended. */
import { expect, test } from 'vitest'
import type { ArtifactStore } from '../artifacts/index.ts'
import { fail } from '../model/problem.ts'
import type { Settings } from '../settings/settings.ts'
import { examineRegistries } from './examine-registries.ts'

type Hosts = Settings['registries']['hosts']

async function examine(references: readonly string[], hosts: Hosts = []) {
  const asked: string[] = []
  const describe: ArtifactStore['describe'] = async (reference) => {
    asked.push(reference)
    if (reference.includes('closed.example')) return fail('registry.unauthorized', 'closed.example')
    return { mediaType: 'application/vnd.oci.image.manifest.v1+json', digest: '', size: 1 }
  }
  const settings = { registries: { hosts } } as unknown as Settings
  const artifacts = { describe } as unknown as ArtifactStore
  return { seen: await examineRegistries(references, { settings, artifacts }), asked }
}

const host = (name: string, more: Partial<Hosts[number]> = {}): Hosts[number] => ({
  host: name,
  user: undefined,
  password: undefined,
  caFile: undefined,
  certificateFile: undefined,
  keyFile: undefined,
  mirrors: [],
  plainHttp: false,
  unverified: false,
  ...more,
})

test('each registry is asked for one package; what lies elsewhere and what is no reference is left out', async () => {
  const { seen, asked } = await examine([
    'docker://open.example/a:1',
    'docker://open.example/b:1',
    './folder',
    'sim:',
    'no-such:transport',
    'docker://closed.example/c:1',
  ])

  expect(asked).toEqual(['docker://open.example/a:1', 'docker://closed.example/c:1'])
  expect(seen).toMatchObject([
    { id: 'registry open.example', what: 'answers for docker://open.example/a:1', problems: [] },
    { id: 'registry closed.example', what: '', problems: [{ code: 'registry.unauthorized' }] },
  ])
})

test('what the settings trust blindly is told, whether anything comes from there or not', async () => {
  const { seen, asked } = await examine(
    ['docker://plain.example/a:1'],
    [
      host('plain.example', { plainHttp: true }),
      host('spare.example', { unverified: true }),
      host('good.example'),
    ],
  )

  expect(asked).toEqual(['docker://plain.example/a:1'])
  expect(seen.map(({ id, what, advice = [] }) => [id, what, advice.map((one) => one.what)])).toEqual([
    ['registry plain.example', 'answers for docker://plain.example/a:1', ['spoken to without encryption']],
    ['registry spare.example', 'no package of the catalog comes from there', ['any certificate is taken']],
    ['registry good.example', 'no package of the catalog comes from there', []],
  ])
})
