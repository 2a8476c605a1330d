/** HIL: expressions per second against the JavaScript engine, and growth with the size of the input. */
import { brokerFunctions, evaluate, evaluateText, jsonScope, parse } from '../../src/languages/hil/index.ts'
import { median, show } from '../figures.ts'

const variables = { name: 'orders', id: '0123456789abcdef', n: 5, m: { host: 'h.example.com' } }
const functions = brokerFunctions({})
const scope = () => jsonScope(variables, functions)

export async function bench(): Promise<void> {
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
