import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressesOfHost, anotherHost, call, type OtherHost } from '../../../test/engines/another-host.ts'
import { testImages } from '../../../test/engines/images.ts'
import { merged, printed } from '../../../test/engines/row.ts'
import { discardAll, type Images, jobOf, listener, orderOf, runJob } from '../../../test/engines/run-row.ts'
import { ensurePrograms } from '../../../test/support/debian.ts'
import { freshFolder } from '../../../test/support/image.ts'
import { openArtifactStore } from '../../artifacts/index.ts'
import { systemClock } from '../../kit/clock.ts'
import type { Address, Job } from '../../model/job.ts'
import { fail } from '../../model/problem.ts'
import type { Engine } from '../engine.ts'
import type { NetworkChoice } from '../run-network.ts'
import type { RuntimeChoice } from './host.ts'
import { openEmbeddedEngine } from './index.ts'

const missing =
  process.geteuid?.() === 0
    ? ensurePrograms('busybox', 'crun', 'runc', 'slirp4netns', 'ip', 'nsenter')
    : 'only root can make a host outside of this one'
const folder = freshFolder('network')

let images: Images
let here: Server
let there: OtherHost

const opened = (runtime: RuntimeChoice, network: NetworkChoice = 'auto'): Promise<Engine> =>
  openEmbeddedEngine({
    folder: join(folder, `${runtime}-${network}`),
    images: openArtifactStore({ folder: join(folder, 'images') }).images,
    supplies: { deliver: () => fail('internal.unexpected', 'nothing is supplied here') },
    clock: systemClock,
    runtime,
    network,
  })

beforeAll(async () => {
  if (missing !== undefined) return
  images = await testImages(folder)
  here = createServer((socket) => socket.end('hello\n')).listen(0, '::')
  await once(here, 'listening')
  there = await anotherHost()
})
afterAll(() => {
  here?.close()
  there?.end()
  rmSync(folder, { recursive: true, force: true })
})

const portHere = (): number => (here.address() as AddressInfo).port

function jobOn(script: string, lent: readonly Address[] = []): Job {
  return { ...jobOf({ script, needs: { network: 'default' } }, images.plain), lent }
}

