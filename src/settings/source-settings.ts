/** Settings of a source: a place that holds many packages, and which of them are offered. */
import {
  choice,
  duration,
  group,
  items,
  object,
  optional,
  path,
  secret,
  text,
  texts,
  type ValueOf,
} from './kinds.ts'
import { faultOfAddress } from './web-address.ts'

const namePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

export const sourceSettings = group(
  'A place that holds many packages; the entry offers those that pass its lists.',
  {
    name: optional(
      text({
        doc: 'Its name. Contracts that make ids of it (apb) must keep it for the life of their instances.',
        pattern: namePattern,
        written: 'name',
      }),
    ),
    type: choice(['registry', 'dockerhub', 'quay', 'openshift', 'layouts', 'folder'], {
      doc: 'How its images are listed: by the catalog of a registry (v2), the API of Docker Hub or Quay, the image streams of OpenShift, OCI layouts below a folder, or folders with a description file (apb.yml) each.',
      fallback: 'registry',
    }),
    url: optional(
      text({
        doc: 'The registry as references write it (`host:port`); of dockerhub, quay and openshift the URL of their API.',
        written: 'address',
        faultOf: faultOfAddress,
      }),
    ),
    path: optional(path({ doc: 'The folder of `layouts` and `folder`.' })),
    organisation: optional(
      text({
        doc: 'The organisation whose images dockerhub and quay list; of a registry the first part of the names.',
      }),
    ),
    namespaces: texts({ doc: 'Namespaces whose image streams openshift lists.', fallback: ['openshift'] }),
    images: texts({
      doc: 'Images that are there whatever the listing says, by their names in the registry.',
      fallback: [],
    }),
    tag: text({ doc: 'The tag that is read of every image.', fallback: 'latest' }),
    whiteList: texts({
      doc: 'Expressions (RE2) of which one must be found in the name of an image; without any nothing passes.',
      fallback: [],
    }),
    blackList: texts({ doc: 'Expressions (RE2) of which none may be found in the name.', fallback: [] }),
    user: optional(text({ doc: 'Account at the registry.' })),
    password: optional(secret({ doc: 'Password of the account.' })),
    token: optional(secret({ doc: 'Token for the API of quay or openshift.' })),
    refreshInterval: duration({ doc: 'How often it is listed again.', fallback: '10m' }),
    overrides: items('What is different for one service of the source.', {
      service: text({ doc: 'Its name in the catalog.' }),
      options: object({ doc: 'Settings of the contract itself, over those of the entry.', fallback: {} }),
      infrastructure: items('Lent to its package besides.', {
        name: text({ doc: 'As the package calls it.' }),
        value: secret({ doc: 'Its value.' }),
      }),
    }),
  },
)

export type SourceSettings = ValueOf<typeof sourceSettings>

/** What does not go together in one source. */
export function faultsOfSource(source: SourceSettings): readonly string[] {
  const { type, url, path: folder, organisation, user, password } = source
  const inFolder = type === 'layouts' || type === 'folder'
  const byOrganisation = type === 'dockerhub' || type === 'quay'
  const byUrl = type === 'registry' || type === 'openshift'
  const byHost = type === 'registry' || type === 'folder'
  const lacking = [
    ...(inFolder && folder === undefined ? ['path'] : []),
    ...(byUrl && url === undefined ? ['url'] : []),
    ...(byOrganisation && organisation === undefined ? ['organisation'] : []),
  ]
  const path = byHost && url !== undefined ? /^(?:https?:\/\/)?[^/]*(\/.+)$/.exec(url)?.[1] : undefined
  return [
    ...lacking.map((what) => `is a source of type ${type} and needs source.${what}`),
    ...(path === undefined
      ? []
      : [`has the path ${path} in source.url, which is the address of a registry and nothing below it`]),
    ...((user === undefined) === (password === undefined)
      ? []
      : ['is a source with half a login: source.user and source.password belong together']),
  ]
}
