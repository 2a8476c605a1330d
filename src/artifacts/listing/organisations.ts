/** Lists the images of an organisation by the public APIs of Docker Hub and Quay, and the image streams of OpenShift. */
import type { JsonObject } from '../../kit/json.ts'
import { isObject } from '../../kit/json.ts'
import { fail } from '../../model/problem.ts'
import { type ImagesPlace, type ListingLogin, listingMax } from './place.ts'
import { itemsIn, type WebApi, word } from './web-api.ts'

type Place<Kind extends ImagesPlace['kind']> = ImagesPlace & { readonly kind: Kind }

/** Names of repositories, `ORGANISATION/NAME`; a login is exchanged for a token first. */
export async function listDockerHub(
  api: WebApi,
  { organisation }: Place<'dockerhub'>,
  { user, password }: ListingLogin,
): Promise<readonly string[]> {
  const authorization = user === undefined ? undefined : await loginAt(api, user, password?.reveal() ?? '')
  let path: string | URL | undefined = `/v2/repositories/${encodeURIComponent(organisation)}/?page_size=100`
  return await gather(async () => {
    if (path === undefined) return undefined
    const page: JsonObject = await api.get(path, authorization)
    path = api.next(page['next'])
    return itemsIn(page, 'results').map((item) => `${organisation}/${word(item, 'name')}`)
  })
}

async function loginAt(api: WebApi, username: string, password: string): Promise<string> {
  const { token } = await api.post('/v2/users/login/', { username, password })
  return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)
    ? `JWT ${token}`
    : fail('registry.answer-invalid', 'the login answered no token')
}

/** Names of repositories of a namespace, public ones and those that the token may see. */
export async function listQuay(
  api: WebApi,
  { organisation }: Place<'quay'>,
  { token }: ListingLogin,
): Promise<readonly string[]> {
  const query = new URLSearchParams({
    namespace: organisation,
    ...(token === undefined ? { public: 'true' } : {}),
  })
  let more: string | undefined = ''
  return await gather(async () => {
    if (more === undefined) return undefined
    if (more !== '') query.set('next_page', more)
    const page: JsonObject = await api.get(
      `/api/v1/repository?${query}`,
      token === undefined ? undefined : `Bearer ${token.reveal()}`,
    )
    more = word(page, 'next_page') || undefined
    return itemsIn(page, 'repositories').map(
      (item) => `${word(item, 'namespace') || organisation}/${word(item, 'name')}`,
    )
  })
}

export interface ImageStream {
  /** `NAMESPACE/NAME`. */
  readonly name: string
  /** `host/path` of its repository. */
  readonly repository: string
}

/** The image streams of namespaces; those without a repository have no image yet. */
export async function listImageStreams(
  api: WebApi,
  { namespaces }: Place<'openshift'>,
  { token }: ListingLogin,
): Promise<readonly ImageStream[]> {
  const found: ImageStream[] = []
  for (const namespace of namespaces) {
    let more: string | undefined = ''
    for (let page = 0; more !== undefined && page < listingMax.pages; page++) {
      const query = new URLSearchParams({ limit: '500', ...(more === '' ? {} : { continue: more }) })
      const path = `/apis/image.openshift.io/v1/namespaces/${encodeURIComponent(namespace)}/imagestreams?${query}`
      const list: JsonObject = await api.get(
        path,
        token === undefined ? undefined : `Bearer ${token.reveal()}`,
      )
      found.push(...itemsIn(list, 'items').flatMap((item) => streamOf(item, namespace)))
      more = word(member(list, 'metadata'), 'continue') || undefined
    }
  }
  return bounded(found)
}

function streamOf(item: JsonObject, namespace: string): readonly ImageStream[] {
  const name = word(member(item, 'metadata'), 'name')
  const status = member(item, 'status')
  const repository = word(status, 'publicDockerImageRepository') || word(status, 'dockerImageRepository')
  return name === '' || repository === '' ? [] : [{ name: `${namespace}/${name}`, repository }]
}

function member(item: JsonObject, name: string): JsonObject {
  const value = item[name]
  return isObject(value) ? (value as JsonObject) : {}
}

/** Pages until there is none. Problems: artifact.too-large. */
async function gather(page: () => Promise<readonly string[] | undefined>): Promise<readonly string[]> {
  const names: string[] = []
  for (let i = 0; i < listingMax.pages; i++) {
    const more = await page()
    if (more === undefined) return names
    names.push(...more.filter((name) => !name.endsWith('/')))
    bounded(names)
  }
  return fail('artifact.too-large', `a listing of more than ${listingMax.pages} pages`)
}

/** The list, if it is not endless. Problems: artifact.too-large. */
export function bounded<T>(list: readonly T[]): readonly T[] {
  return list.length > listingMax.names
    ? fail('artifact.too-large', `a listing of more than ${listingMax.names} images`)
    : list
}
