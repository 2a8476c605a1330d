/** Names and ids, exactly as the original broker computes them: platforms that know it keep what they have. */
import { md5 } from '../../kit/hash.ts'

/** Leaves a namespace name space for `-prov-` and five random characters. */
const nameMax = 51

/** The name of a service: the name of its registry in the configuration, and that of its spec. */
export function serviceName(registry: string, spec: string): string {
  const whole = `${registry}-${spec}`.replace(/[/.:-]/g, '-')
  return [...whole].slice(0, nameMax).join('').replace(/-$/, '')
}

export function serviceId(name: string): string {
  return md5(name)
}

export function planId(name: string, plan: string): string {
  return md5(`${name}-${plan}`)
}

/** What a namespace of a cluster may be called. */
export const namespacePattern = '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$'
