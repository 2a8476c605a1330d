/** Signatures of component versions: RSA over the digest of a normal form, by a key or by a certificate that is trusted. */
import {
  constants,
  createPrivateKey,
  createPublicKey,
  hash,
  type KeyObject,
  sign,
  verify,
  X509Certificate,
} from 'node:crypto'
import { readPem, writePem } from '../../kit/pem.ts'
import { present } from '../../kit/present.ts'
import { faultOfSigner, holdsSubject, readCertificateBytes, subjectLine } from '../../kit/trust-chain.ts'
import type { ComponentDescriptor, Digest, Signature } from './descriptor.ts'
import { type Normalisation, normalForm, normalForms, normalisationNamed } from './normalise.ts'

export const signatureAlgorithms = ['RSASSA-PKCS1-V1_5', 'RSASSA-PSS'] as const
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number]

const hashes: Readonly<Record<string, 'sha256' | 'sha512'>> = {
  'SHA-256': 'sha256',
  sha256: 'sha256',
  'SHA-512': 'sha512',
  sha512: 'sha512',
}
const plainTypes: Readonly<Record<SignatureAlgorithm, string>> = {
  'RSASSA-PKCS1-V1_5': 'application/vnd.ocm.signature.rsa',
  'RSASSA-PSS': 'application/vnd.ocm.signature.rsa.pss',
}
const pemType = 'application/x-pem-file'

/** The name of a hash in the platform's words; undefined for one that is not safe to use. */
export function hashNamed(algorithm: string): 'sha256' | 'sha512' | undefined {
  return Object.hasOwn(hashes, algorithm) ? hashes[algorithm] : undefined
}

/** Whom one trusts, and when. */
export interface Trust {
  /** The public key or certificate (PEM) for signatures of this name. */
  readonly key?: string
  /** Certificates (PEM) that chains must end at. */
  readonly roots: readonly string[]
  /** What the subject of a certificate must hold where no key is given, as `CN=…,O=…`. */
  readonly issuer?: string
  /** Milliseconds since 1970. */
  readonly now: number
}

export type SignatureVerdict =
  | { readonly kind: 'valid'; readonly by: string }
  | { readonly kind: 'digest' | 'value' | 'algorithm' | 'key' | 'certificate'; readonly detail: string }

/** Whether a signature is one of this descriptor, by a trusted key. */
export function verifySignature(
  descriptor: ComponentDescriptor,
  signature: Signature,
  trust: Trust,
): SignatureVerdict {
  const { digest } = signature
  const normalisation = normalisationNamed(digest.normalisationAlgorithm)
  const algorithm = hashNamed(digest.hashAlgorithm)
  if (normalisation === undefined || algorithm === undefined)
    return { kind: 'algorithm', detail: `${digest.hashAlgorithm} over ${digest.normalisationAlgorithm}` }
  const forms = normalForms(spelt(descriptor, digest.hashAlgorithm), normalisation)
  const form = forms.find((text) => hash(algorithm, text) === digest.value.toLowerCase())
  if (form === undefined) {
    const found = forms.map((text) => hash(algorithm, text))[0] ?? ''
    return {
      kind: 'digest',
      detail: `signature digest (${digest.value}) does not match found digest (${found})`,
    }
  }
  return verifyText(form, algorithm, signature, trust)
}

/** Early tools wrote `sha256`, and then all digests of the document are spelt so. */
function spelt(descriptor: ComponentDescriptor, hashAlgorithm: string): ComponentDescriptor {
  if (hashAlgorithm !== 'sha256' && hashAlgorithm !== 'sha512') return descriptor
  const old = <T extends { readonly digest?: Digest }>(one: T): T =>
    one.digest === undefined
      ? one
      : {
          ...one,
          digest: {
            ...one.digest,
            hashAlgorithm: hashNamed(one.digest.hashAlgorithm) ?? one.digest.hashAlgorithm,
          },
        }
  return {
    ...descriptor,
    resources: descriptor.resources.map(old),
    references: descriptor.references.map(old),
  }
}

