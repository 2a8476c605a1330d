/** npm run fuzz -- TOPIC [--documents=N] [--seed=N] [--seconds=N]: generated documents, then attacks; closes with "N documents, N breaches". */
import { readdirSync } from 'node:fs'
import { argumentsOf, countOf } from '../arguments.ts'
import { attacked, examined, memoryCap, memoryPeak } from './campaign.ts'
import type { Topic } from './topic.ts'

const topics = readdirSync(new URL('./topics/', import.meta.url)).map((name) => name.replace(/\.ts$/, ''))
const usage = `usage: npm run fuzz -- TOPIC [--documents=N] [--seed=N] [--seconds=N]\ntopics: ${topics.join(' ')}`
const { positionals, values } = argumentsOf(
  {
    allowPositionals: true,
    options: {
      documents: { type: 'string', default: '100000' },
      seed: { type: 'string', default: '1' },
      seconds: { type: 'string', default: '86400' },
    },
  },
  usage,
)
const [name] = positionals
if (name === undefined || !topics.includes(name)) {
  console.error(usage)
  process.exit(2)
}
const { topic } = (await import(`./topics/${name}.ts`)) as { topic: Topic }
const documents = countOf('documents', values.documents, usage)
const first = countOf('seed', values.seed, usage)
const seconds = countOf('seconds', values.seconds, usage)

/** Breaches of one property are shown so often; all are counted. */
const shownMax = 5

const started = performance.now()
const breaches = new Map<string, number>()
let done = 0
for (const found of examined(topic, { first, count: documents })) {
  done++
  for (const { property, input, why, seed } of found) {
    const count = (breaches.get(property) ?? 0) + 1
    breaches.set(property, count)
    if (count <= shownMax)
      console.log(`seed ${seed}: ${property}\n${input}\n  ${why.replaceAll('\n', '\n  ')}\n`)
  }
  const spent = (performance.now() - started) / 1000
  if (done % 10_000 === 0)
    console.log(`${done} documents, ${Math.round(done / spent)} per second, ${memoryPeak()} MB`)
  if (spent > seconds) break
}
const rate = Math.round((done / (performance.now() - started)) * 1000)

const ended = topic.attacks.map((attack) => attacked(attack))
for (const { name: attack, how, crashed, overran, ms, clockMs } of ended)
  if (crashed || overran)
    console.log(
      `${attack}: ${crashed ? 'crashed' : 'overran'} after ${Math.round(ms)} ms of ${Math.round(clockMs)}: ${how}`,
    )

const total = [...breaches.values()].reduce((sum, count) => sum + count, 0)
const failed = ended.filter(({ crashed, overran }) => crashed || overran).length
const [slowest, longest] = [ended.map(({ ms }) => ms), ended.map(({ clockMs }) => clockMs)].map((all) =>
  Math.round(Math.max(0, ...all)),
)
const peak = memoryPeak()
for (const [property, count] of breaches) console.log(`${count} times: ${property}`)
console.log(
  `${ended.length} attacks, ${failed} crashed or overran; at most ${slowest} ms of the processor, ${longest} ms of the clock`,
)
console.log(
  `at most ${peak} MB of memory, ${peak > memoryCap ? 'above' : 'below'} the cap of ${memoryCap} MB`,
)
console.log(`${done} documents, ${total} breaches, ${rate} per second`)
process.exit(total + failed === 0 && peak <= memoryCap ? 0 : 1)
