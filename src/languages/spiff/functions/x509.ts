/** Keys and certificates as functions. */

import { anyPublicKey, makeCertificate, readCertificate, toPem } from '../../../kit/certificates.ts'
import { generateEc, generateRsa, type KeyObject, privateKey, publicKey } from '../crypto.ts'
import { type Call, effect, type SpiffFunction } from '../env.ts'
import { parseAddress } from '../ip.ts'
import { failure } from '../issue.ts'
import { Dict, dictOf, List, listOf, type Value } from '../value.ts'
import { count, text } from './arguments.ts'
import { randomBytes } from './random.ts'
import { denied } from './system.ts'
import { goDate, parseGoDate, readUsage, usageNames } from './x509-words.ts'

export const x509Functions: readonly (readonly [string, SpiffFunction])[] = [
  ['x509genkey', generateKey],
  ['x509publickey', publicKeyText],
  ['x509cert', certificate],
  ['x509parsecert', parseCertificate],
]

const curves: Readonly<Record<string, string>> = {
  P224: 'secp224r1',
  P256: 'prime256v1',
  P384: 'secp384r1',
  P521: 'secp521r1',
}

/** Keys are made with the platform's chance, where chance is granted at all. */
function generateKey(call: Call): Value {
  count(call, 0, 1, 'x509genkey takes a maximum of one argument')
  if (call.env.run.ports.random === undefined) return denied('x509genkey')
  const [kind = 2048n] = call.args
  if (typeof kind === 'string') {
    const curve = Object.hasOwn(curves, kind) ? curves[kind] : undefined
    return curve === undefined
      ? failure(`invalid curve name '${kind}'`)
      : effect(call.env, () => generateEc(curve))
  }
  if (typeof kind !== 'bigint') return failure('x509genkey requires a key size or curve name')
  const { rsaBitsMax } = call.env.run.budget.limits
  if (kind < 512n || kind > BigInt(rsaBitsMax))
    return failure(`key size must be between 512 and ${rsaBitsMax}`)
  return effect(call.env, () => {
    call.env.run.budget.work(Number(kind) * 10_000)
    return generateRsa(Number(kind))
  })
}

/** Runs something of the platform; what it throws becomes a failure. */
function attempt<T>(call: Call, run: () => T): T {
  try {
    return run()
  } catch {
    // What the platform's library says of it is of no use to an author.
    return failure(`${call.name}: not readable`)
  }
}

function anyKey(call: Call, pem: string): KeyObject {
  if (!pem.includes('-----BEGIN ')) return failure(`${call.name}: invalid key format (expected pem block)`)
  return attempt(call, () => (pem.includes('PRIVATE KEY') ? publicKey(privateKey(pem)) : anyPublicKey(pem)))
}

function publicKeyText(call: Call): Value {
  count(call, 1, 2, 'x509publickey takes one or two arguments')
  const key = anyKey(call, text(call.args[0], 'first argument for x509publickey must be a key'))
  const [, format = 'pem'] = call.args
  switch (format) {
    case 'pem':
      return pemOf(key)
    case 'pkix':
      return key.export({ type: 'spki', format: 'pem' }).toString()
    case 'ssh':
      return attempt(call, () => sshText(key))
    default:
      return failure(`invalid format "${String(format)}" for x509publickey`)
  }
}

function pemOf(key: KeyObject): string {
  if (key.asymmetricKeyType === 'rsa') {
    // A key that was read in the one form cannot be written in it again before it was in the other.
    const same = publicKey(key.export({ type: 'spki', format: 'pem' }).toString())
    return same.export({ type: 'pkcs1', format: 'pem' }).toString()
  }
  return toPem('ECDSA PUBLIC KEY', new Uint8Array(key.export({ type: 'spki', format: 'der' })))
}

/** The line for authorized_keys. */
function sshText(key: KeyObject): string {
  const { kty, n = '', e = '', crv = '', x = '', y = '' } = key.export({ format: 'jwk' })
  const bytes = (part: string): Buffer => Buffer.from(part, 'base64url')
  if (kty === 'RSA') return sshLine('ssh-rsa', [number(bytes(e)), number(bytes(n))])
  const curve = `nistp${crv.replace('P-', '')}`
  const point = Buffer.concat([Buffer.from([4]), bytes(x), bytes(y)])
  return sshLine(`ecdsa-sha2-${curve}`, [Buffer.from(curve), point])
}

