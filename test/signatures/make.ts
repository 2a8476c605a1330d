/** Makes signatures the way that cosign, Sigstore's clients and notation make them, with keys of the tests. */
import {
  constants,
  generateKeyPairSync,
  hash,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { type CertificateSpec, makeCertificate } from '../../src/kit/certificates.ts'
import { canonical, type Json } from '../../src/kit/json.ts'

export interface Pair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

/** What is put beside an image. */
export interface Attachment {
  /** Absent: it names the image as its subject. */
  readonly tag?: string
  readonly artifactType?: string
  readonly configType: string
  readonly layers: readonly {
    readonly mediaType: string
    readonly bytes: Uint8Array
    readonly annotations?: Readonly<Record<string, string>>
  }[]
}

export const pairs = {
  p256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  p384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  weak: generateKeyPairSync('rsa', { modulusLength: 1024 }),
  ed25519: generateKeyPairSync('ed25519'),
  stranger: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  log: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ca: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
}

/** The public key as files hold it. */
export function pemOf({ publicKey }: Pair): string {
  return publicKey.export({ type: 'spki', format: 'pem' }).toString()
}

const day = 86_400_000
export const now = Date.now()

function certificate(more: Partial<CertificateSpec> & Pick<CertificateSpec, 'key' | 'issuer'>): string {
  return makeCertificate({
    subject: { commonName: 'release', organization: ['Harbour'], country: ['NL'] },
    isCA: false,
    usageBits: 0,
    extendedUsage: ['1.3.6.1.5.5.7.3.3'],
    from: new Date(now - day),
    until: new Date(now + day),
    dnsNames: [],
    ipAddresses: [],
    serial: randomBytes(8).fill(1, 0, 1),
    ...more,
  })
}

export const root = certificate({
  subject: { commonName: 'Root of the tests', organization: [], country: [] },
  isCA: true,
  extendedUsage: [],
  key: pairs.ca.publicKey,
  issuer: { certificate: undefined, key: pairs.ca.privateKey },
})

/** A certificate of the tests' authority. */
export function certified(pair: Pair, more: Partial<CertificateSpec> = {}): string {
  return certificate({
    key: pair.publicKey,
    issuer: { certificate: root, key: pairs.ca.privateKey },
    ...more,
  })
}

/** Over before now, as those of Fulcio are after ten minutes. */
export const shortLived = { from: new Date(now - 20 * 60_000), until: new Date(now - 10 * 60_000) }
export const withinShortLife = now - 15 * 60_000

function signed({ privateKey }: Pair, data: Uint8Array): Buffer {
  const kind = privateKey.asymmetricKeyType
  return sign(kind === 'ed25519' ? null : 'sha256', data, privateKey)
}

interface Cosign {
  readonly pair: Pair
  readonly digest: string
  readonly type?: string
  readonly identity?: string
  readonly certificate?: string
  /** When the log says that it saw it. */
  readonly loggedAt?: number
  /** The key that signs as the log. */
  readonly log?: Pair
  readonly alter?: (payload: Buffer) => Buffer
}

/** What `cosign sign --key` put beside an image for years. */
export function cosign(of: Cosign): Attachment {
  const { digest, type = 'cosign container image signature', identity = '' } = of
  const critical = {
    identity: { 'docker-reference': identity },
    image: { 'docker-manifest-digest': digest },
    type,
  }
  const payload = Buffer.from(JSON.stringify({ critical, optional: null }))
  const value = signed(of.pair, payload)
  const annotations = {
    'dev.cosignproject.cosign/signature': value.toString('base64'),
    ...(of.certificate === undefined
      ? {}
      : { 'dev.sigstore.cosign/certificate': of.certificate, 'dev.sigstore.cosign/chain': root }),
    ...(of.loggedAt === undefined
      ? {}
      : { 'dev.sigstore.cosign/bundle': JSON.stringify(logged(hashedRekord(of, payload, value), of)) }),
  }
  const bytes = of.alter?.(payload) ?? payload
  const mediaType = 'application/vnd.dev.cosign.simplesigning.v1+json'
  return {
    tag: `${digest.replace(':', '-')}.sig`,
    configType: 'application/vnd.oci.image.config.v1+json',
    layers: [{ mediaType, bytes, annotations }],
  }
}

function hashedRekord(
  { certificate = '' }: Pick<Cosign, 'certificate'>,
  data: Uint8Array,
  value: Buffer,
): Json {
  return {
    apiVersion: '0.0.1',
    kind: 'hashedrekord',
    spec: {
      data: { hash: { algorithm: 'sha256', value: hash('sha256', data) } },
      signature: {
        content: value.toString('base64'),
        publicKey: { content: Buffer.from(certificate).toString('base64') },
      },
    },
  }
}

const logId = 'c0d23d6ad406973f9559f3ba2d1ca01f84147d8ffc5b8445c224f98b9591801d'

function logged(entry: Json, { loggedAt = 0, log = pairs.log }: Pick<Cosign, 'loggedAt' | 'log'>) {
  const Payload = {
    body: Buffer.from(JSON.stringify(entry)).toString('base64'),
    integratedTime: Math.floor(loggedAt / 1000),
    logIndex: 7,
    logID: logId,
  }
  const promise = sign('sha256', Buffer.from(canonical(Payload)), log.privateKey)
  return { SignedEntryTimestamp: promise.toString('base64'), Payload }
}

interface Bundle extends Pick<Cosign, 'pair' | 'digest' | 'certificate' | 'loggedAt' | 'log'> {
  readonly predicateType?: string
  readonly version?: string
  readonly alter?: (payload: Buffer) => Buffer
}

/** What `cosign sign` of today attaches: an envelope around a statement. */
export function bundle(of: Bundle): Attachment {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ digest: { sha256: of.digest.slice('sha256:'.length) } }],
    predicateType: of.predicateType ?? 'https://sigstore.dev/cosign/sign/v1',
    predicate: {},
  }
  const payloadType = 'application/vnd.in-toto+json'
  const payload = Buffer.from(JSON.stringify(statement))
  const value = signed(
    of.pair,
    Buffer.concat([Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `), payload]),
  )
  const entry = {
    apiVersion: '0.0.1',
    kind: 'dsse',
    spec: {
      payloadHash: { algorithm: 'sha256', value: hash('sha256', payload) },
      signatures: [
        {
          signature: value.toString('base64'),
          verifier: Buffer.from(of.certificate ?? '').toString('base64'),
        },
      ],
    },
  }
  return bundled(of, entry, {
    dsseEnvelope: {
      payload: (of.alter?.(payload) ?? payload).toString('base64'),
      payloadType,
      signatures: [{ sig: value.toString('base64') }],
    },
  })
}

/** A bundle around a signature of the manifest's bytes. */
export function messageBundle(of: Bundle & { readonly manifest: Uint8Array }): Attachment {
  const value = signed(of.pair, of.manifest)
  return bundled(of, hashedRekord(of, of.manifest, value), {
    messageSignature: {
      messageDigest: { algorithm: 'SHA2_256', digest: hash('sha256', of.manifest, 'base64') },
      signature: value.toString('base64'),
    },
  })
}

function bundled({ version = '0.3', ...of }: Bundle, entry: Json, content: object): Attachment {
  const mediaType = `application/vnd.dev.sigstore.bundle.v${version}+json`
  const { SignedEntryTimestamp, Payload } = logged(entry, of)
  const material =
    of.certificate === undefined
      ? { publicKey: { hint: 'of the tests' } }
      : { certificate: { rawBytes: new X509Certificate(of.certificate).raw.toString('base64') } }
  const tlogEntries =
    of.loggedAt === undefined
      ? []
      : [
          {
            logIndex: String(Payload.logIndex),
            logId: { keyId: Buffer.from(logId, 'hex').toString('base64') },
            kindVersion: { kind: 'dsse', version: '0.0.1' },
            integratedTime: String(Payload.integratedTime),
            inclusionPromise: { signedEntryTimestamp: SignedEntryTimestamp },
            canonicalizedBody: Payload.body,
          },
        ]
  const document = { mediaType, verificationMaterial: { ...material, tlogEntries }, ...content }
  return {
    artifactType: mediaType,
    configType: 'application/vnd.oci.empty.v1+json',
    layers: [{ mediaType, bytes: Buffer.from(JSON.stringify(document)) }],
  }
}

interface Notation {
  readonly pair: Pair
  readonly digest: string
  readonly certificate: string
  readonly header?: Readonly<Record<string, unknown>>
  readonly mediaType?: string
}

const algorithms: Readonly<Record<string, { readonly alg: string; readonly hash: string }>> = {
  prime256v1: { alg: 'ES256', hash: 'sha256' },
  secp384r1: { alg: 'ES384', hash: 'sha384' },
  rsa: { alg: 'PS256', hash: 'sha256' },
}

/** What `notation sign` attaches. */
export function notation(of: Notation): Attachment {
  const { privateKey } = of.pair
  const { alg, hash: digest } = algorithms[privateKey.asymmetricKeyDetails?.namedCurve ?? 'rsa'] ?? {
    alg: '',
    hash: '',
  }
  const scheme = 'io.cncf.notary.signingScheme'
  const coded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const head = coded({
    alg,
    crit: [scheme],
    cty: 'application/vnd.cncf.notary.payload.v1+json',
    [scheme]: 'notary.x509',
    'io.cncf.notary.signingTime': new Date(now).toISOString(),
    ...of.header,
  })
  const targetArtifact = {
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    digest: of.digest,
    size: 1,
  }
  const payload = coded({ targetArtifact })
  const value = sign(digest, Buffer.from(`${head}.${payload}`), {
    key: privateKey,
    dsaEncoding: 'ieee-p1363',
    ...(alg === 'PS256' ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } : {}),
  })
  const envelope = {
    payload,
    protected: head,
    header: { x5c: [of.certificate, root].map((pem) => new X509Certificate(pem).raw.toString('base64')) },
    signature: value.toString('base64url'),
  }
  return {
    artifactType: 'application/vnd.cncf.notary.signature',
    configType: 'application/vnd.cncf.notary.signature',
    layers: [
      {
        mediaType: of.mediaType ?? 'application/jose+json',
        bytes: Buffer.from(JSON.stringify(envelope)),
      },
    ],
  }
}
