/** One registry of the original's configuration as a source. */
import { hostOf } from '../../../artifacts/index.ts'
import { isObject, type JsonObject } from '../../../kit/json.ts'
import { present } from '../../../kit/present.ts'
import { readYaml } from '../../../kit/yaml.ts'
import { registryFates } from './fates.ts'
import { type Dump, valuesOf, wordIn } from './resources.ts'

/** What is read beside the configuration itself. */
export interface SettingsMove {
  readonly text: string
  /** Secrets of the broker's namespace, if there is a dump of them. */
  readonly dump: Dump
  /** Reads a file that the configuration names. */
  read(path: string): string | undefined
}

export interface MovedRegistry {
  readonly name: string
  /** Absent where nothing of its kind is left. */
  readonly source?: JsonObject
  readonly secrets: Readonly<Record<string, string>>
  readonly unverifiedHost?: string
  readonly faults: readonly string[]
  readonly remarks: readonly string[]
}

const types: Readonly<Record<string, string>> = {
  dockerhub: 'dockerhub',
  apiv2: 'registry',
  openshift: 'registry',
  partner_rhcc: 'registry',
  registry_proxy: 'registry',
  rhcc: 'registry',
  quay: 'quay',
  local_openshift: 'openshift',
}

/** What nothing is left of, and what stands in its place. */
const gone: Readonly<Record<string, string>> = {
  galaxy: 'roles of a gallery are no images: build a bundle of the role (chandler apb init)',
  helm: 'charts are no images: build a bundle that installs the chart (chandler apb init)',
  mock: 'put each spec of the list into a folder as apb.yml, with the key image, and offer them by a source of type folder',
}

const wholeName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

/** Takes a registry over. */
export function moveRegistry(
  registry: JsonObject,
  move: SettingsMove & { readonly openshift: JsonObject },
): MovedRegistry {
  const name = wordIn(registry, 'name')
  const faults = faultsOf(registry, name).map((fault) => `registry ${name}: ${fault}`)
  const { login, faults: unread } = loginOf(registry, move)
  const remarks = remarksOf(registry, name)
  const type = ownIn(types, wordIn(registry, 'type'))
  const all = [...faults, ...unread.map((fault) => `registry ${name}: ${fault}`)]
  if (type === undefined || all.length > 0) return { name, secrets: {}, faults: all, remarks }
  const url = urlOf(registry, type, move.openshift)
  const token = type === 'openshift' ? tokenOf(move) : login.token
  const secrets = {
    ...(login.password === undefined ? {} : { [`${name}.password`]: login.password }),
    ...(token === undefined ? {} : { [`${name}.token`]: token }),
  }
  return {
    name,
    source: present({
      name,
      type,
      url: url === '' ? undefined : url,
      organisation: type === 'registry' ? undefined : wordIn(registry, 'org') || undefined,
      namespaces: type === 'openshift' ? registry['namespaces'] : undefined,
      images: registry['images'],
      tag: wordIn(registry, 'tag') || undefined,
      white_list: registry['white_list'],
      black_list: registry['black_list'],
      user: login.user,
      password_file: login.password === undefined ? undefined : `secrets/${name}.password`,
      token_file: token === undefined ? undefined : `secrets/${name}.token`,
    }) as JsonObject,
    secrets,
    ...(registry['skip_verify_tls'] === true && url !== '' ? { unverifiedHost: hostOf(url) } : {}),
    faults: [],
    remarks,
  }
}

/** What the original refuses, too, and why. */
function faultsOf(registry: JsonObject, name: string): readonly string[] {
  const type = wordIn(registry, 'type')
  const url = wordIn(registry, 'url')
  const kind = wordIn(registry, 'auth_type')
  const source = wordIn(registry, 'auth_name')
  return [
    ...(wholeName.test(name) ? [] : ['its name must be of lower-case letters, digits, dots and dashes']),
    ...(type === '' || (ownIn(types, type) ?? ownIn(gone, type)) ? [] : [`Unknown registry type ${type}`]),
    ...(ownIn(types, type) === 'registry' && url === '' ? ['it has no url'] : []),
    ...(url !== '' && /%/.test(hostOf(url)) ? [`its url ${url} has no host`] : []),
    ...(['', 'config', 'file', 'secret'].includes(kind) ? [] : [`Unrecognized registry AuthType: ${kind}`]),
    ...(kind === '' && source !== '' ? ['auth_name says nothing without auth_type'] : []),
    ...((kind === 'file' || kind === 'secret') && source === '' ? [`auth_type ${kind} needs auth_name`] : []),
  ]
}

