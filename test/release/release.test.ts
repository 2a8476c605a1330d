/** A release as strangers get it: from npm, as one executable, as a container image, and as a Debian package in a Debian of its own. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { debianName, makeDebianPackage } from '../../scripts/release/debian-package.ts'
import { filesBelow } from '../../scripts/release/executable.ts'
import { stage } from '../../scripts/release/stage.ts'
import { openArtifactStore } from '../../src/artifacts/index.ts'
import { sourceKinds } from '../../src/authoring/sources/kind.ts'
import { openEmbeddedEngine } from '../../src/engines/embedded/index.ts'
import { systemClock } from '../../src/kit/clock.ts'
import { fail } from '../../src/model/problem.ts'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { jobOf, listener, orderOf } from '../engines/run-row.ts'
import { ensurePrograms, findProgram } from '../support/debian.ts'
import { handOver, runAsOrdinary, whyOrdinaryCannot } from '../support/ordinary-user.ts'
import { startPodman } from '../support/podman.ts'
import { playTour } from '../support/tour.ts'

const work = mkdtempSync(join(tmpdir(), 'chandler-release-'))
const [first, second] = [join(work, 'first'), join(work, 'second')]
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
const architecture = process.arch === 'arm64' ? 'arm64' : 'x64'
const missing = ensurePrograms('dpkg-deb')

beforeAll(() => {
  if (missing !== undefined) return
  for (const to of [first, second])
    execFileSync(process.execPath, ['scripts/release.ts', '--architecture', architecture, '--to', to], {
      stdio: 'ignore',
    })
}, 1_800_000)
afterAll(() => rmSync(work, { recursive: true, force: true }))

describe.skipIf(missing !== undefined)('a release', () => {
  test('has the same bytes when it is made again, and checksums of all its files', () => {
    const sums = readFileSync(join(first, 'SHA256SUMS'), 'utf8')

    expect(readFileSync(join(second, 'SHA256SUMS'), 'utf8')).toBe(sums)
    expect(sums.match(/ {2}\S+$/gm)?.map((name) => name.trim())).toEqual(
      readdirSync(first).filter((name) => name !== 'SHA256SUMS'),
    )
    expect(spawnSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: first }).status).toBe(0)
  })

  test('names every package that it brings along, with licences', () => {
    const { components } = JSON.parse(readFileSync(join(first, `chandler-${version}.cdx.json`), 'utf8')) as {
      readonly components: readonly { readonly name: string; readonly licenses: readonly object[] }[]
    }
    const notice = execFileSync('tar', ['-xzOf', join(first, `chandler-${version}.tgz`), 'package/NOTICE'], {
      encoding: 'utf8',
    })

    expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(['fastify', 'preact', 'node']))
    for (const { name, licenses } of components) {
      expect(licenses).toHaveLength(1)
      if (name !== 'node') expect(notice).toContain(`\n${name} `)
    }
  })

  test.skipIf(architecture !== 'x64' || ensurePrograms('busybox') !== undefined)(
    'is installed as docs/installing.md shows it, from npm with less than 30 MB and without sources',
    async () => {
      const folder = join(work, 'reader')
      cpSync(first, folder, { recursive: true })
      // The reader's npm asks the registry of this machine, and trusts it.
      const settings = execFileSync('npm', ['config', 'get', 'userconfig'], { encoding: 'utf8' }).trim()
      const { NODE_EXTRA_CA_CERTS = '' } = process.env
      const environment = { npm_config_userconfig: settings, NODE_EXTRA_CA_CERTS }
      const played = await playTour({ page: 'docs/installing.md', folder, environment })
      const modules = join(folder, 'tools/node_modules')
      const bytes = filesBelow(modules).reduce((sum, file) => sum + statSync(file).size, 0)

      expect(played).toHaveLength(7)
      for (const { command, expected, printed } of played)
        for (const pattern of expected) expect(printed, `after $ ${command}`).toMatch(pattern)
      expect(bytes).toBeLessThan(30_000_000)
      expect(existsSync(join(modules, 'chandler/src'))).toBe(false)
    },
  )

  test('is one executable that needs no Node, also when it is started four times at once', async () => {
    const home = join(work, 'alone')
    mkdirSync(home)
    const program = join(first, `chandler-${version}-linux-${architecture}`)
    const env = { HOME: home, PATH: '/nowhere' }
    const once = () => spawnSync(program, ['--version'], { env, encoding: 'utf8' })
    const atOnce = await Promise.all(
      Array.from({ length: 4 }, () => ended(spawn(program, ['hil', 'eval', '1'], { env }))),
    )

    expect(atOnce).toEqual(Array.from({ length: 4 }, () => ({ code: 0, out: '1\n', err: '' })))
    expect(once()).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' })
    expect(readdirSync(join(home, '.cache/chandler/program'))).toHaveLength(1)
  })

  test('serves from the executable: threads and processes start as they do from npm', async () => {
    const home = mkdtempSync(join(work, 'served-'))
    const config = join(home, 'chandler.yml')
    cpSync('packaging/debian/chandler.yml', config)
    for (const account of ['platform', 'admin']) writeFileSync(join(home, account), 'secret-of-a-test')
    const text = readFileSync(config, 'utf8')
      .replaceAll(/\/etc\/chandler\/(\w+)\.password/g, `${home}/$1`)
      .replace('/var/lib/chandler', join(home, 'data'))
    writeFileSync(config, text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:0'))
    const program = join(first, `chandler-${version}-linux-${architecture}`)

    expect(
      await catalogOf([program, 'serve', '--config', config], 'secret-of-a-test', { HOME: home }),
    ).toEqual(['demo-db'])
  })
})

const noNewcomer = missing ?? whyOrdinaryCannot()

/** What a newcomer starts in each form that needs no engine of its own outside. */
const forms = {
  'the executable': () => [join(first, `chandler-${version}-linux-${architecture}`)],
  'the npm package': () => {
    const to = join(work, 'npm')
    const words = ['install', '--silent', '--prefix', to, join(first, `chandler-${version}.tgz`)]
    execFileSync('npm', words)
    // That of this checkout may lie where others cannot read.
    const node = join(work, 'node')
    cpSync(process.execPath, node)
    return [node, join(to, 'node_modules/chandler/bin/chandler.mjs')]
  },
  'the Debian package': () => {
    const to = join(work, 'unpacked')
    execFileSync('dpkg-deb', ['-x', join(first, debianName(version, architecture)), to])
    const folder = join(to, 'usr/lib/chandler/bin')
    return [join(folder, 'node'), join(folder, 'chandler.mjs')]
  },
} as const

