/** How registries are reached: what an operator may say, per host and for all. */
import { existsSync } from 'node:fs'
import type { Secret } from '../../kit/secret.ts'

export interface RegistrySettings {
  /** Docker's config.json, podman's auth.json, .ocmconfig; the first that knows a host counts. Missing files are no fault. */
  readonly credentialFiles?: readonly string[]
  /** Folders with one per host, as Docker and Podman have them: `*.crt` to trust, `*.cert` with its `*.key` to show. */
  readonly certificateFolders?: readonly string[]
  /** Files of Podman and skopeo, and folders of them, that say mirrors; what comes later counts. Missing ones are no fault. */
  readonly configurationFiles?: readonly string[]
  /** File that takes the place of the certificates which the system trusts. */
  readonly systemCertificates?: string
  /** By host[:port] as references write it. */
  readonly hosts?: Readonly<Record<string, HostSettings>>
  /** Logins that are known by other means than hosts and files: those of sources. */
  readonly loginFor?: (host: string, repository: string) => Login | undefined
  readonly proxy?: { readonly http?: string; readonly https?: string; readonly no?: string }
  /** For references that name no host; absent: they are refused. */
  readonly defaultHost?: string
  /** Tells of each call while it is carried out; absent: no traces are wanted. */
  readonly traced?: TracedCalls
}

/** Carries a call out, with headers that tell the host which span it belongs to. */
type TracedCalls = <T extends { readonly status: number }>(
  call: { readonly method: string; readonly host: string },
  send: (headers: Readonly<Record<string, string>>) => Promise<T>,
) => Promise<T>

export interface HostSettings {
  /** Certificates (PEM) to trust besides the system's. */
  readonly ca?: string
  readonly client?: { readonly certificate: string; readonly key: Secret }
  /** Take any certificate. */
  readonly unverified?: boolean
  /** Plain HTTP where the host offers nothing better; loopback needs no permission. */
  readonly plainHttp?: boolean
  readonly login?: Login
  /** `host[:port][/path]`, asked in this order before the host itself when something is read; the path comes before that of the repository. */
  readonly mirrors?: readonly string[]
  /** How often a request is sent that fails; the usual number when absent. */
  readonly attemptsMax?: number
}

export type Login =
  | { readonly kind: 'password'; readonly user: string; readonly password: Secret }
  /** What `docker login` of some registries leaves: exchanged for tokens at the token server. */
  | { readonly kind: 'refresh-token'; readonly token: Secret }

/** Where Docker and podman keep credentials, given the environment. */
export function usualCredentialFiles(
  environment: Readonly<Record<string, string | undefined>>,
  userId: number,
): readonly string[] {
  const { REGISTRY_AUTH_FILE, DOCKER_CONFIG, XDG_RUNTIME_DIR, XDG_CONFIG_HOME, HOME } = environment
  if (REGISTRY_AUTH_FILE) return [REGISTRY_AUTH_FILE]
  const docker = DOCKER_CONFIG ?? (HOME === undefined ? undefined : `${HOME}/.docker`)
  const config = XDG_CONFIG_HOME ?? (HOME === undefined ? undefined : `${HOME}/.config`)
  return [
    ...(docker === undefined ? [] : [`${docker}/config.json`]),
    ...(XDG_RUNTIME_DIR === undefined ? [] : [`${XDG_RUNTIME_DIR}/containers/auth.json`]),
    `/run/containers/${userId}/auth.json`,
    ...(config === undefined ? [] : [`${config}/containers/auth.json`]),
    ...(HOME === undefined ? [] : [`${HOME}/.ocmconfig`]),
  ]
}

/** Where Podman and Docker keep certificates of registries, given the environment. */
export function usualCertificateFolders(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const { HOME } = environment
  const own = HOME === undefined ? [] : [`${HOME}/.config/containers/certs.d`]
  return [...own, '/etc/containers/certs.d', '/etc/docker/certs.d']
}

/** Where Podman and skopeo keep how registries are reached, given the environment; the later counts. */
export function usualConfigurationFiles(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const { HOME, CONTAINERS_REGISTRIES_CONF: named, CONTAINERS_REGISTRIES_CONF_DIR: folder } = environment
  const own = HOME === undefined ? undefined : `${HOME}/.config/containers/registries.conf`
  const file = named || (own !== undefined && existsSync(own) ? own : '/etc/containers/registries.conf')
  return [file, folder || '/etc/containers/registries.conf.d', ...(own === undefined ? [] : [`${own}.d`])]
}

/** Whether a host[:port] is this machine by its name alone; a name that resolves to it is not enough. */
export function isLoopback(host: string): boolean {
  const name = host.startsWith('[') ? host.slice(0, host.indexOf(']') + 1) : (host.split(':')[0] ?? '')
  return name === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name)
}
