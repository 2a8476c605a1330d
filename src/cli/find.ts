/** Finds what people name: an instance by name, id or the beginning of its id; an operation likewise. */
import type { Instance } from '../api/instance.ts'
import type { Client, InstanceAddress } from '../client/client.ts'
import { fail } from '../model/problem.ts'

/** The instance that is meant. Problems: instance.unknown, cli.ambiguous. */
export async function findInstance(
  client: Client,
  name: string,
  platform: string | undefined,
): Promise<InstanceAddress> {
  const query = platform === undefined ? {} : { platform }
  const { items } = await client.instances({ ...query, text: name, limit: 500 })
  const there = items.filter((one) => one.state !== 'gone')
  const found = only(name, there, (one) => one.id === name) ?? only(name, there, (one) => one.name === name)
  const beginning = found ?? only(name, there, (one) => one.id.startsWith(name))
  if (beginning) return { platform: beginning.platform, instance: beginning.id }
  return fail('instance.unknown', name)
}

function only(
  name: string,
  instances: readonly Instance[],
  fits: (instance: Instance) => boolean,
): Instance | undefined {
  const [first, second] = instances.filter(fits)
  if (first === undefined || second === undefined) return first
  const both = [first, second].map((one) => `${one.id} (platform ${one.platform})`).join(', ')
  return fail('cli.ambiguous', `${name} may be ${both}`)
}

/** The operation that is meant: its id, or an instance whose latest operation it is. */
export async function findOperation(client: Client, name: string): Promise<string> {
  if (/^[0-9a-hjkmnp-tv-z]{26}$/i.test(name)) return name.toLowerCase()
  const { platform, instance } = await findInstance(client, name, undefined)
  const { items } = await client.operations({ platform, instance, limit: 1 })
  return items[0]?.id ?? fail('operation.unknown', `${name} has none`)
}
