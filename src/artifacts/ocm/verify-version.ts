/** Whether a component version is what it says: its resources, its references and its signatures. */
import {
  type ComponentDescriptor,
  descriptorDigests,
  digestText,
  excluded,
  type Signature,
  type SignatureVerdict,
  type Trust,
  verifySignature,
  withNestedDigests,
} from '../../languages/ocm/index.ts'
import { fail, type Problem, ProblemError, toProblem } from '../../model/problem.ts'
import type { ProblemCode } from '../../model/problem-codes.ts'
import { type ContentOptions, describeAccess } from './access.ts'
import { contentOf } from './content.ts'
import { mismatch } from './digest-content.ts'
import { type StoredVersion, versionName } from './repository.ts'
import { closureOf, type Resolver } from './resolve.ts'

export interface VerifyOrder {
  readonly root: StoredVersion
  readonly resolver: Resolver
  readonly options: ContentOptions
  /** Which signatures must be there and valid; empty: every one that can be judged, at least one. */
  readonly signatures: readonly string[]
  /** Whom one trusts for signatures of a name; undefined: signatures are not looked at. */
  readonly trust: ((name: string) => Trust) | undefined
  progress(text: string): void
}

export interface Verified {
  readonly versions: readonly VerifiedVersion[]
  readonly signatures: readonly { readonly name: string; readonly by: string }[]
  /** Signatures of kinds that cannot be judged here, and why. */
  readonly unjudged: readonly { readonly name: string; readonly why: string }[]
}

interface VerifiedVersion {
  readonly name: string
  readonly version: string
  /** How many resources were compared with their digests. */
  readonly resources: number
  /** What has no digest, and so is not protected by any signature. */
  readonly unprotected: readonly string[]
}

/** Verifies; all that is wrong is thrown at once. Problems: ocm.digest.*, ocm.signature.*, those of resolving and reading. */
export async function verifyVersion(order: VerifyOrder): Promise<Verified> {
  const { root, resolver, options, progress } = order
  const { nestedDigests } = root.descriptor
  const effective = (version: StoredVersion): ComponentDescriptor =>
    version === root ? root.descriptor : withNestedDigests(version.descriptor, nestedDigests)
  const closure = await closureOf(root, resolver, options.signal)
  const problems: Problem[] = []
  const versions: VerifiedVersion[] = []
  for (const version of closure) {
    progress(`verifying ${versionName(version.descriptor)}`)
    const descriptor = effective(version)
    const references = await checkReferences(version, descriptor, { order, effective, problems })
    const resources = await checkResources(version, descriptor, { options, problems })
    versions.push({
      name: descriptor.name,
      version: descriptor.version,
      resources: resources.checked,
      unprotected: [...references, ...resources.unprotected],
    })
  }
  const signed =
    order.trust === undefined
      ? { signatures: [], unjudged: [] }
      : judgeSignatures(root.descriptor, order, problems)
  const [first, ...others] = problems
  if (first !== undefined) throw new ProblemError(others.length === 0 ? first : { ...first, others })
  return { versions, ...signed }
}

interface ReferenceCheck {
  readonly order: VerifyOrder
  readonly effective: (version: StoredVersion) => ComponentDescriptor
  readonly problems: Problem[]
}

async function checkReferences(
  version: StoredVersion,
  descriptor: ComponentDescriptor,
  { order, effective, problems }: ReferenceCheck,
): Promise<readonly string[]> {
  const unprotected: string[] = []
  for (const { name, componentName, version: wanted, digest } of descriptor.references) {
    if (digest === undefined) {
      unprotected.push(`reference ${name}`)
      continue
    }
    const target = await order.resolver.resolve(
      version,
      { componentName, version: wanted },
      order.options.signal,
    )
    const found = descriptorDigests(effective(target), digest)
    const where = { source: versionName(descriptor) }
    if (found === undefined)
      problems.push({ code: 'ocm.digest.unsupported', detail: digestText(digest), where })
    else if (!found.includes(digest.value.toLowerCase())) {
      const computed = digestText({ ...digest, value: found[0] ?? '' })
      problems.push({
        code: 'ocm.digest.reference',
        detail: `calculated reference digest (${computed}) mismatches existing digest (${digestText(digest)}) for ${componentName}:${wanted}`,
        where,
      })
    }
  }
  return unprotected
}

async function checkResources(
  version: StoredVersion,
  descriptor: ComponentDescriptor,
  { options, problems }: { readonly options: ContentOptions; readonly problems: Problem[] },
): Promise<{ readonly checked: number; readonly unprotected: readonly string[] }> {
  const unprotected: string[] = []
  let checked = 0
  for (const { name, version: own, access, digest } of descriptor.resources) {
    const where = { source: versionName(descriptor) }
    try {
      const content = await contentOf(access, version, options)
      if (content.kind === 'none') continue
      if (digest === undefined || digest.normalisationAlgorithm === excluded) {
        unprotected.push(`resource ${name}`)
        continue
      }
      const found = await mismatch(content, digest, options)
      checked++
      if (found !== undefined)
        problems.push({
          code: 'ocm.digest.resource',
          detail: `calculated resource digest (${digestText(found)}) mismatches existing digest (${digestText(digest)}) for ${name}:${own} (${describeAccess(access)})`,
          where,
        })
    } catch (error) {
      const problem = toProblem(error)
      if (problem.code === 'internal.unexpected' || problem.code === 'artifact.stopped') throw error
      problems.push({ ...problem, detail: `resource ${name}: ${problem.detail ?? problem.code}`, where })
    }
  }
  return { checked, unprotected }
}

type Judged = Pick<Verified, 'signatures' | 'unjudged'>

function judgeSignatures(descriptor: ComponentDescriptor, order: VerifyOrder, problems: Problem[]): Judged {
  const { signatures: wanted, trust } = order
  const where = { source: versionName(descriptor) }
  for (const name of wanted)
    if (!descriptor.signatures.some((one) => one.name === name))
      problems.push({
        code: 'ocm.signature.missing',
        detail: `signature ${JSON.stringify(name)} not found`,
        where,
      })
  const looked =
    wanted.length === 0
      ? descriptor.signatures
      : descriptor.signatures.filter(({ name }) => wanted.includes(name))
  const signatures: { name: string; by: string }[] = []
  const unjudged: { name: string; why: string }[] = []
  for (const signature of looked) {
    const verdict = verifySignature(descriptor, signature, trust?.(signature.name) ?? fail('ocm.key.invalid'))
    if (verdict.kind === 'valid') signatures.push({ name: signature.name, by: verdict.by })
    else if (verdict.kind === 'key' && wanted.length === 0)
      unjudged.push({ name: signature.name, why: verdict.detail })
    else problems.push({ ...problemOf(signature, verdict), where })
  }
  if (wanted.length === 0 && signatures.length === 0 && problems.length === 0)
    problems.push({ code: 'ocm.signature.missing', detail: 'no verifiable signature found', where })
  return { signatures, unjudged }
}

const codes: Readonly<Record<Exclude<SignatureVerdict['kind'], 'valid'>, ProblemCode>> = {
  digest: 'ocm.signature.digest',
  value: 'ocm.signature.value',
  algorithm: 'ocm.signature.unsupported',
  key: 'ocm.key.invalid',
  certificate: 'ocm.signature.certificate',
}

function problemOf({ name }: Signature, verdict: Exclude<SignatureVerdict, { kind: 'valid' }>): Problem {
  return { code: codes[verdict.kind], detail: `${name}: ${verdict.detail}` }
}
