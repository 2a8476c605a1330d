/**
 * Bounds what a connection costs. A connection counts against its address until a request on it was admitted, then
 * against that account. Where there are too many, the oldest one gives way and never the new one: a platform behind the
 * same proxy as an attacker is admitted with its first request, long before its connection would have its turn.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../kit/clock.ts'
import { hasUnreadBody } from './answer.ts'
import { networkOf } from './source.ts'

export interface ConnectionLimits {
  /** Connections from one address on which nothing was admitted yet. */
  readonly strangersPerSource: number
  readonly perAccount: number
  /** A body that comes slower than this is given up. */
  readonly bodyBytesPerSecond: number
}

export interface ConnectionParts {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly keepAliveMs: number
  limits(): ConnectionLimits
  /** Whether a connection from there may speak for many callers: it is not counted by its address. */
  trusts(address: string | undefined): boolean
}

export interface Connections {
  opened(socket: Socket): void
  /** The encrypted side of a connection that was opened before. */
  secured(socket: TLSSocket): void
  /** A request begins: it is watched until its answer is sent. False: the connection is being closed. */
  begins(request: IncomingMessage, response: ServerResponse): boolean
  /** Ends what is too slow. `timedOut` is told of a request whose body does not come. */
  check(timedOut: (socket: Socket) => void): void
  /** Closes the connections that wait for a request, those that browsers open beforehand too, and each other one after its answers. */
  drain(): void
}

/** All connections together on which nothing was admitted yet. */
const strangersMax = 2048
/** No connection is closed before that: a platform that comes back opens many at the same moment. */
const firstRequestMs = 1000
/** A request may take so long to send its first bytes before its rate is looked at. */
const bodyGraceMs = 5000
/** An answer whose reader takes nothing for so long is given up. */
const stalledMs = 60_000
/** How long a connection that was told to close is read on, so that its peer finds the answer before a reset. */
const lingerMs = 1000
/** Beyond the time that idle connections are kept; the server's own check comes first. */
const idleGraceMs = 5000
/** Requests of one connection at once; what comes after them is left in the socket. */
const pipelinedMax = 64

interface Connection {
  /** The encrypted side, once there is one. */
  socket: Socket
  readonly source: string
  readonly openedAt: number
  account: string | undefined
  belongTo(account: string): void
  /** Requests whose answer is not sent yet. */
  open: number
  /** The answer to the latest of them. */
  latest: ServerResponse | undefined
  idleSince: number
  /** Bytes that waited to be sent when it was looked at last, and since when they have not become fewer. */
  waiting: { readonly bytes: number; readonly since: number } | undefined
}

interface Receiving {
  readonly connection: Connection
  readonly request: IncomingMessage
  readonly since: number
  readonly bytesBefore: number
}

const connections = new WeakMap<object, Connection>()
const closing = new WeakSet<object>()

/** A request on this connection was admitted: from now on the connection is the account's. */
export function proveConnection({ socket }: IncomingMessage, account: string): void {
  const connection = connections.get(socket)
  if (connection !== undefined && connection.account === undefined) connection.belongTo(account)
}

/** Whether an answer is on its way there, so that nothing else can be said in between. */
export function isAnswering(socket: Socket): boolean {
  const { open = 0, latest } = connections.get(socket) ?? {}
  return open > 1 || (open === 1 && latest?.headersSent === true)
}

