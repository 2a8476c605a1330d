/** Credentials that a configuration holds: by consumer, by name, in place. */
import { isObject } from '../../kit/json.ts'
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
  return [...own, ...config.repositories.flatMap(dockerConsumers)]
}

/** The credentials that a specification means; a text says why they cannot be had. */
export function credentialsOf(config: OcmConfig, spec: CredentialSpec): Credentials | string {
  switch (spec.type) {
    case 'Credentials':
      return texts(spec['properties']) ?? 'Credentials without properties'
    case 'Memory': {
      const { repoName = 'default', credentialsName } = spec
      const found = config.memory[String(repoName)]?.[String(credentialsName)]
      return found ?? `there is nothing under ${String(credentialsName)} in the memory ${String(repoName)}`
    }
    case 'DockerConfig': {
      const wanted = String(spec['credentialsName'] ?? '')
      const found = dockerConsumers(spec).find(({ identity }) => identity['hostname'] === wanted)
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
    if (hostname === '' || user === undefined || rest.length === 0) return []
    const pathprefix = /^v[12]$/.test(path) ? '' : path
    const identity = {
      type: 'OCIRegistry',
      hostname,
      ...(port === undefined ? {} : { port }),
      ...(pathprefix === '' ? {} : { pathprefix }),
    }
    return [{ identity, credentials: { username: user, password: rest.join(':') } }]
  })
}

function texts(value: unknown): Credentials | undefined {
  if (!isObject(value) || !Object.values(value).every((one) => typeof one === 'string')) return undefined
  return value as Credentials
}
