/** All figures of the broker, each against a floor or peer of the same run. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accounts, orderPretended, slowOffer, startBrokerProcess } from '../../test/support/broker-process.ts'
import { type Figure, median, show } from '../figures.ts'
import { fillStore } from './fill-store.ts'
import { jobsPerSecond } from './jobs.ts'
import { closedLoop } from './raw-load.ts'
import { targetOf } from './target.ts'
import { underLoad } from './under-load.ts'
import { tellQuiet, undisturbed } from './undisturbed.ts'

const many = Number(process.env['CHANDLER_BENCH_INSTANCES'] ?? 100_000)
const rounds = 3
/** The rates are taken in short turns, for the speed of a shared machine changes within seconds. */
const turns = 16
const turnSeconds = 0.5
const triesMax = 60

/** Runs everything and prints the figures. */
export async function bench(): Promise<void> {
  spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  const folder = mkdtempSync(join(tmpdir(), 'chandler-bench-'))
  try {
    const empty = join(folder, 'empty')
    const full = join(folder, 'full')
    for (const dataDir of [empty, full]) await begin(dataDir)
    await fill(full)
    show([...(await starts(empty, full)), ...(await memory(empty, full))])
    show(await paths(full, folder))
    show(await underLoad(empty, full))
    show(await jobsPerSecond())
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The first start also makes keys and tables, so that later starts are measured alike. */
async function begin(dataDir: string): Promise<void> {
  const broker = await startBrokerProcess({ dataDir })
  await broker.end('SIGTERM')
}

async function fill(dataDir: string): Promise<void> {
  const begun = performance.now()
  await fillStore({
    dataDir,
    instances: many,
    operationsEach: 3,
    digest: 'sha256:filled',
    platform: 'conformance',
    serviceId: slowOffer.service_id,
    planId: slowOffer.plan_id,
  })
  console.log(
    `filled with ${many} instances and ${many * 3} operations in ${((performance.now() - begun) / 1000).toFixed(0)} s`,
  )
}

async function starts(empty: string, full: string): Promise<readonly Figure[]> {
  const times = { empty: [] as number[], full: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    for (const [name, dataDir] of Object.entries({ empty, full })) {
      const begun = performance.now()
      const broker = await startBrokerProcess({ dataDir })
      times[name as 'empty' | 'full'].push(performance.now() - begun)
      await broker.end('SIGTERM')
    }
  }
  const figure = {
    name: `start to ready with ${many} instances against an empty store`,
    unit: 'ms',
    goal: { atMost: 1.5 },
  }
  return [{ ...figure, ours: median(times.full), floor: median(times.empty) }]
}

async function memory(empty: string, full: string): Promise<readonly Figure[]> {
  const idle = async (dataDir: string): Promise<number> => {
    const broker = await startBrokerProcess({ dataDir })
    await new Promise((later) => setTimeout(later, 3000))
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${broker.pid}/status`, 'utf8'))?.[1])
    await broker.end('SIGTERM')
    return kilobytes / 1024
  }
  const [none, all] = [await idle(empty), await idle(full)]
  return [
    { name: 'resident memory idle against the aim of 110 MB', ours: none, floor: 110, unit: 'MB' },
    {
      name: `more of it with ${many} instances against the aim of 15 MB`,
      ours: Math.max(0.01, all - none),
      floor: 15,
      unit: 'MB',
    },
  ]
}

async function paths(full: string, folder: string): Promise<readonly Figure[]> {
  const broker = await startBrokerProcess({ dataDir: full })
  const polled = await orderPretended(broker, 'polled', { ms: -1 })
  const figures: Figure[] = []
  for (const [name, path] of [
    ['GET /v2/catalog', '/v2/catalog'],
    ['last_operation', `/v2/service_instances/polled/last_operation?operation=${polled}`],
  ] as const) {
    const bytes = Buffer.from(
      await (await fetch(`${broker.url}${path}`, { headers: headers() })).arrayBuffer(),
    )
    const file = join(folder, 'bytes')
    writeFileSync(file, bytes)
    const bare = await startBare(file)
    const rate = async (side: string, url: string): Promise<number> => {
      const { requests, seconds, refused } = await closedLoop(targetOf(url, path), 20, turnSeconds)
      if (refused > 0) console.log(`${refused} requests were refused by ${side}`)
      return requests / seconds
    }
    for (const url of [bare.url, broker.url]) await closedLoop(targetOf(url, path), 20, 2)
    const quiet = await undisturbed(turns, triesMax, async () => ({
      floor: await rate('the floor', bare.url),
      ours: await rate('the broker', broker.url),
    }))
    tellQuiet(name, quiet)
    const rates = quiet.samples.map(({ seen }) => seen)
    bare.child.kill()
    figures.push({
      name: `${name} with ${many} instances against bare node:http`,
      ours: median(rates.map(({ ours }) => ours)),
      floor: median(rates.map(({ floor }) => floor)),
      unit: 'requests/s',
      goal: { atLeast: 0.55 },
    })
  }
  await broker.end('SIGTERM')
  return figures
}

async function startBare(file: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'bare-server.ts'), accounts.platform, file],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const port = await new Promise<string>((resolve) =>
    child.stdout.once('data', (text: Buffer) => resolve(text.toString().trim())),
  )
  return { child, url: `http://127.0.0.1:${port}` }
}

function headers(): Readonly<Record<string, string>> {
  return { Authorization: accounts.platform, 'X-Broker-API-Version': '2.17' }
}
