/** Which manifest of an index is the one for a platform. */
import { present } from '../../kit/present.ts'
import { fail } from '../../model/problem.ts'
import type { Descriptor, ImageIndex, Platform } from './manifest.ts'
import { isManifestType } from './media-types.ts'

const ownNames: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' }

/** The platform of this machine, in the words of image indexes. */
export function ownPlatform(): Platform {
  return { os: 'linux', architecture: ownNames[process.arch] ?? process.arch }
}

/** Reads `os/architecture[/variant]`. Problems: reference.invalid. */
export function parsePlatform(text: string): Platform {
  const [os = '', architecture = '', variant, ...rest] = text.split('/')
  if (os === '' || architecture === '' || rest.length > 0) {
    return fail('reference.invalid', `"${text}" is not a platform, which is os/architecture`)
  }
  return { os, architecture, ...present({ variant }) }
}

/** The child of an index made for a platform, if there is one. */
export function findPlatform(index: ImageIndex, wanted: Platform): Descriptor | undefined {
  const images = index.manifests.filter((child) => isManifestType(child.mediaType))
  const fitting = images.filter(({ platform }) => platform && fits(platform, wanted))
  const exact = fitting.find(({ platform }) => platform?.variant === wanted.variant)
  // An index of one image without a platform is how layouts and some build tools wrap a single image.
  const only = images.length === 1 && images[0]?.platform === undefined ? images[0] : undefined
  return exact ?? fitting.sort(newestVariantFirst)[0] ?? only
}

/** The child of an index made for a platform. Problems: image.platform-missing. */
export function choosePlatform(index: ImageIndex, wanted: Platform, source: string): Descriptor {
  const found = findPlatform(index, wanted)
  if (found !== undefined) return found
  const there = index.manifests.flatMap(({ platform }) => (platform ? [platformText(platform)] : []))
  return fail(
    'image.platform-missing',
    `wanted ${platformText(wanted)}, there is ${there.length === 0 ? 'none' : there.slice(0, 20).join(', ')}`,
    { where: { source } },
  )
}

/** `os/architecture[/variant]`. */
function platformText({ os, architecture, variant }: Platform): string {
  return variant === undefined ? `${os}/${architecture}` : `${os}/${architecture}/${variant}`
}

function fits(there: Platform, wanted: Platform): boolean {
  if (there.os !== wanted.os || there.architecture !== wanted.architecture) return false
  return wanted.variant === undefined || there.variant === undefined || there.variant === wanted.variant
}

/** Without a wish the newest: every 64-bit ARM runs v8, and 32-bit ones are v7 nowadays. */
function newestVariantFirst(a: Descriptor, b: Descriptor): number {
  return (b.platform?.variant ?? '').localeCompare(a.platform?.variant ?? '')
}
