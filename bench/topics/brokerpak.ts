/** Brokerpaks: orders through OSB against the same Terraform commands run by hand. */
import { spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Customer, layOutPak, offering, type Step } from '../../test/brokerpak/offline.ts'
import { watchProcesses } from '../../test/brokerpak/processes.ts'
import { hostEngine } from '../../test/corpus/topics/brokerpak-terraform.ts'
import { newFolder, startTestBroker } from '../../test/support/broker.ts'
import { type Figure, median, show } from '../figures.ts'

const rounds = 5
const warmUps = 12
const atOnce = 50
/** The broker answers polls on the cores that the engine needs, so they are no closer than the figures need. */
const pollMs = 10
/** What was offered is prepared when nothing else is to be done; an order for it comes later than that. */
const offeredMs = 5000

export async function bench(): Promise<void> {
  const program = hostEngine()
  if (program === undefined) return console.log('skipped: no terraform or tofu here')
  const home = newFolder()
  const at = await startTestBroker('', home, offering(layOutManyPlans(home), program))
  try {
    const customer = (i: number) => new Customer(at, `offline-lifecycle-${i}`)
    show(await oneAtATime(customer, program))
    await manyAtOnce(customer(0), program)
  } finally {
    await at.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

/** Each round has a service of its own, so that there is a first instance each time. */
async function oneAtATime(customer: (i: number) => Customer, program: string): Promise<readonly Figure[]> {
  const took = { first: [], second: [], bind: [], applied: [], bound: [] } as Record<string, number[]>
  const note = (what: string, ms: number) => took[what]?.push(ms)
  const figure = (name: string, floor: string, atMost: number): Figure => ({
    name,
    ours: median(took[name] ?? []),
    floor: median(took[floor] ?? []),
    unit: 'ms (init and apply by hand)',
    goal: { atMost },
  })
  // What a new process does once, and code that has not run often, is not measured.
  for (let i = 0; i < warmUps; i++) {
    await customer(rounds).take({ op: 'provision', instance: `warm-${i}`, plan: 'basic', expect: {} })
    await customer(rounds).take({ op: 'bind', instance: `warm-${i}`, binding: 'b', expect: {} })
  }
  await pause(offeredMs)
  for (let i = 0; i < rounds; i++) {
    const asked = customer(i)
    const provision = (instance: string) =>
      timed(asked, { op: 'provision', instance, plan: 'basic', expect: {} })
    note('first', await provision(`first-${i}`))
    note('applied', byHand(program, 'applied'))
    // Meanwhile the broker prepares for the next.
    await pause(1000)
    note('second', await provision(`second-${i}`))
    note('applied', byHand(program, 'applied'))
    note('bind', await timed(asked, { op: 'bind', instance: `first-${i}`, binding: 'b', expect: {} }))
    note('bound', byHand(program, 'bound'))
  }
  return [
    figure('first', 'applied', 1.15),
    figure('second', 'applied', 0.6),
    figure('bind', 'bound', 300 / 140),
  ]
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** From the order to the poll that says it has ended. */
async function timed(customer: Customer, step: Step): Promise<number> {
  await customer.offered()
  const start = performance.now()
  const { body } = await customer.order(step)
  const { state, description } = await customer.poll(step, body['operation'], pollMs)
  if (state !== 'succeeded') throw new Error(String(description))
  return performance.now() - start
}

/** Many orders at once: how many engines run at the same time, and what all of it takes. */
async function manyAtOnce(customer: Customer, program: string): Promise<void> {
  const watched = watchProcesses(program)
  const start = performance.now()
  const all = Array.from({ length: atOnce }, (_, i) =>
    customer.take({ op: 'provision', instance: `many-${i}`, plan: 'basic', expect: {} }),
  )
  const ended = await Promise.all(all)
  const seconds = (performance.now() - start) / 1000
  const { programs, ours, theirs } = watched.stop()
  const failed = ended.filter(({ state }) => state !== 'succeeded').length
  const mb = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`
  console.log(
    `${atOnce} at once: ${seconds.toFixed(1)} s, ${failed} failed, at most ${programs} engines at a time with ${mb(theirs)}, the broker ${mb(ours)}`,
  )
}

/** A pak with as many services as there are rounds and one more, whose templates differ in a comment. */
function layOutManyPlans(home: string): string {
  const pak = layOutPak('csb-suite', home)
  const definition = readFileSync(join(pak, 'lifecycle.yml'), 'utf8')
  const numbers = Array.from({ length: rounds + 1 }, (_, i) => i)
  for (const i of numbers) {
    const text = definition
      .replace('name: offline-lifecycle', `name: offline-lifecycle-${i}`)
      .replaceAll('6b6f8f10', `6b6f8f${i + 10}`)
      .replaceAll('terraform/lifecycle/', `terraform/lifecycle-${i}/`)
      .replaceAll('main: |', `main: |\n      # ${i}`)
    writeFileSync(join(pak, `lifecycle-${i}.yml`), text)
    cpSync(join(pak, 'terraform/lifecycle'), join(pak, `terraform/lifecycle-${i}`), { recursive: true })
    appendFileSync(join(pak, `terraform/lifecycle-${i}/main.tf`), `# ${i}\n`)
  }
  const manifest = readFileSync(join(pak, 'manifest.yml'), 'utf8')
  const list = numbers.map((i) => `- lifecycle-${i}.yml\n`).join('')
  writeFileSync(join(pak, 'manifest.yml'), manifest.replace(/(service_definitions:\n)[\s\S]*/, `$1${list}`))
  return pak
}

const bindTemplate = `variable "host" { default = "h" }
resource "terraform_data" "password" { input = "x" }
output "uri" { value = "thing://\${terraform_data.password.id}@\${var.host}" }
`

/** The same templates, with the same flags, in a folder of their own. */
function byHand(program: string, what: 'applied' | 'bound'): number {
  const folder = mkdtempSync(join(tmpdir(), 'pak-bench-'))
  try {
    if (what === 'applied') {
      cpSync('test/corpus/brokerpak/e2e-offline/csb-suite/terraform/lifecycle', folder, { recursive: true })
      writeFileSync(join(folder, 'terraform.tfvars.json'), JSON.stringify(values))
    } else writeFileSync(join(folder, 'main.tf'), bindTemplate)
    mkdirSync(join(folder, 'plugins'))
    const start = performance.now()
    for (const words of [
      ['init', '-plugin-dir=plugins', '-input=false', '-no-color'],
      ['apply', '-auto-approve', '-input=false', '-no-color'],
    ]) {
      const { status, stderr } = spawnSync(program, words, { cwd: folder, env: environment })
      if (status !== 0) throw new Error(String(stderr))
    }
    return performance.now() - start
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const environment = { PATH: process.env['PATH'], TF_IN_AUTOMATION: '1', CHECKPOINT_DISABLE: '1' }
const values = {
  tier: 'basic',
  replicas: 1,
  instance_name: 'thing',
  storage_gb: 5,
  note: null,
  tags: {},
  fail: false,
  fail_destroy: false,
  sleep_s: 0,
  labels: { 'pcf-organization-guid': 'org-1' },
}
