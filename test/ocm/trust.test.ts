import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { normalisations, signatureAlgorithms } from '../../src/languages/ocm/index.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { Archive } from './archive.ts'
import { codesOf, judge, keyPair, make, openssl, problemsOf, signAs } from './make.ts'

const missing = ensurePrograms('openssl')
const root = '//example.org/root:1.0.0'
let home: string
let own: { readonly key: string; readonly pub: string }
let other: typeof own
let ctf: string

const text = (name: string, content: string) => ({
  name,
  type: 'plainText',
  input: { type: 'utf8', text: content },
})
const components = {
  components: [
    {
      name: 'example.org/leaf',
      version: '1.0.0',
      provider: { name: 'example.org' },
      resources: [text('words', 'leaf')],
    },
    {
      name: 'example.org/root',
      version: '1.0.0',
      provider: { name: 'example.org' },
      labels: [
        { name: 'kind', value: 'signed', signing: true },
        { name: 'note', value: 'free' },
      ],
      resources: [text('words', 'root')],
      references: [{ name: 'leaf', componentName: 'example.org/leaf', version: '1.0.0' }],
    },
  ],
}

beforeAll(async () => {
  home = freshFolder('ocm-trust')
  if (missing !== undefined) return
  own = keyPair(home, 'own')
  other = keyPair(home, 'other')
  ctf = join(home, 'ctf')
  await make(home, ctf, components)
  await signAs(ctf + root, 'acme', own.key)
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

let count = 0
function copy(): Archive {
  return new Archive(join(home, `copy-${++count}`), ctf)
}

describe.skipIf(missing !== undefined)('what was tampered with', () => {
  const change = (component: string, from: string, to: string) => (archive: Archive) => {
    const before = archive.descriptor(component)
    expect(before).toContain(from)
    archive.replaceDescriptor(component, before.replace(from, to))
  }
  const blobOf = (archive: Archive, component: string): string =>
    /sha256:[0-9a-f]{64}/.exec(archive.descriptor(component))?.[0] ?? ''
  const rewrite = (component: string, content: string) => (archive: Archive) => {
    // The blob, its name, the layer that lists it and the access: all but the digest of the resource.
    const before = blobOf(archive, component)
    const digest = archive.put(content)
    archive.replaceDescriptor(
      component,
      archive.descriptor(component).replace(`"localReference": "${before}"`, `"localReference": "${digest}"`),
    )
    archive.changeManifest(component, (manifest) => {
      manifest.layers = manifest.layers.map((layer) =>
        layer.digest === before ? { ...layer, digest, size: content.length } : layer,
      )
    })
  }

  test('nothing: it is valid', async () => {
    expect(await judge(copy().folder + root, { signatures: ['acme'], keys: [own.pub] })).toMatchObject({
      signatures: [{ name: 'acme', by: 'key' }],
      versions: [{ name: 'example.org/leaf' }, { name: 'example.org/root' }],
    })
  })

  test.each<[string, (archive: Archive) => void, readonly string[]]>([
    [
      'a blob',
      (archive) => writeFileSync(archive.blob(blobOf(archive, 'root')), 'toor'),
      ['artifact.altered'],
    ],
    [
      'a blob that was cut off',
      (archive) => writeFileSync(archive.blob(blobOf(archive, 'root')), 'ro'),
      ['artifact.altered'],
    ],
    [
      'a blob that is gone',
      (archive) => rmSync(archive.blob(blobOf(archive, 'leaf'))),
      ['artifact.not-found'],
    ],
    ['a blob with its name and layer', rewrite('root', 'evil'), ['ocm.digest.resource']],
    [
      'a blob of what is referenced, with its name and layer',
      rewrite('leaf', 'evil'),
      ['ocm.digest.resource'],
    ],
    [
      'a manifest',
      (archive) =>
        writeFileSync(
          archive.blob(archive.entry('root').digest),
          `${readFileSync(archive.blob(archive.entry('root').digest), 'utf8')} `,
        ),
      ['artifact.altered'],
    ],
    [
      'the digest of a resource',
      change(
        'root',
        '"normalisationAlgorithm": "genericBlobDigest/v1",\n          "value": "',
        '"normalisationAlgorithm": "genericBlobDigest/v1",\n          "value": "00',
      ),
      ['ocm.digest.resource', 'ocm.signature.digest'],
    ],
    ['the descriptor', change('root', '"name": "words"', '"name": "wards"'), ['ocm.signature.digest']],
    [
      'a label that is signed',
      change('root', '"value": "signed"', '"value": "forged"'),
      ['ocm.signature.digest'],
    ],
    ['a label that is not signed', change('root', '"value": "free"', '"value": "other"'), []],
    [
      'the version of a reference',
      change(
        'root',
        '"version": "1.0.0",\n        "componentName": "example.org/leaf"',
        '"version": "1.0.1",\n        "componentName": "example.org/leaf"',
      ),
      ['ocm.reference.unresolved'],
    ],
    ['a referenced version', change('leaf', '"name": "words"', '"name": "wards"'), ['ocm.digest.reference']],
    [
      'the digest of a reference',
      change(
        'root',
        '"normalisationAlgorithm": "jsonNormalisation/v3",\n          "value": "',
        '"normalisationAlgorithm": "jsonNormalisation/v3",\n          "value": "00',
      ),
      ['ocm.digest.reference', 'ocm.signature.digest'],
    ],
    [
      'the value of a signature',
      (archive) =>
        archive.replaceDescriptor(
          'root',
          archive
            .descriptor('root')
            .replace(
              /"value": "([0-9a-f])([0-9a-f]{511})"/,
              (_, first: string, rest: string) => `"value": "${first === '0' ? '1' : '0'}${rest}"`,
            ),
        ),
      ['ocm.signature.value'],
    ],
    ['the signature, by another key', () => undefined, ['ocm.signature.value']],
    [
      'the algorithm of a signature',
      change('root', 'RSASSA-PKCS1-V1_5', 'RSASSA-PSS'),
      ['ocm.signature.value'],
    ],
    [
      'the algorithm, to one that is not known',
      change('root', 'RSASSA-PKCS1-V1_5', 'NONE'),
      ['ocm.signature.unsupported'],
    ],
    [
      'the signature, which is gone',
      (archive) =>
        archive.replaceDescriptor('root', archive.descriptor('root').replace('"signatures"', '"sealed"')),
      ['ocm.signature.missing'],
    ],
  ])('%s', async (what, tamper, codes) => {
    const archive = copy()
    tamper(archive)
    const keys = [what.includes('another key') ? other.pub : own.pub]

    expect(await codesOf(judge(archive.folder + root, { signatures: ['acme'], keys }))).toEqual(codes)
  })
})

describe.skipIf(missing !== undefined)('a signature', () => {
  test.each(
    signatureAlgorithms.flatMap((algorithm) =>
      normalisations.map((normalisation) => [algorithm, normalisation] as const),
    ),
  )('by %s over %s is made and verified, beside others', async (algorithm, normalisation) => {
    const { folder } = copy()
    await signAs(folder + root, 'second', other.key, { algorithm, normalisation })

    const keys = [`acme=${own.pub}`, `second=${other.pub}`]
    expect((await judge(folder + root, { keys })).signatures.map(({ name }) => name)).toEqual([
      'acme',
      'second',
    ])
    expect(
      (await judge(folder + root, { keys: [`second=${other.pub}`] })).unjudged.map(({ name }) => name),
    ).toEqual(['acme'])
    expect(await codesOf(judge(folder + root, { signatures: ['second'], keys: [own.pub] }))).toEqual([
      'ocm.signature.value',
    ])
  })

  test('protects versions below that have no digests of their own', async () => {
    const folder = join(home, 'nested')
    await make(home, folder, components, { skipDigests: true })
    await signAs(folder + root, 'acme', own.key)
    const found = await judge(folder + root, { signatures: ['acme'], keys: [own.pub] })
    const archive = new Archive(join(home, 'nested-copy'), folder)
    archive.replaceDescriptor(
      'leaf',
      archive.descriptor('leaf').replace('"name": "words"', '"name": "wards"'),
    )

    expect(found.versions.flatMap(({ unprotected }) => unprotected)).toEqual([])
    expect(await codesOf(judge(archive.folder + root, { signatures: ['acme'], keys: [own.pub] }))).toContain(
      'ocm.digest.reference',
    )
  })

  test('is not made with what is no RSA key', async () => {
    const key = join(home, 'ec.pem')
    openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', key)

    expect((await problemsOf(signAs(copy().folder + root, 'x', key))).map(({ detail }) => detail)).toEqual([
      'a key of type ec makes no RSA signature',
    ])
  })
})

interface Span {
  readonly from: string
  readonly to: string
  readonly subject?: string
}
const past: Span = { from: '20200101000000Z', to: '20210101000000Z' }
const future: Span = { from: '20900101000000Z', to: '20910101000000Z' }

/** A certificate that may issue others, of a time of its own; without a CA it signs itself. */
function issueDated(
  file: (name: string) => string,
  name: string,
  ca: string | undefined,
  { from, to, subject = `/CN=${name}` }: Span,
): void {
  if (!existsSync(file(`${name}.key`))) openssl('genrsa', '-out', file(`${name}.key`), '2048')
  openssl('req', '-new', '-key', file(`${name}.key`), '-out', file(`${name}.csr`), '-subj', subject)
  writeFileSync(file('ca.index'), '')
  writeFileSync(
    file('ca.conf'),
    [
      '[ca]\ndefault_ca = usual',
      `[usual]\ndatabase = ${file('ca.index')}\nnew_certs_dir = ${home}\ndefault_md = sha256`,
      'rand_serial = yes\nunique_subject = no\npolicy = any\nx509_extensions = above',
      '[any]\ncommonName = supplied',
      '[above]\nbasicConstraints = critical,CA:true\n',
    ].join('\n'),
  )
  const issuer = ca === undefined ? ['-selfsign'] : ['-cert', file(`${ca}.crt`)]
  const files = ['-in', file(`${name}.csr`), '-out', file(`${name}.crt`)]
  const key = file(`${ca ?? name}.key`)
  const dates = ['-startdate', from, '-enddate', to]
  openssl(
    'ca',
    '-batch',
    '-notext',
    '-config',
    file('ca.conf'),
    ...issuer,
    '-keyfile',
    key,
    ...dates,
    ...files,
  )
}

describe.skipIf(missing !== undefined)('a certificate', () => {
  const file = (name: string): string => join(home, name)
  beforeAll(() => {
    if (missing !== undefined) return
    for (const name of ['root-ca', 'other-ca']) {
      openssl(
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        file(`${name}.key`),
        '-out',
        file(`${name}.crt`),
        '-days',
        '30',
        '-subj',
        `/CN=${name}`,
      )
    }
    const issue = (name: string, ca: string, extensions: string, days = '30'): void => {
      const subject = name === 'middle' ? '/CN=middle' : '/O=Acme/CN=signer'
      openssl(
        'req',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        file(`${name}.key`),
        '-out',
        file(`${name}.csr`),
        '-subj',
        subject,
      )
      writeFileSync(file(`${name}.ext`), extensions)
      openssl(
        'x509',
        '-req',
        '-in',
        file(`${name}.csr`),
        '-CA',
        file(`${ca}.crt`),
        '-CAkey',
        file(`${ca}.key`),
        '-CAcreateserial',
        '-days',
        days,
        '-extfile',
        file(`${name}.ext`),
        '-out',
        file(`${name}.crt`),
      )
    }
    issue('middle', 'root-ca', 'basicConstraints=critical,CA:true\n')
    issue('signer', 'middle', 'extendedKeyUsage=codeSigning\n')
    issue('server', 'middle', 'extendedKeyUsage=serverAuth\n')
    issue('ended', 'root-ca', 'extendedKeyUsage=codeSigning\n', '-1')
    issue('under-leaf', 'signer', 'extendedKeyUsage=codeSigning\n')
    issueDated(file, 'past-root', undefined, past)
    issueDated(file, 'future-root', undefined, future)
    issueDated(file, 'past-middle', 'root-ca', past)
    issueDated(file, 'future-middle', 'root-ca', future)
    cpSync(file('past-root.key'), file('renewed-root.key'))
    issueDated(file, 'renewed-root', undefined, { from: past.from, to: future.to, subject: '/CN=past-root' })
    for (const name of ['past-root', 'future-root', 'past-middle', 'future-middle'])
      issue(`under-${name}`, name, 'extendedKeyUsage=codeSigning\n')
    const chain = (name: string, ...above: readonly string[]): void =>
      writeFileSync(
        file(`${name}.chain`),
        [name, ...above].map((one) => readFileSync(file(`${one}.crt`), 'utf8')).join(''),
      )
    chain('signer', 'middle')
    chain('server', 'middle')
    chain('ended')
    chain('under-leaf', 'signer', 'middle')
    chain('under-past-root')
    chain('under-future-root')
    chain('under-past-middle', 'past-middle')
    chain('under-future-middle', 'future-middle')
    cpSync(file('signer.key'), file('with-root.key'))
    writeFileSync(
      file('with-root.chain'),
      ['signer', 'middle', 'root-ca'].map((one) => readFileSync(file(`${one}.crt`), 'utf8')).join(''),
    )
  })

  test.each<
    [
      string,
      string,
      { readonly ca?: string; readonly issuer?: string; readonly named?: string; readonly key?: string },
      readonly string[],
    ]
  >([
    ['of a trusted root, of whom is wanted', 'signer', { ca: 'root-ca', issuer: 'CN=signer,O=Acme' }, []],
    ['of whom is wanted, by a part of the name', 'signer', { ca: 'root-ca', issuer: 'O=Acme' }, []],
    ['that the signature names', 'signer', { ca: 'root-ca', issuer: 'CN=signer', named: 'CN=signer' }, []],
    ['of which nobody has said whose it must be', 'signer', { ca: 'root-ca' }, ['ocm.signature.certificate']],
    ['of somebody else', 'signer', { ca: 'root-ca', issuer: 'CN=other' }, ['ocm.signature.certificate']],
    ['of another root', 'signer', { ca: 'other-ca', issuer: 'CN=signer' }, ['ocm.signature.certificate']],
    ['without any root', 'signer', { issuer: 'CN=signer' }, ['ocm.signature.certificate']],
    ['that is for servers', 'server', { ca: 'root-ca', issuer: 'CN=signer' }, ['ocm.signature.certificate']],
    ['that has ended', 'ended', { ca: 'root-ca', issuer: 'CN=signer' }, ['ocm.signature.certificate']],
    [
      'made by one that may make none',
      'under-leaf',
      { ca: 'root-ca', issuer: 'CN=signer' },
      ['ocm.signature.certificate'],
    ],
    [
      'that is not the one that the signature names',
      'signer',
      { ca: 'root-ca', issuer: 'CN=signer', named: 'CN=somebody' },
      ['ocm.signature.certificate'],
    ],
    ['given as the key, with a trusted root', 'signer', { ca: 'root-ca', key: 'signer.chain' }, []],
    [
      'given as the key, of another root',
      'signer',
      { ca: 'other-ca', key: 'signer.chain' },
      ['ocm.signature.certificate'],
    ],
  ])('%s', async (_, who, { ca, issuer, named, key }, codes) => {
    const { folder } = copy()
    await signAs(folder + root, 'by-chain', file(`${who}.key`), {
      certificates: file(`${who}.chain`),
      ...(named === undefined ? {} : { issuer: named }),
    })
    const found = judge(folder + root, {
      signatures: ['by-chain'],
      roots: ca === undefined ? [] : [file(`${ca}.crt`)],
      issuers:
        issuer === undefined
          ? []
          : [issuer.includes(',') || issuer.startsWith('O=') ? `by-chain=${issuer}` : `by-chain=${issuer}`],
      keys: key === undefined ? [] : [file(key)],
    })

    expect(await codesOf(found)).toEqual(codes)
  })

  const wanted = (ca: string) => ({
    signatures: ['by-chain'],
    roots: [file(`${ca}.crt`)],
    issuers: ['by-chain=CN=signer'],
  })
  const signedBy = async (who: string): Promise<string> => {
    const { folder } = copy()
    await signAs(folder + root, 'by-chain', file(`${who}.key`), { certificates: file(`${who}.chain`) })
    return folder + root
  }

  test.each<[string, string, string, string]>([
    ['a root that has ended', 'under-past-root', 'past-root', 'CN=past-root is valid from '],
    ['a root that is of next year', 'under-future-root', 'future-root', 'CN=future-root is valid from '],
    ['one in between that has ended', 'under-past-middle', 'root-ca', 'CN=past-middle is valid from '],
    ['one in between of next year', 'under-future-middle', 'root-ca', 'CN=future-middle is valid from '],
    ['a root that is not trusted, though brought', 'with-root', 'other-ca', 'nobody trusted has signed'],
  ])('under %s is refused, which is said', async (_, who, ca, words) => {
    const found = await problemsOf(judge(await signedBy(who), wanted(ca)))

    expect(found.map(({ code }) => code)).toEqual(['ocm.signature.certificate'])
    expect(found[0]?.detail).toContain(words)
  })

  test('under a root that was renewed is valid, whichever is listed first', async () => {
    const reference = await signedBy('under-past-root')
    for (const roots of [
      ['past-root', 'renewed-root'],
      ['renewed-root', 'past-root'],
    ])
      expect(
        await codesOf(
          judge(reference, { ...wanted('past-root'), roots: roots.map((one) => file(`${one}.crt`)) }),
        ),
      ).toEqual([])
  })

  test('counts only with the algorithm that its block names', async () => {
    const archive = copy()
    await signAs(archive.folder + root, 'by-chain', file('signer.key'), {
      certificates: file('signer.chain'),
    })
    archive.replaceDescriptor(
      'root',
      archive
        .descriptor('root')
        .replace('Signature Algorithm: RSASSA-PKCS1-V1_5', 'Signature Algorithm: RSASSA-PSS'),
    )

    expect(
      await codesOf(
        judge(archive.folder + root, {
          signatures: ['by-chain'],
          roots: [file('root-ca.crt')],
          issuers: ['by-chain=CN=signer'],
        }),
      ),
    ).toEqual(['ocm.signature.unsupported'])
  })

  test('keys and roots of a configuration count, too', async () => {
    const config = file('my.ocmconfig')
    cpSync(own.pub, file('kept.pub'))
    writeFileSync(
      config,
      JSON.stringify({ type: 'keys.config.ocm.software', publicKeys: { acme: { path: 'kept.pub' } } }),
    )
    const { verify } = await import('../../src/authoring/ocm/make.ts')
    const found = await verify(
      {
        reference: copy().folder + root,
        signatures: ['acme'],
        keys: [],
        roots: [],
        issuers: [],
        digestsOnly: false,
        progress: () => undefined,
      },
      { config, signal: new AbortController().signal },
    )

    expect(found.signatures).toEqual([{ name: 'acme', by: 'key' }])
  })
})
