/** The client's address of a request: that of the connection, or what a trusted proxy says. */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { invariant } from '../kit/assert.ts'
import { parseNetwork } from '../kit/network.ts'

export interface Sources {
  /** The address of the client. */
  of(request: IncomingMessage): string
  /** Whether a connection from there may speak for others. */
  trusts(address: string | undefined): boolean
}

/** Tells the sources of requests, given addresses and networks as settings take them. */
export function sourcesOf(trustedProxies: readonly string[]): Sources {
  const direct = (request: IncomingMessage) => plain(request.socket.remoteAddress ?? '')
  if (trustedProxies.length === 0) return { of: direct, trusts: () => false }
  const trusts = trusterOf(trustedProxies)
  return {
    trusts: (address) => address !== undefined && trusts(plain(address)),
    of: (request) => {
      const nearest = direct(request)
      if (!trusts(nearest)) return nearest
      // Each proxy appends whom it heard; the nearest one that is none of ours is the caller.
      const said = String(request.headers['x-forwarded-for'] ?? '')
        .split(',')
        .map((one) => plain(one.trim()))
        .filter((one) => isIP(one) !== 0)
      return said.findLast((one) => !trusts(one)) ?? said[0] ?? nearest
    },
  }
}

/** Whether a request came encrypted, to this process or to a trusted proxy that says so. */
export function isEncrypted(request: IncomingMessage, sources: Pick<Sources, 'trusts'>): boolean {
  if ('encrypted' in request.socket && request.socket.encrypted === true) return true
  return sources.trusts(request.socket.remoteAddress) && request.headers['x-forwarded-proto'] === 'https'
}

function trusterOf(trustedProxies: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList()
  for (const text of trustedProxies) {
    const network = parseNetwork(text)
    invariant(network !== undefined, 'settings hold addresses and networks only')
    trusted.addSubnet(network.address, network.bits, network.family)
  }
  return (address) => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** What one caller can be counted by: an IPv4 address, or the /64 of an IPv6 one, which holds more than anyone needs. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [before = '', after] = address.split('::')
  const left = before === '' ? [] : before.split(':')
  const right = after === undefined || after === '' ? [] : after.split(':')
  const missing = after === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  const groups = [...left, ...Array.from({ length: missing }, () => '0'), ...right]
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** An IPv4 address as IPv6 sockets show it is an IPv4 address. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address
}
