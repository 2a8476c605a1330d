/** From the command to the first line that the bundle prints: `chandler cnab install`, cold and warm, against `podman run` of the same image. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { archiveBundle } from '../../src/authoring/cnab/bundle-tools.ts'
import { inCnabContext } from '../../src/local/cnab/tools.ts'
import { busyboxImage } from '../../test/support/busybox.ts'
import { ensurePrograms, findProgram } from '../../test/support/debian.ts'
import { freshFolder } from '../../test/support/image.ts'
import { installedProgram } from '../../test/support/installed.ts'
import { startPodman } from '../../test/support/podman.ts'
import { type Figure, median, show } from '../figures.ts'

const coldRounds = 7
const warmRounds = 15
const line = 'the first line'
const name = 'chandler.example/bench:1.0.0'

export async function bench(): Promise<void> {
  const missing = ensurePrograms('busybox', 'runc', 'podman')
  if (missing !== undefined) return console.log(`cnab: not measured, ${missing}`)
  const home = freshFolder('bench-cnab')
  const podman = await startPodman(freshFolder('e'))
  try {
    const layout = await pack(home)
    const program = installedProgram()
    const archive = join(home, 'bench.tgz')
    const image = join(home, 'image.tar')
    await writeImage(home, layout, image)
    const ours = (data: string, i: number) =>
      firstLine(process.execPath, [
        ...[program, 'cnab', 'install', `bench-${i}`, archive],
        ...['--data-dir', data, '-d', 'embedded'],
      ])
    const load = () => spawnSync(podmanProgram, [...podman.arguments, 'load', '-q', '-i', image], peer)
    const peer = { env: podman.environment }
    const run = () =>
      firstLine(
        podmanProgram,
        [...podman.arguments, 'run', '--rm', '--network', 'host', '--entrypoint', '/cnab/app/run', name],
        podman.environment,
      )
    const cold = { ours: [] as number[], peer: [] as number[] }
    for (let i = 0; i < coldRounds; i++) {
      // Nothing is known of the image: the archive is unpacked, and theirs is loaded.
      spawnSync(podmanProgram, [...podman.arguments, 'rmi', '--all', '--force'], peer)
      const begun = performance.now()
      load()
      const loaded = performance.now() - begun
      cold.peer.push(loaded + (await run()))
      cold.ours.push(await ours(join(home, `cold-${i}`), i))
    }
    const warm = { ours: [] as number[], peer: [] as number[] }
    const data = join(home, 'warm')
    await ours(data, 0)
    await run()
    for (let i = 1; i <= warmRounds; i++) {
      warm.peer.push(await run())
      warm.ours.push(await ours(data, i))
    }
    show([
      figure('cold: install from the archive against podman load and run', cold),
      figure('warm: install against podman run', warm),
    ])
  } finally {
    await podman.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

const podmanProgram = findProgram('podman') ?? 'podman'

function figure(text: string, times: { readonly ours: number[]; readonly peer: number[] }): Figure {
  return {
    name: `to the first log line, ${text}`,
    ours: median(times.ours),
    floor: median(times.peer),
    unit: 'ms',
  }
}

/** Builds image, bundle and archive; answers the reference of the image. */
async function pack(home: string): Promise<string> {
  const tool = `#!/bin/sh\necho ${line}\n`
  const { reference } = await busyboxImage(home, 'bench', {
    tree: { 'cnab/app/run': { bytes: tool, mode: 0o755 } },
  })
  const file = join(home, 'bundle.json')
  const bundle = { schemaVersion: '1.2.0', name: 'bench', version: '1.0.0', description: '' }
  writeFileSync(file, JSON.stringify({ ...bundle, invocationImages: [{ image: name, imageType: 'oci' }] }))
  await inCnabContext(
    join(home, 'author'),
    'none',
    ({
      house: {
        workshop: { artifacts },
      },
    }) =>
      archiveBundle(artifacts, {
        reference: file,
        relocation: { [name]: reference },
        to: join(home, 'bench.tgz'),
        thin: false,
        compression: 'usual',
        ...quiet,
      }),
  )
  return reference
}

const quiet = { signal: new AbortController().signal, progress: () => undefined }

async function writeImage(home: string, from: string, to: string): Promise<void> {
  mkdirSync(home, { recursive: true })
  await inCnabContext(
    join(home, 'author'),
    'none',
    ({
      house: {
        workshop: { artifacts },
      },
    }) => artifacts.copy({ from, to: `docker-archive:${to}:${name}`, ...quiet }),
  )
}

/** Milliseconds from the start of the program to the line. */
async function firstLine(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<number> {
  const begun = performance.now()
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...environment } })
  let seen: number | undefined
  let errors = ''
  child.stdout.on('data', (bytes: Buffer) => {
    if (bytes.includes(line)) seen ??= performance.now() - begun
  })
  child.stderr.on('data', (bytes: Buffer) => {
    errors += bytes.toString()
  })
  await new Promise((resolve) => child.once('close', resolve))
  if (seen === undefined) throw new Error(`${program} ${args.join(' ')} printed nothing: ${errors}`)
  return seen
}
