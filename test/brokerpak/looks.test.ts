/** Looking before and after: the dry run of an update, the check for drift, states out and in, by the command line. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { catalogOf, newFolder, startTestBroker, type TestBroker } from '../support/broker.ts'
import { installedProgram } from '../support/installed.ts'
import { chandler as run } from './command.ts'
import { entryOf, layOutPak, providerInTheClear } from './offline.ts'

const engine = hostEngine() ?? ''

describe.skipIf(engine === '')('with terraform or tofu on the path', () => {
  let home: string
  let program: string
  let running: TestBroker

  beforeAll(async () => {
    home = newFolder()
    program = installedProgram()
    const suite = layOutPak('csb-suite', home)
    const random = layOutPak('csb-random', home)
    forgetful(random)
    const entries = [entryOf(suite, engine), entryOf(random, engine, providerInTheClear)]
    running = await startTestBroker('', home, catalogOf(entries))
    await chandler('instance', 'provision', 'offline-lifecycle', 'basic', 'thing', '-p', 'storage_gb=7')
  })

  afterAll(async () => {
    await running.stop()
    rmSync(dirname(dirname(program)), { recursive: true, force: true })
    rmSync(home, { recursive: true, force: true })
  })

  test('a dry run says what an update would change and changes nothing', async () => {
    const dry = await chandler('instance', 'update', 'thing', '-p', 'storage_gb=9', '--dry-run')
    const document = await json('instance', 'update', 'thing', '-p', 'storage_gb=9', '--dry-run')
    const shown = await json('instance', 'show', 'thing')

    expect(dry).toMatchObject({ code: 0 })
    expect(dry.stdout).toMatch(/^There is something to do\. Plan: 0 to add, 1 to change, 0 to destroy\.$/m)
    expect(dry.stdout).toMatch(/^update +terraform_data\.thing +input, output$/m)
    expect(document).toMatchObject({
      kind: 'UpdatePreview',
      differs: true,
      changes: [
        { address: 'terraform_data.thing', action: 'update', attributes: ['input', 'output'], forces: [] },
      ],
    })
    expect(shown).toMatchObject({ parameters: { storage_gb: 7 }, state: 'ready' })
  })

  test('a dry run of another plan, of nothing new, and of what may not be', async () => {
    const plan = await json('instance', 'update', 'thing', '--plan', 'plus', '--dry-run')
    const same = await chandler('instance', 'update', 'thing', '-p', 'storage_gb=7', '--dry-run')
    const prohibited = await chandler('instance', 'update', 'thing', '-p', 'instance_name=x', '--dry-run')
    const shown = await json('instance', 'show', 'thing')

    expect(plan).toMatchObject({ changes: [{ action: 'update' }] })
    expect(same.stdout.trim()).toBe('Nothing would change.')
    expect(prohibited).toMatchObject({ code: 9 })
    expect(prohibited.stderr).toContain('attempt to update parameter')
    expect(shown).toMatchObject({ plan: { name: 'basic' } })
  })

  test('a check ends well while all is as it was made, and with 5 when something has gone', async () => {
    await chandler('instance', 'provision', 'offline-password', 'only', 'lost', '-p', 'length=13')
    const well = await chandler('instance', 'check', 'thing')
    const drifted = await chandler('instance', 'check', 'lost')
    const document = await json('instance', 'check', 'lost')
    // What a check has found is carried out by an update that asks for nothing.
    const before = await json('operation', 'list')
    const mended = await chandler('instance', 'update', 'lost', '-p', 'length=13')
    const after = await json('operation', 'list')
    const applied = await chandler('instance', 'invoke', 'thing', 'apply')

    const updates = (history: unknown) => JSON.stringify(history).split('update').length
    expect([mended.code, applied.code], mended.stderr + applied.stderr).toEqual([0, 0])
    expect(updates(after)).toBeGreaterThan(updates(before))
    expect(well).toMatchObject({ code: 0, stdout: 'There is no drift.\n' })
    expect(drifted).toMatchObject({ code: 5 })
    expect(drifted.stdout).toMatch(/^delete +random_string\.name/m)
    expect(drifted.stderr).toContain('instance.drifted')
    expect(document).toMatchObject({ kind: 'DriftCheck', differs: true, changes: [{ action: 'delete' }] })
  })

  test('a state goes out, into an instance that waits for it, and on from there', async () => {
    const file = join(home, 'thing.tfstate')
    const { stdout } = await chandler('instance', 'export-state', 'thing')
    writeFileSync(file, stdout)
    await chandler('instance', 'provision', 'offline-lifecycle', 'basic', 'moved', '-p', 'vacant=true')
    const imported = await chandler('instance', 'import-state', 'moved', file, '--yes')
    const again = await chandler('instance', 'export-state', 'moved')
    const output = await chandler('instance', 'outputs', 'moved', 'storage_gb')
    const broken = await chandler('instance', 'import-state', 'moved', program, '--yes')
    const gone = await chandler('instance', 'deprovision', 'moved', '--yes')

    expect(JSON.parse(stdout)).toMatchObject({ version: 4 })
    expect(imported).toMatchObject({ code: 0 })
    expect(again.stdout).toBe(stdout)
    expect(output.stdout.trim()).toBe('7')
    expect(broken.stderr).toContain('pak.state.unreadable')
    expect(gone.code).toBe(0)
  })

  test('only operators get a state, and the audit log tells who did', async () => {
    const refused = await chandler({ user: 'watcher' }, 'instance', 'export-state', 'thing')
    const audit = await chandler('audit', 'list', '-o', 'json')

    expect(refused.code).toBe(6)
    expect(audit.stdout).toContain('instance.invoke')
    expect(audit.stdout).toContain('operation.read-output')
    expect(audit.stdout).not.toContain('terraform_version')
  })

  async function json(...args: readonly string[]): Promise<unknown> {
    return JSON.parse((await chandler(...args, '-o', 'json')).stdout)
  }

  function chandler(...given: readonly (string | { readonly user: 'watcher' })[]) {
    const [as] = given
    const args = given.filter((one) => typeof one === 'string')
    return run({ home, program, url: running.url }, args, typeof as === 'object' ? as.user : 'admin')
  }
})

/** A provider that finds nothing any more of what has thirteen letters. */
function forgetful(pak: string): void {
  const file = join(pak, 'bin/linux/amd64/terraform-provider-random_v3.99.0')
  const text = readFileSync(file, 'utf8')
  const read = 'ReadResource: m => '
  writeFileSync(
    file,
    text.replace(read, `${read}(undyn(m[2][0]) || {}).length === 13 ? lenField(1, dyn(null)) : `),
  )
}
