/** The container image as its page shows it: first credentials, rights, a broker that offers packages, an engine outside. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { containerName, makeContainerImage } from '../../scripts/release/container-image.ts'
import { stage } from '../../scripts/release/stage.ts'
import { sourceKinds } from '../../src/authoring/sources/kind.ts'
import { ensurePrograms, findProgram } from '../support/debian.ts'
import { startPodman, type TestEngine } from '../support/podman.ts'
import { playTour } from '../support/tour.ts'

const page = 'docs/container.md'
const text = readFileSync(page, 'utf8')
const architecture = process.arch === 'arm64' ? 'arm64' : 'x64'
const terraform = findProgram('terraform') ?? findProgram('tofu')
const missing =
  process.getuid?.() === 0 ? ensurePrograms('podman', 'runc', 'slirp4netns', 'openssl') : 'this needs root'

describe.skipIf(missing !== undefined)('a container image', () => {
  let work = ''
  let image = ''
  let engine: TestEngine | undefined
  /** Runs a line for a shell in which `podman` leads to the Podman of this test. */
  const shell = (line: string) =>
    spawnSync('bash', ['-c', line], {
      cwd: work,
      encoding: 'utf8',
      env: { PATH: `${work}:${process.env['PATH'] ?? ''}`, HOME: work },
    })

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'chandler-image-'))
    chmodSync(work, 0o755)
    const staged = stage(join(work, 'staged'))
    image = `localhost/chandler:${staged.version}`
    const to = join(work, containerName(staged.version, architecture))
    await makeContainerImage(staged, { architecture, to, builtAt: 1 })
    engine = await startPodman(mkdtempSync(join(tmpdir(), 'pod-')))
    writePodman(work, engine)
  }, 900_000)
  afterAll(async () => {
    await engine?.stop()
    rmSync(work, { recursive: true, force: true })
  })

  test.skipIf(architecture !== 'x64')('does what its page shows', async () => {
    const played = await playTour({ page, folder: work })

    expect(played.length).toBeGreaterThan(15)
    for (const { command, expected, printed } of played) {
      expect(printed, `$ ${command}`).toBeDefined()
      for (const pattern of expected) expect(printed, `after $ ${command}`).toMatch(pattern)
    }
  })

  test.for(sourceKinds)('gives credentials of %s with three commands', (contract, { skip }) => {
    skip(contract === 'brokerpak' && terraform === undefined, 'there is no terraform and no tofu')
    loaded()
    const lent = contract === 'brokerpak' ? `--volume ${terraform}:/usr/local/bin/terraform:ro ` : ''
    const before = `podman run --rm --privileged ${lent}--volume each:/var/lib/chandler ${image}`

    const made = shell(`${before} new ${contract} my-${contract}`)
    const ordered = shell(`${before} run my-${contract} provision --name ${contract}`)
    const bound = shell(`${before} run my-${contract} bind --name ${contract}`)

    expect([made.status, ordered, bound]).toMatchObject([0, { status: 0 }, { status: 0 }])
    expect(Object.keys(JSON.parse(bound.stdout) as object).length).toBeGreaterThan(0)
  })

  test.each([
    ['with the rights that its page names for Podman', /Podman: `(.*?)`/.exec(text)?.[1] ?? 'none'],
    ['as root', '--privileged --user 0'],
  ])('runs packages %s', (_, rights) => {
    loaded()
    const before = `podman run --rm ${rights} --volume rights-${rights.length}:/var/lib/chandler ${image}`

    shell(`${before} new tweed hello`)

    expect(shell(`${before} run hello provision`)).toMatchObject({ status: 0 })
  })

  test('tells what is missing where it has no rights, and accepts nothing', () => {
    loaded()
    const before = `podman run --rm --volume none:/var/lib/chandler ${image}`
    shell(`${before} new cnab hello`)

    mkdirSync(join(work, 'run'))
    for (const account of ['admin', 'platform'])
      writeFileSync(join(work, `run/chandler-${account}`), 'secret-of-a-test')
    const secrets = `--volume ${work}/run:/run/secrets:ro`
    const examined = shell(`${before.replace('--rm', `--rm ${secrets}`)} doctor -o json`)
    const refused = shell(`${before} run hello provision`)
    const after = shell(`${before} run hello bind`)

    expect(examined.stdout).toContain('docs/container.md')
    expect(refused).toMatchObject({ status: 8, stderr: expect.stringContaining('engine.cannot-confine') })
    expect(after.stderr).toContain('instance.unknown')
  })

  test('tells that a brokerpak lacks its engine', () => {
    loaded()
    const before = `podman run --rm --privileged --volume none:/var/lib/chandler ${image}`
    shell(`${before} new brokerpak pak`)

    expect(shell(`${before} run pak provision`)).toMatchObject({
      status: 8,
      stderr: expect.stringMatching(/engine\.tool-missing.*terraform or tofu is not on the path/s),
    })
  })

  test('runs packages beside it, with the socket of an engine and no other right', () => {
    loaded()
    const { socket = '' } = engine ?? {}
    const place = join(work, 'srv')
    mkdirSync(place)
    chmodSync(place, 0o777)
    // As Docker makes its own: for a group.
    chownSync(socket, 0, 4242)
    chmodSync(socket, 0o660)
    const shown = /```sh\n(podman run --rm --group-add.*?)```/s.exec(text)?.[1] ?? ''
    const line = shown
      .replaceAll('/run/podman/podman.sock', socket)
      .replaceAll('/srv/chandler', place)
      .replace(/localhost\/chandler:\S+/, image)

    const made = shell(line.replace('run hello provision', 'new tweed hello'))

    expect(made).toMatchObject({ status: 0 })
    expect(shell(line)).toMatchObject({ status: 0 })
    expect(shell(line.replace('provision', 'bind')).stdout).toContain('"password"')
  })

  /** The image is there, whichever test runs first. */
  function loaded(): void {
    if (shell(`podman image exists ${image}`).status === 0) return
    execFileSync(
      join(work, 'podman'),
      ['load', '--input', join(work, containerName(image.split(':')[1] ?? '', architecture))],
      { stdio: 'ignore' },
    )
  }
})

/** A `podman` that knows where the Podman of a test has its images, and publishes ports without a bridge. */
function writePodman(folder: string, { environment, arguments: words }: TestEngine): void {
  const { CONTAINERS_CONF: before = '', HOME: home = '' } = environment
  const settings = join(home, 'published.conf')
  writeFileSync(settings, readFileSync(before, 'utf8').replace('netns = "host"', 'netns = "slirp4netns"'))
  const variables = Object.entries({ ...environment, CONTAINERS_CONF: settings })
  const program = [
    '#!/bin/sh',
    ...variables.map(([name, value]) => `export ${name}='${value}'`),
    `exec ${findProgram('podman')} ${words.join(' ')} "$@"`,
  ]
  writeFileSync(join(folder, 'podman'), `${program.join('\n')}\n`, { mode: 0o755 })
}
