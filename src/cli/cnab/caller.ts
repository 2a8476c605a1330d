/** The settings of the tool that calls this program as its driver, without any that a bundle may have put among them. */
import { readFileSync } from 'node:fs'

/** What a driver is set up by: where things are kept, which engine runs, how registries are reached. */
const settings: ReadonlySet<string> = new Set([
  'CHANDLER_CNAB_ENGINE',
  'CHANDLER_CONFIG',
  'CONTAINERS_REGISTRIES_CONF',
  'CONTAINERS_REGISTRIES_CONF_DIR',
  'DOCKER_CONFIG',
  'DOCKER_HOST',
  'HOME',
  'PATH',
  'REGISTRY_AUTH_FILE',
  'SSL_CERT_FILE',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  ...['http_proxy', 'https_proxy', 'no_proxy'].flatMap((name) => [name, name.toUpperCase()]),
])

/**
 * Puts this process into the surroundings of its caller. Tools copy the variables of a bundle into the environment of a
 * driver, so what the operation names is taken out; the caller's own environment, as it was started with, is untouched
 * by the bundle and is read from the kernel where it shows it.
 */
export function takeSettingsOf(caller: string | undefined, named: readonly string[]): void {
  // A tool writes NAME=VALUE, so a bundle may also hide a name in front of an equals sign.
  const ofBundle = new Set(named.map((name) => name.replace(/=.*/s, '')))
  for (const name of ofBundle) delete process.env[name]
  if (caller === undefined) return
  for (const [name, value] of environmentOf(caller))
    if (settings.has(name) && !ofBundle.has(name)) process.env[name] = value
}

function environmentOf(pid: string): readonly (readonly [name: string, value: string])[] {
  if (!/^\d+$/.test(pid)) return []
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    // Another user's program, or a system without /proc: the usual places serve.
    return []
  }
  return text.split('\0').flatMap((one) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(one) ?? []
    return name === undefined || value === undefined ? [] : [[name, value] as const]
  })
}
