/** What a client's certificate says of it, where an authority of the settings signed it. */
import type { IncomingMessage } from 'node:http'
import type { PeerCertificate, TLSSocket } from 'node:tls'

const known = new WeakMap<object, readonly string[]>()

/**
 * The names of the certificate of a request: `sha256:…` of the whole, `CN=…`, `DNS:…`, `URI:…`, `email:…`. None: it came
 * without one, or a browser sent it, which shows certificates for the pages of others, too.
 */
export function certifiedNames({ socket, headers }: IncomingMessage): readonly string[] {
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) return []
  const found = known.get(socket)
  if (found !== undefined) return found
  const names = isAuthorized(socket) ? namesIn(socket.getPeerCertificate()) : []
  known.set(socket, names)
  return names
}

function isAuthorized(socket: object): socket is TLSSocket {
  return 'authorized' in socket && socket.authorized === true
}

type Certificate = Pick<PeerCertificate, 'fingerprint256' | 'subject' | 'subjectaltname'>

export function namesIn({
  fingerprint256,
  subject,
  subjectaltname,
}: Partial<Certificate>): readonly string[] {
  if (fingerprint256 === undefined) return []
  const common: unknown = subject?.CN
  return [
    `sha256:${fingerprint256.replaceAll(':', '').toLowerCase()}`,
    ...(typeof common === 'string' ? [`CN=${common}`] : []),
    ...otherNames(subjectaltname ?? ''),
  ]
}

/** A value with a comma is quoted, so that none looks like two; such values are no names here. */
function otherNames(text: string): readonly string[] {
  const pieces = text.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? []
  return pieces.map((piece) => piece.trim()).filter((piece) => /^(?:DNS|URI|email):[^"]+$/.test(piece))
}
