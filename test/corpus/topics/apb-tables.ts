/** Tables of single rules: ids, labels, conditions, what a container gets, what its end means. */
import { apb } from '../../../src/contracts/apb/index.ts'
import type { JsonObject } from '../../../src/kit/json.ts'
import { isObject } from '../../../src/kit/json.ts'
import { Secret } from '../../../src/kit/secret.ts'
import { describeProblem } from '../../../src/model/problem.ts'
import { type Ending, image, jobFor, outcomeOf, packageOf, situation } from '../../apb/stage.ts'
import { rowsOf, same } from '../rows.ts'
import type { Verdict } from '../topic.ts'
import type { Judge } from './apb.ts'

export const contractTables: Readonly<Record<string, Judge>> = {
  'cases/ids.json': judgeIds,
  'cases/image-labels.json': judgeImages,
  'cases/schema-dependencies.json': judgeConditions,
  'cases/proxy.json': judgeProxies,
  'cases/pod-spec.json': judgePods,
  'cases/watch.json': judgeEnds,
  'cases/dashboard.json': judgeDashboards,
  'cases/secrets.json': judgeSecrets,
}

/** The shortest spec, as JSON, which is YAML, too. */
function specOf(more: JsonObject = {}): string {
  return JSON.stringify({
    version: '1.0',
    name: 'q-apb',
    description: 'd',
    bindable: true,
    async: 'optional',
    plans: [{ name: 'default', description: 'p', free: true }],
    ...more,
  })
}

async function* judgeIds(document: JsonObject): AsyncGenerator<Verdict> {
  for (const row of rowsOf(document, 'cases')) {
    const plans = rowsOf(row, 'plans')
    const spec = specOf({
      name: row['spec_name'] ?? '',
      plans: plans.map(({ name }) => ({ name: name ?? '', description: 'p' })),
    })
    const [service] = (await packageOf(spec, { registry: String(row['registry']) })).services
    yield same(
      `id of ${row['registry']} ${row['spec_name']}`,
      { name: service?.name, id: service?.id, plans: service?.plans.map(({ name, id }) => ({ name, id })) },
      { name: row['service_name'], id: row['service_id'], plans },
    )
  }
}

async function* judgeImages(document: JsonObject): AsyncGenerator<Verdict> {
  for (const row of rowsOf(document, 'cases')) {
    const labels = row['labels'] as Readonly<Record<string, string>>
    const wanted = row['expect'] as JsonObject
    const artifact = image(labels)
    const reading = await apb.read(artifact, { options: {} })
    const problems = reading.kind === 'refused' ? reading.problems : []
    const told = problems.map(({ detail = '' }) => detail)
    const name = `image ${row['name']}`
    if (wanted['skipped'] === true) {
      yield same(name, apb.recognise(artifact), 'no')
    } else if (wanted['error'] === true) {
      yield same(name, problems[0]?.code.startsWith('apb.label.'), true)
    } else if (typeof wanted['validation'] === 'string') {
      yield same(name, told[0]?.startsWith(wanted['validation']), true)
    } else {
      yield same(name, reading.kind === 'package' ? 'package' : told.join(), 'package')
    }
  }
}

async function* judgeConditions(document: JsonObject): AsyncGenerator<Verdict> {
  const parameters = document['parameters'] ?? []
  const spec = specOf({ plans: [{ name: 'default', description: 'p', parameters }] })
  const pkg = await packageOf(spec, { schemas: 'original' })
  const create = pkg.services[0]?.plans[0]?.schemas.create
  yield same('conditions: dependencies', create?.['dependencies'], document['dependencies'])
  yield same('conditions: properties', create?.['properties'], document['properties_left'])
}

const proxyNames = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy']

async function* judgeProxies(document: JsonObject): AsyncGenerator<Verdict> {
  for (const [i, row] of rowsOf(document, 'cases').entries()) {
    const given = row['env'] as Readonly<Record<string, string>>
    const proxy = { http: given['HTTP_PROXY'] ?? '', https: given['HTTPS_PROXY'] ?? '', no: given['NO_PROXY'] ?? '' }
    const env = await environmentOf({ proxy })
    const wanted = row['result']
    const seen = proxyNames.map((name) => env[name] ?? null)
    if (!isObject(wanted)) {
      yield same(`proxy ${i + 1}`, seen, proxyNames.map(() => null))
      continue
    }
    const { http = null, https = null, no = null } = wanted as JsonObject
    yield same(`proxy ${i + 1}`, seen, [http, https, no, http, https, no])
  }
}

async function environmentOf(options: JsonObject): Promise<Readonly<Record<string, string | Secret>>> {
  const pkg = await packageOf(specOf(), options)
  return jobFor({ kind: 'provision' }, situation(pkg)).steps[0].environment
}

