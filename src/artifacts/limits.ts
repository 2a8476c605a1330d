/** Upper bounds for what comes from outside: no archive, image or document may take more than these. */

export interface ArchiveLimits {
  /** Of all files together, unpacked. */
  readonly archiveBytesMax: number
  readonly archiveEntriesMax: number
  /** Bytes that come out per byte that goes in, once `ratioFreeBytes` have come out. */
  readonly ratioMax: number
  readonly ratioFreeBytes: number
  readonly pathBytesMax: number
  readonly nestingDepthMax: number
}

/** Layers of real images stay far below all of these: the largest known have some 400,000 entries. */
export const usualLayerLimits: ArchiveLimits = {
  archiveBytesMax: 32 * 1024 ** 3,
  archiveEntriesMax: 1_000_000,
  // A log full of zeros reaches 1000; nothing that is worth shipping reaches 200 over 256 MiB.
  ratioMax: 200,
  ratioFreeBytes: 256 * 1024 ** 2,
  pathBytesMax: 4095,
  nestingDepthMax: 200,
}

/** Packages: a pak with several Terraform versions has some 500 MB and some hundred entries. */
export const usualArchiveLimits: ArchiveLimits = {
  archiveBytesMax: 4 * 1024 ** 3,
  archiveEntriesMax: 100_000,
  ratioMax: 200,
  ratioFreeBytes: 128 * 1024 ** 2,
  pathBytesMax: 4095,
  nestingDepthMax: 100,
}

/** Manifests and configurations; registries themselves refuse manifests above 4 MiB. */
export const documentBytesMax = 4 * 1024 * 1024

/** What is handed out as one piece of memory: a blob or a file asked for by a contract. */
export const pieceBytesMax = 256 * 1024 * 1024
