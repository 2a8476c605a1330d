/** Spiff: templates of growing size against one JSON.parse of the largest document, growth, and memory. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { processSpiff, readSpiff, type SourceText } from '../../src/languages/spiff/index.ts'
import { type Figure, median, show } from '../figures.ts'
import { firstCalls } from '../spiff/first-call.ts'

/**
 * By blocks: at most so many times the calibration, and what the original takes in the same unit. That is derived: a state of this
 * library that took 7, 57 and 290 times the calibration was measured to be 1.2, 2.4 and 6.8 times as fast as the original.
 * Documents without expressions took that state as long as the original.
 */
const goals = new Map([
  [5, { atMost: 5, original: 8.4 }],
  [50, { atMost: 45, original: 137 }],
  [500, { atMost: 280, original: 1972 }],
])

/** What the original takes for documents without expressions, derived likewise. */
const plainOriginals = new Map([
  [5, 2.4],
  [50, 22],
  [500, 225],
])

export async function bench(): Promise<void> {
  const largest = run(template(500), stub(500))
  const json = JSON.stringify(JSON.parse(largest.json()))
  const calibration = time(() => JSON.parse(json), 2000)
  const figures = [...goals].flatMap(([blocks, { atMost, original }]): Figure[] => {
    const [text, stubText] = [template(blocks), stub(blocks)]
    const ours = warm(() => run(text, stubText).yaml(), 3000 / blocks)
    const name = `${blocks} blocks with a stub: parsed, processed, printed`
    return [
      { name, ours, floor: calibration, unit: 'ms (JSON.parse of the 500 blocks)', goal: { atMost } },
      { name, ours, floor: original * calibration, unit: 'ms (the original)', goal: { atMost: 0.2 } },
    ]
  })
  const plainFigures = [...plainOriginals].map(([blocks, original]): Figure => {
    const text = plain(blocks)
    const name = `${blocks} blocks without expressions: parsed, processed, printed`
    const ours = warm(() => run(text).yaml(), 3000 / blocks)
    return { name, ours, floor: original * calibration, unit: 'ms (the original)', goal: { atMost: 0.33 } }
  })
  show([
    ...figures,
    ...plainFigures,
    growth('independent expressions', (n) => lines(n, (i) => `k${i}: (( 1 + ${i} ))`)),
    growth('a chain of references', (n) => `${lines(n, (i) => `k${i}: (( k${i + 1} ))`)}k${n}: 1\n`),
    growth('a chain read backwards', (n) => `k0: 1\n${lines(n, (i) => `k${i + 1}: (( k${i} ))`)}`),
    growth(
      'references to one large map',
      (n) =>
        `m:\n${lines(n, (i) => `  f${i}: ${i}`)}r:\n${lines(n, (i) => `  f${i}: (( length(m) + ${i} ))`)}`,
    ),
    growth(
      'named list entries',
      (n) =>
        `l:\n${lines(n, (i) => `- name: n${i}\n  v: (( ${i} ))`)}r:\n${lines(n, (i) => `- (( l.n${i}.v ))`)}`,
    ),
    growth(
      'a template instantiated',
      (n) =>
        `t:\n  <<: (( &template &temporary ))\n  a: (( x + 1 ))\nx: 1\nr:\n${lines(n, (i) => `  f${i}: (( *t ))`)}`,
    ),
    growth(
      'merged with a stub',
      (n) => lines(n, (i) => `k${i}: (( merge ))`),
      (n) => lines(n, (i) => `k${i}: ${i}`),
    ),
    growth('plain data', (n) => lines(n, (i) => `k${i}: text ${i}`)),
  ])
  first(calibration)
  show(reading())
  memory()
  corpus()
}

/** The first call of a process against what any call of the original takes, which is compiled beforehand. */
function first(calibration: number): void {
  const measured = firstCalls([...goals.keys()].map((n) => ({ template: template(n), stub: stub(n) })))
  show(
    [...goals].map(([blocks, { original }], i): Figure => {
      const name = `${blocks} blocks with a stub, the first call of a process`
      const ours = measured[i]?.called ?? Number.NaN
      return { name, ours, floor: original * calibration, unit: 'ms (the original)', goal: { atMost: 2 } }
    }),
  )
  const loaded = median(measured.map((one) => one.loaded))
  console.log(
    `loading the library, with the small run that makes its functions ready: ${loaded.toFixed(0)} ms`,
  )
}

/** What reading a megabyte takes, by what it is made of; the first time is when nothing is compiled yet. */
function reading(): Figure[] {
  const rows: readonly (readonly [string, (i: number) => string])[] = [
    ['plain fields', (i) => `key${i}: value number ${i}\n`],
    ['quoted texts', (i) => `key${i}: "value \\t number ${i}"\n`],
    ['lists of maps', (i) => `- name: n${i}\n  size: ${i}\n  tags: [a, b, c]\n`],
    ['maps in maps', (i) => `k${i}:\n  a:\n    b:\n      c: text with words ${i}\n`],
    ['expressions', (i) => `k${i}: (( a.b.c + ${i} ))\n`],
    ['blocks of text', (i) => `k${i}: |\n  first line of some text\n  second line of some text\n`],
  ]
  return rows.map(([name, line]) => {
    const count = Math.ceil(1e6 / line(50_000).length)
    const source = { name: 'document', text: lines(count, (i) => line(i).slice(0, -1)) }
    const limits = { elementsMax: 1e9, documentMax: 1e9 }
    const megabytes = source.text.length / 1e6
    const read = (): unknown => readSpiff(source, limits)
    return {
      name: `1 MB of YAML read: ${name}`,
      ours: median(Array.from({ length: 5 }, () => spent(read, 1))) / megabytes / 1000,
      floor: 1,
      unit: 's of the processor per MB',
      goal: { atMost: 0.5 },
    }
  })
}

