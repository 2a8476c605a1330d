/** Credentials of a kubeconfig that a program hands out, as those of clouds do. */

import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import type { Clock } from '../../kit/clock.ts'
import { isObject, type Json } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { fail } from '../../model/problem.ts'
import type { Shape } from './shape.ts'

export interface Credentials {
  readonly token?: string
  readonly certificate?: string | Buffer
  readonly key?: string | Buffer
}

interface Around {
  /** Programs that are named by a path lie beside the kubeconfig. */
  readonly folder: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
}

const patienceMs = 60_000
/** Asked for again so long before they end. */
const earlyMs = 30_000

/** Runs the program when there are none yet, or when they are about to end. Problems: engine.unavailable. */
export function pluginCredentials(plugin: Shape, around: Around): (anew: boolean) => Promise<Credentials> {
  let asked: Promise<Issued> | undefined
  return async (anew) => {
    const last = await asked?.catch(() => undefined)
    if (anew || last === undefined || last.until - earlyMs < around.clock.now()) asked = ask(plugin, around)
    return (await (asked ?? ask(plugin, around))).credentials
  }
}

interface Issued {
  readonly credentials: Credentials
  readonly until: number
}

async function ask(plugin: Shape, { folder, environment }: Around): Promise<Issued> {
  const command = String(plugin['command'] ?? '')
  const words = (Array.isArray(plugin['args']) ? plugin['args'] : []).map(String)
  const apiVersion = plugin['apiVersion'] ?? 'client.authentication.k8s.io/v1'
  const request = { apiVersion, kind: 'ExecCredential', spec: { interactive: false } }
  const own = (Array.isArray(plugin['env']) ? plugin['env'] : []).filter(isObject)
  const env = {
    ...environment,
    ...Object.fromEntries(own.map(({ name, value }) => [String(name), String(value)])),
    KUBERNETES_EXEC_INFO: JSON.stringify(request),
  }
  const program = command.includes('/') ? resolve(folder, command) : command
  const printed = await new Promise<string>((done, failed) => {
    execFile(program, words, { env, timeout: patienceMs }, (error, stdout) =>
      error ? failed(error) : done(stdout),
    )
  }).catch((cause: Error) =>
    // What it printed may be a credential.
    fail('engine.unavailable', `${command} gives no credentials: ${cause.message.split('\n')[0]}`, { cause }),
  )
  return read(printed, command)
}

function read(printed: string, command: string): Issued {
  let document: Json | undefined
  try {
    document = JSON.parse(printed)
  } catch {
    document = undefined
  }
  const status = isObject(document) && isObject(document['status']) ? document['status'] : undefined
  if (status === undefined) return fail('engine.unavailable', `${command} prints no ExecCredential`)
  const text = (name: string): string | undefined =>
    typeof status[name] === 'string' ? status[name] : undefined
  const token = text('token')
  const certificate = text('clientCertificateData')
  const key = text('clientKeyData')
  const until = Date.parse(text('expirationTimestamp') ?? '')
  return {
    credentials: present({ token, certificate, key }),
    until: Number.isNaN(until) ? Number.POSITIVE_INFINITY : until,
  }
}
