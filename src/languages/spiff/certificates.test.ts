/** Keys and certificates that are made are read again, and are what other programs accept. */
import { randomBytes, X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { processSpiff } from './index.ts'

function run(text: string): Record<string, string> {
  const ports = {
    random: (n: number) => new Uint8Array(randomBytes(n)),
    now: () => Date.UTC(2024, 0, 2, 3, 4, 5),
  }
  const result = processSpiff({ name: 'template', text }, [], { ports })
  if (result.kind === 'failed') throw new Error(result.fault.message)
  return result.documents[0]?.value as Record<string, string>
}

test('an authority signs a certificate that verifies', () => {
  const made = run(`
ca:
  key: (( x509genkey("P256") ))
  cert: (( x509cert({ "commonName"="ca", "isCA"=true, "privateKey"=key, "usage"=["CertSign"] }) ))
key: (( x509genkey(1024) ))
cert: (( x509cert({ "commonName"="host", "organization"="org", "privateKey"=key, "caCert"=ca.cert, "caPrivateKey"=ca.key, "hosts"=["a.example.com", "10.0.0.1", "::1"], "usage"=["ServerAuth", "keyencipherment"], "validity"=24 }) ))
facts: (( x509parsecert(cert) ))
`)
  const ca = new X509Certificate((made['ca'] as unknown as { cert: string }).cert)
  const own = new X509Certificate(made['cert'] ?? '')

  expect(own.verify(ca.publicKey)).toBe(true)
  expect(own.checkIssued(ca)).toBe(true)
  expect(ca.ca).toBe(true)
  expect(own.subjectAltName).toBe('DNS:a.example.com, IP Address:10.0.0.1, IP Address:0:0:0:0:0:0:0:1')
  expect(made['facts']).toMatchObject({
    commonName: 'host',
    organization: ['org'],
    isCA: false,
    usage: ['KeyEncipherment', 'ServerAuth'],
    validity: 24,
    validFrom: 'Jan 2 03:04:05 2024',
    validUntil: 'Jan 3 03:04:05 2024',
    dnsNames: ['a.example.com'],
  })
})

test('public keys come in three forms', () => {
  const made = run(`
key: (( x509genkey("P256") ))
pem: (( x509publickey(key) ))
pkix: (( x509publickey(key, "pkix") ))
ssh: (( x509publickey(pem, "ssh") ))
`)

  expect(made['pem']).toMatch(/^-----BEGIN ECDSA PUBLIC KEY-----/)
  expect(made['pkix']).toMatch(/^-----BEGIN PUBLIC KEY-----/)
  expect(made['ssh']).toMatch(/^ecdsa-sha2-nistp256 [A-Za-z0-9+/=]+\n$/)
})

test.each([
  ['x509genkey("P1")', "invalid curve name 'P1'"],
  ['x509genkey(100000)', 'key size must be between'],
  ['x509cert({ "commonName"="x" })', "one of 'publicKey' or 'privateKey' must be given"],
  ['x509cert({ "usage"=["nope"] })', 'invalid usage key "nope"'],
  ['x509parsecert("x")', 'x509parsecert: '],
  ['x509publickey("x")', 'x509publickey: '],
])('%s fails', (expression, message) => {
  expect(() => run(JSON.stringify({ a: `(( ${expression} ))` }))).toThrow(message)
})

test('an archive unpacks to what was put in', () => {
  const { a = '' } = run('a: (( archive({ "d/x.txt"="hello", "y.yml"={ "k"=1 } }) ))\n')
  const tar = Buffer.from(a, 'base64')

  expect(tar.length % 512).toBe(0)
  expect(tar.subarray(0, 7).toString()).toBe('d/x.txt')
  expect(tar.subarray(257, 263).toString('latin1')).toBe('ustar\0')
  expect(tar.subarray(512, 517).toString()).toBe('hello')
  expect(tar.subarray(1536, 1541).toString()).toBe('k: 1\n')
})
