/** Lists the images of a place, whatever its kind. */
import { never } from '../../kit/assert.ts'
import { openSession } from '../registry/session.ts'
import type { RegistrySettings } from '../registry/settings.ts'
import { listLayouts } from './layout-folders.ts'
import { listDockerHub, listImageStreams, listQuay } from './organisations.ts'
import { hostOf, type ImagesPlace, type ListedImage, type ListingLogin } from './place.ts'
import { listCatalog } from './registry-catalog.ts'
import { openWebApi, type WebApi } from './web-api.ts'

export interface Listing {
  readonly place: ImagesPlace
  readonly login: ListingLogin
  readonly settings: RegistrySettings
  readonly signal: AbortSignal
}

/** All images of a place. Problems: registry.*, artifact.not-found, artifact.too-large. */
export async function listImages(listing: Listing): Promise<readonly ListedImage[]> {
  const { place, login, settings, signal } = listing
  switch (place.kind) {
    case 'registry': {
      const { host, organisation } = place
      const session = openSession(host, organisation ?? '', settings)
      const names = await listCatalog(session, signal).finally(() => session.close())
      const own =
        organisation === undefined ? names : names.filter((name) => name.startsWith(`${organisation}/`))
      return own.map((name) => imageAt(host, name))
    }
    case 'dockerhub':
      return (await by(listing, (api) => listDockerHub(api, place, login))).map((name) =>
        imageAt('docker.io', name),
      )
    case 'quay': {
      const host = hostOf(place.api)
      return (await by(listing, (api) => listQuay(api, place, login))).map((name) => imageAt(host, name))
    }
    case 'openshift': {
      const streams = await by(listing, (api) => listImageStreams(api, place, login))
      return streams.map(({ name, repository }) => ({
        name,
        reference: `docker://${repository}`,
        tagged: true,
      }))
    }
    case 'layouts':
      return await listLayouts(place.folder)
    default:
      return never(place)
  }
}

/** An image of a registry. */
export function imageAt(host: string, name: string): ListedImage {
  return { name, reference: `docker://${host}/${name}`, tagged: true }
}

async function by<T>(
  { place, settings, signal }: Listing,
  list: (api: WebApi) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const api = openWebApi('api' in place ? place.api : '', settings, signal)
  return await list(api).finally(() => api.close())
}
