/** A wire to a server that can be cut: connections pass until they are torn, and none is let in while it is cut. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Wire {
  /** The same server, through the wire. */
  readonly url: string
  /** Tears every connection. */
  tear(): void
  /** Tears every connection and lets none in until it is mended. */
  cut(): void
  mend(): void
  close(): Promise<void>
}

export async function openWire(server: string): Promise<Wire> {
  const target = new URL(server)
  const sockets = new Set<Socket>()
  let open = true
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // A torn connection is what this is for.
    socket.on('error', () => socket.destroy())
  }
  const entrance = createServer((near) => {
    keep(near)
    if (!open) {
      near.resetAndDestroy()
      return
    }
    const far = connect({ host: target.hostname, port: Number(target.port) })
    keep(far)
    near.pipe(far)
    far.pipe(near)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => entrance.listen(0, '127.0.0.1', resolve))
  const tear = (): void => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  const through = new URL(server)
  through.hostname = '127.0.0.1'
  through.port = String((entrance.address() as AddressInfo).port)
  return {
    url: through.href,
    tear,
    cut: () => {
      open = false
      tear()
    },
    mend: () => {
      open = true
    },
    close: () => {
      tear()
      return new Promise((resolve) => entrance.close(() => resolve()))
    },
  }
}
