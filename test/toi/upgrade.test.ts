/** From one component version to the next over OSB, and to the end of a life whose component is nowhere any more. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { offering, Platform } from '../cnab/platform.ts'
import { catalogOf, type TestBroker } from '../support/broker.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { componentIn, componentName, executorRef } from './component.ts'

const missing = ensurePrograms('busybox')

/** Tells which of its versions is run; the second one knows the parameter `broken`, and fails by it. */
const versions = {
  '1.0.0': { size: 1 },
  '2.0.0': { size: 2, broken: false },
} as const

function entryOf(folder: string, version: string): object {
  return { package: `ocm:${folder}//${componentName}:${version}` }
}

describe.skipIf(missing !== undefined)('an instance of a component', () => {
  let folder: string
  let at: TestBroker
  let platform: Platform

  beforeAll(async () => {
    folder = freshFolder('toi-upgrade')
    for (const [version, defaults] of Object.entries(versions))
      await componentIn(folder, {
        version,
        run: `
set -eu
{ echo "args: $*"; cat /toi/inputs/parameters; } > /toi/outputs/seen
grep -q 'broken: true' /toi/inputs/parameters && exit 7
echo "$1 by ${version}"
`,
        package: {
          executors: [{ resourceRef: executorRef, outputs: { seen: 'seen' } }],
          configTemplate: defaults,
        },
      })
    at = await offering([entryOf(join(folder, 'ctf'), '1.0.0')])
    platform = new Platform(at)
  })

  afterAll(async () => {
    await at?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('stays with its version until maintenance is asked for, keeps what it was given, and needs no source to end', async () => {
    const made = await platform.end('i1', await platform.provision('i1', 'default', { size: 3 }))
    const early = await platform.update('i1', 'default', {}, '2.0.0')
    await at.reload(catalogOf([entryOf(join(folder, 'ctf'), '2.0.0')]))

    const stayed = await platform.end('i1', await platform.update('i1', 'default', { size: 4 }))
    const wrong = await platform.update('i1', 'default', {}, '1.5.0')
    const broken = await platform.end('i1', await platform.update('i1', 'default', { broken: true }, '2.0.0'))
    const afterFailure = await platform.ask('GET', '/api/v1/instances/platform/i1', undefined, 'admin')
    const moved = await platform.end('i1', await platform.update('i1', 'default', {}, '2.0.0'))
    const seen = (await platform.outputs('i1'))['seen']
    const again = await platform.update('i1', 'default', {}, '2.0.0')

    expect(made).toEqual({ state: 'succeeded', description: 'install by 1.0.0' })
    // What is not offered cannot be moved to.
    expect([early.status, wrong.status]).toEqual([422, 422])
    expect(stayed).toEqual({ state: 'succeeded', description: 'install by 1.0.0' })
    expect(broken).toMatchObject({ state: 'failed' })
    expect(afterFailure.body).toMatchObject({ maintenance: '1.0.0', state: 'ready' })
    expect(moved).toEqual({ state: 'succeeded', description: 'install by 2.0.0' })
    expect(seen).toBe(`args: install ${componentName}:2.0.0\nbroken: false\nsize: 4\n`)
    expect(again.status).toBe(200)

    rmSync(join(folder, 'ctf'), { recursive: true })
    expect(await platform.end('i1', await platform.remove('i1', 'default'))).toMatchObject({
      state: 'succeeded',
    })
  })
})
