/** The door to certificates: building, reading and judging them and their keys, in PEM. */

import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  KeyUsage,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509'

export interface Identity {
  readonly commonName: string | undefined
  readonly organization: readonly string[]
  readonly country: readonly string[]
}

export interface CertificateSpec {
  readonly subject: Identity
  readonly isCA: boolean
  /** Bits of the key usage and object ids of the extended one. */
  readonly usageBits: number
  readonly extendedUsage: readonly string[]
  readonly from: Date
  readonly until: Date
  readonly dnsNames: readonly string[]
  readonly ipAddresses: readonly Uint8Array[]
  readonly serial: Uint8Array
  readonly key: KeyObject
  readonly issuer: { readonly certificate: string | undefined; readonly key: KeyObject }
}

export type CertificateFacts = Omit<CertificateSpec, 'serial' | 'issuer'>

const ids = { commonName: '2.5.4.3', country: '2.5.4.6', organization: '2.5.4.10' }
const rsaSignature = '1.2.840.113549.1.1.11'
const ecSignature = '1.2.840.10045.4.3.2'

function bytes(buffer: ArrayBuffer): Uint8Array {
  return new Uint8Array(buffer)
}

function buffer(content: Uint8Array): ArrayBuffer {
  return content.slice().buffer as ArrayBuffer
}

/** PEM of some DER. */
export function toPem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

/** The label and the content of the first PEM block. */
export function fromPem(text: string): { label: string; der: Uint8Array } | undefined {
  const found = /-----BEGIN ([A-Z0-9 ]+)-----\s*([A-Za-z0-9+/=\s]*?)-----END \1-----/.exec(text)
  if (found === null) return undefined
  return { label: found[1] ?? '', der: new Uint8Array(Buffer.from(found[2] ?? '', 'base64')) }
}

/** A signed certificate in PEM. */
export function makeCertificate(spec: CertificateSpec): string {
  const algorithm = new AlgorithmIdentifier({
    algorithm: spec.issuer.key.asymmetricKeyType === 'rsa' ? rsaSignature : ecSignature,
    ...(spec.issuer.key.asymmetricKeyType === 'rsa' ? { parameters: null } : {}),
  })
  const subject = nameOf(spec.subject)
  const own = spec.key.export({ type: 'spki', format: 'der' })
  const tbs = new TBSCertificate({
    version: Version.v3,
    serialNumber: buffer(spec.serial),
    signature: algorithm,
    issuer:
      spec.issuer.certificate === undefined ? subject : parse(spec.issuer.certificate).tbsCertificate.subject,
    validity: new Validity({ notBefore: spec.from, notAfter: spec.until }),
    subject,
    subjectPublicKeyInfo: AsnConvert.parse(buffer(own), SubjectPublicKeyInfo),
    extensions: new Extensions(extensionsOf(spec)),
  })
  const signed = bytes(AsnConvert.serialize(tbs))
  const certificate = new Certificate({
    tbsCertificate: tbs,
    signatureAlgorithm: algorithm,
    signatureValue: buffer(new Uint8Array(sign('sha256', signed, spec.issuer.key))),
  })
  return toPem('CERTIFICATE', bytes(AsnConvert.serialize(certificate)))
}

function nameOf({ commonName, organization, country }: Identity): Name {
  const part = (type: string, value: string): RelativeDistinguishedName =>
    new RelativeDistinguishedName([
      new AttributeTypeAndValue({ type, value: new AttributeValue({ utf8String: value }) }),
    ])
  return new Name([
    ...country.map((value) => part(ids.country, value)),
    ...organization.map((value) => part(ids.organization, value)),
    ...(commonName === undefined ? [] : [part(ids.commonName, commonName)]),
  ])
}

function extension(id: string, value: object, critical: boolean): Extension {
  return new Extension({ extnID: id, critical, extnValue: new OctetString(AsnConvert.serialize(value)) })
}

function extensionsOf(spec: CertificateSpec): Extension[] {
  const list: Extension[] = []
  if (spec.usageBits !== 0) list.push(extension(id_ce_keyUsage, new KeyUsage(spec.usageBits), true))
  if (spec.extendedUsage.length > 0)
    list.push(extension(id_ce_extKeyUsage, new ExtendedKeyUsage([...spec.extendedUsage]), false))
  list.push(extension(id_ce_basicConstraints, new BasicConstraints({ cA: spec.isCA }), true))
  const names = [
    ...spec.dnsNames.map((dNSName) => new GeneralName({ dNSName })),
    ...spec.ipAddresses.map(
      (address) =>
        new GeneralName({ iPAddress: [...address].length === 4 ? [...address].join('.') : sixText(address) }),
    ),
  ]
  if (names.length > 0) list.push(extension(id_ce_subjectAltName, new SubjectAlternativeName(names), false))
  return list
}

