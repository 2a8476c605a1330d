/** Whether a stored signature is one of this content by a signer that is trusted. */
import type { X509Certificate } from 'node:crypto'
import { extensionText } from '../../kit/certificates.ts'
import { faultOfSigner, holdsSubject, subjectLine } from '../../kit/trust-chain.ts'
import { readBundle } from './bundle.ts'
import type { Claim, ClaimReading, SignatureForm, SignedContent, StoredSignature } from './claim.ts'
import { readCosign } from './cosign.ts'
import { fits, keysOf } from './keys.ts'
import { timeOfEntry } from './log-entry.ts'
import { readNotation } from './notation.ts'
import type { Signer } from './policy.ts'

export interface Judged {
  readonly form: SignatureForm
  /** The names of the signers whose it is. */
  readonly signers: readonly string[]
  /** The key or the subject of the certificate. */
  readonly by: string
  /** Why it is of none that is known. */
  readonly fault?: string
}

export interface Judging {
  readonly content: SignedContent & { readonly bytes: Uint8Array }
  readonly signers: readonly Signer[]
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The signers whose it is, or the reason why it is of none. */
export function judgeSignature(stored: StoredSignature, judging: Judging): Judged {
  const { form } = stored
  const reading = readerOf(stored, judging)
  if (reading.kind === 'refused') return { form, signers: [], by: 'unread', fault: reading.fault }
  const { claim } = reading
  const [leaf] = claim.certificates
  const by = leaf === undefined ? 'key' : nameOf(leaf)
  if (claim.expires !== undefined && !(judging.now <= claim.expires))
    return { form, signers: [], by, fault: `it was void after ${new Date(claim.expires).toISOString()}` }
  const signers: string[] = []
  const faults: string[] = []
  for (const signer of judging.signers) {
    const fault = faultFor(claim, signer, { ...judging, form })
    if (fault === undefined) signers.push(signer.name)
    else faults.push(`${signer.name}: ${fault}`)
  }
  if (signers.length > 0) return { form, signers, by }
  return { form, signers, by, fault: faults.join('; ') || 'there is no signer to compare it with' }
}

function readerOf(stored: StoredSignature, { content }: Judging): ClaimReading {
  switch (stored.form) {
    case 'cosign':
      return readCosign(stored, content)
    case 'bundle':
      return readBundle(stored, content, content.bytes)
    case 'notation':
      return readNotation(stored, content)
  }
}

function faultFor(
  claim: Claim,
  signer: Signer,
  { now, form }: Pick<Judging, 'now'> & { readonly form: SignatureForm },
): string | undefined {
  const { data, value, manner, certificates } = claim
  // Notation knows no bare keys.
  const byKey = form !== 'notation' && signer.keys.flatMap(keysOf).some((key) => fits(key, data, value))
  if (byKey) return undefined
  const [leaf, ...chain] = certificates
  if (leaf === undefined)
    return signer.keys.length === 0 ? 'it brings no certificate' : 'its key is another one'
  if (signer.roots.length === 0) return 'it is by a certificate, and no roots are given'
  if (!isIdentity(leaf, signer)) return `its certificate is of ${nameOf(leaf)}, wanted is ${signer.identity}`
  if (signer.issuer !== undefined && extensionText(leaf.raw, oidcIssuers) !== signer.issuer)
    return `its certificate does not name the issuer ${signer.issuer}`
  if (!fits(leaf.publicKey, data, value, manner)) return 'its value does not fit its certificate'
  const time = timeOf(claim, leaf, signer, now)
  if (typeof time === 'string') return time
  return faultOfSigner(leaf, chain, { roots: signer.roots, now: time })
}

/** Where Fulcio writes the issuer that vouched for the identity: today's place, and that of before. */
const oidcIssuers = ['1.3.6.1.4.1.57264.1.8', '1.3.6.1.4.1.57264.1.1']

/** When it was made as far as that is proven, else now. A text says why it cannot be known. */
function timeOf(claim: Claim, certificate: X509Certificate, signer: Signer, now: number): number | string {
  if (signer.logKeys.length === 0) return now
  if (claim.log === undefined) return 'it brings no entry of the transparency log that can be checked offline'
  const { data, value } = claim
  const verdict = timeOfEntry(claim.log, signer.logKeys, { data, value, certificate })
  return verdict.kind === 'time' ? verdict.at : verdict.fault
}

/** Certificates of people and workflows name them outside the subject. */
function namesOf(certificate: X509Certificate): readonly string[] {
  return (certificate.subjectAltName ?? '').split(', ').flatMap((one) => {
    const [, name] = /^(?:email|URI):(.+)$/.exec(one) ?? []
    return name === undefined ? [] : [name]
  })
}

function isIdentity(certificate: X509Certificate, { identity = '' }: Signer): boolean {
  if (identity === '') return false
  return namesOf(certificate).includes(identity) || holdsSubject(certificate.subject ?? '', identity)
}

function nameOf(certificate: X509Certificate): string {
  return namesOf(certificate)[0] ?? subjectLine(certificate.subject ?? '')
}
