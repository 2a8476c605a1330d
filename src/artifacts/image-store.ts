/** What engines ask of images: resolved once to a digest, unpacked once per layer, ready to be stacked. */
import type { ImageArtifact, ImageConfig } from '../model/artifact.ts'

export interface ImageStore {
  /**
   * Reads manifest and configuration of an image reference (docker://, oci:, oci-archive:, docker-archive:); pulls no layer. The signal
   * also ends what is asked of the artifact later.
   */
  open(reference: string, signal?: AbortSignal): Promise<ImageArtifact>
  /** Makes every layer of an image present, verified and unpacked; a second call finds all of it in the cache. */
  unpack(image: WantedImage): Promise<UnpackedImage>
}

export interface WantedImage {
  readonly reference: string
  /** Digest of the manifest (or index) that an instance keeps; the reference may have moved on. */
  readonly digest: string
  /** `os/architecture`; absent: this machine's. */
  readonly platform?: string
  readonly signal: AbortSignal
  progress(text: string): void
}

export interface UnpackedImage {
  readonly digest: string
  readonly config: ImageConfig
  /** One folder per layer, lowest first; whiteouts as overlay understands them. */
  readonly layers: readonly string[]
}
