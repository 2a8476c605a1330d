/** What may be decided for a tenant, as the fields of a form hold it, as the API takes it, and as words of a command. */
import type { ChangedTenant, NewTenant, TenantDetail } from '../../api/access.ts'
import { type Decision, decisions } from '../../model/tenant-decisions.ts'

/** How few there may be of what is counted. */
export const least = { instances: 0, bindings: 0, queued: 1, ordersPerMinute: 1 } as const

export type Rule = TenantDetail['rules'][number]

/** The text of each field; an empty one decides nothing. */
export type Filling = Readonly<Record<Decision, string>>

/** The fields as they begin. */
export function fillingOf(rule: Rule | undefined): Filling {
  const texts = decisions.map((one) => [one, [rule?.[one] ?? ''].flat().join('\n')] as const)
  return Object.fromEntries(texts) as Filling
}

/** What differs between two fillings, as the API takes it: `null` is decided no more. */
export function changeOf(before: Filling, after: Filling): ChangedTenant {
  const changed = decisions.filter((one) => before[one].trim() !== after[one].trim())
  return Object.fromEntries(changed.map((one) => [one, decidedBy(one, after[one].trim())]))
}

/** What a filling decides anew. */
export function newTenant(name: string, filling: Filling): NewTenant {
  return { name, ...changeOf(fillingOf(undefined), filling) } as NewTenant
}

function decidedBy(decision: Decision, text: string): string | number | readonly string[] | null {
  if (text === '') return null
  if (decision === 'services') return text.split(/[\s,]+/).filter((one) => one !== '')
  return decision in least ? Number(text) : text
}

/** The options of `tenant create` and `tenant set` that say the same. */
export function optionsOf(change: ChangedTenant): readonly string[] {
  return decisions.flatMap((one) => {
    const value = change[one]
    if (value === undefined) return []
    if (value === null) return ['--unset', one]
    return [value].flat().flatMap((each) => [optionNames[one], String(each)])
  })
}

const optionNames: Readonly<Record<Decision, string>> = {
  services: '--service',
  instances: '--instances',
  bindings: '--bindings',
  queued: '--queued',
  ordersPerMinute: '--orders-per-minute',
  engine: '--engine',
  network: '--network',
  logs: '--logs',
}
