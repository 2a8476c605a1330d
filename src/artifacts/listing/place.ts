/** Places that hold many images, and what a listing of one answers. */
import type { Secret } from '../../kit/secret.ts'

export type ImagesPlace =
  /** The catalog of a registry, page by page. */
  | { readonly kind: 'registry'; readonly host: string; readonly organisation?: string }
  /** The public API of Docker Hub, or of a server that answers as it does. */
  | { readonly kind: 'dockerhub'; readonly api: string; readonly organisation: string }
  | { readonly kind: 'quay'; readonly api: string; readonly organisation: string }
  /** The image streams of some namespaces. */
  | { readonly kind: 'openshift'; readonly api: string; readonly namespaces: readonly string[] }
  /** Image layouts: the folder itself, or folders in it. */
  | { readonly kind: 'layouts'; readonly folder: string }

/** The login sent to the registry or its web API. */
export interface ListingLogin {
  readonly user?: string
  readonly password?: Secret
  readonly token?: Secret
}

export interface ListedImage {
  /** As the lists of a source judge it. */
  readonly name: string
  /** Without a tag, where tags mean anything. */
  readonly reference: string
  readonly tagged: boolean
}

/** What no listing goes beyond: names, pages, and bytes of one page. */
export const listingMax = { names: 100_000, pages: 2_000, pageBytes: 8 * 1024 * 1024 } as const

/** The registry beside an API: the same host. */
export function hostOf(api: string): string {
  return api.replace(/^https?:\/\//, '').replace(/\/.*$/, '')
}