describe.skipIf(noNewcomer !== undefined)('an ordinary user who is new here', () => {
  test.each(Object.entries(forms))(
    'gets credentials of every contract with three commands of %s',
    (form, install) => {
      chmodSync(work, 0o755)
      const program = install()
      const home = mkdtempSync(join(work, 'new user '))
      handOver(home)
      const run = (...words: readonly string[]) =>
        runAsOrdinary([...program, ...words], {
          cwd: home,
          env: { HOME: home, PATH: `${process.env['PATH']}:/usr/sbin` },
        })
      const contracts = sourceKinds.filter(
        (contract) => contract !== 'brokerpak' || hostEngine() !== undefined,
      )

      for (const contract of contracts) {
        const made = run('new', contract, `my-${contract}`)
        const ordered = run('run', `my-${contract}`, 'provision', '--name', contract)
        const bound = run('run', `my-${contract}`, 'bind', '--name', contract)

        expect([form, contract, made.status, ordered, bound]).toMatchObject([
          form,
          contract,
          0,
          { status: 0 },
          { status: 0 },
        ])
        expect(Object.keys(JSON.parse(bound.stdout) as object).length).toBeGreaterThan(0)
      }
    },
  )
})

const noRoot = missing ?? (process.getuid?.() === 0 ? undefined : 'this needs root')
const noPodman = noRoot ?? ensurePrograms('podman', 'runc')