function number(bytes: Buffer): Buffer {
  return (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes
}

function sshLine(name: string, parts: readonly Buffer[]): string {
  const sized = [Buffer.from(name), ...parts].flatMap((part) => {
    const size = Buffer.alloc(4)
    size.writeUInt32BE(part.length)
    return [size, part]
  })
  return `${name} ${Buffer.concat(sized).toString('base64')}\n`
}

function field(spec: Dict, name: string): Value {
  return spec.get(name)?.value ?? null
}

function textField(spec: Dict, name: string): string | undefined {
  const value = field(spec, name)
  if (value === null) return undefined
  return typeof value === 'string' ? value : failure(`field '${name}' must be a string`)
}

function textsField(spec: Dict, name: string): readonly string[] {
  const value = field(spec, name)
  if (value === null) return []
  if (typeof value === 'string') return [value]
  if (!(value instanceof List)) return failure(`field '${name}' must be a string or string list`)
  return value.cells.map((cell) =>
    typeof cell.value === 'string' ? cell.value : failure(`field '${name}' must be a string list`),
  )
}

function certificate(call: Call): Value {
  count(call, 1, 1, 'x509cert takes exactly one argument')
  const [spec] = call.args
  if (!(spec instanceof Dict)) return failure('argument for x509cert must be a map')
  const { usageBits, extendedUsage, isCA } = readUsage(
    textsField(spec, 'usage'),
    field(spec, 'isCA') === true,
  )
  const hours = field(spec, 'validity') ?? 8760n
  if (typeof hours !== 'bigint') return failure("field 'validity' must be an integer")
  const keys = keysOf(call, spec)
  const hosts = textsField(spec, 'hosts').map((host) => ({ host, address: parseAddress(host) }))
  return effect(call.env, () => {
    const from = startOf(call, spec)
    return attempt(call, () =>
      makeCertificate({
        subject: {
          commonName: textField(spec, 'commonName'),
          organization: textsField(spec, 'organization'),
          country: textsField(spec, 'country'),
        },
        isCA,
        usageBits,
        extendedUsage,
        from,
        until: new Date(from.getTime() + Number(hours) * 3_600_000),
        dnsNames: hosts.flatMap(({ host, address }) => (address === undefined ? [host] : [])),
        ipAddresses: hosts.flatMap(({ address }) => (address === undefined ? [] : [addressBytes(address)])),
        serial: serialOf(call),
        ...keys,
      }),
    )
  })
}

function startOf(call: Call, spec: Dict): Date {
  const given = textField(spec, 'validFrom')
  if (given !== undefined)
    return parseGoDate(given) ?? failure(`invalid date '${given}' in field 'validFrom'`)
  const now = call.env.run.ports.now ?? denied('x509cert')
  return new Date(Math.floor(now() / 1000) * 1000)
}

function serialOf(call: Call): Uint8Array {
  const serial = Uint8Array.from(randomBytes(call.env, 16, 'x509cert'))
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x01
  return serial
}

function addressBytes({ bits, value }: { bits: 32 | 128; value: bigint }): Uint8Array {
  return new Uint8Array(Buffer.from(value.toString(16).padStart(bits / 4, '0'), 'hex'))
}

/** The own key, and the key that signs. */
function keysOf(
  call: Call,
  spec: Dict,
): { key: KeyObject; issuer: { certificate: string | undefined; key: KeyObject } } {
  const own = textField(spec, 'privateKey')
  const open = textField(spec, 'publicKey')
  const authority = textField(spec, 'caCert')
  const signing = textField(spec, 'caPrivateKey') ?? own
  if (own === undefined && open === undefined)
    return failure("one of 'publicKey' or 'privateKey' must be given")
  if (signing === undefined) return failure("'caPrivateKey' or 'privateKey' required to sign the certificate")
  return {
    key: anyKey(call, open ?? own ?? ''),
    issuer: { certificate: authority, key: attempt(call, () => privateKey(signing)) },
  }
}

function parseCertificate(call: Call): Value {
  count(call, 1, 1, 'x509parsecert takes exactly one argument')
  const pem = text(call.args[0], 'argument for x509parsecert must be a certificate in pem format')
  const facts = attempt(call, () => readCertificate(pem))
  const { made } = call.env.stand
  const now = call.env.run.ports.now
  const hours = now === undefined ? 0 : Math.trunc((facts.until.getTime() - now()) / 3_600_000)
  const entries: (readonly [string, Value])[] = [
    ['organization', listOf(facts.subject.organization, made)],
    ['country', listOf(facts.subject.country, made)],
    ['isCA', facts.isCA],
    ['usage', listOf(usageNames(facts.usageBits, facts.extendedUsage), made)],
    ['validity', BigInt(hours)],
    ['validFrom', goDate(facts.from)],
    ['validUntil', goDate(facts.until)],
    ['hosts', listOf([...facts.ipTexts, ...facts.dnsNames], made)],
    ['dnsNames', listOf(facts.dnsNames, made)],
    ['ipAddresses', listOf(facts.ipTexts, made)],
    ['publicKey', pemOf(facts.key)],
  ]
  if (facts.subject.commonName !== undefined) entries.push(['commonName', facts.subject.commonName])
  return dictOf(entries, made)
}
