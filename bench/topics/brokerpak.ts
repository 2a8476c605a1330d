/** Brokerpaks: orders through OSB against the same Terraform commands run by hand. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Customer, layOutPak, offering } from '../../test/brokerpak/offline.ts'
import { hostEngine } from '../../test/corpus/topics/brokerpak-terraform.ts'
import { newFolder, startTestBroker } from '../../test/support/broker.ts'
import { median, show } from '../figures.ts'

const rounds = 5

export async function bench(): Promise<void> {
  const program = hostEngine()
  if (program === undefined) return console.log('skipped: no terraform or tofu here')
  const home = newFolder()
  const at = await startTestBroker('', home, offering(layOutPak('csb-suite', home), program))
  try {
    const customer = new Customer(at, 'offline-lifecycle')
    const made: number[] = []
    const bound: number[] = []
    const floors: { readonly made: number; readonly bound: number }[] = []
    for (let i = 0; i < rounds; i++) {
      const instance = `instance-${i}`
      made.push(await timed(() => customer.take({ op: 'provision', instance, plan: 'basic', expect: {} })))
      bound.push(await timed(() => customer.take({ op: 'bind', instance, binding: 'b', expect: {} })))
      floors.push(byHand(program))
    }
    show([
      {
        name: 'provision',
        ours: median(made),
        floor: median(floors.map((one) => one.made)),
        unit: 'ms (init and apply by hand)',
        goal: { atMost: 1.15 },
      },
      {
        name: 'bind',
        ours: median(bound),
        floor: median(floors.map((one) => one.bound)),
        unit: 'ms (init and apply by hand)',
        goal: { atMost: 300 / 140 },
      },
    ])
  } finally {
    await at.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

async function timed(
  work: () => Promise<{ readonly state: string; readonly said: string }>,
): Promise<number> {
  const start = performance.now()
  const { state, said } = await work()
  if (state !== 'succeeded') throw new Error(said)
  return performance.now() - start
}

const bindTemplate = `variable "host" { default = "h" }
resource "terraform_data" "password" { input = "x" }
output "uri" { value = "thing://\${terraform_data.password.id}@\${var.host}" }
`

/** The same templates, with the same flags, in folders of their own. */
function byHand(program: string): { readonly made: number; readonly bound: number } {
  const folder = mkdtempSync(join(tmpdir(), 'pak-bench-'))
  const run = (name: string): number => {
    mkdirSync(join(folder, name, 'plugins'), { recursive: true })
    const start = performance.now()
    for (const words of [
      ['init', '-plugin-dir=plugins', '-input=false', '-no-color'],
      ['apply', '-auto-approve', '-input=false', '-no-color'],
    ]) {
      const { status, stderr } = spawnSync(program, words, { cwd: join(folder, name), env: environment })
      if (status !== 0) throw new Error(String(stderr))
    }
    return performance.now() - start
  }
  try {
    const lifecycle = 'test/corpus/brokerpak/e2e-offline/csb-suite/terraform/lifecycle'
    cpSync(lifecycle, join(folder, 'made'), { recursive: true })
    writeFileSync(join(folder, 'made/terraform.tfvars.json'), JSON.stringify(values))
    mkdirSync(join(folder, 'bound'))
    writeFileSync(join(folder, 'bound/main.tf'), bindTemplate)
    return { made: run('made'), bound: run('bound') }
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
