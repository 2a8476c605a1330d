/** The Terraform of the next instance waits for its variables before anybody orders it, and does nothing without them. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { configuration, newFolder } from '../support/broker.ts'
import { startBrokerProcess } from '../support/broker-process.ts'
import { Customer, layOutPak, offering, type Step } from './offline.ts'

const program = hostEngine() ?? ''

function order(size: number): Step {
  const instance = `of-${size}`
  return { op: 'provision', instance, plan: 'basic', params: { storage_gb: size }, expect: {} }
}

/** A broker with one engine that waits, after however many orders that takes. */
async function startWithOneWaiting() {
  const home = newFolder()
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const config = join(home, 'chandler.yml')
  writeFileSync(config, offering(layOutPak('csb-suite', home), program)(configuration()))
  const dataDir = join(home, 'data')
  const broker = await startBrokerProcess({ dataDir, config })
  onTestFinished(async () => {
    await broker.end('SIGKILL')
  })
  const customer = new Customer({ url: broker.url, logLines: [] }, 'offline-lifecycle')
  const waiting = () => readdirSync(join(dataDir, 'embedded', 'aside'))
  let size = 10
  const ordering = async () => {
    const now = waiting().length
    if (now === 0) await customer.take(order(size++))
    return now
  }
  await expect.poll(ordering, { timeout: 90_000, interval: 1000 }).toBe(1)
  return { broker, customer, waiting, engines: () => enginesBelow(home) }
}

/** Engines whose workspace lies below a folder. */
function enginesBelow(folder: string): readonly string[] {
  const text = (pid: string, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8')
    } catch {
      return ''
    }
  }
  return readdirSync('/proc').filter(
    (pid) => text(pid, 'comm').trim() === program && text(pid, 'mountinfo').includes(folder),
  )
}

test.skipIf(program === '')(
  'what waited becomes the next instance, with the values of that one (needs terraform or tofu)',
  async () => {
    const { customer, waiting } = await startWithOneWaiting()
    let isTaken = false
    // On its way to its door it is nobody's yet.
    for (let size = 51; !isTaken && size <= 70; size++) {
      const [before] = waiting()
      const { state, said } = await customer.take(order(size))
      expect([state, said]).toEqual(['succeeded', expect.stringContaining(`of ${size} GB is ready`)])
      isTaken = before !== undefined && !waiting().includes(before)
    }

    expect(isTaken).toBe(true)
  },
  150_000,
)

test.skipIf(program === '')(
  'a broker that is killed leaves no engine waiting (needs terraform or tofu)',
  async () => {
    const { broker, engines } = await startWithOneWaiting()
    await expect.poll(() => engines().length).toBe(1)
    await broker.end('SIGKILL')

    await expect.poll(engines).toEqual([])
  },
  150_000,
)

test.skipIf(program === '').each(['', '{', '{"storage_gb": 5, "ti'])(
  'with %j for its variables an engine fails before it does anything (needs terraform or tofu)',
  (text) => {
    const folder = newFolder()
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    cpSync('test/corpus/brokerpak/e2e-offline/csb-suite/terraform/lifecycle', folder, { recursive: true })
    mkdirSync(join(folder, 'plugins'))
    const run = (...words: readonly string[]) =>
      spawnSync(program, [...words, '-input=false', '-no-color'], { cwd: folder, encoding: 'utf8' })
    expect(run('init', '-plugin-dir=plugins').status).toBe(0)
    writeFileSync(join(folder, 'terraform.tfvars.json'), text)
    const { status, stderr } = run('apply', '-auto-approve')

    expect([status, stderr]).toEqual([1, expect.stringContaining('terraform.tfvars.json')])
    expect(existsSync(join(folder, 'terraform.tfstate'))).toBe(false)
  },
  60_000,
)
