/** What a stored signature says, whichever form it has: bytes that were signed, the value, and what it brings along. */
import type { X509Certificate } from 'node:crypto'
import type { FixedManner } from './keys.ts'
import type { LogEntry } from './log-entry.ts'

export type SignatureForm = 'cosign' | 'bundle' | 'notation'

/** A signature as a registry holds it. */
export interface StoredSignature {
  readonly form: SignatureForm
  /** Of the layer. */
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly annotations: Readonly<Record<string, string>>
}

/** A signature over the content that was asked for; whether it holds is not known yet. */
export interface Claim {
  readonly data: Uint8Array
  readonly value: Uint8Array
  /** Absent: what the key's kind usually takes. */
  readonly manner?: FixedManner
  /** The signer's first; none: a key must be known. */
  readonly certificates: readonly X509Certificate[]
  readonly log?: LogEntry
  /** Milliseconds since 1970 after which it is void. */
  readonly expires?: number
}

/** What was signed must be this. */
export interface SignedContent {
  /** `sha256:…` of the manifest or index. */
  readonly digest: string
}

export type ClaimReading =
  | { readonly kind: 'claim'; readonly claim: Claim }
  /** It speaks of something else, or cannot be read. */
  | { readonly kind: 'refused'; readonly fault: string }

/** For readings that end early. */
export function refuseClaim(fault: string): ClaimReading {
  return { kind: 'refused', fault }
}

/** A JSON document of some bytes; undefined where they are none. */
export function jsonOf(bytes: Uint8Array | string): unknown {
  try {
    return JSON.parse(typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString())
  } catch {
    return undefined
  }
}
