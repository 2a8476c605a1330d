/** npm run bench -- TOPIC: runs one benchmark and prints its figures as ratios against a floor or a peer of the same run. */
import { readdirSync } from 'node:fs'
import tidy from '../test/tidy.ts'

const topics = readdirSync(new URL('./topics/', import.meta.url)).map((name) => name.replace(/\.ts$/, ''))
const [name] = process.argv.slice(2)

if (name === undefined || !topics.includes(name)) {
  console.error(`usage: npm run bench -- TOPIC\ntopics: ${topics.join(' ')}`)
  process.exit(2)
}
const { bench } = (await import(`./topics/${name}.ts`)) as { bench: () => Promise<void> }
const takeAway = await tidy()
try {
  await bench()
} finally {
  await takeAway()
}
