/** The keys of the audit chain: derived from one secret that is sealed in the check record of the database. */
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import { sameText } from '../kit/hash.ts'

export interface AuditKeys {
  readonly cluster: string
  /** The first record that must carry a code of the key; earlier ones are of a release that had none. */
  readonly from: number
  /** The Ed25519 key that anchors are signed with, as Base64. */
  readonly publicKey: string
  /** A code over a text that only a holder of the secret can make. */
  mac(text: string): string
  isMac(text: string, mac: string | undefined): boolean
  sign(text: string): string
}

/** What makes 32 bytes an Ed25519 key in PKCS #8, and how much of the public key's envelope is no key. */
const pkcs8Start = Buffer.from('302e020100300506032b657004220420', 'hex')
const spkiStartBytes = 12

export function auditKeysOf(secret: Uint8Array, of: Pick<AuditKeys, 'cluster' | 'from'>): AuditKeys {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', secret, '', `chandler audit ${use}`, 32))
  // A key object, for each code takes six times as long with the bytes of a key.
  const macKey = createSecretKey(derive('mac'))
  const signing: KeyObject = createPrivateKey({
    key: Buffer.concat([pkcs8Start, derive('anchor')]),
    format: 'der',
    type: 'pkcs8',
  })
  const publicKey = createPublicKey(signing).export({ format: 'der', type: 'spki' }).subarray(spkiStartBytes)
  const mac = (text: string): string => createHmac('sha256', macKey).update(text).digest('hex')
  return {
    ...of,
    publicKey: publicKey.toString('base64'),
    mac,
    isMac: (text, given) => given !== undefined && sameText(given, mac(text)),
    sign: (text) => sign(null, Buffer.from(text), signing).toString('base64'),
  }
}
