/** What engines add to what the container itself takes: against bare runtimes, other engines and plain pipes. */
import { spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { openArtifactStore } from '../../src/artifacts/index.ts'
import type { Engine } from '../../src/engines/engine.ts'
import { openDockerEngine, openEmbeddedEngine } from '../../src/engines/index.ts'
import { systemClock } from '../../src/kit/clock.ts'
import type { Job } from '../../src/model/job.ts'
import { fail } from '../../src/model/problem.ts'
import { file, folder as folderOf, merged, wantFile } from '../../test/engines/row.ts'
import { freshName, jobOf, listener, orderOf } from '../../test/engines/run-row.ts'
import { busyboxImage, type TestImage } from '../../test/support/busybox.ts'
import { ensurePrograms, findProgram } from '../../test/support/debian.ts'
import { freshFolder } from '../../test/support/image.ts'
import { startDockerd, startPodman, type TestEngine } from '../../test/support/podman.ts'
import { type Figure, median, show } from '../figures.ts'
import { pullFigures } from './images.ts'

const rounds = 25
const script = 'cat /in/file > /out/file; echo done'
const logBytes = 100 * 1024 * 1024

/** Prints the figures of the engines. */
export async function bench(): Promise<void> {
  const missing = ensurePrograms('busybox', 'runc', 'podman')
  if (missing !== undefined) return console.log(`engines: not measured, ${missing}`)
  const home = freshFolder('bench-engine')
  try {
    const image = await busyboxImage(home, 'bench')
    const bundle = await withEngine(home, 'runc', (engine) => prepareBundle(engine, image, home))
    for (const runtime of ['auto', 'runc'] as const) {
      await withEngine(home, runtime, async (engine) => {
        console.log(`embedded engine, runtime: ${runtime === 'auto' ? 'what it finds best' : runtime}`)
        show(await oneOperation(engine, image, bundle))
        show(await manyOperations(engine, image, bundle))
        show([await longLog(engine, image)])
      })
      for (const line of leftovers(join(home, 'engine'))) console.log(`left behind: ${line}`)
      console.log(`left behind by the embedded engine: ${leftovers(join(home, 'engine')).length}`)
    }
    show(await otherEngines(home, image))
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
  if (ensurePrograms('docker-registry', 'skopeo', 'umoci') === undefined) show(await pullFigures())
}

async function withEngine<Value>(
  home: string,
  runtime: 'auto' | 'runc',
  use: (engine: Engine) => Promise<Value>,
): Promise<Value> {
  const engine = await openEmbeddedEngine({
    folder: join(home, 'engine'),
    images: openArtifactStore({ folder: join(home, 'images') }).images,
    supplies: { deliver: () => fail('internal.unexpected') },
    clock: systemClock,
    runtime,
  })
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

function operation(image: TestImage): Job {
  return jobOf(
    {
      script,
      step: { streams: merged },
      files: [file('/in/file', 'x'.repeat(1000), { readOnly: true })],
      folders: [folderOf('/out')],
      wants: [wantFile('/out/file', 10_000)],
    },
    image,
  )
}

/** Everything that an order pays for: layout, start, log, files, removal. */
async function perform(engine: Engine, job: Job): Promise<number> {
  const order = orderOf(job, freshName())
  const { watch, log } = listener()
  const begun = performance.now()
  await engine.layOut(order, watch)
  const report = await engine.follow(await engine.start({ name: order.name, fence: 1 }), watch)
  await engine.discard(order.name)
  const took = performance.now() - begun
  const got = report.got.get('/out/file')
  if (got?.kind !== 'bytes' || got.bytes.length !== 1000 || log().toString() !== 'done\n')
    fail('internal.unexpected')
  return took
}

/** The same configuration as the engine's, with everything in its place already. */
async function prepareBundle(engine: Engine, image: TestImage, home: string): Promise<string> {
  const order = orderOf(operation(image))
  const { watch } = listener()
  await engine.layOut(order, watch)
  const run = join(home, 'engine', 'runs', order.name)
  const bundle = join(home, 'bundle')
  mkdirSync(join(bundle, 'out'), { recursive: true })
  for (const layer of ['ground/0/', 'ground/places/', 'up/'])
    cpSync(join(run, layer), join(bundle, 'root'), {
      recursive: true,
      verbatimSymlinks: true,
      dereference: false,
    })
  writeFileSync(join(bundle, 'in'), 'x'.repeat(1000))
  const config = JSON.parse(readFileSync(join(run, 'private', `${order.name}-s0`, 'config.json'), 'utf8'))
  config.root.path = join(bundle, 'root')
  for (const mount of config.mounts) {
    if (mount.destination === '/in/file') mount.source = join(bundle, 'in')
    if (mount.destination === '/out') mount.source = join(bundle, 'out')
  }
  await engine.discard(order.name)
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(config))
  return bundle
}

let runs = 0

/** A bare run of the bundle; each has its own cgroup, as the engine's have. */
async function bareRun(bundle: string): Promise<number> {
  const own = `${bundle}-${runs++ % 4}`
  const config = JSON.parse(readFileSync(join(bundle, 'config.json'), 'utf8'))
  config.linux.cgroupsPath = `/chandler/bench-${runs}`
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, 'config.json'), JSON.stringify(config))
  return await timed('runc', ['run', '--bundle', own, `bench-${process.pid}-${runs}`])
}

