/** How registries are reached: settings and the surroundings of this process in the words of artifacts. */
import { readFileSync } from 'node:fs'
import {
  type HostSettings,
  type RegistrySettings,
  usualCertificateFolders,
  usualConfigurationFiles,
  usualCredentialFiles,
} from '../artifacts/index.ts'
import { present } from '../kit/present.ts'
import { Secret } from '../kit/secret.ts'
import { fail } from '../model/problem.ts'
import { loadRegistries } from '../settings/load-registries.ts'
import type { Settings } from '../settings/settings.ts'

type Surroundings = Readonly<Record<string, string | undefined>>

/**
 * What holds for a command without a broker: its surroundings, and the settings that they name. Problems: file.unreadable,
 * settings.invalid.
 */
export function registriesOfCommand(surroundings: Surroundings): RegistrySettings {
  return registriesOf(loadRegistries(surroundings, process.cwd()), surroundings)
}

/** What the surroundings say: credential files, certificates and mirrors of Docker and Podman, proxies. */
function usualRegistries(surroundings: Surroundings): RegistrySettings {
  const either = (name: string) => surroundings[name] || surroundings[name.toUpperCase()] || undefined
  const [http, https, no] = [either('http_proxy'), either('https_proxy'), either('no_proxy')]
  return {
    credentialFiles: usualCredentialFiles(surroundings, process.getuid?.() ?? 0),
    certificateFolders: usualCertificateFolders(surroundings),
    configurationFiles: usualConfigurationFiles(surroundings),
    ...(surroundings['SSL_CERT_FILE'] ? { systemCertificates: surroundings['SSL_CERT_FILE'] } : {}),
    proxy: {
      ...present({ http, https, no }),
    },
  }
}

/** The same with what the operator says. Problems: file.unreadable. */
export function registriesOf(
  { registries }: Pick<Settings, 'registries'>,
  surroundings: Surroundings,
): RegistrySettings {
  const { credentialFiles, defaultHost, hosts } = registries
  return {
    ...usualRegistries(surroundings),
    ...present({ credentialFiles, defaultHost }),
    hosts: Object.fromEntries(hosts.map((one) => [one.host, hostOf(one)])),
  }
}

function hostOf(host: Settings['registries']['hosts'][number]): HostSettings {
  const { user, password, caFile, certificateFile, keyFile, plainHttp, unverified, mirrors } = host
  return {
    ...{ plainHttp, unverified, mirrors },
    ...(caFile === undefined ? {} : { ca: read(caFile) }),
    ...(certificateFile === undefined || keyFile === undefined
      ? {}
      : { client: { certificate: read(certificateFile), key: new Secret(read(keyFile)) } }),
    ...(user === undefined || password === undefined ? {} : { login: { kind: 'password', user, password } }),
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    return fail('file.unreadable', file, { cause })
  }
}
