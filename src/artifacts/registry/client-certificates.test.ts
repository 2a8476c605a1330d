/** A real registry that demands client certificates: what is shown to it, by settings and by folders of Podman and Docker. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshFolder, imageInLayout, writeTree } from '../../../test/support/image.ts'
import {
  makeCertificate,
  registryMissing,
  startRegistry,
  type TestRegistry,
} from '../../../test/support/registry.ts'
import { Secret } from '../../kit/secret.ts'
import { toProblem } from '../../model/problem.ts'
import { copyPackage } from '../packages.ts'
import type { RegistrySettings } from './settings.ts'

const home = freshFolder('client-certificates')
const missing = registryMissing()
let registry: TestRegistry
let strange: ReturnType<typeof makeCertificate>
let layout = ''
let digest = ''

beforeAll(async () => {
  const root = writeTree(join(home, 'root'), { greeting: 'ahoy' })
  const built = await imageInLayout(join(home, 'layout'), 'v1', { root, settings: {} })
  layout = built.reference
  digest = built.digest
  if (missing !== undefined) return
  registry = await startRegistry({ tls: 'mutual' })
  strange = makeCertificate(home, 'strange')
})

afterAll(async () => {
  await registry?.stop()
  rmSync(home, { recursive: true, force: true })
})

const there = (): string => `docker://${registry.host}/team/app:v1`

function copy(from: string, to: string, registries: RegistrySettings) {
  const order = { from, to, signal: new AbortController().signal, progress: () => undefined }
  return copyPackage(order, { registries, scratchFolder: join(home, 'scratch') })
}

/** As `certs.d` holds it. */
function folderWith(name: string, files: Readonly<Record<string, string | undefined>>): string {
  mkdirSync(join(home, name, registry.host), { recursive: true })
  for (const [file, text = ''] of Object.entries(files))
    writeFileSync(join(home, name, registry.host, file), text)
  return join(home, name)
}

describe.skipIf(missing !== undefined)('a registry that demands client certificates', () => {
  test('is written to and read from with the certificate of the settings', async () => {
    const { host, ca = '', client } = registry
    const shown = { certificate: client?.certificate ?? '', key: new Secret(client?.key ?? '') }
    const settings: RegistrySettings = { hosts: { [host]: { ca, client: shown } } }

    expect((await copy(layout, there(), settings)).digest).toBe(digest)
    expect((await copy(there(), `oci:${join(home, 'back')}:v1`, settings)).digest).toBe(digest)
  })

  test('is read from with what lies in its folder of certs.d', async () => {
    const { ca, client } = registry
    const certificateFolders = [
      folderWith('certs.d', { 'ca.crt': ca, 'client.cert': client?.certificate, 'client.key': client?.key }),
    ]

    const copied = await copy(there(), `oci:${join(home, 'by-folder')}:v1`, { certificateFolders })

    expect(copied.digest).toBe(digest)
  })

  test.each<[string, () => RegistrySettings]>([
    ['none', () => ({})],
    [
      "another's",
      () => ({
        certificateFolders: [
          folderWith('strange.d', { 'me.cert': strange.certificate, 'me.key': strange.key }),
        ],
      }),
    ],
  ])('says what to do when it is shown %s', async (_, more) => {
    const { host, ca = '' } = registry
    const failed = await copy(there(), `oci:${join(home, 'none')}:v1`, {
      ...more(),
      hosts: { [host]: { ca } },
    }).catch(toProblem)

    expect(failed).toMatchObject({
      code: 'registry.unreachable',
      detail: expect.stringContaining('it asks for a client certificate'),
      hint: expect.stringContaining(`client.key into the folder ${host} of certs.d`),
      where: { source: host },
    })
  })
})
