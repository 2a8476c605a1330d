/** npm run corpus -- TOPIC [FILES…] [--option value]: runs case files and closes with "N passed, N failed". */
import { existsSync, readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import tidy from '../tidy.ts'
import type { Topic, Verdict } from './topic.ts'

// A topic has a name of one word; the files TOPIC-PART.ts beside it are its judges.
const topics = readdirSync(new URL('./topics/', import.meta.url))
  .map((name) => name.replace(/\.ts$/, ''))
  .filter((name) => !name.includes('-'))
const { tokens } = parseArgs({ strict: false, allowPositionals: true, tokens: true })
const options = new Map<string, string>()
const words: string[] = []
for (const [i, token] of tokens.entries()) {
  const before = tokens[i - 1]
  if (token.kind === 'option') options.set(token.name, token.value ?? 'true')
  if (token.kind !== 'positional') continue
  // `--store sqlite` as well as `--store=sqlite`: what is no file right after an option is its value.
  const belongs = before?.kind === 'option' && before.value === undefined && words.length > 0
  if (belongs && !existsSync(token.value)) options.set(before.name, token.value)
  else words.push(token.value)
}
const [name, ...files] = words

if (name === undefined || !topics.includes(name)) {
  console.error(`usage: npm run corpus -- TOPIC [FILES…] [--OPTION=VALUE]\ntopics: ${topics.join(' ')}`)
  process.exit(2)
}
const { topic } = (await import(`./topics/${name}.ts`)) as { topic: Topic }
const given = files.length > 0 ? files : topic.home.filter((path) => existsSync(path))
if (given.length === 0) {
  console.log(`failed: there is nothing to judge: ${topic.home.join(', ')} is not here\n0 passed, 1 failed`)
  process.exit(1)
}

const takeAway = await tidy()
const count = { passed: 0, failed: 0, skipped: 0 }
let warnings = 0
for await (const verdict of verdicts(topic, given)) {
  count[verdict.outcome]++
  if (verdict.outcome !== 'passed') console.log(`${verdict.outcome}: ${verdict.name}${verdict.why ? `\n  ${verdict.why.replaceAll('\n', '\n  ')}` : ''}`)
  if (verdict.warning) {
    warnings++
    console.log(`warning: ${verdict.name}\n  ${verdict.warning}`)
  }
}
if (warnings > 0) console.log(`${warnings} warnings`)
console.log(`${count.passed} passed, ${count.failed} failed${count.skipped > 0 ? `, ${count.skipped} skipped` : ''}`)
await takeAway()
process.exit(count.failed === 0 ? 0 : 1)

/** The verdicts on all paths; a path that is not here, cannot be read or about which nothing is said has failed. */
async function* verdicts(judged: Topic, paths: readonly string[]): AsyncIterable<Verdict> {
  const missing = paths.filter((path) => !existsSync(path))
  for (const name of missing) yield { name, outcome: 'failed', why: 'there is no such file' }
  const there = paths.filter((path) => !missing.includes(path))
  // Named one by one, so that one of them cannot hide behind the others; a whole home may share what it starts.
  for (const some of files.length > 0 ? there.map((path) => [path]) : [there]) {
    let said = 0
    try {
      for await (const verdict of judged.run(some, options)) {
        said++
        yield verdict
      }
    } catch (error) {
      yield { name: some.join(' '), outcome: 'failed', why: error instanceof Error ? (error.stack ?? '') : String(error) }
      continue
    }
    if (said === 0) yield { name: some.join(' '), outcome: 'failed', why: 'nothing judges this' }
  }
}
