/**
 * Lends addresses of the host to a run with a network of its own. A small process enters that network, listens there, and
 * hands its listeners over to this process, which connects where the host would.
 */
import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { connect, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import type { Address } from '../../model/job.ts'
import { ProblemError } from '../../model/problem.ts'
import { usualPath } from '../usual-path.ts'
import { shimState } from './identity.ts'
import { networkFiles } from './network.ts'
import { isOver, type Stopping } from './stop.ts'

const glanceMs = 10

/** Until the signal. A run waits with its program until they are lent; once is enough, whichever process does it. */
export async function lendWhileRunning(at: Stopping, signal: AbortSignal): Promise<void> {
  const { paths, record, clock } = at
  const { lent } = record
  // What an earlier release has laid out has none.
  if (lent === undefined || lent.length === 0) return
  while (!existsSync(join(paths.folder, networkFiles.ready))) {
    if (signal.aborted || (await isOver(paths))) return
    await clock.sleep(glanceMs, signal)
  }
  const shim = await shimState(paths)
  if (shim.kind !== 'alive') return
  const servers = await listenersIn(shim.mark.pid, at, lent)
  writeFileSync(join(paths.folder, networkFiles.lent), '')
  const sockets = new Set<Socket>()
  for (const [i, server] of servers) {
    const to = lent[i]
    if (to !== undefined) server.on('connection', (socket) => forward(socket, to, sockets))
  }
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  for (const [, server] of servers) server.close()
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
 * Listens, hands over, and ends; what goes on listening there is another process's doing. A broker that is killed meanwhile
 * takes it along, or it would keep the next one from the address.
 */
const listener = `
const { createServer } = require('node:net')
const [listed, broker] = process.argv.slice(1)
const all = JSON.parse(listed)
setInterval(() => process.ppid === Number(broker) || process.exit(1), 50)
let left = all.length
const done = () => { left -= 1; if (left === 0) process.send('done', () => process.exit(0)) }
const listen = (i, tries) => {
  const server = createServer()
  server.on('error', (error) => {
    if (error.code !== 'EADDRINUSE') process.send(error.message, () => process.exit(1))
    else if (tries === 0) done()
    else setTimeout(() => listen(i, tries - 1), 100)
  })
  server.listen(all[i].port, all[i].address, () => process.send(i, server, {}, done))
}
for (const i of all.keys()) listen(i, 10)`

function listenersIn(
  pid: number,
  { host, paths }: Stopping,
  lent: readonly Address[],
): Promise<ReadonlyMap<number, Server>> {
  const space = `/proc/${pid}/root${join(paths.folder, networkFiles.space)}`
  const owner = host.rootless ? ['--user', '--preserve-credentials'] : []
  const program = [process.execPath, '-e', listener, JSON.stringify(lent), String(process.pid)]
  const child = spawn('nsenter', ['--target', String(pid), ...owner, `--net=${space}`, ...program], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { PATH: usualPath },
  })
  return new Promise((resolve, reject) => {
    const servers = new Map<number, Server>()
    let fault = 'the process that listens in the network of the run ended'
    child.on('message', (word: unknown, handle) => {
      // A caller may have said all and still listen; the setting is not handed over.
      if (typeof word === 'number')
        servers.set(word, Object.assign(handle as Server, { allowHalfOpen: true }))
      else if (word === 'done') resolve(servers)
      else fault = String(word)
    })
    child.once('error', reject)
    child.once('close', () => {
      const detail = `addresses could not be lent: ${fault}`
      reject(new ProblemError({ code: 'engine.start-failed', detail }))
    })
  })
}