describe.skipIf(noPodman !== undefined)('a container image', () => {
  const archive = join(first, `chandler-${version}-image-${architecture}.tar`)
  const words = ['serve', '--set', 'http.listen=127.0.0.1:0', '--set', 'http.adminListen=127.0.0.1:0']

  test('serves in Podman as an ordinary user, from a volume that is kept', async () => {
    const engine = await startPodman(mkdtempSync(join(tmpdir(), 'pod-')))
    onTestFinished(() => engine.stop())
    const client = findProgram('podman') ?? 'podman'
    const podman = (...more: readonly string[]) =>
      spawnSync(client, [...engine.arguments, ...more], { env: engine.environment, encoding: 'utf8' })
    const image = `localhost/chandler:${version}`
    const secrets = mkdtempSync(join(work, 'secrets-'))
    chmodSync(secrets, 0o755)
    for (const account of ['admin', 'platform'])
      writeFileSync(join(secrets, `chandler-${account}`), `secret-of-${account}\n`)
    const run = ['run', '--rm', '--volume', `${secrets}:/run/secrets:ro`]
    const kept = ['--volume', 'chandler:/var/lib/chandler']
    const program = [client, ...engine.arguments, ...run, ...kept, image]

    expect(podman('load', '--input', archive)).toMatchObject({ status: 0 })
    expect(podman('run', '--rm', image, '--version')).toMatchObject({ status: 0, stdout: `${version}\n` })
    for (const time of ['first', 'second'])
      expect([
        time,
        await catalogOf([...program, ...words], 'secret-of-platform', engine.environment),
      ]).toEqual([time, ['demo-db']])
    const looked = podman(
      'run',
      '--rm',
      ...kept,
      '--entrypoint',
      '/usr/lib/chandler/bin/node',
      image,
      '-e',
      look,
    )
    expect(JSON.parse(looked.stdout)).toEqual({ user: 65532, kept: true })
  })

  test('serves on the embedded engine', async () => {
    const folder = mkdtempSync(join(work, 'embedded-'))
    const { images } = openArtifactStore({ folder: join(folder, 'artifacts') })
    const supplies = { deliver: () => fail('internal.unexpected', 'nothing is supplied here') }
    const place = { folder: join(folder, 'engine'), images, supplies }
    const engine = await openEmbeddedEngine({ ...place, clock: systemClock, runtime: 'auto' })
    onTestFinished(() => engine.close())
    const reference = `docker-archive:${archive}`
    const secrets = ['admin', 'platform'].map((account) => ({
      path: `/run/secrets/chandler-${account}`,
      mode: 0o400,
      owner: 'user' as const,
      readOnly: true,
      content: { kind: 'bytes' as const, bytes: Buffer.from('secret-of-a-test') },
    }))
    const serve = { kind: 'entrypoint' as const, arguments: words }
    const image = { reference, digest: (await images.open(reference)).digest }
    const order = orderOf(
      jobOf({ step: { command: serve, streams: { kind: 'merged' } }, files: secrets }, image),
    )
    const { watch, log } = listener()
    await engine.layOut(order, watch)
    const ended = engine.follow(await engine.start({ name: order.name, fence: 1 }), watch)
    await expect.poll(() => log().toString()).toContain('http://127.0.0.1:')
    await engine.stop(order.name, 60)

    expect((await ended).end).toEqual({ kind: 'stopped' })
    await engine.discard(order.name)
  })
})

/** Told by a program in the image: which user it is, and whether the volume has the data of the brokers before. */
const look =
  "console.log(JSON.stringify({ user: process.getuid(), kept: fs.existsSync('/var/lib/chandler/data/chandler.db') }))"

const noChroot = noRoot ?? ensurePrograms('debootstrap')

