/** Makes component versions trusted and moves them: verifying, signing, transferring, building. */
import { dirname, resolve } from 'node:path'
import { type BuiltVersion, buildVersions } from '../../artifacts/ocm/build-version.ts'
import { readConstructor } from '../../artifacts/ocm/constructor.ts'
import type { Template } from '../../artifacts/ocm/inputs.ts'
import type { ComponentRepository } from '../../artifacts/ocm/repository.ts'
import { openRepositoryTarget, type RepositoryTarget } from '../../artifacts/ocm/repository-target.ts'
import { readReference } from '../../artifacts/ocm/session.ts'
import { signVersion } from '../../artifacts/ocm/sign-version.ts'
import { type TransferredVersion, transferVersion } from '../../artifacts/ocm/transfer-version.ts'
import { type Verified, verifyVersion } from '../../artifacts/ocm/verify-version.ts'
import type { JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import {
  type Normalisation,
  type RepositorySpec,
  resolversFor,
  type SignatureAlgorithm,
  type Trust,
} from '../../languages/ocm/index.ts'
import { fail, toProblem } from '../../model/problem.ts'
import { inOcm, type OcmContext, type OcmPlace, readText } from './session.ts'

export interface VerifyWish {
  readonly reference: string
  readonly signatures: readonly string[]
  /** `file`, for all, or `name=file`. */
  readonly keys: readonly string[]
  readonly roots: readonly string[]
  /** `subject`, for all, or `name=subject`, as in `acme=CN=acme,O=Acme`. */
  readonly issuers: readonly string[]
  /** Only digests; signatures are left alone. */
  readonly digestsOnly: boolean
  progress(text: string): void
}

/** Verifies a version and all it references. Problems: ocm.digest.*, ocm.signature.*. */
export async function verify(wish: VerifyWish, place: OcmPlace): Promise<Verified> {
  return await inOcm(place, async (room) => {
    const root = await room.session.version(wish.reference)
    const { resolver, options } = room.session
    const trust = wish.digestsOnly ? undefined : trustOf(wish, room)
    return await verifyVersion({
      root,
      resolver,
      options,
      signatures: wish.signatures,
      trust,
      progress: wish.progress,
    })
  })
}

function trustOf(wish: VerifyWish, { config, text }: OcmContext): (name: string) => Trust {
  const roots = [...wish.roots.map(readText), ...config.keys.roots.map(text)]
  const key = named(wish.keys)
  const issuer = named(wish.issuers.map((one) => (/^[^=]+=[^=]+=/.test(one) ? one : `*=${one}`)))
  return (name) => {
    const file = key(name)
    const kept = config.keys.publicKeys[name]
    const pem = file === undefined ? kept && text(kept) : readText(file)
    const subject = issuer(name) ?? config.keys.issuers[name]
    return {
      ...present({ key: pem }),
      roots,
      ...present({ issuer: subject }),
      now: Date.now(),
    }
  }
}

/** What counts for a name: what was given for it, else what was given for all. */
function named(given: readonly string[]): (name: string) => string | undefined {
  const pairs = given.map((one): readonly [string, string] => {
    const at = one.indexOf('=')
    return at < 0 ? ['*', one] : [one.slice(0, at), one.slice(at + 1)]
  })
  return (name) => (pairs.find(([of]) => of === name) ?? pairs.find(([of]) => of === '*'))?.[1]
}

export interface SignWish {
  readonly reference: string
  readonly name: string
  /** PEM file; absent: what the configuration has under the name. */
  readonly key?: string
  readonly certificates?: string
  readonly issuer?: string
  readonly algorithm: SignatureAlgorithm
  readonly normalisation: Normalisation
  progress(text: string): void
}

/** Signs a version where it lies. Problems: ocm.key.invalid, those of digesting and writing. */
export async function sign(wish: SignWish, place: OcmPlace): Promise<{ readonly digest: string }> {
  return await inOcm(place, async (room) => {
    const { session, config, text } = room
    const kept = config.keys.privateKeys[wish.name]
    const privateKey = wish.key === undefined ? kept && text(kept) : readText(wish.key)
    if (privateKey === undefined)
      return fail('ocm.key.invalid', `there is no private key for ${wish.name}`, {
        hint: 'Give one with --key.',
      })
    const root = await session.version(wish.reference)
    const { name, algorithm, normalisation, certificates, issuer } = wish
    return await withTarget(root.repository.spec, room, wish.progress, async (target) =>
      signVersion({
        root,
        resolver: session.resolver,
        options: session.options,
        target,
        signing: {
          name,
          algorithm,
          normalisation,
          privateKey,
          ...present({ hashAlgorithm: config.hashAlgorithm }),
          ...(certificates === undefined ? {} : { certificates: readText(certificates) }),
          ...present({ issuer }),
        },
        progress: wish.progress,
      }),
    )
  })
}

async function withTarget<T>(
  spec: RepositorySpec,
  { session }: OcmContext,
  progress: (text: string) => void,
  work: (target: RepositoryTarget) => Promise<T>,
): Promise<T> {
  const target = await openRepositoryTarget(spec, { ...session.options, progress })
  try {
    return await work(target)
  } finally {
    await target.close()
  }
}

/** What is there already; nothing where there is no such archive yet. */
async function existingIn(
  spec: RepositorySpec,
  { session }: OcmContext,
): Promise<ComponentRepository | undefined> {
  try {
    return await session.open(spec)
  } catch (error) {
    const { code, detail = '' } = toProblem(error)
    if (code === 'artifact.not-found' || (code === 'ocm.repository.invalid' && detail.includes('is missing')))
      return undefined
    throw error
  }
}

export interface TransferWish {
  readonly from: string
  readonly to: string
  readonly recursive: boolean
  readonly byValue: boolean
  readonly keepGlobalAccess: boolean
  readonly overwrite: boolean
  progress(text: string): void
}

/** Copies a version to another repository. Problems: ocm.version.exists, those of both. */
export async function transfer(
  { from, to, ...how }: TransferWish,
  place: OcmPlace,
): Promise<readonly TransferredVersion[]> {
  return await inOcm(place, async (room) => {
    const { session } = room
    const root = await session.version(from)
    const { reference, spec } = readReference(to)
    if (reference.component !== '')
      return fail('ocm.reference.invalid', `${to}: the target is a repository, without a component`)
    return await withTarget(spec, room, how.progress, async (target) =>
      transferVersion({
        root,
        resolver: session.resolver,
        options: session.options,
        target,
        existing: await existingIn(spec, room),
        ...how,
      }),
    )
  })
}

export interface BuildWish {
  /** The constructor. */
  readonly file: string
  readonly to: string
  /** For components that say none. */
  readonly version?: string
  readonly overwrite: boolean
  readonly skipDigests: boolean
  /** RFC 3339; absent: none is written. */
  readonly creationTime?: string
  /** Makes the constructor of its template. */
  template(text: string, file: string): string
  /** For inputs that are templates. */
  readonly inputTemplate: Template
  readonly values: JsonObject
  progress(text: string): void
}

/** Builds what a constructor says. Problems: ocm.constructor.invalid, ocm.version.exists, those of inputs. */
export async function build(wish: BuildWish, place: OcmPlace): Promise<readonly BuiltVersion[]> {
  return await inOcm(place, async (room) => {
    const { session } = room
    const { spec } = readReference(wish.to)
    const constructions = readConstructor(
      wish.template(readText(wish.file), wish.file),
      wish.file,
      wish.version,
    )
    const { overwrite, skipDigests, creationTime, progress } = wish
    return await withTarget(spec, room, progress, async (target) => {
      const existing = await existingIn(spec, room)
      return await buildVersions({
        constructions,
        target,
        existing,
        overwrite,
        skipDigests,
        ...present({ creationTime }),
        referenced: async (component, version) => {
          for (const repository of [
            ...(existing === undefined ? [] : [existing]),
            ...(await lookups(component, place, room)),
          ]) {
            const found = await repository.find(component, version, place.signal)
            if (found !== undefined) return found
          }
          return undefined
        },
        options: {
          ...session.options,
          folder: dirname(resolve(wish.file)),
          template: wish.inputTemplate,
          values: wish.values,
        },
        progress,
      })
    })
  })
}

async function lookups(
  component: string,
  place: OcmPlace,
  { session, config }: OcmContext,
): Promise<readonly ComponentRepository[]> {
  const specs = [
    ...(place.lookup ?? []).map((text) => readReference(text).spec),
    ...resolversFor(config.resolvers, component),
  ]
  return await Promise.all(specs.map((spec) => session.open(spec)))
}
