/** Who is at the other end of a request: the address of the connection, or what a trusted proxy says. */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { fail } from '../model/problem.ts'

export type SourceTeller = (request: IncomingMessage) => string

/** Tells the source of requests. Problems: settings.invalid for what is no address or network. */
export function sourceTeller(trustedProxies: readonly string[]): SourceTeller {
  const direct = (request: IncomingMessage) => plain(request.socket.remoteAddress ?? '')
  return trustedProxies.length === 0 ? direct : forwardedTeller(trustedProxies, direct)
}

function forwardedTeller(
  trustedProxies: readonly string[],
  directly: (request: IncomingMessage) => string,
): (request: IncomingMessage) => string {
  const trusted = new BlockList()
  for (const network of trustedProxies) {
    const [address = '', bits] = network.split('/')
    const family = isIP(address)
    if (family === 0) fail('settings.invalid', `http.trustedProxies: ${network} is no address or network`)
    const kind = family === 4 ? 'ipv4' : 'ipv6'
    if (bits === undefined) trusted.addAddress(address, kind)
    else trusted.addSubnet(address, Number(bits), kind)
  }
  const trusts = (address: string) => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return (request) => {
    const direct = directly(request)
    if (!trusts(direct)) return direct
    // Each proxy appends whom it heard; the nearest one that is none of ours is the caller.
    const said = String(request.headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((one) => plain(one.trim()))
      .filter((one) => isIP(one) !== 0)
    return said.findLast((one) => !trusts(one)) ?? said[0] ?? direct
  }
}

/** An IPv4 address as IPv6 sockets show it is an IPv4 address. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address
}