/** Sends what is left, then closes, whatever the peer does. */
export function closeSoon(socket: Socket): void {
  if (closing.has(socket)) return
  closing.add(socket)
  socket.end()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

interface Register {
  readonly all: ReadonlySet<Connection>
  /** Those on which nothing was admitted yet. */
  readonly strangers: Set<Connection>
  /** Enters a connection; answers the strangers of its source. */
  enter(connection: Connection, port: string): Set<Connection>
  leave(connection: Connection, port: string): void
  /** The connection is the account's from now on. */
  belongTo(connection: Connection, account: string): void
  at(port: string): Connection | undefined
}

function openRegister(limits: ConnectionParts['limits']): Register {
  const all = new Set<Connection>()
  const strangers = new Set<Connection>()
  const bySource = new Map<string, Set<Connection>>()
  const byAccount = new Map<string, Set<Connection>>()
  const byPort = new Map<string, Connection>()
  return {
    all,
    strangers,
    at: (port) => byPort.get(port),
    enter(connection, port) {
      all.add(connection)
      strangers.add(connection)
      byPort.set(port, connection)
      return join(bySource, connection.source, connection)
    },
    leave(connection, port) {
      all.delete(connection)
      strangers.delete(connection)
      leave(bySource, connection.source, connection)
      if (connection.account !== undefined) leave(byAccount, connection.account, connection)
      if (byPort.get(port) === connection) byPort.delete(port)
    },
    belongTo(connection, account) {
      connection.account = account
      strangers.delete(connection)
      leave(bySource, connection.source, connection)
      const own = join(byAccount, account, connection)
      if (own.size > limits().perAccount) oldestIdle(own)?.socket.destroy()
    },
  }
}

/** Watches the connections of one listener. */
export function makeConnections({ clock, keepAliveMs, limits, trusts }: ConnectionParts): Connections {
  const register = openRegister(limits)
  const { all, strangers, belongTo } = register
  const receiving = new Set<Receiving>()
  let draining = false

  const opened = (socket: Socket): void => {
    const { remoteAddress, remotePort } = socket
    const source = trusts(remoteAddress) ? '' : networkOf(remoteAddress ?? '')
    const now = clock.monotonic()
    const connection = connectionOf(socket, { source, now, belongTo })
    const port = `${remoteAddress} ${remotePort}`
    connections.set(socket, connection)
    const neighbours = register.enter(connection, port)
    socket.once('close', () => register.leave(connection, port))
    closesPolitely(socket)
    if (source !== '' && neighbours.size > limits().strangersPerSource)
      evict(neighbours, now - firstRequestMs)
    if (strangers.size > strangersMax) evict(strangers, now)
  }

  const begins = (request: IncomingMessage, response: ServerResponse): boolean => {
    const { socket } = request
    if (closing.has(socket)) return false
    const connection = connections.get(socket)
    if (connection === undefined) return true
    const received = receive(connection, request, response, clock.monotonic())
    if (hasUnreadBody(request)) receiving.add(received)
    response.once('close', () => {
      connection.open -= 1
      connection.idleSince = clock.monotonic()
      if (connection.open === pipelinedMax - 1) socket.resume()
      receiving.delete(received)
      if (draining && connection.open === 0) closeSoon(socket)
    })
    return true
  }

  return {
    opened,
    secured(socket) {
      const connection = register.at(`${socket.remoteAddress} ${socket.remotePort}`)
      if (connection !== undefined) {
        connection.socket = socket
        connections.set(socket, connection)
      }
      closesPolitely(socket)
    },
    begins,
    check(timedOut) {
      const now = clock.monotonic()
      checkBodies(receiving, { now, bytesPerSecond: limits().bodyBytesPerSecond, timedOut })
      for (const connection of all) {
        const isIdle = connection.open === 0 && now - connection.idleSince > keepAliveMs + idleGraceMs
        if (isIdle || isStalled(connection, now)) connection.socket.destroy()
      }
    },
    drain() {
      draining = true
      for (const { open, socket } of all) if (open === 0) closeSoon(socket)
    },
  }
}

interface Opening {
  readonly source: string
  readonly now: number
  belongTo(connection: Connection, account: string): void
}

function connectionOf(socket: Socket, { source, now, belongTo }: Opening): Connection {
  const connection: Connection = {
    socket,
    source,
    openedAt: now,
    account: undefined,
    belongTo: (account) => belongTo(connection, account),
    open: 0,
    latest: undefined,
    idleSince: now,
    waiting: undefined,
  }
  return connection
}

/** A request begins on a connection; beyond so many of them at once nothing more is read from it. */
function receive(
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
  since: number,
): Receiving {
  const { socket } = request
  connection.open += 1
  connection.latest = response
  if (connection.open === pipelinedMax) socket.pause()
  return { connection, request, since, bytesBefore: socket.bytesRead }
}

interface Pace {
  readonly now: number
  readonly bytesPerSecond: number
  timedOut(socket: Socket): void
}

/** Times out the requests whose bodies come more slowly than that. */
function checkBodies(receiving: Set<Receiving>, { now, bytesPerSecond, timedOut }: Pace): void {
  for (const one of receiving) {
    const { request, since, bytesBefore } = one
    if (request.complete) {
      receiving.delete(one)
      continue
    }
    const allowedMs = ((request.socket.bytesRead - bytesBefore) / bytesPerSecond) * 1000 + bodyGraceMs
    if (now - since <= allowedMs) continue
    receiving.delete(one)
    timedOut(request.socket)
  }
}

/** The server closes a connection at once when its last answer is written; a reset may then overtake the answer. */
function closesPolitely(socket: Socket): void {
  socket.destroySoon = () => closeSoon(socket)
}

function isStalled(connection: Connection, now: number): boolean {
  const bytes = connection.socket.writableLength
  if (bytes === 0) {
    connection.waiting = undefined
    return false
  }
  if (connection.waiting === undefined || connection.waiting.bytes !== bytes)
    connection.waiting = { bytes, since: now }
  return now - connection.waiting.since > stalledMs
}

function join(sets: Map<string, Set<Connection>>, key: string, connection: Connection): Set<Connection> {
  const set = sets.get(key) ?? new Set()
  sets.set(key, set)
  return set.add(connection)
}

function leave(sets: Map<string, Set<Connection>>, key: string, connection: Connection): void {
  const set = sets.get(key)
  set?.delete(connection)
  if (set?.size === 0) sets.delete(key)
}

function oldestIdle(among: ReadonlySet<Connection>): Connection | undefined {
  for (const one of among) if (one.open === 0) return one
  return undefined
}

/** The oldest gives way, if it was opened before then. */
function evict(among: ReadonlySet<Connection>, before: number): void {
  for (const { openedAt, socket } of among) {
    if (openedAt <= before) socket.destroy()
    return
  }
}
