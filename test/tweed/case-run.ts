/** Plays a case step by step and gathers every difference. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/kit/clock.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import type { Case, Seen, Step } from './case.ts'
import type { ImageShop } from './case-image.ts'
import { judgeStep } from './case-judge.ts'
import { Stage } from './case-stage.ts'

export interface Theatre {
  readonly folder: string
  readonly shop: ImageShop
  readonly settings?: JsonObject
}

/** What differs from the case; empty when all is as it says. */
export async function playCase(theatre: Theatre, one: Case): Promise<readonly string[]> {
  const { folder, shop, settings } = theatre
  const name = one.id.toLowerCase()
  const reference = await shop.build(name, one.image)
  const stage = new Stage({
    folder: mkdtempSync(join(folder, `${name}-`)),
    images: join(folder, 'images'),
    reference,
    case: one,
    ...(settings ? { settings } : {}),
  })
  const saved = new Map<string, unknown>()
  const underWay = new Map<Step, Promise<Seen>>()
  const faults: string[] = []
  let image = one.image
  try {
    for (const [i, step] of one.steps.entries()) {
      const place = `step ${i + 1} (${step.op ?? step.do})`
      if (step.do === 'replace-image') {
        image = { ...image, ops: { ...image.ops, ...step.ops } }
        await shop.build(name, image)
      }
      const seen = await play(stage, step, underWay)
      if (step.save !== undefined) saved.set(step.save, seen.credentials)
      const expected = step.expect ?? expectedOf(step)
      const look = { stage, instance: step.instance ?? 'i1', binding: step.binding, saved }
      const found = step.wait === false ? [] : await judgeStep(expected, seen, look)
      faults.push(...found.map((fault) => `${place}: ${fault}`))
    }
  } finally {
    await stage.close()
  }
  const worries = stage.said.filter((line) => /"level":"(warn|error|fatal)"/.test(line))
  return faults.length > 0 ? [...faults, ...worries.map((line) => `the broker: ${line.trim()}`)] : []
}

function expectedOf({ op }: Step) {
  if (op === undefined) return {}
  return { outcome: op === 'metadata' ? 'valid' : 'succeeded' }
}

async function play(stage: Stage, step: Step, underWay: Map<Step, Promise<Seen>>): Promise<Seen> {
  const nothing: Seen = { outcome: 'done', seconds: 0 }
  if (step.op === 'metadata') return stage.metadata()
  if (step.op !== undefined) {
    if (step.skipMetadata) await stage.enrolUnseen()
    const finish = await stage.order(step, step.op)
    if (step.wait !== false) return finish()
    underWay.set(step, finish())
    return nothing
  }
  switch (step.do) {
    case 'restart-broker':
      await stage.stop()
      return nothing
    case 'replace-image':
      await stage.replaceImage()
      return nothing
    case 'change-plan':
      await stage.changePlan(step.plan)
      return nothing
    case 'sleep':
      await systemClock.sleep((step.seconds ?? 1) * 1000)
      return nothing
    case 'wait':
      await Promise.all(underWay.values())
      return nothing
    default:
      return nothing
  }
}
