/**
 * Lends addresses of the host to a run with a network of its own. A small process enters that network, listens there, and
 * hands its listeners over to this process, which connects where the host would.
 */
import { spawn } from 'node:child_process'
import { connect, type Server, type Socket } from 'node:net'
import { pipeline } from 'node:stream'
import type { Address } from '../model/job.ts'
import { ProblemError } from '../model/problem.ts'
import { usualPath } from './usual-path.ts'

/** What a run may have open at one address; more are closed as they come. */
const connectionsMax = 512

export interface Lending {
  /** The arguments with which `nsenter` gets into the network. */
  readonly into: readonly string[]
  readonly addresses: readonly Address[]
  /** Called when all of them are listened at. */
  readonly lent: () => void
}

/** Until the signal. Once is enough, whichever process does it. Problems: engine.start-failed. */
export async function lendAddresses({ into, addresses, lent }: Lending, signal: AbortSignal): Promise<void> {
  const sockets = new Set<Socket>()
  const servers = await Promise.all(
    addresses.map(async (to) => {
      const server = await listenerIn(into, to)
      server?.on('connection', (socket) => forward(socket, to, sockets))
      return server
    }),
  )
  lent()
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  for (const server of servers) server?.close()
  for (const socket of sockets) socket.destroy()
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

/**
 * Listens, hands its listener over and lets go of it before it could take a connection; what goes on listening there is
 * another process's doing. It ends with its parent, or it would keep the next broker from the address.
 */
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
  server.listen(port, address, () => { process.send('listening', server); server.close() })
}
listen(10)`

/** Undefined where another process listens for the run. */
function listenerIn(into: readonly string[], lent: Address): Promise<Server | undefined> {
  const program = [process.execPath, '-e', listener, JSON.stringify(lent)]
  const child = spawn('nsenter', [...into, ...program], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { PATH: usualPath },
  })
  return new Promise((resolve, reject) => {
    const refuse = (why: string): void => {
      const detail = `${lent.address}:${lent.port} could not be lent: ${why}`
      reject(new ProblemError({ code: 'engine.start-failed', detail }))
    }
    child.once('message', (word, handle) => {
      // A caller may have said all and still listen; these settings are not handed over.
      if (word === 'listening')
        resolve(Object.assign(handle as Server, { allowHalfOpen: true, maxConnections: connectionsMax }))
      else if (word === 'EADDRINUSE') resolve(undefined)
      else refuse(String(word))
      child.disconnect()
    })
    child.once('error', (error) => refuse(error.message))
    child.once('close', () => refuse('the process that listens in the network of the run ended'))
  })
}
