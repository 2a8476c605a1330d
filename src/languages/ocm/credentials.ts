/** Credentials that a configuration holds: by consumer, by name, in place. */
import { isObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { CredentialSpec, OcmConfig } from './config.ts'
import type { Consumer, Credentials } from './consumers.ts'

/** Every consumer with what its credentials come to; those that cannot be had here are left out. */
export function consumersOf(config: OcmConfig): readonly Consumer[] {
  const own = config.consumers.flatMap(({ identity, credentials }): readonly Consumer[] => {
    const found = credentials
      .map((spec) => credentialsOf(config, spec))
      .filter((one) => typeof one === 'object')
    return found.length === 0 ? [] : [{ identity, credentials: Object.assign({}, ...found) as Credentials }]
  })
  const serving = config.repositories.filter((spec) => spec['propagateConsumerIdentity'] !== false)
  return [...own, ...serving.flatMap(dockerConsumers)]
}

const depthMax = 10

function placeOf({ hostname = '', port, pathprefix }: Consumer['identity']): string {
  return `${hostname}${port === undefined ? '' : `:${port}`}${pathprefix === undefined ? '' : `/${pathprefix}`}`
}

function plainPlace(name: string): string {
  return name.replace(/^https?:\/\//, '').replace(/\/(?:v[12]\/?)?$/, '')
}

/** The credentials that a specification means; a text says why they cannot be had. */
export function credentialsOf(config: OcmConfig, spec: CredentialSpec, depth = 0): Credentials | string {
  switch (spec.type) {
    case 'Credentials':
      return texts(spec['properties']) ?? 'Credentials without properties'
    case 'Memory': {
      const { repoName = 'default', credentialsName } = spec
      const found = config.memory[String(repoName)]?.[String(credentialsName)]
      if (found === undefined)
        return `there is nothing under ${String(credentialsName)} in the memory ${String(repoName)}`
      if (found.kind === 'here') return found.credentials
      return depth < depthMax
        ? credentialsOf(config, found.spec, depth + 1)
        : `${String(credentialsName)} leads on and on`
    }
    case 'DockerConfig': {
      const wanted = String(spec['credentialsName'] ?? '')
      if (typeof spec['dockerConfigFile'] === 'string' && spec['dockerConfig'] === undefined)
        return `the file ${spec['dockerConfigFile']} is read by commands only: give its content as dockerConfig`
      const found = dockerConsumers(spec).find(({ identity }) => placeOf(identity) === plainPlace(wanted))
      return found?.credentials ?? `the Docker configuration knows nothing of ${wanted}`
    }
    default:
      return `credentials of type ${spec.type} are not supported`
  }
}

/** A Docker configuration that stands in the document; files are read elsewhere. */
function dockerConsumers(spec: CredentialSpec): readonly Consumer[] {
  const { dockerConfig } = spec
  if (spec.type !== 'DockerConfig' || !isObject(dockerConfig)) return []
  const auths = isObject(dockerConfig['auths']) ? dockerConfig['auths'] : {}
  return Object.entries(auths).flatMap(([key, entry]): readonly Consumer[] => {
    const [, hostname = '', port, path = ''] =
      /^(?:https?:\/\/)?([^/:]+)(?::(\d+))?(?:\/(.*?))?\/?$/.exec(key) ?? []
    const auth = isObject(entry) ? entry['auth'] : undefined
    const [user, ...rest] = typeof auth === 'string' ? Buffer.from(auth, 'base64').toString().split(':') : []
    const credentials = isObject(entry) ? dockerCredentials(entry, user, rest.join(':')) : undefined
    if (hostname === '' || credentials === undefined) return []
    const pathprefix = /^v[12]$/.test(path) ? '' : path
    const identity = {
      type: 'OCIRegistry',
      hostname,
      ...present({ port }),
      ...(pathprefix === '' ? {} : { pathprefix }),
    }
    return [{ identity, credentials }]
  })
}

function dockerCredentials(
  { username, password, identitytoken }: Readonly<Record<string, unknown>>,
  user: string | undefined,
  secret: string,
): Credentials | undefined {
  const token =
    typeof identitytoken === 'string' && identitytoken !== '' ? { identityToken: identitytoken } : {}
  if (user !== undefined && user !== '') return { username: user, password: secret, ...token }
  if (typeof username === 'string' && typeof password === 'string') return { username, password, ...token }
  return Object.keys(token).length === 0 ? undefined : token
}

function texts(value: unknown): Credentials | undefined {
  if (!isObject(value) || !Object.values(value).every((one) => typeof one === 'string')) return undefined
  return value as Credentials
}
