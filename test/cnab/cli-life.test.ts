import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { installedProgram } from '../support/installed.ts'
import { runMain } from '../support/run-main.ts'
import { installer, writeHello } from './cli-bundle.ts'

const missing = ensurePrograms('busybox')
const home = freshFolder('cnab-cli')
const archive = join(home, 'hello.tgz')
const secret = 'kraken-0815'
let program = ''

interface Ran {
  readonly exit: number | null
  readonly out: string
  readonly err: string
}

/** A command in this process: what it prints, and how it ends. */
function cnab(...args: readonly string[]): Promise<Ran> {
  return chandler('cnab', ...args)
}

function chandler(...args: readonly string[]): Promise<Ran> {
  return runMain([...args, '--data-dir', join(home, 'data')])
}

function starter(args: readonly string[]): string[] {
  return [program, 'cnab', ...args, '--data-dir', join(home, 'data')]
}

/** A command of its own process whose bundle has come to where it waits. */
async function started(...args: readonly string[]) {
  const child = spawn(process.execPath, starter(args), { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.on('data', (piece: Buffer) => {
    said += piece.toString()
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let heard = ''
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (piece: Buffer) => {
      heard += piece.toString()
      if (heard.includes('waiting')) resolve()
    })
    void ended.then(resolve)
  })
  return {
    end: async (signal: 'SIGKILL' | 'SIGHUP' | 'SIGINT') => {
      child.kill(signal)
      await ended
      return said
    },
  }
}

async function json(...args: readonly string[]) {
  const { out, err } = await cnab(...args, '-o', 'json')
  try {
    return JSON.parse(out)
  } catch {
    throw new Error(`${out}${err}`)
  }
}

beforeAll(async () => {
  program = installedProgram()
  if (missing !== undefined) return
  const sources = join(home, 'sources')
  mkdirSync(sources)
  const { image, file } = await writeHello(sources)
  writeFileSync(
    join(home, 'creds.yml'),
    `name: creds\ncredentials:\n- {name: token, source: {value: ${secret}}}\n`,
  )
  const { exit, err } = await cnab(
    'archive',
    file,
    '--image',
    `${installer}=${image.reference}`,
    '--to',
    archive,
  )
  if (exit !== 0) throw new Error(err)
  // From here on there is nothing but the archive.
  rmSync(sources, { recursive: true })
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

const run = ['-d', 'embedded'] as const

describe.skipIf(missing !== undefined)('a thick bundle on the embedded engine', () => {
  test('is installed, upgraded, asked and uninstalled straight from the archive', async () => {
    const creds = ['-c', join(home, 'creds.yml')]

    const installed = await cnab('install', 'life', archive, ...creds, ...run)
    const asked = await cnab('invoke', 'life', 'status', ...run)
    const upgraded = await json('upgrade', 'life', '-p', 'port=9999', ...run)
    const url = (await cnab('outputs', 'life', 'url')).out
    const gone = await cnab('uninstall', 'life', ...run)
    const view = await json('show', 'life')

    expect(installed).toMatchObject({ exit: 0, out: expect.stringContaining('install of life: port=8080') })
    expect(asked.out).toContain('status of life: port=8080')
    expect(upgraded).toMatchObject({ status: 'succeeded', action: 'upgrade' })
    expect(url).toBe('http://life:9999')
    expect(gone.exit).toBe(0)
    expect(view).toMatchObject({ state: 'uninstalled', status: 'succeeded' })
    expect(view.runs.map((one: { action: string }) => one.action)).toEqual([
      'uninstall',
      'upgrade',
      'status',
      'install',
    ])
    expect(new Set(view.runs.map((one: { revision: string }) => one.revision)).size).toBe(3)
  })

  test('runs actions without state without an installation, and leaves nothing of them', async () => {
    const { exit, out } = await cnab('invoke', 'anything', 'help', archive, ...run)

    expect({ exit, out }).toEqual({ exit: 0, out: 'help of anything: port=8080\nno help\n' })
    expect((await json('list')).items.map((one: { name: string }) => one.name)).not.toContain('anything')
  })

  test('shows no credential anywhere, and keeps none', async () => {
    const { out, err } = await cnab('install', 'quiet', archive, '-c', join(home, 'creds.yml'), ...run)
    const log = (await cnab('logs', 'quiet')).out
    const rehearsal = (await cnab('upgrade', 'quiet', '--dry-run', ...run)).out
    await cnab('claims', 'export', join(home, 'exported'), 'quiet')
    const stored = spawnSync('grep', ['-r', secret, join(home, 'exported')], { encoding: 'utf8' })

    expect(log).toContain('token is [redacted]')
    expect(JSON.parse(rehearsal).environment).toMatchObject({ TOKEN: '******', PORT: '8080' })
    expect([out, err, log, rehearsal].join('')).not.toContain(secret)
    expect(stored.stdout).toBe('')
  })

  test('that fails is recorded with its outputs, can be upgraded by force and is uninstalled', async () => {
    const creds = ['-c', join(home, 'creds.yml')]

    const failed = await cnab('install', 'weak', archive, ...creds, '-p', 'fail=true', ...run)
    const view = await json('show', 'weak')
    const refused = await cnab('upgrade', 'weak', '-p', 'fail=false', ...run)
    const forced = await cnab('upgrade', 'weak', '-p', 'fail=false', '--force', ...run)
    const url = (await cnab('outputs', 'weak', 'url')).out
    const deleted = await cnab('uninstall', 'weak', '--delete', ...run)

    expect(failed).toMatchObject({ exit: 3, err: expect.stringContaining('container exit code: 7') })
    expect(view).toMatchObject({ state: 'defined', status: 'failed' })
    expect(refused).toMatchObject({ exit: 5, err: expect.stringContaining('because it is not installed') })
    expect(forced.exit).toBe(0)
    expect(url).toBe('http://weak:8080')
    expect(deleted.exit).toBe(0)
    expect((await cnab('show', 'weak')).exit).toBe(4)
  })

  test('is refused with everything that is wrong at once, before anything starts', async () => {
    const { exit, err } = await cnab(
      'install',
      'wrong',
      archive,
      '-p',
      'port=x',
      '-p',
      'prot=1',
      '-p',
      'fail=7',
      ...run,
    )

    expect(exit).toBe(9)
    expect(err).toContain('/port')
    expect(err).toContain('undefined parameter "prot"')
    expect(err).toContain('/fail')
    expect((await json('list')).items.map((one: { name: string }) => one.name)).not.toContain('wrong')
  })

  test('keeps outputs byte for byte', async () => {
    await cnab('install', 'bytes', archive, '-c', join(home, 'creds.yml'), ...run)

    const { stdout } = spawnSync(process.execPath, starter(['outputs', 'bytes', 'state']))

    expect(stdout).toEqual(Buffer.from('\0\u00ffinstall', 'latin1'))
  })
})

describe.skipIf(missing !== undefined)('an installation', () => {
  test('has one run at a time, which outlives its killed command until it is cancelled', async () => {
    const creds = ['-c', join(home, 'creds.yml')]
    const child = await started('install', 'killed', archive, ...creds, '-p', 'wait=600', ...run)

    const second = await cnab('upgrade', 'killed', ...run)
    const during = (await json('show', 'killed')).status
    await child.end('SIGKILL')
    const after = (await json('show', 'killed')).status
    const listed = JSON.parse((await chandler('attach', '-o', 'json')).out).items
    const cancelled = await chandler('attach', 'killed', '--cancel')
    const repaired = await cnab('install', 'killed', ...creds, '-p', 'wait=0', archive, ...run)
    const runs = (await json('show', 'killed')).runs

    expect(second).toMatchObject({ exit: 5, err: expect.stringContaining('install, process') })
    expect(second.err).toContain('(cnab.installation.busy)')
    expect([during, after]).toEqual(['running', 'running'])
    expect(listed).toMatchObject([{ instance: 'killed', action: 'install', state: 'running' }])
    expect(cancelled).toMatchObject({ exit: 3, err: expect.stringContaining('operation.cancelled') })
    expect(repaired.exit).toBe(0)
    expect(runs.map((one: { status: string }) => one.status)).toEqual(['succeeded', 'canceled'])
  })

  test.each(['SIGKILL', 'SIGHUP'] as const)(
    'loses nothing of a run that ends well when its command ends with %s',
    async (signal) => {
      const name = `left-${signal.toLowerCase()}`
      const creds = ['-c', join(home, 'creds.yml')]
      const child = await started('install', name, archive, ...creds, '-p', 'wait=2', ...run)

      const said = await child.end(signal)
      const attached = await chandler('attach', name)
      const view = await json('show', name)

      expect(said.includes('(operation.left)')).toBe(signal === 'SIGHUP')
      expect(attached).toMatchObject({ exit: 0, err: expect.stringContaining('waiting') })
      expect(attached.err).not.toContain(secret)
      expect(view).toMatchObject({ state: 'installed', status: 'succeeded' })
      expect(view.runs).toHaveLength(1)
      expect((await cnab('outputs', name, 'url')).out).toBe(`http://${name}:8080`)
      expect((await cnab('logs', name)).out.match(/install of/g)).toHaveLength(1)
    },
    300_000,
  )

  test('keeps parameters that a modifying action of its own does not take', async () => {
    const creds = ['-c', join(home, 'creds.yml')]
    await cnab('install', 'tuned', archive, ...creds, '-p', 'port=9001', '-p', 'only=set', ...run)
    await cnab('invoke', 'tuned', 'tune', ...creds, ...run)
    const { out } = await cnab('upgrade', 'tuned', '-p', 'wait=0', ...run)

    expect(out).toContain('port=9001')
    expect(out).toContain('only set')
  })

  test('is stopped when the terminal asks, and says so', async () => {
    const args = ['install', 'stopped', archive, '-c', join(home, 'creds.yml'), '-p', 'wait=600', ...run]
    const child = await started(...args)

    await child.end('SIGINT')

    expect(await json('show', 'stopped')).toMatchObject({ state: 'defined', status: 'canceled' })
  })

  test('is brought to where a document wants it, and left alone when it is there', async () => {
    const document = (more: string): string => {
      const file = join(home, 'wanted.yml')
      const lines = ['schemaVersion: 1.0.2', 'name: wanted', `bundle: {reference: ${archive}}`]
      writeFileSync(file, `${[...lines, `credentialSets: [${join(home, 'creds.yml')}]`, more].join('\n')}\n`)
      return file
    }
    const apply = async (more: string, ...flags: readonly string[]): Promise<string> =>
      (await json('apply', document(more), ...run, ...flags)).action

    const actions = [
      await apply('parameters: {port: 1000}', '--dry-run'),
      await apply('parameters: {port: 1000}'),
      await apply('parameters: {port: 1000}'),
      await apply('parameters: {port: "1001"}'),
      await apply('labels: {team: red}\nparameters: {port: 1001}'),
      await apply('parameters: {port: 1001}', '--force'),
      await apply('uninstalled: true'),
      await apply('uninstalled: true'),
      await apply('parameters: {port: 1002}'),
    ]

    expect(actions).toEqual([
      'install',
      'install',
      'nothing',
      'upgrade',
      'nothing',
      'upgrade',
      'uninstall',
      'nothing',
      'nothing',
    ])
  })

  test('takes its values from kept sets, secrets and what was typed, the last of them first', async () => {
    spawnSync(process.execPath, starter(['credentials', 'secret', 'harbour']), { input: secret })
    const sets = join(home, 'sets')
    mkdirSync(sets)
    const put = (name: string, text: string): string => {
      writeFileSync(join(sets, name), text)
      return join(sets, name)
    }
    const creds = 'name: kept\ncredentials:\n- {name: token, source: {secret: harbour}}\n'
    const ports = (name: string, port: string) =>
      `name: ${name}\nparameters:\n- {name: port, source: {value: "${port}"}}\n- {name: stranger, source: {value: 1}}\n`
    const applied = [
      await cnab('credentials', 'apply', put('creds.yml', creds)),
      await cnab('parameters', 'apply', put('low.yml', ports('low', '1'))),
      await cnab('parameters', 'apply', put('high.yml', ports('high', '2'))),
    ]
    const order = [
      'install',
      'sets',
      archive,
      '-c',
      'kept',
      '--parameter-set',
      'low',
      '--parameter-set',
      'high',
    ]

    const { out } = await cnab(...order, ...run)
    const typed = (await cnab('upgrade', 'sets', '-p', 'port=3', ...run)).out
    const shown = (await cnab('credentials', 'show', 'kept')).out

    expect(applied.map(({ exit }) => exit)).toEqual([0, 0, 0])
    expect(out).toContain('port=2')
    expect(typed).toContain('port=3')
    expect(shown).toContain('harbour')
  })
})

const store = '../shared/corpus/cnab/claims/store'
test.skipIf(!existsSync(store))(
  'records of another tool are taken over and given back byte for byte',
  async () => {
    const imported = (await json('claims', 'import', store)).items
    const view = await json('show', 'hello1')
    const back = join(home, 'back')
    await cnab('claims', 'export', back, 'hello1', 'hello-llama')
    const differences = spawnSync('diff', ['-r', join(store, 'claims'), join(back, 'claims')], {
      encoding: 'utf8',
    })

    expect(imported).toEqual([
      { installation: 'hello-llama', runs: 5 },
      { installation: 'hello1', runs: 5 },
    ])
    expect(view).toMatchObject({
      state: 'uninstalled',
      status: 'succeeded',
      installed: '2022-04-29T16:09:47.190534-05:00',
    })
    expect(differences.stdout).toBe('')
  },
  30_000,
)

describe.skipIf(missing !== undefined)('drivers', () => {
  test('of others are told the operation, and what they write is collected', async () => {
    const folder = join(home, 'drivers')
    mkdirSync(folder)
    const driver = join(folder, 'cnab-echo')
    const script = [
      '#!/bin/sh',
      'if [ "$1" = --handles ]; then echo "oci,docker"; exit 0; fi',
      `cat > ${folder}/operation.json`,
      'echo "vars $CNAB_VARS"',
      `sed 's/.*"PORT":"\\([0-9]*\\)".*/\\1/' ${folder}/operation.json > "$CNAB_OUTPUT_DIR/cnab/app/outputs/url"`,
      'ln -s /etc/passwd "$CNAB_OUTPUT_DIR/cnab/app/outputs/state"',
    ]
    writeFileSync(driver, `${script.join('\n')}\n`, { mode: 0o755 })

    const { exit, out } = await cnab(
      'install',
      'driven',
      archive,
      '-c',
      join(home, 'creds.yml'),
      '-d',
      driver,
    )
    const operation = JSON.parse(readFileSync(join(folder, 'operation.json'), 'utf8'))
    const outputs = (await json('outputs', 'driven')).items

    expect({ exit, vars: out.includes('CNAB_OUTPUT_DIR') }).toEqual({ exit: 0, vars: true })
    expect(operation).toMatchObject({
      installation_name: 'driven',
      action: 'install',
      parameters: { port: 8080 },
      files: { '/etc/app/token': secret },
      outputs: { '/cnab/app/outputs/url': 'url' },
      Bundle: { name: 'hello' },
    })
    // A link is not an output: the default stands in for it.
    expect(outputs.map((one: { name: string; value: string }) => [one.name, one.value])).toEqual([
      ['state', ''],
      ['url', '8080'],
    ])
  })

  test('that do not handle the image, or are not there, are refused', async () => {
    const driver = join(home, 'cnab-none')
    writeFileSync(driver, '#!/bin/sh\necho vm\n', { mode: 0o755 })
    const order = ['install', 'undriven', archive, '-c', join(home, 'creds.yml'), '-d'] as const

    expect(await cnab(...order, driver)).toMatchObject({
      exit: 9,
      err: expect.stringContaining('does not handle'),
    })
    expect(await cnab(...order, 'nonsense; true')).toMatchObject({
      exit: 9,
      err: expect.stringContaining('there is no program'),
    })
  })

  test('of ours runs an operation of another tool, collects outputs and ends as the bundle did', async () => {
    const sources = join(home, 'driver-sources')
    mkdirSync(sources)
    const { image } = await writeHello(sources)
    const outputs = join(home, 'driver-outputs')
    mkdirSync(outputs)
    const operation = (fail: string): string =>
      JSON.stringify({
        installation_name: 'theirs',
        revision: '01DDY0MT808KX0GGZ6SMXN4TWX',
        action: 'install',
        parameters: {},
        image: { image: image.reference, imageType: 'docker' },
        environment: {
          CNAB_ACTION: 'install',
          CNAB_INSTALLATION_NAME: 'theirs',
          PORT: '5',
          FAIL: fail,
          WAIT: '0',
          TOKEN: 'plain',
        },
        files: { '/etc/app/token': 'plain', '/cnab/app/image-map.json': '{}' },
        outputs: { '/cnab/app/outputs/url': 'url' },
      })
    const drive = (input: string, ...args: readonly string[]) =>
      spawnSync(join(dirname(program), 'cnab-chandler'), args, {
        input,
        encoding: 'utf8',
        env: { ...process.env, CNAB_OUTPUT_DIR: outputs, XDG_DATA_HOME: home },
      })

    const handles = drive('', '--handles').stdout
    const good = drive(operation('false'))
    const bad = drive(operation('true'))
    const nonsense = drive('{"action": 7}')

    expect(handles).toBe('docker,oci\n')
    expect(good).toMatchObject({ status: 0, stdout: expect.stringContaining('install of theirs: port=5') })
    expect(readFileSync(join(outputs, 'cnab/app/outputs/url'), 'utf8')).toBe('http://theirs:5')
    expect(bad.status).toBe(7)
    expect(nonsense).toMatchObject({ status: 9, stderr: expect.stringContaining('/image/image') })
    renameSync(sources, `${sources}-used`)
  })
})
