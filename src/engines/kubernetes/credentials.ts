/** Where a cluster is and which account the broker has there: a kubeconfig, or what every pod of a cluster finds in its own file system. */
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Clock } from '../../kit/clock.ts'
import { isObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { readYaml } from '../../kit/yaml.ts'
import { fail } from '../../model/problem.ts'
import { type Credentials, pluginCredentials } from './exec-plugin.ts'
import type { Shape } from './shape.ts'

export interface ClusterPlace {
  /** Without a slash at its end. */
  readonly server: string
  readonly authority?: string | Buffer
  /** What its certificate must be made out to, where that is not its address. */
  readonly serverName?: string
  readonly unverified: boolean
  /** The namespace that the credentials are for. */
  readonly namespace: string
  /** Asked for every request; `anew` when the last ones were refused. */
  credentials(anew: boolean): Promise<Credentials>
}

export interface PlaceOptions {
  readonly kubeconfig?: string
  readonly context?: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
}

const podFolder = '/var/run/secrets/kubernetes.io/serviceaccount'

/** A kubeconfig that is named, else what a pod has, else the kubeconfig that kubectl would take. Problems: engine.unconfigured, engine.unavailable. */
export async function findCluster(options: PlaceOptions): Promise<ClusterPlace> {
  const { kubeconfig, environment, clock } = options
  if (kubeconfig !== undefined) return await fromKubeconfig(kubeconfig, options)
  const host = environment['KUBERNETES_SERVICE_HOST']
  if (host !== undefined && environment['KUBECONFIG'] === undefined) {
    const port = environment['KUBERNETES_SERVICE_PORT'] ?? '443'
    return await fromPod(`https://${host.includes(':') ? `[${host}]` : host}:${port}`, clock)
  }
  const [file = join(homedir(), '.kube/config')] = (environment['KUBECONFIG'] ?? '')
    .split(':')
    .filter(Boolean)
  return await fromKubeconfig(file, options)
}

/** Tokens of pods are exchanged now and then. */
const tokenMs = 60_000

async function fromPod(server: string, clock: Clock): Promise<ClusterPlace> {
  const read = async (name: string): Promise<string> => await readFile(join(podFolder, name), 'utf8')
  try {
    const authority = await read('ca.crt')
    const namespace = (await read('namespace')).trim()
    return {
      server,
      authority,
      namespace,
      unverified: false,
      credentials: rereading(() => read('token'), clock),
    }
  } catch (cause) {
    return fail('engine.unavailable', `the pod has no service account: ${(cause as Error).message}`, {
      cause,
    })
  }
}

function rereading(read: () => Promise<string>, clock: Clock): ClusterPlace['credentials'] {
  let last: { readonly token: string; readonly at: number } | undefined
  return async (anew) => {
    if (anew || last === undefined || clock.monotonic() - last.at > tokenMs)
      last = { token: (await read()).trim(), at: clock.monotonic() }
    return { token: last.token }
  }
}

async function fromKubeconfig(
  file: string,
  { context, environment, clock }: PlaceOptions,
): Promise<ClusterPlace> {
  const text = await readFile(file, 'utf8').catch((cause: Error) =>
    fail('engine.unconfigured', `no kubeconfig: ${cause.message}`, { cause }),
  )
  const reading = readYaml(text)
  const config = isObject(reading.value)
    ? reading.value
    : fail('engine.unconfigured', `${file} is no kubeconfig`)
  const chosen = context ?? textOf(config, 'current-context') ?? ''
  const scene = entry(config, 'contexts', chosen, 'context')
  const cluster = entry(config, 'clusters', textOf(scene, 'cluster') ?? '', 'cluster')
  const user = entry(config, 'users', textOf(scene, 'user') ?? '', 'user')
  const folder = dirname(resolve(file))
  const authority = await pemOf(cluster, 'certificate-authority', folder)
  const serverName = textOf(cluster, 'tls-server-name')
  const server = textOf(cluster, 'server')?.replace(/\/$/, '')
  return {
    server: server ?? fail('engine.unconfigured', `${file}: context "${chosen}" names no server`),
    ...present({ authority, serverName }),
    unverified: cluster['insecure-skip-tls-verify'] === true,
    namespace: textOf(scene, 'namespace') ?? 'default',
    credentials: await waysOf(user, { folder, environment, clock }),
  }
}

type Around = Parameters<typeof pluginCredentials>[1]

/** How the user of a kubeconfig proves its identity. */
async function waysOf(user: Shape, around: Around): Promise<ClusterPlace['credentials']> {
  const { folder, clock } = around
  const plugin = user['exec']
  if (isObject(plugin)) return pluginCredentials(plugin, around)
  const tokenFile = textOf(user, 'tokenFile')
  if (tokenFile !== undefined) return rereading(() => readFile(resolve(folder, tokenFile), 'utf8'), clock)
  const token = textOf(user, 'token')
  const certificate = await pemOf(user, 'client-certificate', folder)
  const key = await pemOf(user, 'client-key', folder)
  return async () => present({ token, certificate, key })
}

/** It stands in the kubeconfig, or in a file beside it. */
async function pemOf(owner: Shape, name: string, folder: string): Promise<string | Buffer | undefined> {
  const data = textOf(owner, `${name}-data`)
  if (data !== undefined) return Buffer.from(data, 'base64')
  const path = textOf(owner, name)
  return path === undefined ? undefined : await readFile(resolve(folder, path))
}

function entry(config: Shape, list: string, name: string, member: string): Shape {
  const all = config[list]
  const found = Array.isArray(all) ? all.find((one) => isObject(one) && one['name'] === name) : undefined
  const value = isObject(found) ? found[member] : undefined
  return isObject(value) ? value : fail('engine.unconfigured', `the kubeconfig has no ${member} "${name}"`)
}

function textOf(owner: Shape, name: string): string | undefined {
  const value = owner[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