async function timed(program: string, args: readonly string[], env = process.env): Promise<number> {
  const log = openSync('/dev/null', 'w')
  const begun = performance.now()
  const exit = await new Promise((resolve) => {
    spawn(findProgram(program) ?? program, args, { stdio: ['ignore', log, log], env }).once('exit', resolve)
  })
  if (exit !== 0) fail('internal.unexpected', `${program} ended with ${exit}`)
  return performance.now() - begun
}

async function oneOperation(engine: Engine, image: TestImage, bundle: string): Promise<readonly Figure[]> {
  const job = operation(image)
  const ours: number[] = []
  const bare: number[] = []
  await perform(engine, job)
  await bareRun(bundle)
  for (let i = 0; i < rounds; i++) {
    bare.push(await bareRun(bundle))
    ours.push(await perform(engine, job))
  }
  console.log(
    `one operation is ${(median(ours) - median(bare)).toFixed(1)} ms above bare runc (goal at most 25)`,
  )
  return [
    {
      name: 'one operation against bare runc run',
      ours: median(ours),
      floor: median(bare),
      unit: 'ms',
      goal: { atMost: 1.8 },
    },
  ]
}

async function manyOperations(engine: Engine, image: TestImage, bundle: string): Promise<readonly Figure[]> {
  const job = operation(image)
  const count = 200
  const all = async (work: () => Promise<number>): Promise<number> => {
    let left = count
    const begun = performance.now()
    const lane = async (): Promise<void> => {
      while (left-- > 0) await work()
    }
    await Promise.all([lane(), lane(), lane(), lane()])
    return performance.now() - begun
  }
  const bare = await all(() => bareRun(bundle))
  const ours = await all(() => perform(engine, job))
  return [
    {
      name: '200 operations, 4 at a time, against raw runs',
      ours,
      floor: bare,
      unit: 'ms',
      goal: { atMost: 1.4 },
    },
  ]
}

async function longLog(engine: Engine, image: TestImage): Promise<Figure> {
  const text = `yes 0123456789abcde | head -c ${logBytes}`
  const ours: number[] = []
  const pipe: number[] = []
  for (let i = 0; i < 3; i++) {
    pipe.push(await pipeRate(text))
    const limits = { logBytes: 2 * logBytes, cpus: 2 }
    const order = orderOf(jobOf({ script: text, step: { streams: merged }, limits }, image))
    const { watch } = listener()
    let bytes = 0
    await engine.layOut(order, watch)
    const begun = performance.now()
    const ticket = await engine.start({ name: order.name, fence: 1 })
    await engine.follow(ticket, {
      ...watch,
      log: async (piece) => {
        bytes += piece.bytes.length
      },
    })
    ours.push(bytes / 1e3 / (performance.now() - begun))
    await engine.discard(order.name)
    if (bytes !== logBytes) fail('internal.unexpected', `${bytes} bytes of log`)
  }
  return {
    name: 'a log of 100 MB through a live follower against a pipe',
    ours: median(ours),
    floor: median(pipe),
    unit: 'MB/s',
    goal: { atLeast: 0.5 },
  }
}