function verifyText(
  form: string,
  algorithm: 'sha256' | 'sha512',
  { signature }: Signature,
  trust: Trust,
): SignatureVerdict {
  const named = signatureAlgorithms.find((one) => one === signature.algorithm)
  if (named === undefined) return { kind: 'algorithm', detail: `${signature.algorithm} is not supported` }
  const parts = partsOf(signature)
  if ('kind' in parts) return parts
  const signer = signerOf(parts.certificates, signature.issuer, trust)
  if (!('key' in signer)) return signer
  const { asymmetricKeyType } = signer.key
  if (asymmetricKeyType !== 'rsa' && asymmetricKeyType !== 'rsa-pss')
    return { kind: 'key', detail: `a key of type ${asymmetricKeyType} verifies no RSA signature` }
  const fits = verify(
    algorithm,
    Buffer.from(form),
    { key: signer.key, ...paddingOf(named, 'verify') },
    parts.value,
  )
  return fits
    ? { kind: 'valid', by: signer.by }
    : { kind: 'value', detail: 'signature value does not fit the digest' }
}

interface Parts {
  readonly value: Uint8Array
  readonly certificates: readonly X509Certificate[]
}

function partsOf(signature: Signature['signature']): Parts | SignatureVerdict {
  const plain: readonly string[] = Object.values(plainTypes)
  if (plain.includes(signature.mediaType)) {
    if (!/^(?:[0-9a-fA-F]{2})+$/.test(signature.value))
      return { kind: 'value', detail: 'the value is not hexadecimal' }
    return { value: Buffer.from(signature.value, 'hex'), certificates: [] }
  }
  if (signature.mediaType !== pemType)
    return { kind: 'algorithm', detail: `the media type ${signature.mediaType} is not supported` }
  const blocks = readPem(signature.value)
  const [block, second] = blocks.filter(({ label }) => label === 'SIGNATURE')
  if (block === undefined || second !== undefined)
    return { kind: 'value', detail: 'there is not exactly one SIGNATURE block' }
  // Else a value of one algorithm could be passed off as one of another.
  if (block.headers['Signature Algorithm'] !== signature.algorithm)
    return {
      kind: 'algorithm',
      detail: `the block names ${block.headers['Signature Algorithm'] ?? 'no algorithm'}, the signature ${signature.algorithm}`,
    }
  try {
    const certificates = blocks
      .filter(({ label }) => label === 'CERTIFICATE')
      .map(({ bytes }) => new X509Certificate(bytes))
    return { value: block.bytes, certificates }
  } catch {
    return { kind: 'certificate', detail: 'a certificate of the signature cannot be read' }
  }
}

interface Signer {
  readonly key: KeyObject
  readonly by: string
}

function signerOf(
  brought: readonly X509Certificate[],
  issuer: string | undefined,
  trust: Trust,
): Signer | SignatureVerdict {
  if (trust.key !== undefined) {
    const blocks = readPem(trust.key)
    const own = blocks.find(({ label }) => label === 'CERTIFICATE')
    if (own === undefined) return keyOf(trust.key)
    const certificate = readCertificateBytes(own.bytes)
    if (certificate === undefined)
      return { kind: 'certificate', detail: 'the given certificate cannot be read' }
    const others = blocks
      .filter(({ label }) => label === 'CERTIFICATE')
      .slice(1)
      .flatMap(({ bytes }) => readCertificateBytes(bytes) ?? [])
    return certified(certificate, [...others, ...brought], { issuer, trust })
  }
  const [first, ...chain] = brought
  if (first === undefined)
    return { kind: 'key', detail: 'there is no public key for it, and it brings no certificate' }
  // Anybody has a certificate of some root: whose it must be is the operator's word.
  if (trust.issuer === undefined)
    return { kind: 'certificate', detail: 'no issuer is configured whose certificate would be trusted' }
  if (!holdsSubject(first.subject, trust.issuer))
    return {
      kind: 'certificate',
      detail: `its certificate is of ${subjectLine(first.subject)}, wanted is ${trust.issuer}`,
    }
  return certified(first, chain, { issuer, trust })
}

