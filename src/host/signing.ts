/** Whether what a registry says about a package suffices: its signatures, judged by the operator's policy. */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { ArtifactStore } from '../artifacts/index.ts'
import { formatReference, parseReference } from '../artifacts/reference.ts'
import { digestOf } from '../kit/hash.ts'
import { canonical, type Json } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import {
  emptyPolicy,
  type Judged,
  judgeSignature,
  readPolicy,
  requiredFor,
  type SigningPolicy,
} from '../languages/signatures/index.ts'
import type { Artifact } from '../model/artifact.ts'
import { fail, failAll, type Problem, ProblemError } from '../model/problem.ts'
import type { Settings } from '../settings/settings.ts'

/** The policy, and how references without a host are meant. */
export interface Signing {
  readonly policy: SigningPolicy
  readonly defaultHost?: string
}

export interface SigningWish {
  readonly reference: string
  /** Signers of which one must have signed, besides what the policy asks. */
  readonly signedBy?: readonly string[]
  /** Look for signatures also where none are asked for. */
  readonly tellSignatures?: boolean
  readonly signal: AbortSignal
}

/** What the settings ask. Problems: those of loading the policy. */
export function signingOf({
  registries: { signingPolicy, defaultHost },
}: {
  readonly registries: Pick<Settings['registries'], 'signingPolicy' | 'defaultHost'>
}): Signing {
  const policy = loadSigningPolicy(signingPolicy)
  return { policy, ...present({ defaultHost }) }
}

/** The policy of a file; without one nothing is asked. Problems: file.unreadable, signature.policy-invalid. */
export function loadSigningPolicy(file: string | undefined): SigningPolicy {
  if (file === undefined || file === '') return emptyPolicy
  const text = textOf(file) ?? fail('file.unreadable', file)
  const { policy, faults } = readPolicy(text, (path) => textOf(resolve(dirname(file), path)))
  failAll(
    faults.map(({ message, pointer, line, hint }) => ({
      code: 'signature.policy-invalid' as const,
      detail: message,
      where: { source: file, pointer, ...present({ line }) },
      ...present({ hint }),
    })),
  )
  return policy
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** What is asked of a reference, as one word: what was vouched for under another word must be looked at again. */
export function trustAsked(
  signing: Signing,
  wish: Pick<SigningWish, 'reference' | 'signedBy'>,
): string | undefined {
  const sets = askedOf(signing, wish)
  if (sets.length === 0) return undefined
  const signers = signing.policy.signers.filter(({ name }) => sets.some((set) => set.includes(name)))
  return digestOf(canonical({ sets, signers } as unknown as Json))
}

/** Sets of names; of each set one must have signed. */
function askedOf(
  { policy, defaultHost }: Signing,
  { reference, signedBy = [] }: Pick<SigningWish, 'reference' | 'signedBy'>,
): readonly (readonly string[])[] {
  return [requiredFor(policy, plainName(reference, defaultHost)), signedBy].filter((set) => set.length > 0)
}

/** One name for one place: host in lower case and without its usual port, Docker's host written out. */
function plainName(reference: string, defaultHost: string | undefined): string {
  if (reference.startsWith('sim:')) return reference
  const parsed = parseReference(reference, defaultHost === undefined ? {} : { defaultHost })
  if (parsed.kind !== 'registry') return formatReference(parsed)
  const host = parsed.host.toLowerCase().replace(/:(?:443|80)$/, '')
  return formatReference({ ...parsed, host })
}

export interface Vouched {
  readonly signatures: readonly Judged[]
  /** Why some may not have been found. */
  readonly missed?: Problem
}

/** The signatures of a package where they were asked for. Problems: signature.*, registry.*. */
export async function vouchFor(
  {
    artifacts,
    signing = { policy: emptyPolicy },
  }: {
    readonly artifacts: Pick<ArtifactStore, 'signatures'>
    readonly signing?: Signing
  },
  wish: SigningWish,
  artifact: Artifact,
): Promise<Vouched> {
  const sets = askedOf(signing, wish)
  if (sets.length === 0 && !(wish.tellSignatures && artifact.kind === 'image')) return { signatures: [] }
  const where = { source: wish.reference }
  const unknown = sets.flat().find((name) => !signing.policy.signers.some((signer) => signer.name === name))
  if (unknown !== undefined) fail('signature.policy-invalid', `there is no signer ${unknown}`, { where })
  if (artifact.kind !== 'image')
    return fail('signature.missing', `only images carry signatures, and this is a ${artifact.kind}`, {
      where,
    })
  const found = await artifacts.signatures(wish.reference, artifact.digest, wish.signal)
  const content = { digest: artifact.digest, bytes: found.manifest }
  const { signers } = signing.policy
  const judged = found.signatures.map((one) => judgeSignature(one, { content, signers, now: Date.now() }))
  for (const set of sets) {
    if (judged.some(({ signers: names }) => names.some((name) => set.includes(name)))) continue
    if (found.missed !== undefined) throw new ProblemError(found.missed)
    const asked = `asked for is ${set.join(' or ')}`
    if (judged.length === 0) fail('signature.missing', asked, { where })
    const why = judged.map(
      ({ form, by, signers: names, fault }) => `${form} by ${fault ?? `${names.join(', ')} (${by})`}`,
    )
    fail('signature.untrusted', `${asked}; there is: ${why.join('; ')}`, { where })
  }
  return { signatures: judged, ...present({ missed: found.missed }) }
}
