/** Clients that mean harm, over plain sockets: each says little, slowly, or never closes; what they are told is kept. */
import { connect, type Socket } from 'node:net'

export interface Attacker {
  readonly socket: Socket
  /** Everything that came back so far. */
  heard(): string
  /** The status of each answer so far, interim ones left out. */
  statuses(): readonly number[]
  /** The other side will not read any more. */
  readonly cutOff: Promise<void>
}

export interface Attack extends AsyncDisposable {
  readonly attackers: readonly Attacker[]
  /** How often each status was answered, over all of them. */
  tally(): Readonly<Record<string, number>>
}

/** Opens so many connections; each sends the same, and keeps its own side open whatever the other does. */
export async function attack(url: string, count: number, text: string): Promise<Attack> {
  const attackers: Attacker[] = []
  // In groups, or the backlog of the listener is what is attacked.
  while (attackers.length < count) {
    const group = Math.min(100, count - attackers.length)
    attackers.push(...(await Promise.all(Array.from({ length: group }, () => open(url, text)))))
  }
  return {
    attackers,
    tally: () => {
      const all = attackers.flatMap((one) => one.statuses())
      return Object.fromEntries([...new Set(all)].map((s) => [s, all.filter((one) => one === s).length]))
    },
    async [Symbol.asyncDispose]() {
      for (const { socket } of attackers) socket.destroy()
      await Promise.all(attackers.map(({ cutOff }) => cutOff))
    },
  }
}

/** One connection that says something and then waits. */
export async function open(url: string, text: string): Promise<Attacker> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  socket.on('error', () => undefined)
  const cutOff = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  let heard = ''
  socket.on('data', (piece: Buffer) => {
    heard += piece.toString('latin1')
  })
  await Promise.race([new Promise<void>((resolve) => socket.once('connect', resolve)), cutOff])
  if (text !== '') socket.write(text)
  return {
    socket,
    cutOff,
    heard: () => heard,
    statuses: () =>
      [...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, s]) => Number(s)).filter((s) => s !== 100),
  }
}

/** A request as bytes; the head alone where there is a body to come. */
export function head(first: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ Host: 'broker', ...headers }).map(([name, value]) => `${name}: ${value}`)
  return `${[`${first} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`
}
