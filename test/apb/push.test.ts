/** A developer pushes a bundle, edits it and pushes it again: the broker offers what was pushed when the command ends. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { register } from '../../src/cli/commands/apb.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import { offering, Platform } from '../cnab/platform.ts'
import { passwords, type TestBroker } from '../support/broker.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { registryMissing, startRegistry } from '../support/registry.ts'
import { runCommand } from '../support/run-command.ts'

const missing = ensurePrograms('busybox', 'curl')

describe.skipIf(missing !== undefined)('chandler apb push', () => {
  let home: string
  let bundles: string
  let folder: string
  let broker: TestBroker

  beforeAll(async () => {
    home = freshFolder('push')
    bundles = join(home, 'bundles')
    mkdirSync(bundles)
    folder = join(home, 'mine')
    writeFileSync(join(home, 'password'), passwords.admin)
    await runCommand(register, ['apb', 'init', folder])
    const source = { name: 'dev', type: 'layouts', path: bundles, whiteList: ['.'], refreshInterval: '1s' }
    broker = await offering([{ source, options: { namespace: 'target' } }])
  })

  afterAll(async () => {
    await broker?.stop()
    rmSync(home, { recursive: true, force: true })
  })

  afterEach(() => {
    vi.restoreAllMocks()
  })

  const push = async (to: string, ...words: readonly string[]) => {
    const account = ['--server', broker.url, '--user', 'admin', '--password-file', join(home, 'password')]
    const place = ['--to', to, '--data-dir', join(home, 'data'), '-o', 'json']
    const printed = await runCommand(register, ['apb', 'push', folder, ...account, ...place, ...words])
    return JSON.parse(printed) as { readonly digest: string; readonly services: readonly JsonObject[] }
  }
  const describeAs = (text: string) => {
    const spec = join(folder, 'apb.yml')
    writeFileSync(spec, readFileSync(spec, 'utf8').replace(/^description: .*$/m, `description: ${text}`))
  }
  const descriptionOffered = async () =>
    JSON.stringify((await new Platform(broker).catalog())['services']).includes('edited by a developer')

  test('a bundle is offered when the command ends, and so is its edit', async () => {
    const first = await push(`oci:${bundles}/mine:latest`)
    expect(first).toMatchObject({ services: [{ name: 'dev-mine' }] })
    expect(await descriptionOffered()).toBe(false)

    describeAs('edited by a developer')
    const second = await push(`oci:${bundles}/mine:latest`)

    expect(second.digest).not.toBe(first.digest)
    expect(second.services).toEqual(first.services)
    expect(await descriptionOffered()).toBe(true)
  })

  test('a bundle that the broker refuses is told with its reason, and offered once that is mended', async () => {
    await broker.reload((text) => text.replace('"namespace":"target"', '"namespace":"Not A Name"'))
    describeAs('refused at first')
    const refused = push(`oci:${bundles}/mine:latest`)
    await expect(refused).rejects.toMatchObject({
      problem: { code: 'apb.push', detail: expect.stringMatching(/^dev\/mine is refused: .*namespace/) },
    })

    await broker.reload((text) => text.replace('"namespace":"Not A Name"', '"namespace":"target"'))
    expect(await push(`oci:${bundles}/mine:latest`)).toMatchObject({ services: [{ name: 'dev-mine' }] })
  })

  test('list shows what is offered', async () => {
    const account = ['--server', broker.url, '--user', 'admin', '--password-file', join(home, 'password')]
    const table = await runCommand(register, ['apb', 'list', ...account])
    const { items } = JSON.parse(await runCommand(register, ['apb', 'list', ...account, '-o', 'json'])) as {
      readonly items: readonly JsonObject[]
    }

    expect(table).toMatch(/^SERVICE +BUNDLE +PLANS +BINDABLE/)
    expect(table).toMatch(/dev-mine +mine +default +yes/)
    expect(items).toMatchObject([{ name: 'dev-mine', package: { contract: 'apb' } }])
  })

  test('a place that no source of the broker lists is told', async () => {
    describeAs('never listed')
    const pushed = push(`oci:${home}/elsewhere:latest`, '--timeout', '1s')

    await expect(pushed).rejects.toMatchObject({ problem: { code: 'apb.push' } })
  })

  test.skipIf(registryMissing() !== undefined)('through a registry, too', async () => {
    const registry = await startRegistry()
    const source = { name: 'hub', url: registry.host, whiteList: ['.'], refreshInterval: '1s' }
    const other = await offering([{ source, options: { namespace: 'target' } }])
    try {
      const pushed = await push(`docker://${registry.host}/bundles/mine:latest`, '--server', other.url)

      expect(pushed).toMatchObject({ services: [{ name: 'hub-mine' }] })
    } finally {
      await other.stop()
      await registry.stop()
    }
  })
})
