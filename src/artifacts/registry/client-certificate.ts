/** Finds out that a server refuses the certificate of the client, or that there is none. */
import { isIP } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { fail } from '../../model/problem.ts'

/** The words of TLS 1.2 and 1.3 for it. */
const alert =
  /ALERT_(?:BAD_CERTIFICATE|CERTIFICATE_REQUIRED|CERTIFICATE_UNKNOWN|UNKNOWN_CA|CERTIFICATE_EXPIRED)$/
/** A server that has no objection says nothing. */
const silenceMs = 2000

/**
 * Fails when that is why a server closed a connection. It is connected to once more, and nothing is sent: the answer to a request
 * that is on its way hides what TLS says. Problems: registry.unreachable.
 */
export async function refuseUncertified(
  { hostname, port, host }: URL,
  options: ConnectionOptions,
  signal: AbortSignal,
): Promise<void> {
  const { connect } = await import('node:tls')
  const said = await new Promise<string>((resolve) => {
    const name = hostname.replace(/^\[|\]$/g, '')
    const servername = isIP(name) === 0 ? { servername: name } : {}
    const socket = connect({ ...options, ...servername, host: name, port: Number(port || 443) })
    const end = (code = ''): void => {
      socket.destroy()
      signal.removeEventListener('abort', stop)
      resolve(code)
    }
    const stop = (): void => end()
    socket.setTimeout(silenceMs, stop)
    signal.addEventListener('abort', stop)
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code))
    socket.once('close', stop)
    // Else what TLS says at the end is not read.
    socket.resume()
  })
  if (!alert.test(said)) return
  fail('registry.unreachable', `it asks for a client certificate, and refuses what it was shown (${said})`, {
    where: { source: host },
    hint: `Put client.cert and client.key into the folder ${host} of certs.d of Podman or Docker, or name them in registries.hosts of the settings (certificateFile, keyFile).`,
  })
}
