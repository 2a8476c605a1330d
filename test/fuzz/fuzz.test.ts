/** A bounded part of what `npm run fuzz` does at length, for every topic. */
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { attacked, examined } from './campaign.ts'
import type { Topic } from './topic.ts'

const topics = readdirSync(new URL('./topics/', import.meta.url)).map((name) => name.replace(/\.ts$/, ''))
const named = async (name: string): Promise<Topic> =>
  ((await import(`./topics/${name}.ts`)) as { topic: Topic }).topic

test.each(topics)('%s: every property holds for generated documents', async (name) => {
  const found = [...examined(await named(name), { first: 1, count: 3_000 })].flat()

  expect(found).toEqual([])
})

test.each(topics)('%s: every attack ends in a value or in a fault', async (name) => {
  const { attacks } = await named(name)

  // Half a second each: what takes longer is ended by its clock, as it would be after the usual time.
  expect(attacks.map((attack) => attacked(attack, 500)).filter(({ crashed }) => crashed)).toEqual([])
  expect(new Set(attacks.map((attack) => attack.name)).size).toBe(attacks.length)
})
