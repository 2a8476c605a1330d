/** HIL: expressions per second against the JavaScript engine, and growth with the size of the input. */
import { brokerFunctions, evaluate, evaluateText, jsonScope, parse } from '../../src/languages/hil/index.ts'
import { median, show } from '../figures.ts'

/**
 * What the original takes (Go 1.19, hashicorp/hil of Debian 12, the functions of cloud-service-broker), in multiples of the calibration:
 * measured on one machine, parsed and evaluated each time, the best of many rounds.
 */
const small: readonly Row[] = [
  ['a text', 'plain-text', 0.14],
  ['a variable', '${name}', 0.27],
  ['names and a number', 'csb-${name}-${id}.${m["host"]}:${5000 + n}', 1.24],
  ['str.truncate', 'csb${str.truncate(20, id)}', 0.43],
  ['arithmetic', '${1 + 2 * n - 7 % 3}', 0.57],
  ['a float', '${n / 3.0}', 0.38],
  ['nested quotes', '${"nested ${"deep"} q"}', 0.26],
  ['indexes', '${m["host"]}${l[1]}', 1.16],
  ['json.marshal', '${json.marshal(m)}', 1.89],
  ['map.flatten', '${map.flatten(":", ";", m)}', 0.92],
  ['str.queryEscape', '${str.queryEscape("a b/~é!")}', 0.25],
  ['regexp.matches', '${regexp.matches("^[a-z][a-z0-9-]{2,30}$", name)}', 1.87],
  ['an unknown variable', 'x ${nope} y', 0.23],
  ['a conversion that fails', '${"a" + 1}', 0.28],
]
const large: readonly Row[] = [
  ['100 kB of text', 'x'.repeat(100_000), 71],
  ['5,000 variables', '${name} '.repeat(5_000), 580],
  ['2,000 additions', `\${0${' + 1'.repeat(2_000)}}`, 173],
  ['2,000 lines', '${n * 2}\n'.repeat(2_000), 590],
]
type Row = readonly [name: string, text: string, original: number]

const variables = {
  name: 'orders',
  id: '0123456789abcdef',
  n: 5,
  m: { host: 'h.example.com' },
  l: ['a', 'b'],
}
const functions = brokerFunctions({})
const scope = () => jsonScope(variables, functions)

export async function bench(): Promise<void> {
  const calibration = processorTime(() => JSON.parse(document), 3000)
  const beside = (rows: readonly Row[], rounds: number, atMost: number) =>
    rows.map(([name, text, original]) => ({
      name: `${name}: read and evaluated`,
      ours: processorTime(() => evaluateText(text, scope()), rounds),
      floor: original * calibration,
      unit: 'µs (the original)',
      goal: { atMost },
    }))
  show([...beside(small, 5000, 1), ...beside(large, 20, 0.5)])
  const text = 'csb-${name}-${id}.${m["host"]}:${5000 + n}'
  const parsed = parse(text)
  if (parsed.kind === 'fault') throw parsed.fault
  const once = scope()
  const { name, id, m, n } = variables
  // Made new each time, as the engine must for a text it has not seen.
  const script = 'return `csb-${name}-${id}.${m["host"]}:${5000 + n}`'
  const fresh = () => new Function('name', 'id', 'm', 'n', script)(name, id, m, n) as string
  const compiled = new Function('name', 'id', 'm', 'n', script) as (...args: unknown[]) => string
  show([
    {
      name: 'a text read and evaluated',
      ours: perSecond(() => evaluateText(text, scope())),
      floor: perSecond(fresh),
      unit: 'expressions/s (engine: new Function)',
    },
    {
      name: 'a parsed text evaluated',
      ours: perSecond(() => evaluate(parsed.template, once)),
      floor: perSecond(() => compiled(name, id, m, n)),
      unit: 'expressions/s (engine: compiled)',
    },
    growth('literal text', (size) => 'x'.repeat(size)),
    growth('interpolations', (size) => '${name} '.repeat(size / 9)),
    growth('operators', (size) => `\${0${' + 1'.repeat(size / 5)}}`),
    growth('quoted text', (size) => `\${"${'a\\n'.repeat(size / 4)}"}`),
    growth('lines of expressions', (size) => '${n * 2}\n'.repeat(size / 9)),
  ])
}

const document = JSON.stringify(
  Array.from({ length: 50 }, (_, i) => ({ name: `n${i}`, size: i, tags: ['a', 'b'] })),
)

/** Microseconds of the processor for one call: what a busy machine does besides does not count. */
function processorTime(work: () => unknown, count: number): number {
  const rounds = Array.from({ length: 9 }, () => {
    const before = process.cpuUsage()
    repeat(count, work)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / count
  })
  return Math.min(...rounds.slice(2))
}

/** Time per character at 30 times the size: 1 is linear, 30 would be quadratic; the collector takes its share of big trees. */
function growth(name: string, make: (size: number) => string) {
  const [small, large] = [32_768, 1_000_000].map((size) => {
    const text = make(size)
    const rounds = Math.max(1, Math.floor(1_000_000 / size))
    return (millisecondsOf(() => repeat(rounds, () => evaluateText(text, scope()))) * 1e6) / (rounds * size)
  })
  return {
    name: `${name}, 1 MB against 32 kB`,
    ours: large ?? 0,
    floor: small ?? 0,
    unit: 'ns per character',
    goal: { atMost: 4 },
  }
}

function perSecond(work: () => unknown): number {
  const count = 20_000
  return (count / millisecondsOf(() => repeat(count, work))) * 1000
}

function millisecondsOf(work: () => void): number {
  const rounds = Array.from({ length: 7 }, () => {
    const start = performance.now()
    work()
    return performance.now() - start
  })
  return median(rounds.slice(1))
}

function repeat(count: number, work: () => unknown): void {
  for (let i = 0; i < count; i++) work()
}
