/** What the command line refuses, with a broker, without one and on files. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { vi } from 'vitest'
import type { ProblemCode } from '../../../src/model/problem-codes.ts'
import { specOf } from '../../apb/spec.ts'
import { freshFolder } from '../../support/image.ts'
import { runMain } from '../../support/run-main.ts'
import { type Ground, toldByCommand } from '../../support/told.ts'

const home = freshFolder('refused')
const at = (name: string) => join(home, name)

const credentialSet = (name: string, source: object) =>
  JSON.stringify({ schemaVersion: '1.0.1', name, credentials: [{ name: 'token', source }] })
const files: Readonly<Record<string, string>> = {
  'list.json': '[1]',
  'catalog.json': '{"services": [{"id": "a"}]}',
  'cases/bad.json': '{"cases": [{"id": 5}]}',
  'damaged/claims/other/01EK00000000000000000000AA.json': '{"id": 5}',
  'installation.yml': 'schemaVersion: 1.0.2\nname: 5\n',
  'credentials.json': credentialSet('kept', { value: 'x' }),
  'needs-root/apb.yml': specOf('db-apb', { parameters: [] }),
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

type Row = readonly [name: string, code: ProblemCode, names: readonly string[], words: readonly string[]]

const offline: readonly string[] = ['--data-dir', at('data')]
const token: readonly string[] = ['--token-file', at('token')]
const nowhere = 'http://127.0.0.1:1'

const rows: readonly Row[] = [
  [
    'an expression that ends too soon',
    'hil.template.fault',
    ['1:9', 'found end of string'],
    ['hil', 'eval', '$' + '{upper('],
  ],
  [
    'variables that are a list',
    'hil.variables.unreadable',
    [at('list.json')],
    ['hil', 'eval', 'a', '--vars', at('list.json')],
  ],
  ['a broker that nothing names', 'cli.no-server', ['CHANDLER_SERVER'], ['status']],
  [
    'a context that is not kept',
    'cli.config-invalid',
    ['no context nobody'],
    ['status', '--context', 'nobody'],
  ],
  [
    'a catalog that platforms refuse',
    'lint.refused',
    [at('catalog.json'), '4 findings'],
    ['osb', 'lint', at('catalog.json')],
  ],
  [
    'a resource that is not there',
    'ocm.resource.unknown',
    [component, 'other'],
    ['ocm', 'download', component, 'other', '--to', at('other')],
  ],
  [
    'a signature without a key',
    'ocm.key.invalid',
    ['no private key for acme'],
    ['ocm', 'sign', component, '-s', 'acme'],
  ],
  [
    'a case that is none',
    'conformance.case-invalid',
    [`${at('cases/bad.json')} line 1:1`, 'is required'],
    ['osb', 'cases', nowhere, '--cases', at('cases/bad.json')],
  ],
  [
    'a token that no header can hold',
    'usage.invalid',
    ['characters that no token has'],
    ['status', '--server', nowhere, ...token],
  ],
  [
    'a token for another broker that no header can hold',
    'usage.invalid',
    ['characters that no token has'],
    ['osb', 'catalog', '--url', nowhere, ...token],
  ],
  [
    'an installation that is not there is shown',
    'cnab.installation.unknown',
    ['nobody'],
    ['cnab', 'show', 'nobody', ...offline],
  ],
  [
    'a document of no installation',
    'cnab.installation.invalid',
    [`${at('installation.yml')}, /name`, 'a name is missing'],
    ['cnab', 'apply', at('installation.yml'), ...offline],
  ],
  [
    'a set that is not kept',
    'cnab.set.unknown',
    ['credential set nobody'],
    ['cnab', 'credentials', 'show', 'nobody', ...offline],
  ],
  [
    'records that are damaged',
    'cnab.claim.invalid',
    ['claims/other/01EK00000000000000000000AA, /id', 'must be set'],
    ['cnab', 'claims', 'import', at('damaged'), ...offline],
  ],
  [
    'an installation that is installed already',
    'cnab.installation.state',
    ['driven is installed already'],
    [...install('driven', 'credentials.json', at('driver.sh')), ...offline],
  ],
  [
    'the log of a run that was not',
    'cnab.run.unknown',
    ['driven has no run 01'],
    ['cnab', 'logs', 'driven', '--run', '01', ...offline],
  ],
  [
    'an output that the bundle has not',
    'cnab.output.unknown',
    ['driven has no output other'],
    ['cnab', 'outputs', 'driven', 'other', ...offline],
  ],
  [
    'a driver that is not there',
    'cnab.driver.failed',
    [at('no-driver'), 'is no program'],
    [...install('x', 'credentials.json', at('no-driver')), ...offline],
  ],
  [
    'a credential whose file is not there',
    'cnab.source.unresolved',
    ['lost.token', '/nowhere/token cannot be read'],
    [...install('x', 'lost.json', 'debug'), ...offline],
  ],
  [
    'a Dockerfile that has to be run',
    'apb.dockerfile',
    ['Dockerfile line 2', 'RUN id must be run in the image'],
    ['apb', 'build', at('needs-root'), ...offline],
  ],
  [
    'a data folder that cannot be made',
    'file.unwritable',
    [at('list.json'), 'file already exists'],
    ['run', 'sim:x', 'provision', '--data-dir', at('list.json')],
  ],
  [
    'an archive of two components',
    'ocm.version.ambiguous',
    [at('ctf'), 'example.org/one, example.org/two'],
    ['toi', 'describe', at('ctf'), ...offline],
  ],
  [
    'parameters that are a list',
    'toi.parameters.invalid',
    [at('list.json'), 'it is no map'],
    [...toiInstall('-p', 'list.json'), ...offline],
  ],
  [
    'credentials that are no YAML',
    'toi.credentials.invalid',
    [`${at('broken.yaml')} line 1`],
    [...toiInstall('-c', 'broken.yaml'), ...offline],
  ],
]

export const ofCommands: Ground = {
  errors: rows.map(([name, code, names, words]) => ({
    ...{ name, code, names, words },
    provoke: async () => {
      const { exit, said } = await runMain(words)
      return { told: toldByCommand(said), ending: exit }
    },
  })),
  open: async () => {
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
      [...install('driven', 'credentials.json', at('driver.sh')), ...offline],
    ]) {
      const { exit, said } = await runMain(words)
      if (exit !== 0) throw new Error(said)
    }
  },
  close: () => {
    vi.unstubAllEnvs()
    return Promise.resolve()
  },
}
