/** Addresses and networks as people write them: `10.0.0.1`, `10.0.0.0/8`, `::1`, `fd00::/8`. */
import { isIP } from 'node:net'

export interface Network {
  readonly family: 'ipv4' | 'ipv6'
  readonly address: string
  /** How many leading bits count; all of them for one address. */
  readonly bits: number
}

/** Undefined for what is neither an address nor a network. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return undefined
  const most = family === 4 ? 32 : 128
  const count = bits === undefined ? most : Number(/^\d{1,3}$/.exec(bits)?.[0])
  if (!(count <= most)) return undefined
  return { family: family === 4 ? 'ipv4' : 'ipv6', address, bits: count }
}
