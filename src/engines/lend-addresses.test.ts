/** Addresses lent to a network: by a listener that becomes ours with the first connection, and by one that is ours at once. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { processesOfHost } from '../../test/engines/host-look.ts'
import { ensurePrograms, findProgram } from '../../test/support/debian.ts'
import { systemClock } from '../kit/clock.ts'
import { enough } from '../kit/enough.ts'
import { lendAddresses } from './lend-addresses.ts'

const missing =
  process.geteuid?.() === 0 ? ensurePrograms('ip', 'nsenter') : 'only root may make a network of its own'
const ways = ['127.0.0.1', ...(existsSync('/proc/net/if_inet6') ? ['::1'] : [])]

let space: ChildProcess
let here: Server
let port: number

beforeEach(async () => {
  if (missing !== undefined) return
  space = spawn('unshare', ['--net', 'sh', '-c', 'ip link set lo up && echo up && exec sleep 600'])
  if (space.stdout) await once(space.stdout, 'data')
  here = createServer((socket) => socket.end('hello')).listen(0)
  await once(here, 'listening')
  port = (here.address() as AddressInfo).port
})
afterEach(() => {
  space?.kill('SIGKILL')
  here?.close()
})

const into = () => ['--target', String(space.pid), '--net']

/** What a program of that network reads there. */
async function read(address: string): Promise<string> {
  const program = `require('node:net').connect(${port}, '${address}').pipe(process.stdout)`
  return (await promisify(execFile)('nsenter', [...into(), process.execPath, '-e', program])).stdout
}

/** How many listen in that network. */
function listeners(): number {
  const tables = ['tcp', 'tcp6'].map((name) => `/proc/${space.pid}/net/${name}`)
  const lines = tables
    .filter((path) => existsSync(path))
    .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
  return lines.filter((line) => / 0A /.test(line)).length
}

/** Whether it is listened there by a process that becomes another with the first connection. */
function isActivated(): boolean {
  const words = ['systemd-socket-activate', '-l', `127.0.0.1:${port}`]
  return processesOfHost((command) => words.every((word) => command.split('\0').includes(word))).length > 0
}

const isLazy = (address: string): boolean =>
  address === '127.0.0.1' && findProgram('systemd-socket-activate') !== undefined

async function untilNoneListens(): Promise<void> {
  while (listeners() > 0) await systemClock.sleep(10)
}

describe.skipIf(missing !== undefined).each(ways)('%s', (address) => {
  test('is lent again and again, to as many as call, until it is no more', async () => {
    for (const calls of [2, 0]) {
      const over = new AbortController()
      let ended: Promise<void> = Promise.resolve()
      await new Promise<void>((lent, reject) => {
        ended = lendAddresses(
          { into: Promise.resolve(into()), addresses: [{ address, port }], lent },
          over.signal,
        )
        ended.catch(reject)
      })
      expect(listeners()).toBe(1)
      expect(isActivated()).toBe(isLazy(address))
      for (let i = 0; i < calls; i++) expect(await read(address)).toBe('hello')

      over.abort(enough)
      await ended
      await untilNoneListens()
    }
  })

  test('is lent no longer than its lender lives, whether it was called or not', async () => {
    for (const isCalled of [false, true]) {
      const program = `
        import { lendAddresses } from '${import.meta.dirname}/lend-addresses.ts'
        const lent = () => console.log('lent')
        const addresses = [${JSON.stringify({ address, port })}]
        await lendAddresses({ into: Promise.resolve(${JSON.stringify(into())}), addresses, lent }, new AbortController().signal)`
      const lender = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(lender.stdout, 'data')
      if (isCalled) expect(await read(address)).toBe('hello')

      lender.kill('SIGKILL')
      await untilNoneListens()
    }
  })
})
