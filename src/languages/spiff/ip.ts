/** Arithmetic of addresses and networks. */
import { failure } from './issue.ts'

export interface Address {
  readonly bits: 32 | 128
  readonly value: bigint
}

export interface Network extends Address {
  readonly prefix: number
}

/** An IPv4 or IPv6 address; octets with leading zeros are none. */
export function parseAddress(text: string): Address | undefined {
  return text.includes(':') ? parseSix(text) : parseFour(text)
}

function parseFour(text: string): Address | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part))) return undefined
  const octets = parts.map(Number)
  if (octets.some((octet) => octet > 255)) return undefined
  return { bits: 32, value: octets.reduce((sum, octet) => sum * 256n + BigInt(octet), 0n) }
}

function parseSix(text: string): Address | undefined {
  const tail = /^(.*:)([0-9.]+\.[0-9.]+)$/.exec(text)
  const four = tail && parseFour(tail[2] ?? '')
  if (tail && !four) return undefined
  const plain =
    tail && four
      ? `${tail[1]}${(four.value >> 16n).toString(16)}:${(four.value & 0xffffn).toString(16)}`
      : text
  const halves = plain.split('::')
  if (halves.length > 2) return undefined
  const [head = [], rest = []] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const missing = 8 - head.length - rest.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const groups = [...head, ...Array.from({ length: halves.length === 2 ? missing : 0 }, () => '0'), ...rest]
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined
  const value = groups.reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n)
  // An IPv4-mapped address is that IPv4 address.
  if (value >> 32n === 0xffffn) return { bits: 32, value: value & 0xffffffffn }
  return { bits: 128, value }
}

/** A network in CIDR notation, keeping the host bits. */
export function parseNetwork(text: string): Network | undefined {
  const [head = '', tail, more] = text.split('/')
  const address = parseAddress(head)
  if (address === undefined || tail === undefined || more !== undefined || !/^(?:0|[1-9][0-9]*)$/.test(tail))
    return undefined
  const prefix = Number(tail)
  return prefix > address.bits ? undefined : { ...address, prefix }
}

export function addressText({ bits, value }: Address): string {
  return bits === 32 ? fourText(value) : sixText(value)
}

export function networkText(network: Network): string {
  return `${addressText(network)}/${network.prefix}`
}

function fourText(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.')
}

function sixText(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 65535n).toString(16))
  let best = { from: -1, length: 1 }
  for (let from = 0; from < 8; from++) {
    let length = 0
    while (groups[from + length] === '0') length++
    if (length > best.length) best = { from, length }
  }
  if (best.from < 0) return groups.join(':')
  return `${groups.slice(0, best.from).join(':')}::${groups.slice(best.from + best.length).join(':')}`
}

/** How many addresses a network has. */
export function networkSize(network: Network): bigint {
  return 1n << BigInt(network.bits - network.prefix)
}

/** The first address of a network. */
export function networkStart(network: Network): Address {
  const size = networkSize(network)
  return { bits: network.bits, value: network.value - (network.value % size) }
}

/** An address some places further; running out of the address space is an error. */
export function advance(address: Address, by: bigint): Address {
  const value = address.value + by
  if (value < 0n || value >= 1n << BigInt(address.bits)) return failure('resulting ip address out of range')
  return { bits: address.bits, value }
}

/** `cidr ± n` moves inside of the network. */
export function moveInside(network: Network, by: bigint): Network {
  const value = network.value + by
  const start = networkStart(network).value
  if (value < start || value >= start + networkSize(network))
    return failure('resulting ip address not in CIDR range')
  return { ...network, value }
}

/** `cidr * n`: the n-th next network of equal size. */
export function nextNetwork(network: Network, n: bigint): Network {
  return { ...advance(networkStart(network), n * networkSize(network)), prefix: network.prefix }
}

/** `cidr / n`: the first of at least n equal parts. */
export function splitNetwork(network: Network, n: bigint): Network {
  if (n < 1n) return failure('IP address division requires a positive integer argument')
  let extra = 0
  while (1n << BigInt(extra) < n) extra++
  const prefix = network.prefix + extra
  if (prefix > network.bits) return failure('divisor too large for CIDR network size')
  return { ...networkStart(network), prefix }
}