describe.skipIf(missing !== undefined).each(['crun', 'runc', 'plain'] as const)('with %s', (runtime) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await opened(runtime)
  })
  afterAll(async () => {
    await discardAll(engine)
    await engine.close()
  })

  test('a run with network reaches other hosts, and nothing of this one', async () => {
    const refused = [
      ...addressesOfHost(),
      '198.18.255.2',
      '198.18.255.3',
      '169.254.169.254',
      '0.0.0.0',
      '::1',
    ]
    const calls = refused.map((address) => call(address, portHere()))
    const seen = await runJob(
      engine,
      jobOn([...calls, call(there.theirs, there.port), 'ls /sys/class/net'].join('\n')),
    )

    expect(refused).toContain(there.ours)
    expect(printed(seen)).toBe(`${there.theirs} ${there.port}\nlo\ntap0\n`)
  })

  test('what is lent is reached at its own address and port, and nothing else there', async () => {
    const port = portHere()
    const lent = [
      { address: '127.0.0.1', port },
      { address: there.ours, port },
    ]
    const other = createServer((socket) => socket.end('hello\n')).listen(0, '::')
    await once(other, 'listening')
    const wrong = (other.address() as AddressInfo).port
    const calls = lent.flatMap(({ address }) => [call(address, port), call(address, wrong)])
    const seen = await runJob(engine, jobOn(calls.join('\n'), lent))
    other.close()

    expect(printed(seen)).toBe(`127.0.0.1 ${port}\n${there.ours} ${port}\n`)
  })

  test('the next broker lends it again, also to a client that has failed before', async () => {
    const { port } = here.address() as AddressInfo
    const again = `for k in 1 2 3 4 5 6 7 8 9; do ${call('127.0.0.1', port)} && exit 0; sleep 0.3; done`
    const script = `${call('127.0.0.1', port)}; : >/tried; while [ ! -s /tried ]; do sleep 0.1; done; ${again}`
    const order = orderOf(jobOn(script, [{ address: '127.0.0.1', port }]))
    const first = listener()
    await engine.layOut(order, first.watch)
    const ticket = await engine.start({ name: order.name, fence: 1 })
    const left = engine.follow(ticket, first.watch)
    const run = join(folder, `${runtime}-auto`, 'runs', order.name)
    while (!existsSync(join(run, 'net.lent'))) await systemClock.sleep(20)
    first.stop.abort()
    await left
    // What a program has looked for in vain it need not see when it comes to be below its root: it makes the file itself.
    const tried = join(run, 'up', 'tried')
    while (!existsSync(tried)) await systemClock.sleep(20)
    writeFileSync(tried, 'go on')
    const next = listener()
    const seen = next.seenWith(await engine.follow(ticket, next.watch))
    await engine.discard(order.name)

    expect(printed(seen)).toContain(`127.0.0.1 ${port}\n`)
  })

  test('what waits is lent it before its program begins, and it is told of no order before', async () => {
    const port = portHere()
    const job = (words: string): Job => ({
      ...jobOn(`echo ${words}; ${call('127.0.0.1', port)}`, [{ address: '127.0.0.1', port }]),
      late: { files: [], words: true },
    })
    const aside = join(folder, `${runtime}-auto`, 'aside')
    await engine.anticipate?.({ job: job('another'), cluster: 'test-cluster' }, new AbortController().signal)
    const waiting = readdirSync(aside)
    const seen = await runJob(engine, job('ordered'))

    expect(waiting).toHaveLength(1)
    expect(readdirSync(aside)).toEqual([])
    expect(printed(seen)).toBe(`ordered\n127.0.0.1 ${port}\n`)
  })

  test('root inside can change nothing of it', async () => {
    const script = [
      'ip route del prohibit 169.254.0.0/16 2>/dev/null && echo changed',
      'ip link set lo down 2>/dev/null && echo down',
      'cat /etc/resolv.conf | grep -c nameserver',
    ].join('\n')

    expect(printed(await runJob(engine, jobOn(script)))).toBe('1\n')
  })

  test('runs do not reach one another', async () => {
    const { watch } = listener()
    const first = orderOf({
      ...jobOn('echo up; while :; do echo hello | nc -l -p 7777; done'),
    })
    await engine.layOut(first, watch)
    await engine.start({ name: first.name, fence: 1 })
    const seen = await runJob(engine, jobOn(`sleep 1; ip -o addr; ${call('198.18.255.100', 7777)}`))
    await engine.discard(first.name)

    expect(printed(seen)).toContain('198.18.255.100')
    expect(printed(seen)).not.toContain('7777')
  })

  test('nothing of it is left, whatever ends the run', async () => {
    const { watch } = listener()
    const job = {
      ...jobOn('sleep 1000'),
      steps: jobOf({ script: 'sleep 1000', step: { streams: merged } }, images.plain).steps,
    }
    const order = orderOf(job)
    await engine.layOut(order, watch)
    await engine.start({ name: order.name, fence: 1 })
    const shim = await shimOf(order.name, runtime)
    while (outwardOf(shim).length === 0) await systemClock.sleep(20)
    const outward = outwardOf(shim)
    process.kill(shim, 'SIGKILL')
    await engine.discard(order.name)
    while (outward.some(isThere)) await systemClock.sleep(20)

    expect(outward).toHaveLength(1)
  })
})

test.skipIf(missing !== undefined)('an operator may want the network of the host', async () => {
  const engine = await opened('plain', 'host')
  const seen = await runJob(engine, jobOn(call('127.0.0.1', portHere())))
  const problems = await engine.check(new AbortController().signal)
  await engine.close()

  expect(printed(seen)).toBe(`127.0.0.1 ${portHere()}\n`)
  expect(problems.map(({ code }) => code)).toContain('engine.network-shared')
})

async function shimOf(run: string, runtime: string): Promise<number> {
  const began = join(folder, `${runtime}-auto`, 'runs', run, 'began')
  for (;;) {
    const pid = Number.parseInt(readFileSync(began, 'utf8'), 10)
    if (pid > 0) return pid
    await systemClock.sleep(20)
  }
}

function outwardOf(shim: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
        return Number(parent) === shim && readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('slirp4netns')
      } catch {
        return false
      }
    })
    .map(Number)
}

function isThere(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
