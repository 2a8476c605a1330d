/** A source of the settings in the words of the code that lists it. */

import type { Login } from '../artifacts/index.ts'
import { hostOf, type ImagesPlace, type ListingLogin } from '../artifacts/index.ts'
import type { Source } from '../host/survey.ts'
import { present } from '../kit/present.ts'
import type { SourceEntry } from '../settings/catalog-settings.ts'

const usualApis = { dockerhub: 'https://hub.docker.com', quay: 'https://quay.io' } as const

/** What is looked through. */
export function sourceOf({ source, options, contract, signedBy }: SourceEntry): Source {
  const { name, images, tag, whiteList, blackList, overrides } = source
  const host = hostOfSource({ source })
  return {
    name,
    place: placeOf(source),
    login: loginOf(source),
    images,
    tag,
    white: whiteList,
    black: blackList,
    options,
    signedBy,
    overrides: overrides.map((one) => ({ service: one.service, options: one.options })),
    ...present({ contract, host }),
  }
}

function placeOf(source: SourceEntry['source']): Source['place'] {
  const { type, url = '', path: folder = '', organisation, namespaces } = source
  switch (type) {
    case 'registry':
      return { kind: 'registry', host: hostOf(url), ...present({ organisation }) } as ImagesPlace
    case 'dockerhub':
    case 'quay':
      return { kind: type, api: url === '' ? usualApis[type] : url, organisation: organisation ?? '' }
    case 'openshift':
      return { kind: type, api: url, namespaces }
    case 'layouts':
    case 'folder':
      return { kind: type, folder }
  }
}

function loginOf({ user, password, token }: SourceEntry['source']): ListingLogin {
  return present({ user, password, token }) as ListingLogin
}

/** The registry that holds the images of a source, where it is one. */
function hostOfSource({ source }: Pick<SourceEntry, 'source'>): string | undefined {
  const { type, url } = source
  switch (type) {
    case 'dockerhub':
      return 'docker.io'
    case 'quay':
      return hostOf(url ?? usualApis.quay)
    case 'registry':
    case 'folder':
      return url === undefined ? undefined : hostOf(url)
    case 'openshift':
    case 'layouts':
      return undefined
  }
}

/** The login of the source whose image it is: runs pull with it, too. Quay takes a token in place of a password. */
export function loginAmong(
  entries: readonly SourceEntry[],
): (host: string, repository: string) => Login | undefined {
  const logins = entries.flatMap((entry) => {
    const { user, password, organisation } = entry.source
    const host = hostOfSource(entry)
    if (host === undefined || user === undefined || password === undefined) return []
    return [
      {
        host,
        prefix: organisation === undefined ? '' : `${organisation}/`,
        login: { kind: 'password', user, password } as const,
      },
    ]
  })
  return (host, repository) => {
    const fitting = logins.filter((one) => one.host === host && `${repository}/`.startsWith(one.prefix))
    return fitting.toSorted((a, b) => b.prefix.length - a.prefix.length)[0]?.login
  }
}