async function pipeRate(text: string): Promise<number> {
  const begun = performance.now()
  const child = spawn(findProgram('busybox') ?? 'busybox', ['sh', '-c', text], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let bytes = 0
  for await (const piece of child.stdout) bytes += (piece as Buffer).length
  return bytes / 1e3 / (performance.now() - begun)
}

async function otherEngines(home: string, image: TestImage): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  const podman = await startPodman(freshFolder('e'))
  try {
    const run = (prefix: readonly string[]) => (name: string) =>
      timed('podman', [...prefix, ...runArguments(home, name)], podman.environment)
    const remote = await againstItself(podman, {
      home,
      image,
      name: 'Podman',
      run: run(['--url', `unix://${podman.socket}`]),
    })
    figures.push(remote.figure, {
      name: 'one operation on the embedded engine against podman run',
      ours: await embeddedMedian(home, image),
      floor: await medianOf(() => run(podman.arguments)(remote.image)),
      unit: 'ms',
      goal: { atMost: 1 / 3 },
    })
  } finally {
    await podman.stop()
  }
  if (findProgram('dockerd') === undefined || findProgram('docker') === undefined) return figures
  const docker = await startDockerd(freshFolder('e'))
  try {
    const run = (name: string) => timed('docker', runArguments(home, name), docker.environment)
    figures.push((await againstItself(docker, { home, image, name: 'Docker', run })).figure)
  } finally {
    await docker.stop()
  }
  return figures
}

function runArguments(home: string, name: string): readonly string[] {
  const limits = ['--network', 'none', '--memory', '512m', '--pids-limit', '512', '--cap-drop', 'ALL']
  const binds = ['-v', `${home}/bundle/in:/in/file:ro`, '-v', `${home}/bundle/out:/out`]
  return ['run', '--rm', ...limits, ...binds, '--entrypoint', '/bin/sh', name, '-c', script]
}

async function againstItself(
  server: TestEngine,
  {
    home,
    image,
    name,
    run,
  }: {
    readonly home: string
    readonly image: TestImage
    readonly name: string
    run(image: string): Promise<number>
  },
): Promise<{ readonly figure: Figure; readonly image: string }> {
  const engine = await openDockerEngine({
    socket: server.socket,
    folder: join(home, `tickets-${name}`),
    copier: openArtifactStore({ folder: join(home, 'artifacts') }),
    supplies: { deliver: () => fail('internal.unexpected') },
    clock: systemClock,
  })
  const job = operation(image)
  const loaded = `chandler.local/image:${image.digest.replace('sha256:', '')}`
  await perform(engine, job)
  await run(loaded)
  const ours: number[] = []
  const own: number[] = []
  for (let i = 0; i < 10; i++) {
    own.push(await run(loaded))
    ours.push(await perform(engine, job))
  }
  await engine.close()
  const figure: Figure = {
    name: `one operation on ${name}'s socket against its own run --rm`,
    ours: median(ours),
    floor: median(own),
    unit: 'ms',
    goal: { atMost: 1.1 },
  }
  return { figure, image: loaded }
}

async function embeddedMedian(home: string, image: TestImage): Promise<number> {
  return await withEngine(home, 'auto', async (engine) => {
    const job = operation(image)
    await perform(engine, job)
    return await medianOf(() => perform(engine, job))
  })
}

async function medianOf(work: () => Promise<number>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 10; i++) times.push(await work())
  return median(times)
}

/** Mounts, groups, processes and files that should be gone. */
function leftovers(folder: string): readonly string[] {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(folder))
  const groups = ['memory', 'pids', '.']
    .map((name) => `/sys/fs/cgroup/${name}/chandler`)
    .filter(existsSync)
    .flatMap((path) => readdirSync(path).filter((name) => name.includes(`${process.pid}-`)))
  const processes = spawnSync('pgrep', ['-f', folder], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter(Boolean)
  const files = ['runs', 'aside', 'trash'].flatMap((name) => readdirSync(join(folder, name)))
  return [...mounts, ...groups, ...processes, ...files]
}
