/** How registries are reached: settings and the surroundings of this process in the words of artifacts. */
import { readFileSync } from 'node:fs'
import {
  type HostSettings,
  type RegistrySettings,
  usualCertificateFolders,
  usualCredentialFiles,
} from '../artifacts/index.ts'
import { present } from '../kit/present.ts'
import { fail } from '../model/problem.ts'
import type { Settings } from '../settings/settings.ts'

type Surroundings = Readonly<Record<string, string | undefined>>

/** What the surroundings say: credential files and certificates of Docker and Podman, proxies. */
export function usualRegistries(surroundings: Surroundings): RegistrySettings {
  const either = (name: string) => surroundings[name] || surroundings[name.toUpperCase()] || undefined
  const [http, https, no] = [either('http_proxy'), either('https_proxy'), either('no_proxy')]
  return {
    credentialFiles: usualCredentialFiles(surroundings, process.getuid?.() ?? 0),
    certificateFolders: usualCertificateFolders(surroundings),
    ...(surroundings['SSL_CERT_FILE'] ? { systemCertificates: surroundings['SSL_CERT_FILE'] } : {}),
    proxy: {
      ...present({ http, https, no }),
    },
  }
}

/** The same with what the operator says. Problems: file.unreadable. */
export function registriesOf({ registries }: Settings, surroundings: Surroundings): RegistrySettings {
  const { credentialFiles, defaultHost, hosts } = registries
  return {
    ...usualRegistries(surroundings),
    ...present({ credentialFiles, defaultHost }),
    hosts: Object.fromEntries(hosts.map((one) => [one.host, hostOf(one)])),
  }
}

function hostOf(host: Settings['registries']['hosts'][number]): HostSettings {
  const { user, password, caFile, plainHttp, unverified } = host
  return {
    plainHttp,
    unverified,
    ...(caFile === undefined ? {} : { ca: read(caFile) }),
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
