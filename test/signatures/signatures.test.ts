/** Signatures with a policy: what counts, what does not and why, for commands and for the broker. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { inspectPackage } from '../../src/authoring/package-tools.ts'
import { register } from '../../src/cli/commands/package.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { offeringOn, Platform } from '../cnab/platform.ts'
import { bundleLabels, pushImage } from '../sources/push.ts'
import { startTestBroker, type TestBroker } from '../support/broker.ts'
import { ensurePrograms, findProgram } from '../support/debian.ts'
import { freshFolder, imageInLayout, writeTree } from '../support/image.ts'
import { registryMissing, startRegistry, type TestRegistry } from '../support/registry.ts'
import { runCommand } from '../support/run-command.ts'
import { attachInLayout, attachInRegistry } from './attach.ts'
import {
  type Attachment,
  bundle,
  certified,
  cosign,
  messageBundle,
  notation,
  now,
  pairs,
  pemOf,
  root,
  shortLived,
  withinShortLife,
} from './make.ts'

const home = freshFolder('signatures')
const listener = {
  signal: new AbortController().signal,
  log: async () => undefined,
  progress: () => undefined,
}
const noRegistry = registryMissing()
const brokers: TestBroker[] = []
let registry: TestRegistry | undefined

const files = {
  'p256.pub': pemOf(pairs.p256),
  'p384.pub': pemOf(pairs.p384),
  'rsa.pub': pemOf(pairs.rsa),
  'weak.pub': pemOf(pairs.weak),
  'ed25519.pub': pemOf(pairs.ed25519),
  'log.pub': pemOf(pairs.log),
  'root.pem': root,
}
const signers = `signers:
  team: {keys: [p256.pub]}
  all: {keys: [p384.pub, rsa.pub, ed25519.pub, weak.pub]}
  release: {roots: [root.pem], identity: 'CN=release,O=Harbour'}
  workflow: {roots: [root.pem], identity: ci.example, issuer: https://issuer.example}
  logged: {roots: [root.pem], identity: CN=logged, logKeys: [log.pub]}
`

function policyFile(name: string, text: string): string {
  const path = join(home, name)
  writeFileSync(path, text)
  return path
}

beforeAll(async () => {
  mkdirSync(home, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text)
  if (noRegistry === undefined) registry = await startRegistry()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  for (const broker of brokers.splice(0)) await broker.stop()
})
afterAll(async () => {
  await registry?.stop()
  rmSync(home, { recursive: true, force: true })
})

let count = 0

/** An image that is an APB, in a layout of its own. */
async function freshImage(): Promise<{
  readonly folder: string
  readonly reference: string
  readonly digest: string
}> {
  const folder = join(home, `image-${++count}`)
  const tree = writeTree(`${folder}-root`, { 'etc/name': folder })
  const labels = bundleLabels('signed-apb')
  return { folder, ...(await imageInLayout(folder, 'v1', { root: tree, settings: { labels } })) }
}

async function judged(reference: string, policy: string): Promise<string> {
  try {
    const { signatures } = await inspectPackage(
      { reference, dataDir: join(home, 'data'), signingPolicy: policyFile(`policy-${++count}.yml`, policy) },
      listener,
    )
    return `taken: ${signatures.map(({ signers, fault }) => fault ?? signers.join('+')).join(', ')}`
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return `${error.problem.code}: ${error.problem.detail}`
  }
}

interface Case {
  readonly name: string
  readonly by: string
  readonly make: (digest: string) => Attachment | readonly Attachment[]
  readonly says: RegExp
}

const other = `sha256:${'0'.repeat(64)}`
const { p256, p384, rsa, weak, ed25519, stranger } = pairs
const release = certified(p256)
const logged = certified(p256, {
  ...shortLived,
  subject: { commonName: 'logged', organization: [], country: [] },
})

