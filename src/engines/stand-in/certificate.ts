/** The stand-in's own certificate authority and server certificate, made once and kept beside its sessions. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { makeCertificate } from '../../kit/certificates.ts'

export interface Identity {
  /** What clients verify with. */
  readonly authority: string
  readonly certificate: string
  readonly key: string
}

/** The names under which clients look for the API of a cluster. */
export const serverNames = [
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  'kubernetes',
  'localhost',
]

const day = 24 * 3_600_000
const lifeDays = 3650
const digitalSignature = 1
const certificateSigning = 32
const serverAuthentication = '1.3.6.1.5.5.7.3.1'

/** Makes an authority whose key is forgotten at once, and the one certificate that it signs. */
export function makeIdentity(now: number, addresses: readonly Uint8Array[]): Identity {
  const life = { from: new Date(now - day), until: new Date(now + lifeDays * day) }
  const own = { dnsNames: [], ipAddresses: [], extendedUsage: [], serial: serial() }
  const ofAuthority = newKeys()
  const named = (commonName: string) => ({ commonName, organization: ['Chandler'], country: [] })
  const authority = makeCertificate({
    ...own,
    ...life,
    subject: named('Chandler cluster stand-in authority'),
    isCA: true,
    usageBits: digitalSignature | certificateSigning,
    key: ofAuthority.publicKey,
    issuer: { certificate: undefined, key: ofAuthority.privateKey },
  })
  const { publicKey, privateKey } = newKeys()
  const certificate = makeCertificate({
    ...own,
    ...life,
    subject: named('kubernetes'),
    isCA: false,
    usageBits: digitalSignature,
    extendedUsage: [serverAuthentication],
    dnsNames: serverNames,
    ipAddresses: addresses,
    serial: serial(),
    key: publicKey,
    issuer: { certificate: authority, key: ofAuthority.privateKey },
  })
  return { authority, certificate, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

function newKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
}

/** Positive and not zero, as RFC 5280 wants it. */
function serial(): Uint8Array {
  const bytes = new Uint8Array(randomBytes(16))
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes
}
