import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressesOfHost, anotherHost, call, type OtherHost } from '../../../test/engines/another-host.ts'
import { testImages } from '../../../test/engines/images.ts'
import { printed } from '../../../test/engines/row.ts'
import { discardAll, type Images, jobOf, listener, orderOf, runJob } from '../../../test/engines/run-row.ts'
import { ensurePrograms } from '../../../test/support/debian.ts'
import { freshFolder } from '../../../test/support/image.ts'
import { startPodman, type TestEngine } from '../../../test/support/podman.ts'
import { openArtifactStore } from '../../artifacts/index.ts'
import { systemClock } from '../../kit/clock.ts'
import type { Address, Job } from '../../model/job.ts'
import { fail } from '../../model/problem.ts'
import type { Engine } from '../engine.ts'
import type { NetworkChoice } from '../run-network.ts'
import { openDockerEngine } from './index.ts'

const missing =
  process.geteuid?.() === 0
    ? ensurePrograms('busybox', 'podman', 'runc', 'slirp4netns', 'ip', 'nsenter')
    : 'only root can make a host outside of this one'
const folder = freshFolder('docker-network')

let podman: TestEngine
let images: Images
let engine: Engine
let here: Server
let there: OtherHost

const opened = (network: NetworkChoice): Promise<Engine> =>
  openDockerEngine({
    socket: podman.socket,
    folder: join(folder, 'tickets'),
    copier: openArtifactStore({ folder: join(folder, 'images') }),
    supplies: { deliver: () => fail('internal.unexpected', 'nothing is supplied here') },
    clock: systemClock,
    network,
  })

beforeAll(async () => {
  if (missing !== undefined) return
  podman = await startPodman(freshFolder('n'))
  images = await testImages(folder)
  here = createServer((socket) => socket.end('hello\n')).listen(0, '::')
  await once(here, 'listening')
  there = await anotherHost()
  engine = await opened('auto')
}, 120_000)
afterAll(async () => {
  if (missing !== undefined) return
  await discardAll(engine)
  await engine.close()
  here.close()
  there.end()
  await podman.stop()
  rmSync(folder, { recursive: true, force: true })
}, 120_000)

const portHere = (): number => (here.address() as AddressInfo).port

function jobOn(script: string, lent: readonly Address[] = []): Job {
  return { ...jobOf({ script, needs: { network: 'default' } }, images.plain), lent }
}

describe.skipIf(missing !== undefined)('a container with a network of its own', { timeout: 120_000 }, () => {
  test('reaches other hosts, and of this one what is lent at its own address and port', async () => {
    const port = portHere()
    const other = createServer((socket) => socket.end('hello\n')).listen(0, '::')
    await once(other, 'listening')
    const wrong = (other.address() as AddressInfo).port
    const refused = [...addressesOfHost(), '198.18.255.2', '198.18.255.3', '169.254.169.254', '0.0.0.0']
    const lent = { address: '127.0.0.1', port }
    const calls = refused.map((address) => call(address, wrong))
    const last = [call('127.0.0.1', port), call(there.ours, port), call(there.theirs, there.port)]
    const script = [...calls, ...last, 'grep -c nameserver /etc/resolv.conf', 'ls /sys/class/net'].join('\n')
    const seen = await runJob(engine, jobOn(script, [lent]))
    other.close()

    expect(seen.report.end).toEqual({ kind: 'finished' })
    expect(refused).toContain(there.ours)
    expect(printed(seen)).toBe(`127.0.0.1 ${port}\n${there.theirs} ${there.port}\n1\nlo\ntap0\n`)
  })

  test('keeps it when the process behind it is killed, and what is lent with the next broker', async () => {
    const port = portHere()
    const until = (line: string): string => `while ! ${line}; do sleep 0.1; done`
    const script = [
      `${until(`nc -w 2 127.0.0.1 ${port} </dev/null | grep -q hello`)}; echo first`,
      until('[ -e /tmp/again ]'),
      `${until(`nc -w 2 127.0.0.1 ${port} </dev/null 2>/dev/null | grep -q hello`)}; echo second`,
      `${until(`nc -w 2 ${there.theirs} ${there.port} </dev/null 2>/dev/null | grep -q hello`)}; echo third`,
    ].join('\n')
    const job = jobOn(script, [{ address: '127.0.0.1', port }])
    const order = orderOf({
      ...job,
      folders: [{ path: '/tmp', mode: 0o777, content: { kind: 'empty' }, readOnly: false }],
    })
    const first = listener()
    await engine.layOut(order, first.watch)
    const ticket = await engine.start({ name: order.name, fence: 1 })
    const left = engine.follow(ticket, first.watch)
    const place = join(folder, 'tickets', 'runs', order.name)
    while (!existsSync(join(place, 'net.lent'))) await systemClock.sleep(20)
    first.stop.abort()
    await left
    const [outward = 0] = outwardOf(place)
    process.kill(outward, 'SIGKILL')
    while (outwardOf(place).length > 0) await systemClock.sleep(20)
    writeFileSync(join(place, 'f0', 'again'), '')
    const next = listener()
    const end = engine.follow(ticket, next.watch)
    const seen = next.seenWith(await end)
    await engine.discard(order.name)

    expect(outward).toBeGreaterThan(0)
    expect(printed(seen)).toBe('first\nsecond\nthird\n')
  })

  test('leaves nothing behind', async () => {
    const order = orderOf(jobOn('sleep 1000'))
    const { watch } = listener()
    await engine.layOut(order, watch)
    await engine.start({ name: order.name, fence: 1 })
    const place = join(folder, 'tickets', 'runs', order.name)
    while (!existsSync(join(place, 'net.ready'))) await systemClock.sleep(20)
    // What it starts looks like it for a moment, until it has become another program.
    while (outwardOf(place).length > 1) await systemClock.sleep(20)
    const behind = outwardOf(place)
    await engine.discard(order.name)
    while (behind.some((pid) => existsSync(`/proc/${pid}`))) await systemClock.sleep(20)

    expect(behind).toHaveLength(1)
  })

  test('is what an operator may do without', async () => {
    const shared = await opened('host')
    const seen = await runJob(shared, jobOn(call('127.0.0.1', portHere())))
    const problems = await shared.check(AbortSignal.timeout(60_000))
    await shared.close()

    expect(printed(seen)).toBe(`127.0.0.1 ${portHere()}\n`)
    expect(problems.map(({ code }) => code)).toContain('engine.network-shared')
  })
})

/** The processes that keep the network of the run with that ticket. */
function outwardOf(place: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
        return words.includes(place) && words.some((word) => word.includes('net.held'))
      } catch {
        // It ended meanwhile.
        return false
      }
    })
    .map(Number)
}