interface Login {
  readonly user?: string
  readonly password?: string
  readonly token?: string
}

function loginOf(
  registry: JsonObject,
  { dump, read }: SettingsMove,
): { readonly login: Login; readonly faults: readonly string[] } {
  const type = wordIn(registry, 'type')
  const source = wordIn(registry, 'auth_name')
  const token = wordIn(registry, 'token')
  const inline = loginFrom({ username: wordIn(registry, 'user'), password: wordIn(registry, 'pass'), token })
  switch (wordIn(registry, 'auth_type')) {
    case 'config': {
      const isWhole =
        type === 'quay' ? token !== '' : inline.user !== undefined && inline.password !== undefined
      return { login: inline, faults: isWhole ? [] : ['Failed to find registry credentials in config'] }
    }
    case 'secret': {
      const secret = dump.secrets.get(source)
      if (secret === undefined)
        return { login: {}, faults: source === '' ? [] : [`the Secret ${source} is not in the dump`] }
      const values = trimmed(valuesOf(secret))
      const empty =
        type === 'quay' ? [] : ['username', 'password'].filter((key) => (values[key] ?? '') === '')
      return {
        login: loginFrom(values),
        faults: empty.slice(0, 1).map((key) => `Secret: ${source}: value for '${key}' is empty`),
      }
    }
    case 'file': {
      const text = source === '' ? '' : read(source)
      if (text === undefined) return { login: {}, faults: [`${source} cannot be read`] }
      const { value } = readYaml(text)
      if (source !== '' && !isObject(value))
        return { login: {}, faults: ['Failed to unmarshal registry credentials from file: it is no map'] }
      return {
        login: isObject(value) ? loginFrom(trimmed(value as Readonly<Record<string, string>>)) : {},
        faults: [],
      }
    }
    default:
      return { login: inline, faults: [] }
  }
}

function trimmed(values: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value ?? '').trim()]))
}

/** Half a login is none. */
function loginFrom({ username = '', password = '', token = '' }: Readonly<Record<string, string>>): Login {
  return {
    ...(username === '' || password === '' ? {} : { user: username, password }),
    ...(token === '' ? {} : { token }),
  }
}

function tokenOf({ openshift, read }: SettingsMove & { readonly openshift: JsonObject }): string | undefined {
  const file = wordIn(openshift, 'bearer_token_file')
  return file === '' ? undefined : read(file)?.trim()
}

function urlOf(registry: JsonObject, type: string, openshift: JsonObject): string {
  const url = wordIn(registry, 'url')
  // The original ignores the URL of Docker Hub.
  if (type === 'dockerhub') return ''
  if (type === 'openshift') return wordIn(openshift, 'host') || 'https://kubernetes.default'
  return type === 'registry' ? hostOf(url) : url
}

function remarksOf(registry: JsonObject, name: string): readonly string[] {
  const type = wordIn(registry, 'type')
  const said = Object.keys(registry).map((key) => `registry ${name}, ${key}: ${fateOf(key, type)}`)
  const goes = ownIn(gone, type)
  return goes === undefined ? said : [...said, `registry ${name}: gone: ${goes}`]
}

function fateOf(key: string, type: string): string {
  if (key === 'url' && (type === 'dockerhub' || type === 'local_openshift'))
    return 'gone: the original did not read it for this type either'
  return ownIn(registryFates, key) ?? 'unknown to the original'
}

/** What a table of ours says of a word of the configuration. */
function ownIn(table: Readonly<Record<string, string>>, word: string): string | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined
}
