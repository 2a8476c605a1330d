/**
 * Lends addresses of the host to a run with a network of its own. A small process enters that network, listens there, and
 * hands its listeners over to this process, which connects where the host would.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { connect, isIPv4, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { pipeline, type Writable } from 'node:stream'
import { systemClock } from '../kit/clock.ts'
import { enough } from '../kit/enough.ts'
import type { Address } from '../model/job.ts'
import { ProblemError } from '../model/problem.ts'
import { statSmall } from './absent.ts'
import { commandLine } from './shell.ts'
import { usualFolders, usualPath } from './usual-path.ts'

/** What a run may have open at one address; more are closed as they come. */
const connectionsMax = 512

/** The arguments with which `nsenter` gets into a network, once it is there; undefined where it never will be. */
export type WayInto = Promise<readonly string[] | undefined>

export interface Lending {
  readonly into: WayInto
  readonly addresses: readonly Address[]
  /** Called when all of them are listened at. */
  readonly lent: () => void
}

/** Until the signal. Once is enough, whichever process does it. Problems: engine.start-failed. */
export async function lendAddresses({ into, addresses, lent }: Lending, signal: AbortSignal): Promise<void> {
  const sockets = new Set<Socket>()
  const listeners = await Promise.all(
    addresses.map(async (to) => {
      const serve = (socket: Socket): void => forward(socket, to, sockets)
      const lazy = await listenLazily(into, to, serve)
      if (lazy !== undefined) return lazy
      const way = await into
      return way && (await listenAtOnce(way, to, serve))
    }),
  )
  if ((await into) === undefined) return
  lent()
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  for (const listener of listeners) listener?.close()
  for (const socket of sockets) socket.destroy()
}

type Serve = (socket: Socket) => void

interface Listener {
  close(): void
}

function forward(socket: Socket, { address, port }: Address, sockets: Set<Socket>): void {
  const out = connect({ host: address, port, allowHalfOpen: true })
  for (const one of [socket, out]) {
    sockets.add(one)
    one.once('close', () => sockets.delete(one))
  }
  // An end of either is the other's; what broke is told to both by closing.
  pipeline(socket, out, socket, () => undefined)
}

/** What has listened hands its listener over and lets go of it before it could take a connection. */
const handOver = "process.send('listening', server); server.close()"

/** What goes on listening there is another process's doing. It ends with its parent, or it would keep the next broker from the address. */
const listener = `
const { createServer } = require('node:net')
const { address, port } = JSON.parse(process.argv[1])
process.on('disconnect', () => process.exit())
const listen = (tries) => {
  const server = createServer()
  server.on('error', ({ code }) => {
    if (code === 'EADDRINUSE' && tries > 0) setTimeout(() => listen(tries - 1), 100)
    else process.send(code)
  })
  server.listen(port, address, () => { ${handOver} })
}
listen(10)`

/** There is nothing to close where another process listens for the run. */
function listenAtOnce(into: readonly string[], to: Address, serve: Serve): Promise<Listener> {
  const child = spawn('nsenter', [...into, process.execPath, '-e', listener, JSON.stringify(to)], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { PATH: usualPath },
  })
  return new Promise((resolve, reject) => {
    const refuse = (why: string): void => {
      const detail = `${to.address}:${to.port} could not be lent: ${why}`
      reject(new ProblemError({ code: 'engine.start-failed', detail }))
    }
    child.once('message', (word, handle) => {
      if (word === 'listening') resolve(serving(handle as Server, serve))
      else if (word === 'EADDRINUSE') resolve({ close: () => undefined })
      else refuse(String(word))
      child.disconnect()
    })
    child.once('error', (error) => refuse(error.message))
    child.once('close', () => refuse('the process that listens in the network of the run ended'))
  })
}

/** A program that many hosts have: it listens, starts in milliseconds, and becomes another at the first connection. */
const activator = 'systemd-socket-activate'
/** Its listener, after the streams; it closes all else, so that what it becomes is spoken to at the first stream. */
const listening = 3
const activated = `
const server = require('node:net').createServer()
process.on('disconnect', () => process.exit())
server.listen({ fd: ${listening} }, () => { ${handOver} })`

/** It says so; no configuration of the host may keep it from that. */
const says = { SYSTEMD_LOG_LEVEL: 'info', SYSTEMD_LOG_TARGET: 'console', SYSTEMD_LOG_COLOR: '0' }
const silenceMs = 5_000

/** A run that never calls waits for no more than a listener. Undefined where it cannot be had so. */
async function listenLazily(into: WayInto, to: Address, serve: Serve): Promise<Listener | undefined> {
  if (!isIPv4(to.address) || !usualFolders.some((one) => statSmall(join(one, activator)))) return undefined
  const child = activate(into, to)
  let isClosed = false
  let open: Listener = { close: () => void child.kill('SIGKILL') }
  child.once('message', (_word, handle) => {
    open = serving(handle as Server, serve)
    if (isClosed) open.close()
    child.disconnect()
  })
  if (!(await hasListened(child, into))) return undefined
  return {
    close: () => {
      isClosed = true
      open.close()
    },
  }
}

/** To fork this process takes long: that is done while the network is made, and what comes of it waits to be told the way. */
function activate(into: WayInto, { address, port }: Address): ChildProcess {
  const enter = `read -r way <&${listening} && exec ${listening}<&- && eval "exec nsenter $way"' "$@"'`
  // It ends with this process, even if that ends before it could be told so.
  const mortal = ['setpriv', '--pdeathsig', 'KILL', 'sh', '-c', '[ "$PPID" = "$0" ] && exec "$@"']
  const spoken = ['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE'].flatMap((name) => ['-E', name])
  const listen = [activator, ...spoken, '-l', `${address}:${port}`]
  const become = [process.execPath, '-e', activated]
  const words = ['-c', enter, 'sh', ...mortal, String(process.pid), ...listen, ...become]
  const child = spawn('sh', words, {
    stdio: ['ipc', 'ignore', 'pipe', 'pipe'],
    env: { PATH: usualPath, ...says },
  })
  const told = child.stdio[listening] as Writable
  // Where it has ended, that is told by its end.
  told.on('error', () => undefined)
  void into.then((way) => told.end(way && `${commandLine(way)}\n`)).catch(() => told.end())
  return child
}

function hasListened(child: ChildProcess, into: WayInto): Promise<boolean> {
  const known = new AbortController()
  const silence = into.then(() => systemClock.sleep(silenceMs, known.signal))
  void silence.catch(() => undefined).then(() => known.signal.aborted || child.kill('SIGKILL'))
  return new Promise((resolve) => {
    const tell = (is: boolean): void => {
      known.abort(enough)
      resolve(is)
    }
    let text = ''
    child.stderr?.on('data', (piece: Buffer) => {
      text = `${text}${piece}`.slice(-1000)
      if (text.includes('Listening on')) tell(true)
    })
    child.once('error', () => tell(false))
    child.once('close', () => tell(false))
  })
}

/** A caller may have said all and still listen; these settings are not handed over. */
function serving(server: Server, serve: Serve): Listener {
  Object.assign(server, { allowHalfOpen: true, maxConnections: connectionsMax }).on('connection', serve)
  return { close: () => void server.close() }
}
