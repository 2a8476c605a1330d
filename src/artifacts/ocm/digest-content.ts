/** The digest of a resource: of its bytes, or of the artifact that it is. */
import { createHash } from 'node:crypto'
import { type Digest, excluded, hashNamed } from '../../languages/ocm/index.ts'
import { fail } from '../../model/problem.ts'
import { splitDigest } from '../digest.ts'
import type { Content, ContentOptions } from './access.ts'
import { checkSet, openArtifactSet } from './artifact-set.ts'
import { isArtifactSet } from './media-types.ts'
import { spool } from './spool.ts'

const ofBlobs = 'genericBlobDigest/v1'
const ofArtifacts = ['ociArtifactDigest/v1', 'ociArtefactDigest/v1']

/** The digest as it is made today; undefined where there is no content. */
export async function digestOfContent(
  content: Content,
  options: ContentOptions,
): Promise<Digest | undefined> {
  if (content.kind === 'none') return undefined
  const isArtifact = content.kind === 'artifact' || isArtifactSet(content.mediaType)
  const like = {
    hashAlgorithm: 'SHA-256',
    normalisationAlgorithm: isArtifact ? (ofArtifacts[0] ?? '') : ofBlobs,
  }
  return { ...like, value: await valueLike(content, like, options) }
}

/** Whether content fits its digest; answers the digest that was found where it does not. Problems: ocm.digest.unsupported. */
export async function mismatch(
  content: Content,
  digest: Digest,
  options: ContentOptions,
): Promise<Digest | undefined> {
  if (content.kind === 'none' || digest.normalisationAlgorithm === excluded) return undefined
  const value = await valueLike(content, digest, options)
  return value === digest.value.toLowerCase() ? undefined : { ...digest, value }
}

async function valueLike(
  content: Exclude<Content, { kind: 'none' }>,
  { hashAlgorithm, normalisationAlgorithm }: Pick<Digest, 'hashAlgorithm' | 'normalisationAlgorithm'>,
  options: ContentOptions,
): Promise<string> {
  const algorithm = hashNamed(hashAlgorithm)
  if (algorithm === undefined) return fail('ocm.digest.unsupported', `the hash ${hashAlgorithm}`)
  if (normalisationAlgorithm === ofBlobs && content.kind === 'blob') {
    const [piece, ...others] = content.known?.pieces ?? []
    if (piece !== undefined && others.length === 0 && splitDigest(piece.digest).algorithm === algorithm) {
      await content.known?.check()
      return splitDigest(piece.digest).hex
    }
    const hash = createHash(algorithm)
    for await (const piece of content.open()) hash.update(piece)
    return hash.digest('hex')
  }
  if (!ofArtifacts.includes(normalisationAlgorithm) || algorithm !== 'sha256')
    return fail('ocm.digest.unsupported', `${hashAlgorithm} by ${normalisationAlgorithm}`)
  return splitDigest(await artifactDigest(content, options)).hex
}

async function artifactDigest(
  content: Exclude<Content, { kind: 'none' }>,
  { scratchFolder, signal }: ContentOptions,
): Promise<string> {
  if (content.kind === 'artifact') {
    const { source, wanted, name } = content
    const manifest = await source.manifest(wanted, signal)
    return manifest?.digest ?? fail('artifact.not-found', name)
  }
  const aside = await spool(content.open(), scratchFolder)
  try {
    const set = await openArtifactSet(aside.path, scratchFolder, signal)
    try {
      await checkSet(set, signal)
      return set.main.digest
    } finally {
      await set.source.close()
    }
  } finally {
    await aside.close()
  }
}