describe.skipIf(noChroot !== undefined)('a Debian package', () => {
  const root = join(work, 'debian')
  const inside = (...words: readonly string[]) =>
    spawnSync('chroot', [root, ...words], {
      encoding: 'utf8',
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    })
  const as = (account: string): readonly string[] => [
    'setpriv',
    ...[`--reuid=${account}`, `--regid=${account}`, '--clear-groups', '--'],
  ]

  beforeAll(() => {
    execFileSync('cp', ['-a', debian(), root])
    execFileSync('mount', ['-t', 'proc', 'proc', join(root, 'proc')])
  }, 900_000)
  afterAll(() => {
    spawnSync('umount', [join(root, 'proc')])
  })

  test('is installed, serves as an ordinary user, is upgraded, and goes without a trace', async () => {
    cpSync(join(first, debianName(version, architecture)), join(root, 'tmp/first.deb'))
    expect(inside('dpkg', '-i', '/tmp/first.deb')).toMatchObject({ status: 0 })
    const shown = inside('chandler', '--version')
    const password = readFileSync(join(root, 'etc/chandler/admin.password'), 'utf8')
    const serve = [
      'chroot',
      root,
      ...as('chandler'),
      'chandler',
      'serve',
      '--config',
      '/etc/chandler/chandler.yml',
    ]
    const anywhere = ['--set', 'http.listen=127.0.0.1:0', '--set', 'http.adminListen=127.0.0.1:0']
    const platform = readFileSync(join(root, 'etc/chandler/platform.password'), 'utf8')

    expect(shown.stdout).toBe(`${version}\n`)
    expect(password).toMatch(/^[0-9a-f]{36}$/)
    expect(statSync(join(root, 'etc/chandler/admin.password')).mode & 0o777).toBe(0o640)
    expect(await catalogOf([...serve, ...anywhere], platform)).toEqual(['demo-db'])
    for (const page of ['chandler', 'chandler-serve', 'chandler-cnab'])
      expect(existsSync(join(root, `usr/share/man/man1/${page}.1.gz`))).toBe(true)

    appendFileSync(join(root, 'etc/chandler/chandler.yml'), '# mine\n')
    const to = join(root, 'tmp/next.deb')
    await makeDebianPackage(
      { ...stage(join(work, 'next')), version: `${version}.1` },
      { architecture, to, builtAt: 1 },
    )
    expect(inside('dpkg', '--force-confdef', '-i', '/tmp/next.deb')).toMatchObject({ status: 0 })
    expect(readFileSync(join(root, 'etc/chandler/chandler.yml'), 'utf8')).toMatch(/# mine\n$/)
    expect(readFileSync(join(root, 'etc/chandler/admin.password'), 'utf8')).toBe(password)
    expect(await catalogOf([...serve, ...anywhere], platform)).toEqual(['demo-db'])

    expect(inside('dpkg', '-r', 'chandler')).toMatchObject({ status: 0 })
    expect(existsSync(join(root, 'usr/lib/chandler'))).toBe(false)
    expect(existsSync(join(root, 'var/lib/chandler/chandler.db'))).toBe(true)
    expect(inside('dpkg', '-P', 'chandler')).toMatchObject({ status: 0 })
    for (const path of ['etc/chandler', 'var/lib/chandler']) expect(existsSync(join(root, path))).toBe(false)
    expect(inside('getent', 'passwd', 'chandler').status).toBe(2)
  }, 900_000)

  test('has manual pages that a reader of them accepts', () => {
    const problem = ensurePrograms('man', 'groff')
    if (problem !== undefined) return expect(problem).toContain('missing')
    const folder = join(work, 'pages')
    execFileSync('dpkg-deb', ['-x', join(first, debianName(version, architecture)), folder])
    for (const page of readdirSync(join(folder, 'usr/share/man/man1'))) {
      const path = join(folder, 'usr/share/man/man1', page)
      const { status, stderr } = spawnSync('man', ['--warnings', '-E', 'UTF-8', '-l', '-Tutf8', '-Z', path], {
        env: { ...process.env, MANWIDTH: '80', LC_ALL: 'C.UTF-8' },
        encoding: 'utf8',
      })
      expect([page, status, stderr]).toEqual([page, 0, ''])
    }
  })
})

/** A small Debian, made once for this checkout. */
function debian(): string {
  const kept = resolve('node_modules/.cache/debian-bookworm')
  if (existsSync(kept)) return kept
  // Its root is for every user, as that of a machine is.
  const made = join(work, 'bookworm')
  mkdirSync(made, { mode: 0o755 })
  const words = ['--variant=minbase', 'bookworm', made, 'http://deb.debian.org/debian']
  execFileSync('debootstrap', words, { stdio: ['ignore', 'ignore', 'inherit'] })
  mkdirSync(resolve('node_modules/.cache'), { recursive: true })
  execFileSync('mv', [made, kept])
  return kept
}

async function ended(
  child: ReturnType<typeof spawn>,
): Promise<{ code: number | null; out: string; err: string }> {
  let [out, err] = ['', '']
  child.stdout?.on('data', (piece: Buffer) => {
    out += piece.toString()
  })
  child.stderr?.on('data', (piece: Buffer) => {
    err += piece.toString()
  })
  const code = await new Promise<number | null>((done) => child.once('close', done))
  return { code, out, err }
}

/** Starts a broker, asks it for its services as a platform does, and ends it. */
async function catalogOf(
  [program = '', ...words]: readonly string[],
  password: string,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const child = spawn(program, words, { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...env } })
  onTestFinished(() => void child.kill('SIGKILL'))
  const over = ended(child)
  const url = await new Promise<string>((found, failed) => {
    let said = ''
    child.stdout.on('data', (piece: Buffer) => {
      said += piece.toString()
      const [, address] = /"url":"([^"]+)"/.exec(said) ?? /url=(\S+)/.exec(said) ?? []
      if (address !== undefined) found(address)
    })
    void over.then(({ out, err }) => failed(new Error(`${out}${err}`)))
  })
  const credentials = Buffer.from(`platform:${password}`).toString('base64')
  const headers = { Authorization: `Basic ${credentials}`, 'X-Broker-API-Version': '2.17' }
  const { services } = (await (await fetch(`${url}/v2/catalog`, { headers })).json()) as {
    readonly services: readonly { readonly name: string }[]
  }
  child.kill('SIGTERM')
  expect((await over).code).toBe(0)
  return services.map(({ name }) => name)
}
