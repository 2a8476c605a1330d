/** References to images: spelt in many ways, meant in one; and which invocation image is run. */
import { present } from '../../kit/present.ts'
import type { Problem } from '../../model/problem.ts'
import type { InvocationImage } from './bundle.ts'
import { isDigest } from './words.ts'

interface ImageName {
  /** `host/path`, with what Docker leaves out. */
  readonly repository: string
  readonly tag?: string
  readonly digest?: string
}

/** Types of images that engines can run. */
const runnable = ['oci', 'docker']

/** The parts of a reference as Docker reads it: no host is Docker's hub, and no folder there is `library`. */
export function readImageName(text: string): ImageName | undefined {
  const [, name = '', tag, digest] = /^([^@]+?)(?::([\w][\w.-]{0,127}))?(?:@([^@]*))?$/.exec(text) ?? []
  if (digest !== undefined && !isDigest(digest)) return undefined
  const slash = name.indexOf('/')
  const first = slash < 0 ? '' : name.slice(0, slash)
  const hasHost = /[.:]/.test(first) || first === 'localhost'
  const host = hasHost ? first : 'docker.io'
  const path = hasHost ? name.slice(slash + 1) : name
  if (!/^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/.test(path))
    return undefined
  const official = host === 'docker.io' && !path.includes('/') ? `library/${path}` : path
  return {
    repository: `${host === 'index.docker.io' ? 'docker.io' : host}/${official}`,
    ...present({ tag, digest }),
  }
}

/** One text for all spellings of a reference; undefined for what is none. */
export function formatImageName({ repository, tag, digest }: ImageName): string {
  const chosen = tag ?? (digest === undefined ? 'latest' : undefined)
  return `docker://${repository}${chosen === undefined ? '' : `:${chosen}`}${digest === undefined ? '' : `@${digest}`}`
}

export type PinnedName =
  | { readonly kind: 'name'; readonly text: string; readonly digest?: string }
  | { readonly kind: 'refused'; readonly problem: Problem }

/** A reference with the digest that belongs to it; both may name one, and must then name the same. */
export function pinnedName(image: string, contentDigest = ''): PinnedName {
  const name = readImageName(image)
  const refuse = (detail: string): PinnedName => ({
    kind: 'refused',
    problem: { code: 'cnab.image.digest', detail },
  })
  if (name === undefined) return refuse(`could not parse ${image} as an OCI reference`)
  if (contentDigest === '') {
    return { kind: 'name', text: image, ...present({ digest: name.digest }) }
  }
  if (!isDigest(contentDigest)) return refuse(`${contentDigest} is no digest`)
  if (name.digest === undefined)
    return { kind: 'name', text: `${image}@${contentDigest}`, digest: contentDigest }
  if (name.digest === contentDigest) return { kind: 'name', text: image, digest: contentDigest }
  return refuse(
    `The digest ${contentDigest} for the image ${image} doesn't match the one specified in the image`,
  )
}

/** The first that can be run; labels that name a system must name this one. */
export function chooseInvocationImage(
  images: readonly InvocationImage[],
  platform?: string,
): InvocationImage | undefined {
  const [os, architecture] = platform?.split('/') ?? []
  const fits = (wanted: string | undefined, label: string | undefined) =>
    wanted === undefined || label === undefined || label === wanted
  return images.find(
    ({ imageType, labels }) =>
      runnable.includes(imageType) && fits(os, labels['os']) && fits(architecture, labels['architecture']),
  )
}
