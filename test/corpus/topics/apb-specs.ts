/** Specs of bundles against what the original broker made of them: parsed, named, published. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject, type JsonObject } from '../../../src/kit/json.ts'
import type { Plan, Service } from '../../../src/model/package.ts'
import { describeProblem } from '../../../src/model/problem.ts'
import { offersOf } from '../../../src/broker/offer.ts'
import { makeCatalog } from '../../../src/broker/catalog.ts'
import { packageOf, readSpecOf } from '../../apb/stage.ts'
import type { Verdict } from '../topic.ts'
import { rowsOf, same } from '../rows.ts'

const asOriginal = { registry: 'dh', schemas: 'original' }

/** Specs that the original loses when it stores them, and that are offered here. */
const savedHere = [
  'nested-metadata',
  'nested-plan-metadata',
  'object-default-nested',
  'default:{a: 1}',
  'default:.inf',
]

/** Small documents: what is accepted, which values come out, which schemas and forms. */
export async function* judgeSpecs(document: JsonObject): AsyncGenerator<Verdict> {
  for (const row of rowsOf(document, 'cases')) {
    const name = `spec-parsing ${row['id']}`
    const original = row['original'] as JsonObject
    // A label that holds nothing is no bundle; one line break is an empty document.
    const reading = await readSpecOf(String(row['yaml']) || '\n', asOriginal)
    if (reading.kind !== 'package') {
      const problems = reading.kind === 'refused' ? reading.problems : []
      const told = problems.map(({ detail }) => detail ?? '')
      const message = String(original['message'] ?? '')
      // The words of a YAML reader are its own.
      const isTold = original['stage'] === 'yaml' || told.some((text) => text.startsWith(message))
      if (original['listed'] === false && isTold) yield { name, outcome: 'passed' }
      else yield { name, outcome: 'failed', why: problems.map(describeProblem).join('\n') }
      continue
    }
    if (original['listed'] !== true) {
      const saved = savedHere.includes(String(row['id']))
      yield saved
        ? { name, outcome: 'passed' }
        : { name, outcome: 'failed', why: 'it is refused by the original' }
      continue
    }
    const pkg = await packageOf(String(row['yaml']), asOriginal)
    const [service] = pkg.services
    const [plan] = service?.plans ?? []
    if (service === undefined || plan === undefined) continue
    yield same(name, seen(service, plan), expected(original))
  }
}

function seen(service: Service, plan: Plan): JsonObject {
  return {
    bindable: service.bindable,
    tags: service.tags,
    plan: plan.operator.options['plan'] ?? null,
    free: plan.free,
    planBindable: plan.bindable ?? false,
    moves: plan.planUpdatable ?? false,
    create: shown(plan.schemas.create),
    update: shown(plan.schemas.update),
    bind: shown(plan.schemas.bind),
    form: plan.metadata?.['schemas'] ?? null,
  }
}

function expected(original: JsonObject): JsonObject {
  const spec = original['spec'] as JsonObject
  const plan = original['plan'] as JsonObject
  return {
    bindable: spec['bindable'] ?? false,
    tags: spec['tags'] ?? [],
    plan: plan['name'] ?? '',
    free: plan['free_member'] === true,
    planBindable: plan['bindable_member'] === true,
    moves: Array.isArray(plan['updates_to']),
    create: original['create_schema'] ?? null,
    update: original['update_schema'] ?? null,
    bind: original['bind_schema'] ?? null,
    form: original['form'] ?? null,
  }
}

/** Without the mark of secrets, which the original does not have. */
function shown(schema: JsonObject | undefined): JsonObject | null {
  if (schema === undefined) return null
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === 'writeOnly' ? undefined : value,
  ) as JsonObject
}

/** Real specs as services of a catalog. */
export async function* judgeCatalogs(document: JsonObject, file: string): AsyncGenerator<Verdict> {
  const input = String(document['input'])
  const name = `catalog ${input} (${document['registry_name']})`
  const text = readFileSync(join(dirname(dirname(file)), input), 'utf8')
  const launch = document['launch_apb_on_bind'] === true ? 'always' : 'never'
  const options = { registry: String(document['registry_name']), schemas: 'original', launchOnBind: launch }
  const reading = await readSpecOf(text, options, String(document['runtime_label'] ?? '2'))
  if (reading.kind !== 'package') {
    const problems = reading.kind === 'refused' ? reading.problems : []
    yield document['listed_in_catalog'] === false
      ? { name, outcome: 'passed' }
      : { name, outcome: 'failed', why: problems.map(describeProblem).join('\n') }
    return
  }
  const entry = { service: {}, plans: [], services: [], options }
  const { offers } = offersOf(await packageOf(text, options), entry, input)
  const { services } = makeCatalog(offers).document as unknown as { readonly services: readonly JsonObject[] }
  yield same(name, normalised(services[0] ?? {}), normalised(document['service'] as JsonObject))
}

/** What differs on purpose: what is false is written, descriptions are never empty, updates repeat nothing. */
function normalised(service: JsonObject): JsonObject {
  const { bindings_retrievable: _r, plan_updateable, tags, plans, allow_context_updates: _c, ...rest } = service
  return {
    ...rest,
    description: rest['description'] === '' ? (rest['name'] ?? '') : (rest['description'] ?? ''),
    tags: tags ?? [],
    plan_updateable: plan_updateable ?? false,
    plans: (Array.isArray(plans) ? plans : []).filter(isObject).map((plan) => normalisedPlan(plan as JsonObject)),
  }
}

function normalisedPlan(plan: JsonObject): JsonObject {
  const { id, name, description, metadata, free, bindable, schemas, updates_to } = plan
  return {
    id: id ?? null,
    name: name ?? null,
    description: description ?? null,
    metadata: metadata ?? null,
    free: free ?? false,
    bindable: bindable ?? false,
    updates_to: updates_to ?? [],
    schemas: shown(schemas as JsonObject),
  }
}

/** Labels as they stand in real images: the ids that they lead to. */
export async function* judgeLabels(document: JsonObject): AsyncGenerator<Verdict> {
  for (const row of rowsOf(document, 'labels')) {
    const text = Buffer.from(String(row['label']), 'base64').toString('utf8')
    const name = `label ${row['repo']} ${row['path']}`
    const reading = await readSpecOf(text, asOriginal)
    const [service] = reading.kind === 'package' ? reading.package.services : []
    const wanted = row['expect'] as JsonObject
    yield same(
      name,
      service && { id: service.id, plans: service.plans.map((plan) => ({ name: plan.name, id: plan.id })) },
      { id: wanted?.['service_id'], plans: wanted?.['plans'] },
    )
  }
}
