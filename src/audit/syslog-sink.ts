/** A syslog server (RFC 5424) that records and anchors are sent to: over UDP, TCP (RFC 6587) or TLS (RFC 5425). */
import { createSocket } from 'node:dgram'
import { connect as connectTcp, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { connect as connectTls } from 'node:tls'
import { ProblemError } from '../model/problem.ts'
import type { AuditLine, AuditSink } from './sink.ts'

/** Facility 13 (audit), severity 5 (notice). */
const priority = 13 * 8 + 5
const defaultPorts = { 'udp:': 514, 'tcp:': 601, 'tls:': 6514 } as const
const withinMs = 10_000

/** For `udp://HOST:PORT`, `tcp://HOST:PORT` and `tls://HOST:PORT`. */
export function syslogSink(address: string): AuditSink {
  const { kind, place } = placeOf(address)
  const send = kind === 'udp:' ? sendDatagrams : sendFrames(kind)
  return { name: `syslog ${address}`, records: true, take: (lines) => send(lines.map(messageOf), place) }
}

/** Connects to a server over TCP or TLS and sends nothing; rejects where it takes no connection. */
export async function reachSyslog(address: string): Promise<void> {
  const { kind, place } = placeOf(address)
  if (kind !== 'udp:') await sendFrames(kind)([], place)
}

function placeOf(address: string): { readonly kind: keyof typeof defaultPorts; readonly place: Place } {
  const { protocol, hostname: host, port } = new URL(address)
  const kind = protocol as keyof typeof defaultPorts
  return {
    kind,
    place: { host: host.replace(/^\[|\]$/g, ''), port: port === '' ? defaultPorts[kind] : Number(port) },
  }
}

interface Place {
  readonly host: string
  readonly port: number
}

function messageOf(line: AuditLine): string {
  const [kind, at] = 'record' in line ? ['record', line.record.at] : ['anchor', line.anchor.at]
  return `<${priority}>1 ${at} ${hostname()} chandler ${process.pid} audit-${kind} - ${JSON.stringify(line)}`
}

async function sendDatagrams(messages: readonly string[], { host, port }: Place): Promise<void> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  try {
    for (const message of messages) {
      await new Promise<void>((resolve, reject) =>
        socket.send(message, port, host, (error) => (error ? reject(error) : resolve())),
      )
    }
  } finally {
    socket.close()
  }
}

/** Each message behind its length; the server has taken them when it has let the connection end. */
function sendFrames(kind: 'tcp:' | 'tls:') {
  return (messages: readonly string[], { host, port }: Place): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket: Socket =
        kind === 'tls:' ? connectTls({ host, port, servername: host }) : connectTcp({ host, port })
      const late = { code: 'file.unwritable', detail: `${host}:${port} does not answer` } as const
      socket.setTimeout(withinMs, () => socket.destroy(new ProblemError(late)))
      socket.once('error', reject)
      socket.once('close', () => resolve())
      socket.resume()
      socket.end(messages.map((message) => `${Buffer.byteLength(message)} ${message}`).join(''))
    })
}
