/** What the original's authoring tool objects to in an apb.yml, in its words, against the lint. */
import { lintSpec } from '../../../src/contracts/apb/index.ts'
import type { JsonObject } from '../../../src/kit/json.ts'
import { rowsOf } from '../rows.ts'
import type { Verdict } from '../topic.ts'

const plan = { name: 'dev', description: 'd', free: true, metadata: {}, parameters: [] }
const whole = {
  version: '1.0',
  name: 'a-apb',
  description: 'd',
  bindable: true,
  async: 'optional',
  metadata: {},
  plans: [plan],
}

/** Judges each mistake by itself. */
export async function* judgeAuthoring(document: JsonObject): AsyncGenerator<Verdict> {
  for (const row of rowsOf(document, 'cases')) {
    for (const [what, spec, key] of mistakesOf(row)) {
      const message = String(row['message']).replace('KEY', key).replace('NAME', 'dev')
      const { problems, warnings } = lintSpec(JSON.stringify(spec), { registry: 'dh', runtime: 2 })
      const told = [...problems, ...warnings].map(({ detail = '' }) => detail)
      // Without a version nothing is listed: the broker's own words stand for it.
      // A value of another type is told in the reader's words, with its line.
      const [, typed] = /`(\w+)` field is invalid/.exec(message) ?? []
      const isTyped = typed !== undefined && told.some((text) => text.startsWith(`${typed} is not a `))
      const isTold =
        row['build'] === undefined
          ? told.includes(message) || isTyped
          : problems[0]?.code === 'apb.spec.version'
      const name = `authoring: ${what}`
      yield isTold
        ? { name, outcome: 'passed' }
        : { name, outcome: 'failed', why: `wanted ${message}\ngot    ${told.join('\n       ')}` }
    }
  }
}

function mistakesOf(row: JsonObject): readonly (readonly [string, object, string])[] {
  const without = (of: object, key: string) => Object.fromEntries(Object.entries(of).filter(([name]) => name !== key))
  const keys = (member: string) => (Array.isArray(row[member]) ? row[member].map(String) : [])
  const withPlan = (of: object) => ({ ...whole, plans: [of] })
  if (row['missing_top_level'] !== undefined)
    return keys('missing_top_level').map((key) => [`no ${key}`, without(whole, key), key])
  if (row['async'] !== undefined) return [['async', { ...whole, async: row['async'] }, '']]
  if (row['metadata'] !== undefined) return [['metadata', { ...whole, metadata: 'text' }, '']]
  if (row['plan'] !== undefined) return [['a plan without a name', withPlan(without(plan, 'name')), '']]
  if (row['plan_missing'] !== undefined)
    return keys('plan_missing').map((key) => [`a plan without ${key}`, withPlan(without(plan, key)), key])
  if (row['plan_metadata'] !== undefined) return [['metadata of a plan', withPlan({ ...plan, metadata: 'text' }), '']]
  if (row['plan_parameters'] !== undefined)
    return [['parameters of a plan', withPlan({ ...plan, parameters: 'text' }), '']]
  return [['no version', without(whole, 'version'), '']]
}