const cases: readonly Case[] = [
  { name: 'none', by: 'team', make: () => [], says: /^signature.missing: asked for is team/ },
  {
    name: 'cosign, P-256',
    by: 'team',
    make: (digest) => cosign({ pair: p256, digest }),
    says: /^taken: team/,
  },
  { name: 'cosign, P-384', by: 'all', make: (digest) => cosign({ pair: p384, digest }), says: /^taken: all/ },
  { name: 'cosign, RSA', by: 'all', make: (digest) => cosign({ pair: rsa, digest }), says: /^taken: all/ },
  {
    name: 'cosign, Ed25519',
    by: 'all',
    make: (digest) => cosign({ pair: ed25519, digest }),
    says: /^taken: all/,
  },
  {
    name: 'cosign, RSA of 1024 bits',
    by: 'all',
    make: (digest) => cosign({ pair: weak, digest }),
    says: /^signature.untrusted: .*another one/,
  },
  {
    name: 'cosign, a strange key',
    by: 'team',
    make: (digest) => cosign({ pair: stranger, digest }),
    says: /^signature.untrusted: asked for is team; there is: cosign by team: its key is another one/,
  },
  {
    name: 'cosign, the key of another signer of the policy',
    by: 'team',
    make: (digest) => cosign({ pair: p384, digest }),
    says: /^signature.untrusted: asked for is team; there is: cosign by all \(key\)/,
  },
  {
    name: 'cosign, of another image',
    by: 'team',
    make: (digest) => ({ ...cosign({ pair: p256, digest: other }), tag: `${digest.replace(':', '-')}.sig` }),
    says: /^signature.untrusted: .*it is of sha256:000/,
  },
  {
    name: 'cosign, another kind of document',
    by: 'team',
    make: (digest) => cosign({ pair: p256, digest, type: 'something else' }),
    says: /^signature.untrusted: .*not one of cosign/,
  },
  {
    name: 'cosign, altered after it was signed',
    by: 'team',
    make: (digest) =>
      cosign({ pair: p256, digest, alter: (payload) => Buffer.concat([payload, Buffer.from(' ')]) }),
    says: /^signature.untrusted/,
  },
  {
    name: 'cosign, a good one beside a bad one',
    by: 'team',
    make: (digest) => {
      const [bad, good] = [cosign({ pair: stranger, digest }), cosign({ pair: p256, digest })]
      return { ...good, layers: [...bad.layers, ...good.layers] }
    },
    says: /^taken: .*, team/,
  },
  {
    name: 'cosign, a certificate',
    by: 'release',
    make: (digest) => cosign({ pair: p256, digest, certificate: release }),
    says: /^taken: team\+release/,
  },
  {
    name: 'cosign, a certificate that is over, and no log',
    by: 'logged',
    make: (digest) =>
      cosign({
        pair: stranger,
        digest,
        certificate: certified(stranger, {
          ...shortLived,
          subject: { commonName: 'logged', organization: [], country: [] },
        }),
      }),
    says: /^signature.untrusted: .*no entry of the transparency log/,
  },
  {
    name: 'bundle, a key',
    by: 'team',
    make: (digest) => bundle({ pair: p256, digest }),
    says: /^taken: team/,
  },
  {
    name: 'bundle, a strange key',
    by: 'team',
    make: (digest) => bundle({ pair: stranger, digest }),
    says: /^signature.untrusted/,
  },
  {
    name: 'bundle, another statement than a signature',
    by: 'team',
    make: (digest) => bundle({ pair: p256, digest, predicateType: 'https://slsa.dev/provenance/v1' }),
    says: /^signature.untrusted: .*statement of another kind \(https:\/\/slsa/,
  },
  {
    name: 'bundle, of another image',
    by: 'team',
    make: () => bundle({ pair: p256, digest: other }),
    says: /^signature.untrusted: .*it is of sha256:000/,
  },
  {
    name: 'bundle, altered after it was signed',
    by: 'team',
    make: (digest) =>
      bundle({
        pair: p256,
        digest: other,
        alter: (text) => Buffer.from(text.toString().replace(other.slice(7), digest.slice(7))),
      }),
    says: /^signature.untrusted: .*its key is another one/,
  },
  {
    name: 'bundle, of a version to come',
    by: 'team',
    make: (digest) => {
      const made = bundle({ pair: p256, digest, version: '0.9' })
      const mediaType = 'application/vnd.dev.sigstore.bundle.v0.3+json'
      const layers = made.layers.map((one) => ({ ...one, mediaType }))
      return { ...made, artifactType: mediaType, layers }
    },
    says: /^signature.untrusted: .*no bundle of a version that is known/,
  },
  {
    name: 'bundle, a short-lived certificate that the log saw in time',
    by: 'logged',
    make: (digest) => bundle({ pair: p256, digest, certificate: logged, loggedAt: withinShortLife }),
    says: /^taken: team\+logged/,
  },
  {
    name: 'notation, ES256',
    by: 'release',
    make: (digest) => notation({ pair: p256, digest, certificate: release }),
    says: /^taken: release/,
  },
  {
    name: 'notation, ES384',
    by: 'release',
    make: (digest) => notation({ pair: p384, digest, certificate: certified(p384) }),
    says: /^taken: release/,
  },
  {
    name: 'notation, PS256',
    by: 'release',
    make: (digest) => notation({ pair: rsa, digest, certificate: certified(rsa) }),
    says: /^taken: release/,
  },
  {
    name: 'notation, somebody else’s certificate of the same authority',
    by: 'release',
    make: (digest) =>
      notation({
        pair: p256,
        digest,
        certificate: certified(p256, { subject: { commonName: 'visitor', organization: [], country: [] } }),
      }),
    says: /^signature.untrusted: .*its certificate is of CN=visitor, wanted is CN=release,O=Harbour/,
  },
  {
    name: 'notation, a certificate for another key',
    by: 'release',
    make: (digest) => notation({ pair: stranger, digest, certificate: release }),
    says: /^signature.untrusted: .*release: its value does not fit/,
  },
  {
    name: 'notation, a certificate for servers',
    by: 'release',
    make: (digest) =>
      notation({
        pair: p256,
        digest,
        certificate: certified(p256, { extendedUsage: ['1.3.6.1.5.5.7.3.1'] }),
      }),
    says: /^signature.untrusted: .*not for signing code/,
  },
  {
    name: 'notation, a certificate that is over',
    by: 'release',
    make: (digest) => notation({ pair: p256, digest, certificate: certified(p256, shortLived) }),
    says: /^signature.untrusted: .*is valid from/,
  },
  {
    name: 'notation, a certificate of another authority',
    by: 'release',
    make: (digest) =>
      notation({
        pair: p256,
        digest,
        certificate: certified(p256, { issuer: { certificate: undefined, key: stranger.privateKey } }),
      }),
    says: /^signature.untrusted: .*nobody trusted has signed/,
  },
  {
    name: 'notation, of another image',
    by: 'release',
    make: () => notation({ pair: p256, digest: other, certificate: release }),
    says: /^signature.untrusted: .*it is of sha256:000/,
  },
  {
    name: 'notation, void by now',
    by: 'release',
    make: (digest) => {
      const expiry = 'io.cncf.notary.expiry'
      const header = {
        crit: ['io.cncf.notary.signingScheme', expiry],
        [expiry]: new Date(now - 1000).toISOString(),
      }
      return notation({ pair: p256, digest, certificate: release, header })
    },
    says: /^signature.untrusted: .*it was void after/,
  },
  {
    name: 'notation, a demand that is not known',
    by: 'release',
    make: (digest) =>
      notation({
        pair: p256,
        digest,
        certificate: release,
        header: { crit: ['io.cncf.notary.signingScheme', 'io.cncf.notary.verificationPlugin'] },
      }),
    says: /^signature.untrusted: .*demands io.cncf.notary.verificationPlugin/,
  },
  {
    name: 'notation, no algorithm',
    by: 'release',
    make: (digest) => notation({ pair: p256, digest, certificate: release, header: { alg: 'none' } }),
    says: /^signature.untrusted: .*its algorithm is none/,
  },
  {
    name: 'notation, another scheme',
    by: 'release',
    make: (digest) =>
      notation({
        pair: p256,
        digest,
        certificate: release,
        header: { 'io.cncf.notary.signingScheme': 'notary.x509.signingAuthority' },
      }),
    says: /^signature.untrusted: .*scheme notary.x509.signingAuthority is not known/,
  },
  {
    name: 'notation, in another envelope',
    by: 'release',
    make: (digest) => notation({ pair: p256, digest, certificate: release, mediaType: 'application/cose' }),
    says: /^signature.untrusted: .*envelopes of the type application\/cose are not read/,
  },
]

describe('what a policy that asks for a signature makes of', () => {
  test.each(cases)('$name', async ({ by, make, says }) => {
    const { folder, reference, digest } = await freshImage()
    for (const one of [make(digest)].flat()) attachInLayout(folder, digest, one)

    expect(await judged(reference, `${signers}required: [{packages: '', by: [${by}]}]\n`)).toMatch(says)
  })
})

/** Signers that know only certificates, whose keys another signer of the policy does not know by itself. */
const onlyLogged = `signers:
  logged: {roots: [root.pem], identity: CN=logged, logKeys: [log.pub]}
required: [{packages: '', by: [logged]}]
`

describe('a short-lived certificate and the word of the log', () => {
  test.each([
    ['in an envelope, in time', { loggedAt: withinShortLife }, /^taken: logged/],
    ['in an envelope, too late', { loggedAt: now }, /valid from/],
    ['in an envelope, before', { loggedAt: now - 3_600_000 }, /valid from/],
    ['in an envelope, by another log', { loggedAt: withinShortLife, log: stranger }, /not signed by the log/],
    ['in an envelope, without the log', {}, /no entry of the transparency log/],
  ])('%s', async (_name, more, says) => {
    const { folder, reference, digest } = await freshImage()
    attachInLayout(folder, digest, bundle({ pair: p256, digest, certificate: logged, ...more }))

    expect(await judged(reference, onlyLogged)).toMatch(says)
  })

  test.each([
    ['beside the image, in time', { loggedAt: withinShortLife }, /^taken: logged/],
    ['beside the image, too late', { loggedAt: now }, /valid from/],
    [
      'beside the image, by another log',
      { loggedAt: withinShortLife, log: stranger },
      /not signed by the log/,
    ],
  ])('%s', async (_name, more, says) => {
    const { folder, reference, digest } = await freshImage()
    attachInLayout(folder, digest, cosign({ pair: p256, digest, certificate: logged, ...more }))

    expect(await judged(reference, onlyLogged)).toMatch(says)
  })

  test('an entry of another signature', async () => {
    const { folder, reference, digest } = await freshImage()
    const [first, second] = [0, 1].map(() =>
      bundle({ pair: p256, digest, certificate: logged, loggedAt: withinShortLife }),
    )
    const entries = JSON.parse(String(first?.layers[0]?.bytes)).verificationMaterial.tlogEntries
    const document = JSON.parse(String(second?.layers[0]?.bytes))
    document.verificationMaterial.tlogEntries = entries
    const layers =
      second?.layers.map((one) => ({ ...one, bytes: Buffer.from(JSON.stringify(document)) })) ?? []
    if (second) attachInLayout(folder, digest, { ...second, layers })

    expect(await judged(reference, onlyLogged)).toMatch(/of another signature/)
  })
})

describe('which packages a policy means', () => {
  test.each([
    ['nothing is asked', '[]', /^taken: $/],
    ['the place itself', `[{packages: 'oci:HOME', by: [team]}]`, /missing/],
    ['its beginning inside a word', `[{packages: 'oci:HOM', by: [team]}]`, /^taken/],
    ['an exception', `[{packages: '', by: [team]}, {packages: 'oci:HOME', by: []}]`, /^taken/],
    [
      'an exception of the exception',
      `[{packages: 'oci:HOME', by: []}, {packages: 'oci:HOME/image', by: [team]}]`,
      /^taken/,
    ],
  ])('%s', async (_name, required, says) => {
    const { reference } = await freshImage()

    expect(
      await judged(
        reference,
        `${signers}required: ${required.replaceAll('HOME', home).replace('HOM', home.slice(0, -1))}\n`,
      ),
    ).toMatch(says)
  })

  test('a document has no signature', async () => {
    const pak = join(home, 'bundle.json')
    writeFileSync(pak, '{}')

    expect(await judged(pak, `${signers}required: [{packages: '', by: [team]}]`)).toMatch(
      /^signature.missing: only images carry signatures, and this is a document/,
    )
  })

  test.each([
    [
      'a key that is none',
      'signers: {a: {keys: [root.pem]}}',
      /^signature.policy-invalid: root.pem holds no public key/,
    ],
    ['a file that is not there', 'signers: {a: {keys: [nowhere.pub]}}', /nowhere.pub cannot be read/],
    ['roots without an identity', 'signers: {a: {roots: [root.pem]}}', /roots and no identity/],
    ['a signer without anything', 'signers: {a: {}}', /neither keys nor roots/],
    ['a name that is none', "required: [{packages: '', by: [ghost]}]", /there is no signer ghost/],
    ['a field that is none', 'signers: {a: {key: p256.pub}}', /^signature.policy-invalid/],
    ['a text that is none', 'signers: [', /^signature.policy-invalid/],
  ])('a policy with %s is refused', async (_name, policy, says) => {
    const { reference } = await freshImage()

    expect(await judged(reference, policy)).toMatch(says)
  })

  test('inspect shows the signatures, trusted or not', async () => {
    const { folder, reference, digest } = await freshImage()
    attachInLayout(folder, digest, bundle({ pair: p256, digest }))
    attachInLayout(folder, digest, cosign({ pair: stranger, digest }))
    const policy = policyFile('shown.yml', 'signers: {team: {keys: [p256.pub]}}')
    const words = ['package', 'inspect', reference, '--data-dir', join(home, 'data')]

    expect(await runCommand(register, [...words, '--signing-policy', policy])).toMatch(
      /Signatures: +cosign by key, not trusted: team: its key is another one\n +bundle by team \(key\)/,
    )
  })

  test('a command without the option obeys the policy of the environment', async () => {
    const { reference } = await freshImage()
    vi.stubEnv(
      'CHANDLER_REGISTRIES_SIGNING_POLICY',
      policyFile('environment.yml', `${signers}required: [{packages: '', by: [team]}]`),
    )

    await expect(
      runCommand(register, ['package', 'check', reference, '--data-dir', join(home, 'data')]),
    ).rejects.toThrow(/must be signed, and is not/)
  })
})

function offered(policy: string, entries: readonly object[]): (text: string) => string {
  return (text) => `registries: {signingPolicy: ${policy}}\n${offeringOn(entries)(text)}`
}

describe.skipIf(noRegistry !== undefined)('over a registry', () => {
  const signed = async (name: string, ...made: ((digest: string) => Attachment)[]): Promise<string> => {
    const host = registry?.host ?? ''
    const digest = await pushImage(host, name, bundleLabels(name.replaceAll('/', '-')))
    for (const one of made) await attachInRegistry({ host, repository: name }, digest, one(digest))
    return `docker://${host}/${name}`
  }

  test.each([
    ['cosign beside the image', (digest: string) => cosign({ pair: p256, digest })],
    ['a bundle in the list of referrers', (digest: string) => bundle({ pair: p256, digest })],
  ])('%s is found', async (name, make) => {
    const reference = await signed(`team/${name.replaceAll(' ', '-')}`, make)

    expect(await judged(reference, `${signers}required: [{packages: '', by: [team]}]`)).toBe('taken: team')
  })

  test('a bundle around the signature of the manifest counts for that manifest', async () => {
    const host = registry?.host ?? ''
    const reference = await signed('team/message')
    const answer = await fetch(`http://${host}/v2/team/message/manifests/latest`, {
      headers: { accept: 'application/vnd.oci.image.manifest.v1+json' },
    })
    const digest = answer.headers.get('docker-content-digest') ?? ''
    const manifest = new Uint8Array(await answer.arrayBuffer())
    await attachInRegistry(
      { host, repository: 'team/message' },
      digest,
      messageBundle({ pair: p256, digest, manifest }),
    )

    expect(await judged(reference, `${signers}required: [{packages: '', by: [team]}]`)).toBe('taken: team')
  })

  test('the same host by another spelling is under the same policy', async () => {
    const reference = await signed('team/spelt')
    const host = registry?.host ?? ''
    const policy = `${signers}required: [{packages: '${host}/team', by: [team]}]`

    expect(await judged(reference, policy)).toMatch(/^signature.missing/)
    expect(await judged(reference.replace('team/', 'teamster/'), policy)).toMatch(/^artifact.not-found/)
  })

  test('the broker offers what is signed, refuses what is not, and shows why', async () => {
    const good = await signed('shop/good-apb', (digest) => cosign({ pair: p256, digest }))
    const bad = await signed('shop/bad-apb')
    const policy = policyFile('broker.yml', signers)
    const broker = await startTestBroker(
      '',
      undefined,
      offered(policy, [
        { package: good, signedBy: ['team'] },
        { package: bad, signedBy: ['team'] },
      ]),
    )
    brokers.push(broker)

    const { services } = (await new Platform(broker).catalog()) as unknown as {
      readonly services: readonly { readonly name: string }[]
    }
    expect(services.map(({ name }) => name)).toEqual(['local-shop-good-apb'])
  })

  test('a source offers its signed images only, and goes on without its registry only as far as they were held against the same policy', async () => {
    const host = registry?.host ?? ''
    await signed('dock/one-apb', (digest) => bundle({ pair: p256, digest }))
    await signed('dock/two-apb')
    const source = {
      name: 'dock',
      type: 'registry',
      url: host,
      organisation: 'dock',
      whiteList: ['.*'],
      refreshInterval: '1d',
    }
    const folder = freshFolder('signatures-broker')
    const policy = policyFile('source.yml', `${signers}required: [{packages: '${host}/dock', by: [team]}]`)
    const start = async (entry: object): Promise<readonly string[]> => {
      const broker = await startTestBroker('', folder, offered(policy, [entry]))
      const { services } = (await new Platform(broker).catalog()) as unknown as {
        readonly services: readonly { readonly name: string }[]
      }
      await broker.broker.stop()
      return services.map(({ name }) => name)
    }

    expect(await start({ source })).toEqual(['dock-dock-one-apb'])
    // Taken as it was, without being asked: what was held against another policy does not count.
    expect(await start({ source: { ...source } })).toEqual(['dock-dock-one-apb'])
    expect(await start({ source: { ...source }, signedBy: ['all'] })).toEqual([])
    rmSync(folder, { recursive: true, force: true })
  })
})

const noOpenssl = ensurePrograms('openssl')

test.skipIf(noOpenssl !== undefined)('keys, certificates and values of OpenSSL are taken', async () => {
  const { folder, reference, digest } = await freshImage()
  const at = (name: string): string => join(home, name)
  const openssl = (...words: readonly string[]): void => {
    execFileSync(findProgram('openssl') ?? 'openssl', words, { stdio: 'ignore' })
  }
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const authority = ['-x509', '-keyout', at('ca.key'), '-out', at('ca.pem'), '-subj', '/CN=Authority']
  openssl('req', ...fresh, ...authority)
  openssl('req', ...fresh, '-keyout', at('leaf.key'), '-out', at('leaf.csr'), '-subj', '/O=Quay/CN=leaf')
  const extensions = policyFile(
    'leaf.ext',
    'extendedKeyUsage=codeSigning\nsubjectAltName=email:ship@quay.example\n',
  )
  const issued = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-extfile', extensions]
  openssl('x509', '-req', '-in', at('leaf.csr'), '-out', at('leaf.pem'), ...issued)
  const made = cosign({ pair: p256, digest, certificate: readFileSync(at('leaf.pem'), 'utf8') })
  const [layer] = made.layers
  writeFileSync(at('payload'), layer?.bytes ?? '')
  openssl('dgst', '-sha256', '-sign', at('leaf.key'), '-out', at('value'), at('payload'))
  const value = { 'dev.cosignproject.cosign/signature': readFileSync(at('value'), 'base64') }
  const layers = made.layers.map((one) => ({ ...one, annotations: { ...one.annotations, ...value } }))
  attachInLayout(folder, digest, { ...made, layers })
  const asked = (identity: string): string =>
    `signers: {quay: {roots: [ca.pem], identity: ${identity}}}\nrequired: [{packages: '', by: [quay]}]`

  expect(await judged(reference, asked('ship@quay.example'))).toBe('taken: quay')
  expect(await judged(reference, asked('O=Quay'))).toBe('taken: quay')
  expect(await judged(reference, asked('boat@quay.example'))).toMatch(/wanted is boat@quay.example/)
})
