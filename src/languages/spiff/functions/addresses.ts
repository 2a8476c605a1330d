/** Functions on addresses and networks, among them those of BOSH manifests. */
import type { Call, SpiffFunction } from '../env.ts'
import {
  type Address,
  addressText,
  advance,
  type Network,
  networkSize,
  networkStart,
  parseAddress,
  parseNetwork,
} from '../ip.ts'
import { failure } from '../issue.ts'
import { resolveReference } from '../reference.ts'
import { stepIntoCell } from '../step.ts'
import { List, type Value } from '../value.ts'
import { newList } from './arguments.ts'

export const addressFunctions: readonly (readonly [string, SpiffFunction])[] = [
  ['min_ip', (call) => addressText(networkStart(network(call)))],
  ['max_ip', (call) => addressText(lastAddress(network(call)))],
  ['num_ip', countIps],
  ['contains_ip', containsIp],
  ['ipset', ipset],
  ['static_ips', staticIps],
]

function network(call: Call): Network {
  if (call.args.length !== 1) return failure('only one argument expected for CIDR function')
  const [value] = call.args
  const parsed = typeof value === 'string' ? parseNetwork(value) : undefined
  return parsed ?? failure('CIDR argument required')
}

function countIps(call: Call): Value {
  const size = networkSize(network(call))
  return size < 2n ** 63n ? size : failure('number of addresses exceeds the range of integers')
}

function lastAddress(cidr: Network): Address {
  return advance(networkStart(cidr), networkSize(cidr) - 1n)
}

function containsIp(call: Call): Value {
  if (call.args.length !== 2) return failure('contains_ip requires a CIDR and an IP')
  const [cidr, ip] = call.args
  if (typeof cidr !== 'string') return failure('CIDR required as first argument')
  const parsed = parseNetwork(cidr)
  if (parsed === undefined) return failure(`CIDR argument required: invalid CIDR address: ${cidr}`)
  if (typeof ip !== 'string') return failure('IP required as second argument')
  const address = parseAddress(ip)
  if (address === undefined) return failure(`IP argument required: ${ip}`)
  const start = networkStart(parsed).value
  return address.bits === parsed.bits && address.value >= start && address.value < start + networkSize(parsed)
}

interface Span {
  readonly from: Address
  readonly size: bigint
}

/** An address, `a - b`, or a network. */
function spanOf(text: string): Span {
  const cidr = parseNetwork(text.trim())
  if (cidr !== undefined) return { from: networkStart(cidr), size: networkSize(cidr) }
  const [head = '', tail, more] = text.split('-')
  const from = parseAddress(head.trim())
  if (from === undefined || more !== undefined) return failure(`invalid IP '${head.trim()}'`)
  if (tail === undefined) return { from, size: 1n }
  const to = parseAddress(tail.trim())
  if (to === undefined) return failure(`invalid IP '${tail.trim()}'`)
  if (to.value < from.value) return failure(`invalid IP range: start (${head}) larger than end (${tail})`)
  return { from, size: to.value - from.value + 1n }
}

function spansOf(value: Value | undefined): readonly Span[] {
  if (typeof value === 'string') return [spanOf(value)]
  if (!(value instanceof List)) return failure('ip range or range list expected as first argument')
  return value.cells.map((cell) =>
    typeof cell.value === 'string'
      ? spanOf(cell.value)
      : failure('list elements of ip range list must be strings'),
  )
}

function indicesOf(values: readonly Value[]): readonly bigint[] {
  return values.flatMap((value): readonly bigint[] => {
    if (typeof value === 'bigint') return [value]
    if (value instanceof List) return indicesOf(value.cells.map((cell) => cell.value))
    return failure('arguments to static_ips must be integer or list of integers')
  })
}

function ipset(call: Call): Value {
  const [ranges, wanted, ...rest] = call.args
  if (call.args.length < 2)
    return failure('at least 2 argument expected (ipranges, size, optional: ip indices')
  const spans = spansOf(ranges)
  if (typeof wanted !== 'bigint') return failure('number of IPs in set expected as second argument')
  const indices = rest.length === 0 ? undefined : indicesOf(rest)
  return pick(call, spans, { wanted: Number(wanted), indices })
}

interface Choice {
  readonly wanted: number
  readonly indices: readonly bigint[] | undefined
}

function pick(call: Call, spans: readonly Span[], { wanted, indices }: Choice): Value {
  call.env.run.budget.make(Math.max(wanted, 0))
  if (indices !== undefined && indices.length < wanted)
    return failure(`too many required entries (${wanted} > ${indices.length} available indices)`)
  const total = spans.reduce((sum, { size }) => sum + size, 0n)
  const found: string[] = []
  for (let i = 0; i < wanted; i++) {
    const index = indices?.[i] ?? BigInt(i)
    if (index < 0n) return failure(`negative ip indices are not allowed: ${index}`)
    if (index >= total)
      return failure(`ip index ${i} (${index}) out of range (${total} IP(s) available in ranges)`)
    found.push(addressText(addressAt(spans, index)))
  }
  return newList(call, found)
}

function addressAt(spans: readonly Span[], index: bigint): Address {
  let left = index
  for (const { from, size } of spans) {
    if (left < size) return advance(from, left)
    left -= size
  }
  return failure('ip index out of range')
}

/** BOSH: the nearest `name` is the network, the nearest `instances` how many addresses are wanted. */
function staticIps(call: Call): Value {
  const { env } = call
  const indices = indicesOf(call.args)
  const name = resolveReference(['name'], env).value
  const instances = resolveReference(['instances'], env).value
  if (typeof name !== 'string' || typeof instances !== 'bigint')
    return failure('static_ips requires name and instances')
  if (BigInt(indices.length) < instances) return failure('not enough static IPs requested')
  const subnets = resolveReference(['', 'networks', name, 'subnets'], env)
  if (!(subnets.value instanceof List)) return failure('subnets must be a list')
  const spans = subnets.value.cells.flatMap((subnet) => {
    const ranges = stepIntoCell(subnet, 'static')
    return ranges === undefined ? [] : spansOf(ranges.value)
  })
  const [first] = indices
  if (first === undefined) return newList(call, [])
  return pick(call, spans, { wanted: Number(instances), indices })
}
