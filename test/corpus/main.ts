/** npm run corpus -- TOPIC [FILES…] [--option value]: runs case files and closes with "N passed, N failed". */
import { existsSync, readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import tidy from '../tidy.ts'
import type { Topic } from './topic.ts'

const topics = readdirSync(new URL('./topics/', import.meta.url)).map((name) => name.replace(/\.ts$/, ''))
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
if (given.length === 0) console.log(`nothing to run: ${topic.home.join(', ')} is not here`)

const takeAway = await tidy()
const count = { passed: 0, failed: 0, skipped: 0 }
let warnings = 0
for await (const verdict of topic.run(given, options)) {
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
