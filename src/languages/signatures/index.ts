/** Signatures of images as a library: cosign, Sigstore bundles and notation, judged offline by keys that one trusts. */
export { bundleType } from './bundle.ts'
export type { SignatureForm, StoredSignature } from './claim.ts'
export { simpleSigning } from './cosign.ts'
export { type Judged, judgeSignature } from './judge.ts'
export { notationArtifact } from './notation.ts'
export {
  emptyPolicy,
  type PolicyFault,
  readPolicy,
  requiredFor,
  type Signer,
  type SigningPolicy,
} from './policy.ts'
