import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { freshFolder } from '../../../test/support/image.ts'
import { Secret } from '../../kit/secret.ts'
import { certificatesFor } from './certificates.ts'
import { usualCertificateFolders } from './settings.ts'

const host = 'registry.example:5000'

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = freshFolder('certs')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, host))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, host, name), text)
  return folder
}

const trustedBy = (settings: Parameters<typeof certificatesFor>[1], name = host): readonly unknown[] => {
  const { ca } = certificatesFor(name, settings)
  return Array.isArray(ca) ? ca.slice(rootCertificates.length) : []
}

test("a host's folder says whom to trust and what to show, beside the operator's own", () => {
  const certificateFolders = [folderWith({ 'a.crt': 'A', 'b.crt': 'B', 'c.cert': 'C', 'c.key': 'K' })]
  const nowhere = join(certificateFolders[0] ?? '', 'none')
  const found = { certificateFolders, systemCertificates: nowhere, hosts: { [host]: { ca: 'O' } } }

  expect(trustedBy(found)).toEqual(['O', 'A', 'B'])
  expect(certificatesFor(host, found)).toMatchObject({ cert: 'C', key: 'K' })
  expect(certificatesFor('other.example', { ...found, hosts: {} })).toEqual({})
})

test.each([
  ['me.cert', 'me.key'],
  ['me.key', 'me.cert'],
])('%s without %s is a mistake that is told', (there, other) => {
  const folder = folderWith({ [there]: 'X' })

  expect(() => certificatesFor(host, { certificateFolders: [folder] })).toThrow(
    expect.objectContaining({
      problem: expect.objectContaining({
        code: 'registry.configuration-invalid',
        detail: `${other} is missing beside it`,
        where: { source: join(folder, host, there) },
      }),
    }),
  )
})

test("the operator's own client certificate comes first", () => {
  const certificateFolders = [folderWith({ 'c.cert': 'C', 'c.key': 'K' })]
  const client = { certificate: 'O', key: new Secret('OK') }

  expect(certificatesFor(host, { certificateFolders, hosts: { [host]: { client } } })).toMatchObject({
    cert: 'O',
    key: 'OK',
  })
})

test("the system's are trusted, or those of the file that takes their place; not for this machine itself", () => {
  const systemCertificates = join(folderWith({ system: 'S' }), host, 'system')

  expect(trustedBy({ systemCertificates })).toEqual(['S'])
  expect(trustedBy({ systemCertificates }, '127.0.0.1:5000')).toEqual([])
})

test('folders are those of Podman and Docker, of the user first', () => {
  expect(usualCertificateFolders({ HOME: '/home/me' })).toEqual([
    '/home/me/.config/containers/certs.d',
    '/etc/containers/certs.d',
    '/etc/docker/certs.d',
  ])
})