/** What the pod of the original has, as the job has it. */
async function* judgePods(document: JsonObject): AsyncGenerator<Verdict> {
  for (const row of rowsOf(document, 'cases')) {
    const name = `pod ${row['name']}`
    if (row['error'] !== undefined) {
      yield { name, outcome: 'skipped', why: 'a pull policy is a setting of clusters; images are pinned by digest here' }
      continue
    }
    const context = row['context'] as JsonObject
    const secrets = (Array.isArray(context['secrets']) ? context['secrets'] : []).map(String)
    const state = context['state_name'] === undefined ? {} : { state: new TextEncoder().encode('{"k":"v"}') }
    const pkg = await packageOf(specOf(), isObject(context['proxy']) ? { proxy: context['proxy'] as JsonObject } : {})
    const job = jobFor(
      { kind: 'provision' },
      situation(pkg, {
        infrastructure: Object.fromEntries(secrets.map((secret) => [`${secret}/key`, new Secret('s')])),
        carryover: state,
      }),
    )
    const [step] = job.steps
    const [container] = rowsOf((row['pod'] as JsonObject)['spec'] as JsonObject, 'containers')
    const env = rowsOf(container ?? {}, 'env').map((entry) => entry['name'])
    const mounts = rowsOf(container ?? {}, 'volumeMounts').map((mount) => String(mount['mountPath']))
    const folders = new Set(job.files.flatMap(({ path }) => mounts.filter((mount) => path.startsWith(`${mount}/`))))
    yield same(
      name,
      {
        env: Object.keys(step.environment).sort(),
        mounts: [...folders].sort(),
        args: step.command.kind === 'entrypoint' ? step.command.arguments.slice(0, 2) : [],
      },
      {
        env: env.map(String).sort(),
        mounts: mounts.sort(),
        args: Array.isArray(container?.['args']) ? container['args'].slice(0, 2) : [],
      },
    )
  }
}

/** The last event of a watched pod is the end of a run. */
async function* judgeEnds(document: JsonObject): AsyncGenerator<Verdict> {
  const from = situation(await packageOf(specOf()))
  for (const row of rowsOf(document, 'cases')) {
    const last = rowsOf(row, 'events').at(-1) ?? {}
    const outcome = outcomeOf({ kind: 'provision' }, from, endOf(last))
    const wanted = String(row['user_description'] ?? '')
    const told = outcome.problems.map(describeProblem).join('; ')
    const works = outcome.problems.length === 0 ? 'ok' : 'error'
    yield same(
      `end ${row['name']}`,
      { outcome: works, told: told.includes(wanted), dashboard: outcome.dashboardUrl },
      {
        outcome: row['outcome'],
        told: true,
        // An address without a scheme is one of http.
        dashboard: row['dashboard_url'] === undefined ? undefined : `http://${row['dashboard_url']}`,
      },
    )
  }
}

function endOf(event: JsonObject): Ending {
  const annotations = (event['annotations'] ?? {}) as Readonly<Record<string, string>>
  const waiting = event['waiting'] as JsonObject | undefined
  const pull = "Unable to pull APB image from it's registry. Please contact your cluster admin"
  if (waiting !== undefined) return { end: { kind: 'not-started', detail: pull } }
  if (event['type'] === 'DELETED') return { end: { kind: 'lost' } }
  const terminated = event['terminated'] as JsonObject | undefined
  if (terminated !== undefined) {
    return { exit: Number(terminated['exitCode']), message: String(terminated['message'] ?? ''), annotations }
  }
  return event['phase'] === 'Succeeded' ? { annotations } : { end: { kind: 'lost' }, annotations }
}

async function* judgeDashboards(document: JsonObject): AsyncGenerator<Verdict> {
  for (const [i, row] of rowsOf(document, 'cases').entries()) {
    const spec = specOf({ alpha: row['alpha'] ?? {} })
    const pkg = await packageOf(spec, { dashboardRedirector: String(row['redirector'] ?? '') })
    const from = situation(pkg, { instance: { id: 'INSTANCE', context: { namespace: 'n' }, parameters: {} } })
    const prepared = apb.prepare({ kind: 'provision' }, from)
    const url = prepared.kind === 'job' ? prepared.dashboardUrl : undefined
    yield same(`dashboard ${i + 1}`, url ?? null, row['dashboard_url'] ?? null)
  }
}


/** Parameters that come from a lent secret are in no schema and no form. */
async function* judgeSecrets(document: JsonObject): AsyncGenerator<Verdict> {
  for (const [i, row] of rowsOf(document, 'filter').entries()) {
    const parameters = (Array.isArray(row['parameters']) ? row['parameters'] : []).map((name) => ({
      name,
      type: 'string',
    }))
    const spec = specOf({ plans: [{ name: 'default', description: 'p', parameters }] })
    const pkg = await packageOf(spec, { secrets: row['secret_keys'] ?? [] })
    const properties = pkg.services[0]?.plans[0]?.schemas.create?.['properties']
    yield same(`secrets ${i + 1}`, Object.keys((properties ?? {}) as JsonObject), row['shown'])
  }
  const why = 'rules are written beside the package they are for; the states are those of the broker itself'
  yield { name: 'secrets: rules and states', outcome: 'skipped', why }
}