function sixText(address: Uint8Array): string {
  return Array.from({ length: 8 }, (_, i) =>
    (((address[2 * i] ?? 0) << 8) | (address[2 * i + 1] ?? 0)).toString(16),
  ).join(':')
}

function parse(pem: string): Certificate {
  const block = fromPem(pem)
  return AsnConvert.parse(buffer(block?.der ?? new Uint8Array()), Certificate)
}

/** What a certificate says. */
export function readCertificate(pem: string): CertificateFacts & { readonly ipTexts: readonly string[] } {
  const { tbsCertificate: tbs } = parse(pem)
  const find = (id: string): ArrayBuffer | undefined =>
    tbs.extensions?.find((one) => one.extnID === id)?.extnValue.buffer
  const usage = find(id_ce_keyUsage)
  const extended = find(id_ce_extKeyUsage)
  const basic = find(id_ce_basicConstraints)
  const alternative = find(id_ce_subjectAltName)
  const names = alternative === undefined ? [] : [...AsnConvert.parse(alternative, SubjectAlternativeName)]
  const values = (id: string): readonly string[] =>
    tbs.subject.flatMap((part) => part.filter((one) => one.type === id).map((one) => one.value.toString()))
  const spki = toPem('PUBLIC KEY', bytes(AsnConvert.serialize(tbs.subjectPublicKeyInfo)))
  return {
    subject: {
      commonName: values(ids.commonName)[0],
      organization: values(ids.organization),
      country: values(ids.country),
    },
    isCA: basic !== undefined && AsnConvert.parse(basic, BasicConstraints).cA,
    usageBits: usage === undefined ? 0 : AsnConvert.parse(usage, KeyUsage).toNumber(),
    extendedUsage: extended === undefined ? [] : [...AsnConvert.parse(extended, ExtendedKeyUsage)],
    from: tbs.validity.notBefore.getTime(),
    until: tbs.validity.notAfter.getTime(),
    dnsNames: names.flatMap(({ dNSName }) => dNSName ?? []),
    ipAddresses: [],
    ipTexts: names.flatMap(({ iPAddress }) => iPAddress ?? []),
    key: createPublicKey(spki),
  }
}

/** The text of the first extension with one of these object ids: as a string of ASN.1, or as bare bytes. */
export function extensionText(der: Uint8Array, ids: readonly string[]): string | undefined {
  const { extensions = [] } = AsnConvert.parse(buffer(der), Certificate).tbsCertificate
  for (const id of ids) {
    const found = extensions.find((one) => one.extnID === id)
    if (found === undefined) continue
    const content = bytes(found.extnValue.buffer)
    // A UTF8String of fewer than 128 bytes has its length in the second byte.
    const isString = content[0] === 0x0c && content[1] === content.byteLength - 2
    return Buffer.from(isString ? content.subarray(2) : content).toString()
  }
  return undefined
}

/** A private key in PEM, or why it is none. */
export function privateKeyFault(text: string): string | undefined {
  return fault(text, 'private key', () => createPrivateKey(text))
}

export function publicKeyFault(text: string): string | undefined {
  if (text.includes('PRIVATE KEY')) return 'invalid public key format (expected public key)'
  return fault(text, 'public key', () => anyPublicKey(text))
}

/** Why a text is no certificate, or none of an authority. */
export function certificateFault(text: string, authority: boolean): string | undefined {
  const found = fault(text, 'certificate', () => readCertificate(text))
  if (found !== undefined || !authority) return found
  return readCertificate(text).isCA ? undefined : 'is no ca'
}

function fault(text: string, what: string, read: () => unknown): string | undefined {
  if (fromPem(text) === undefined) return `invalid ${what} format (expected pem block)`
  try {
    read()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : `invalid ${what}`
  }
}

/** A public key in one of the labels the original knows. */
export function anyPublicKey(text: string): KeyObject {
  return createPublicKey(text.replaceAll('ECDSA PUBLIC KEY', 'PUBLIC KEY'))
}
