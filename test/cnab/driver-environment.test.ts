/** What a bundle names its variables must not matter to any program of the host, whichever tool calls which driver. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { installedProgram } from '../support/installed.ts'
import { installer, writeHello } from './cli-bundle.ts'

const missing = ensurePrograms('busybox')
const home = freshFolder('cnab-driver')
/** Whatever of the bundle runs on the host leaves this file. */
const marker = join(home, 'it-ran')
const evil = join(home, 'evil')
const outputs = join(home, 'outputs')
let driver = ''
let bundle = ''

/** What a tool does that follows the reference library: the variables of the bundle over its own. */
const tool = `
const { readFileSync } = require('node:fs')
const { spawnSync } = require('node:child_process')
const input = readFileSync(0)
const added = { ...JSON.parse(input).environment, CNAB_OUTPUT_DIR: process.env.TOOL_OUTPUTS }
const env = { ...process.env, ...added, CNAB_VARS: Object.keys(added).join(',') }
const { status } = spawnSync(process.env.TOOL_DRIVER, [], { input, env, stdio: ['pipe', 1, 2] })
process.exit(status ?? 70)
`

const touch = `#!/bin/sh\necho "$0" >> ${marker}\nexit 1\n`
const inNode = `data:text/javascript,import{writeFileSync}from'node:fs';writeFileSync('${marker}','node')`

const hostile: readonly (readonly [name: string, value: string])[] = [
  ['NODE_OPTIONS', `--import=${inNode}`],
  ['NODE_OPTIONS=--import', `${inNode},`],
  [`NODE_OPTIONS=--import=${inNode},PORT`, '1'],
  ['NODE_PATH', evil],
  ['NODE_EXTRA_CA_CERTS', join(evil, 'ca.pem')],
  ['NODE_COMPILE_CACHE', marker],
  ['NODE_V8_COVERAGE', marker],
  ['NODE_REDIRECT_WARNINGS', marker],
  ['PATH', evil],
  ['HOME', evil],
  ['BASH_ENV', join(evil, 'start')],
  ['ENV', join(evil, 'start')],
  ['SHELLOPTS', 'xtrace'],
  ['PS4', `$(echo ps4 > ${marker})`],
  ['IFS', '/'],
  ['BASH_FUNC_readlink%%', `() { echo readlink > ${marker}; }`],
  ['BASH_FUNC_exec%%', `() { echo exec > ${marker}; }`],
  ['CHANDLER_CNAB_ENGINE', 'docker'],
  ['DOCKER_HOST', `unix://${join(evil, 'docker.sock')}`],
  ['DOCKER_CONFIG', evil],
  ['REGISTRY_AUTH_FILE', join(evil, 'config.json')],
  ['XDG_DATA_HOME', marker],
  ['XDG_CACHE_HOME', marker],
  ['HTTPS_PROXY', 'http://127.0.0.1:1'],
  ['CNAB_P_PORT', '1'],
]

function operation(environment: Readonly<Record<string, string>>): string {
  return JSON.stringify({
    installation_name: 'theirs',
    revision: '01DDY0MT808KX0GGZ6SMXN4TWX',
    action: 'status',
    image: { image: bundle, imageType: 'oci' },
    environment: {
      CNAB_ACTION: 'status',
      CNAB_INSTALLATION_NAME: 'theirs',
      PORT: '5',
      ...environment,
    },
    files: {},
    outputs: { '/cnab/app/outputs/status': 'status' },
  })
}

function drive(environment: Readonly<Record<string, string>>) {
  return spawnSync(process.execPath, ['-e', tool], {
    input: operation(environment),
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      TOOL_OUTPUTS: outputs,
      TOOL_DRIVER: driver,
      XDG_DATA_HOME: join(home, 'data'),
    },
  })
}

beforeAll(async () => {
  const program = installedProgram()
  driver = join(dirname(program), 'cnab-chandler')
  mkdirSync(evil)
  for (const name of [
    'node',
    'sh',
    'env',
    'readlink',
    'unshare',
    'crun',
    'runc',
    'start',
    'docker-credential-evil',
  ])
    writeFileSync(join(evil, name), touch, { mode: 0o755 })
  writeFileSync(join(evil, 'config.json'), '{"credsStore": "evil"}')
  if (missing !== undefined) return
  const sources = join(home, 'sources')
  mkdirSync(sources)
  const { image } = await writeHello(sources)
  bundle = image.reference
})
beforeEach(() => {
  rmSync(marker, { recursive: true, force: true })
  rmSync(outputs, { recursive: true, force: true })
  mkdirSync(outputs)
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

describe.skipIf(missing !== undefined)('cnab-chandler, called by a tool', () => {
  test.each(hostile)(
    'runs nothing for a bundle whose variable is called %j',
    (name, value) => {
      const { status, stdout, stderr } = drive({ [name]: value })

      expect({ status, stdout }, stderr).toMatchObject({ status: 0, stdout: 'status of theirs: port=5\n' })
      expect(readFileSync(join(outputs, 'cnab/app/outputs/status'), 'utf8')).toBe('{"status":"Ready"}\n')
      expect(existsSync(marker)).toBe(false)
    },
    120_000,
  )

  test.each(['CNAB_OUTPUT_DIR', 'CNAB_VARS', `CNAB_OUTPUT_DIR=${evil}`])(
    'refuses an operation whose bundle says %s',
    (name) => {
      const { status, stderr } = drive({ [name]: evil })

      expect({ status, stderr }).toMatchObject({ status: 9, stderr: expect.stringContaining('/environment') })
      expect(existsSync(join(evil, 'cnab'))).toBe(false)
    },
    120_000,
  )

  test('is set up by the tool that calls it', () => {
    drive({})

    expect(existsSync(join(home, 'data', 'chandler'))).toBe(true)
  })
})

describe.skipIf(missing !== undefined)('a driver of others', () => {
  test('is told of variables in the operation, and meets none in its environment', async () => {
    const file = join(home, 'bundle.json')
    const names = ['NODE_OPTIONS', 'PATH', 'LD_PRELOAD', 'BASH_ENV', 'HARMLESS']
    const theirs = { name: 'hostile', value: 'from-the-bundle' }
    await writeHello(home, {
      invocationImages: [{ image: installer, imageType: 'oci', contentDigest: `sha256:${'a'.repeat(64)}` }],
      definitions: { text: { type: 'string', default: theirs.value } },
      parameters: Object.fromEntries(
        names.map((name) => [name.toLowerCase(), { definition: 'text', destination: { env: name } }]),
      ),
      credentials: {},
      outputs: {},
      actions: { look: { stateless: true } },
    })
    const script = join(home, 'cnab-look')
    const lines = [
      'if [ "$1" = --handles ]; then echo oci; exit; fi',
      `cat > ${home}/told.json`,
      `env > ${home}/met`,
    ]
    writeFileSync(script, `#!/bin/sh\n${lines.join('\n')}\n`, { mode: 0o755 })
    const order = ['invoke', 'any', 'look', file, '-d', script, '--data-dir', join(home, 'other')]

    const program = join(dirname(driver), 'chandler.mjs')
    const { status, stderr } = spawnSync(process.execPath, [program, 'cnab', ...order], { encoding: 'utf8' })
    const told = JSON.parse(readFileSync(join(home, 'told.json'), 'utf8'))

    expect({ status, stderr }).toMatchObject({ status: 0 })
    expect(told.environment).toMatchObject(Object.fromEntries(names.map((name) => [name, theirs.value])))
    expect(readFileSync(join(home, 'met'), 'utf8')).not.toContain(theirs.value)
  })
})
