/** The examples of a pak lived through, on this machine and at a broker; and what a pak tells its users. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { newFolder, startTestBroker, type TestBroker } from '../support/broker.ts'
import { installedProgram } from '../support/installed.ts'
import { chandler, type Desk } from './command.ts'
import { layOutPak, offering } from './offline.ts'

const engine = hostEngine() ?? ''
let desk: Desk
let pak: string

beforeAll(() => {
  const home = newFolder()
  desk = { home, program: installedProgram(), url: '' }
  pak = layOutPak('csb-suite', home)
})

afterAll(() => {
  rmSync(dirname(dirname(desk.program)), { recursive: true, force: true })
  rmSync(desk.home, { recursive: true, force: true })
})

test('the manual of a pak tells parameters, plans and examples of each service', async () => {
  const { code, stdout } = await chandler(desk, ['pak', 'docs', pak])

  expect(code).toBe(0)
  expect(stdout.match(/^# <a name="/gm)).toHaveLength(4)
  for (const line of [
    ' * `storage_gb` _integer_ - Storage size Default: `5`.',
    '    * The value must be at least 5.',
    ' * `password` _string_ - Password',
    '* **`plus`**',
    'cf create-service offline-lifecycle plus my-offline-lifecycle -c \'{"storage_gb":10,"tags":{"a":"b"}}\'',
  ])
    expect(stdout.split('\n')).toContain(line)
})

describe.skipIf(engine === '')('with terraform or tofu on the path', () => {
  let running: TestBroker
  beforeAll(async () => {
    running = await startTestBroker('', newFolder(), offering(pak, engine))
    desk = { ...desk, url: running.url }
  })
  afterAll(() => running.stop())

  test('all examples pass without a broker, and nothing of them is left', async () => {
    const place = join(desk.home, 'local')
    const { code, stdout, stderr } = await chandler(desk, ['pak', 'test', pak, '--data-dir', place])

    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout.match(/ PASS/g)).toHaveLength(6)
    expect(stdout).toMatch(/^bind may fail .*PASS .*binding was told to fail/m)
  })

  test('an example whose credentials are not what was declared fails, with 3', async () => {
    const broken = layOutPak('csb-suite', join(desk.home, 'broken'))
    const file = join(broken, 'lifecycle.yml')
    const text = readFileSync(file, 'utf8')
    writeFileSync(
      file,
      text.replace('field_name: username, type: string', 'field_name: username, type: integer'),
    )
    const args = ['pak', 'test', broken, '--example', 'basic', '--data-dir', join(desk.home, 'local')]
    const { code, stdout } = await chandler(desk, [...args, '-o', 'json'])

    expect(code).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({
      items: [{ name: 'basic', result: 'FAILED', fault: expect.stringContaining('username') }],
    })
  })

  test('the same examples pass at a broker that offers the pak', async () => {
    const { code, stdout, stderr } = await chandler(desk, ['pak', 'run-examples', pak])
    const left = await chandler(desk, ['instance', 'list', '-o', 'name'])

    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout.match(/ PASS/g)).toHaveLength(6)
    expect(left.stdout).toBe('')
  })

  test('an example that names no plan of its service fails and says so', async () => {
    const broken = layOutPak('csb-suite', join(desk.home, 'planless'))
    const file = join(broken, 'types.yml')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace(/(examples:[\s\S]*?plan_id: )[\w-]+/, '$1nowhere'))
    const args = ['pak', 'test', broken, '--example', 'plain', '--data-dir', join(desk.home, 'local')]
    const { code, stdout } = await chandler(desk, args)

    expect(code).toBe(3)
    expect(stdout).toMatch(/^plain +offline-types .*FAILED .*nowhere/m)
  })
})
