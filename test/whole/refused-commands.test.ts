/** What the command line refuses, by code: each message names the place where there is one, and a next step. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ProblemCode, problemCodes } from '../../src/model/problem-codes.ts'
import { freshFolder } from '../support/image.ts'
import { runMain } from '../support/run-main.ts'

const home = freshFolder('refused')
const at = (name: string) => join(home, name)

const claim = {
  schemaVersion: '1.0.0-DRAFT+b5ed2f3',
  id: '01EK00000000000000000000AA',
  installation: 'other',
  revision: '01EK00000000000000000000AB',
  created: '2020-04-18T01:02:03Z',
  action: 'dance',
  bundle: {
    ...{ schemaVersion: '1.0.0', name: 'other', version: '1.0.0' },
    invocationImages: [{ image: 'example.org/other:1.0.0', imageType: 'oci' }],
  },
}
const credentialSet = (name: string, source: object) =>
  JSON.stringify({ schemaVersion: '1.0.1', name, credentials: [{ name: 'token', source }] })
const spec = `version: 1.0
name: db-apb
description: a database
bindable: false
async: optional
plans: [{name: dev, description: small, parameters: []}]
`
const files: Readonly<Record<string, string>> = {
  'list.json': '[1]',
  'catalog.json': '{"services": [{"id": "a"}]}',
  'cases/bad.json': '{"cases": [{"id": 5}]}',
  'store/claims/other/01EK00000000000000000000AA.json': JSON.stringify(claim),
  'damaged/claims/other/01EK00000000000000000000AA.json': '{"id": 5}',
  'installation.yml': 'schemaVersion: 1.0.2\nname: 5\n',
  'credentials.json': credentialSet('kept', { value: 'x' }),
  'contexts/chandler/config.yml': 'contexts: 5\n',
  'no-image/apb.yml': spec,
  'needs-root/apb.yml': spec,
  'needs-root/Dockerfile': 'FROM scratch\nRUN id\n',
  'bundle.json': JSON.stringify({
    ...{ schemaVersion: '1.0.0', name: 'hello', version: '1.0.0' },
    invocationImages: [
      {
        image: 'example.org/hello:1.0.0',
        imageType: 'oci',
        contentDigest: `sha256:${'a'.repeat(64)}`,
      },
    ],
    definitions: { token: { type: 'string' } },
    credentials: { token: { env: 'TOKEN' } },
    outputs: { url: { definition: 'token', path: '/cnab/app/outputs/url' } },
  }),
  'lost.json': credentialSet('lost', { path: '/nowhere/token' }),
  'driver.sh':
    '#!/bin/sh\ncase "$1" in --handles) echo oci;; *) cat >/dev/null; mkdir -p "$CNAB_OUTPUT_DIR/cnab/app/outputs"; echo u >"$CNAB_OUTPUT_DIR/cnab/app/outputs/url";; esac\n',
  'constructor.json': JSON.stringify({
    components: ['one', 'two'].map((name) => ({
      ...{ name: `example.org/${name}`, version: '1.0.0', provider: { name: 'example.org' } },
      resources: [{ name: 'text', type: 'text', input: { type: 'utf8', text: 'x' } }],
    })),
  }),
  'broken.yaml': 'a: [',
  // As it is written where it stands for a token.
  token: 'chd_…',
}

beforeAll(async () => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text, { mode: 0o755 })
  }
  // What this machine's user has is not looked at.
  vi.stubEnv('XDG_CONFIG_HOME', at('config'))
  vi.stubEnv('HOME', at('home'))
  for (const name of ['CHANDLER_SERVER', 'CHANDLER_USER', 'CHANDLER_PASSWORD', 'CHANDLER_CONTEXT'])
    vi.stubEnv(name, undefined)
  for (const words of [
    ['ocm', 'build', at('constructor.json'), '--to', at('ctf')],
    [...install('driven', 'credentials.json', at('driver.sh')), '--data-dir', at('data')],
  ]) {
    const { exit, said } = await told(words)
    if (exit !== 0) throw new Error(said)
  }
})
afterAll(() => {
  vi.unstubAllEnvs()
})

const component = `${at('ctf')}//example.org/one:1.0.0`
const install = (name: string, set: string, driver: string): readonly string[] => [
  'cnab',
  'install',
  name,
  at('bundle.json'),
  '-c',
  at(set),
  '-d',
  driver,
]
const toiInstall = (flag: string, file: string): readonly string[] => [
  'toi',
  'package',
  'install',
  component,
  flag,
  at(file),
]

const told = (words: readonly string[], offline = false) =>
  runMain([...words, ...(offline ? ['--data-dir', at('data')] : [])])

test.each<[string, ProblemCode, words: readonly string[]]>([
  ['an expression that ends too soon', 'hil.template.fault', ['hil', 'eval', '$' + '{upper(']],
  ['variables that are a list', 'hil.variables.unreadable', ['hil', 'eval', 'a', '--vars', at('list.json')]],
  ['a broker that nothing names', 'cli.no-server', ['status']],
  ['a context that is not kept', 'cli.config-invalid', ['status', '--context', 'nobody']],
  ['a catalog that platforms refuse', 'lint.refused', ['osb', 'lint', at('catalog.json')]],
  [
    'a resource that is not there',
    'ocm.resource.unknown',
    ['ocm', 'download', component, 'other', '--to', at('other')],
  ],
  ['a signature without a key', 'ocm.key.invalid', ['ocm', 'sign', component, '-s', 'acme']],
  [
    'a case that is none',
    'conformance.case-invalid',
    ['osb', 'cases', 'http://127.0.0.1:1', '--cases', at('cases/bad.json')],
  ],
])('%s is refused with its code and a next step', async (_, code, words) => {
  const { exit, said } = await told(words)

  expect(said).toContain(`error: ${problemCodes[code].title} (${code})`)
  expect(said).toMatch(/^hint: .{12}/m)
  expect(exit).toBe(problemCodes[code].exit)
})

test.each<[string, ProblemCode, words: readonly string[]]>([
  ['an installation that is not there is shown', 'cnab.installation.unknown', ['cnab', 'show', 'nobody']],
  ['a document of no installation', 'cnab.installation.invalid', ['cnab', 'apply', at('installation.yml')]],
  ['a set that is not kept', 'cnab.set.unknown', ['cnab', 'credentials', 'show', 'nobody']],
  ['records that are damaged', 'cnab.claim.invalid', ['cnab', 'claims', 'import', at('damaged')]],
  [
    'an installation that is installed already',
    'cnab.installation.state',
    install('driven', 'credentials.json', at('driver.sh')),
  ],
  ['the log of a run that was not', 'cnab.run.unknown', ['cnab', 'logs', 'driven', '--run', '01']],
  ['an output that the bundle has not', 'cnab.output.unknown', ['cnab', 'outputs', 'driven', 'other']],
  ['a driver that is not there', 'cnab.driver.failed', install('x', 'credentials.json', at('no-driver'))],
  ['a credential whose file is not there', 'cnab.source.unresolved', install('x', 'lost.json', 'debug')],
  ['a Dockerfile that has to be run', 'apb.dockerfile', ['apb', 'build', at('needs-root')]],
  ['an archive of two components', 'ocm.version.ambiguous', ['toi', 'describe', at('ctf')]],
  ['parameters that are a list', 'toi.parameters.invalid', toiInstall('-p', 'list.json')],
  ['credentials that are no YAML', 'toi.credentials.invalid', toiInstall('-c', 'broken.yaml')],
])('on this machine %s is refused with its code and a next step', async (_, code, words) => {
  const { exit, said } = await told(words, true)

  expect(said).toContain(`${problemCodes[code].title} (${code})`)
  expect(said).toMatch(/^hint: .{12}/m)
  expect(exit).toBe(problemCodes[code].exit)
})

test.each([
  [['status', '--server', 'http://127.0.0.1:1']],
  [['osb', 'catalog', '--url', 'http://127.0.0.1:1']],
])('a token that no header can hold is told as such before anything is sent: %s', async (words) => {
  const { exit, said } = await told([...words, '--token-file', at('token')])

  expect(said).toContain('the token has characters that no token has')
  expect(exit).toBe(2)
})

test('records of an action that the bundle lacks are taken over with a warning that names them', async () => {
  const { exit, said } = await told(['cnab', 'claims', 'import', at('store')], true)

  expect(said).toContain(
    'claims/other/01EK00000000000000000000AA, /action: action "dance" is not defined in the bundle',
  )
  expect(exit).toBe(0)
})

test('a bundle without anything to build its image from is told by code', async () => {
  const { exit, said } = await told(['apb', 'lint', at('no-image'), '-o', 'json'])

  expect(said).toContain('"apb.folder"')
  expect(exit).toBe(9)
})