function keyOf(pem: string): Signer | SignatureVerdict {
  try {
    return { key: createPublicKey(pem), by: 'key' }
  } catch {
    return { kind: 'key', detail: 'the public key cannot be read' }
  }
}

function certified(
  certificate: X509Certificate,
  chain: readonly X509Certificate[],
  { issuer, trust }: { readonly issuer: string | undefined; readonly trust: Trust },
): Signer | SignatureVerdict {
  const refuse = (detail: string): SignatureVerdict => ({ kind: 'certificate', detail })
  if (issuer !== undefined && !holdsSubject(certificate.subject, issuer))
    return refuse(`the signature names ${issuer}, its certificate ${subjectLine(certificate.subject)}`)
  const fault = faultOfSigner(certificate, chain, trust)
  return fault === undefined
    ? { key: certificate.publicKey, by: subjectLine(certificate.subject) }
    : refuse(fault)
}

export interface SigningOrder {
  readonly name: string
  readonly algorithm: SignatureAlgorithm
  readonly normalisation: Normalisation
  /** Absent: SHA-256. */
  readonly hashAlgorithm?: string
  /** PEM. */
  readonly privateKey: string
  /** A chain (PEM), the signer's first, that is written with the value. */
  readonly certificates?: string
  readonly issuer?: string
}

/** The descriptor with a signature more; one of the same name is replaced. A text says what is wrong with the key. */
export function signDescriptor(
  descriptor: ComponentDescriptor,
  order: SigningOrder,
): ComponentDescriptor | string {
  const text = normalForm(descriptor, order.normalisation)
  let key: KeyObject
  try {
    key = createPrivateKey(order.privateKey)
  } catch {
    return 'the private key cannot be read'
  }
  if (key.asymmetricKeyType !== 'rsa') return `a key of type ${key.asymmetricKeyType} makes no RSA signature`
  const { hashAlgorithm = 'SHA-256' } = order
  const algorithm = hashNamed(hashAlgorithm)
  if (algorithm === undefined) return `${hashAlgorithm} is no hash that is known`
  const value = sign(algorithm, Buffer.from(text), { key, ...paddingOf(order.algorithm, 'sign') })
  const signature: Signature = {
    name: order.name,
    digest: {
      hashAlgorithm,
      normalisationAlgorithm: order.normalisation,
      value: hash(algorithm, text),
    },
    signature: {
      algorithm: order.algorithm,
      ...(order.certificates === undefined
        ? { value: value.toString('hex'), mediaType: plainTypes[order.algorithm] }
        : { value: pemOf(value, order.algorithm, order.certificates), mediaType: pemType }),
      ...present({ issuer: order.issuer }),
    },
  }
  return {
    ...descriptor,
    signatures: [...descriptor.signatures.filter(({ name }) => name !== order.name), signature],
  }
}

function pemOf(value: Uint8Array, algorithm: SignatureAlgorithm, certificates: string): string {
  const chain = readPem(certificates).filter(({ label }) => label === 'CERTIFICATE')
  return [
    writePem({ label: 'SIGNATURE', headers: { 'Signature Algorithm': algorithm }, bytes: value }),
    ...chain.map(writePem),
  ].join('')
}

/** Signers use the longest salt; verifiers take any. */
function paddingOf(
  algorithm: SignatureAlgorithm,
  use: 'sign' | 'verify',
): { readonly padding: number; readonly saltLength?: number } {
  if (algorithm === 'RSASSA-PKCS1-V1_5') return { padding: constants.RSA_PKCS1_PADDING }
  return {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: use === 'sign' ? constants.RSA_PSS_SALTLEN_MAX_SIGN : constants.RSA_PSS_SALTLEN_AUTO,
  }
}