function lines(n: number, line: (i: number) => string): string {
  return Array.from({ length: n }, (_, i) => `${line(i)}\n`).join('')
}

/** Blocks of four expressions: arithmetic, concatenation, a mapping, a fallback. */
function template(blocks: number): string {
  return lines(
    blocks,
    (i) => `block${i}:
  base: ${i}
  sum: (( base + ${i} * 2 ))
  name: (( "name-" base "-" sum ))
  list: (( map[[1, 2, 3]|x|->x * base] ))
  fallback: (( nosuch.value || name ))`,
  )
}

function stub(blocks: number): string {
  return lines(blocks, (i) => `block${i}:\n  base: ${i + 1}`)
}

function plain(blocks: number): string {
  return lines(
    blocks,
    (i) => `service_${i}:
  name: svc-${i}
  enabled: true
  replicas: ${i % 7}
  ports:
  - name: http
    port: ${8000 + i}
  - name: admin
    port: ${9000 + i}
  env:
    A: value ${i}
    B: "quoted ${i}"
    C: 1.5`,
  )
}

function run(text: string, stubText?: string): { yaml(): string; json(): string } {
  const stubs: readonly SourceText[] = stubText === undefined ? [] : [{ name: 'stub', text: stubText }]
  const result = processSpiff({ name: 'template', text }, stubs, { limits: { stepsMax: 1e9 } })
  if (result.kind === 'failed') throw new Error(result.fault.message)
  const [document] = result.documents
  if (document === undefined) throw new Error('no document')
  return document
}

/** The same, once the engine has had three seconds of the processor to compile what it will. */
function warm(task: () => unknown, times: number): number {
  const start = process.cpuUsage().user
  while (process.cpuUsage().user - start < 3e6) task()
  return time(task, times)
}

/** Milliseconds of processor time per run, the middle of several rounds; others on the machine do not count. */
function time(task: () => unknown, times: number): number {
  const rounds = Math.max(1, Math.round(times / 20))
  const samples: number[] = []
  for (let round = 0; round < 6; round++) samples.push(spent(task, rounds) / rounds)
  return median(samples.slice(1))
}

/** Milliseconds of processor time for so many runs. */
function spent(task: () => unknown, runs: number): number {
  const start = process.cpuUsage()
  for (let i = 0; i < runs; i++) task()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

/**
 * Time per node at 10,000 nodes against that at 1,000; n log n would be 1.33.
 * Both sizes take turns, each with 10,000 nodes altogether, so that warming up and the machine's moods meet both.
 */
function growth(name: string, text: (n: number) => string, stubText?: (n: number) => string): Figure {
  const task = (n: number): (() => unknown) => {
    const [whole, other] = [text(n), stubText?.(n)]
    return () => run(whole, other).yaml()
  }
  const [small, large] = [task(1_000), task(10_000)]
  const samples: { small: number; large: number }[] = []
  for (let round = 0; round < 9; round++)
    samples.push({ small: spent(small, 10) / 10_000, large: spent(large, 1) / 10_000 })
  const warm = samples.slice(2)
  return {
    name: `${name}, 10,000 nodes`,
    ours: median(warm.map((sample) => sample.large)) * 1000,
    floor: median(warm.map((sample) => sample.small)) * 1000,
    unit: 'µs per node (at 1,000)',
    goal: { atMost: 1.6 },
  }
}

/** Heap kept by a processed document, against the size of its text. */
function memory(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const text = template(2000)
  collect()
  const before = process.memoryUsage().heapUsed
  const kept = run(text, stub(2000))
  collect()
  const after = process.memoryUsage().heapUsed
  console.log(
    `memory kept by 2,000 blocks (${(text.length / 1e6).toFixed(2)} MB of text): ${((after - before) / 1e6).toFixed(1)} MB`,
  )
  if (kept.yaml().length === 0) throw new Error('empty')
}

/** The larger templates of the corpus. */
function corpus(): void {
  const folder = '../shared/corpus/spiff'
  if (!existsSync(folder)) {
    console.log('the larger templates of the corpus are not here')
    return
  }
  const cases = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap(
      (name) =>
        JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as readonly {
          name: string
          template?: string
          stubs?: string[]
          mode: string
          error?: unknown
          needs?: unknown
        }[],
    )
    .filter((one) => (one.mode === 'cascade' || one.mode === 'flow') && !one.error && !one.needs)
    .sort((a, b) => (b.template ?? '').length - (a.template ?? '').length)
  for (const { name, template: text = '', stubs = [] } of cases.slice(0, 8)) {
    const sources = stubs.map((stubText, i) => ({ name: `stub${i}`, text: stubText }))
    const took = time(() => processSpiff({ name: 'template', text }, sources, { control: true }), 200)
    console.log(`${name.slice(0, 70)} (${text.length} characters): ${took.toFixed(2)} ms`)
  }
}
