/** What `async` of a spec means for orders of platforms that can wait, and of those that cannot. */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { offering, Platform } from '../cnab/platform.ts'
import type { TestBroker } from '../support/broker.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { bundleImage } from './image.ts'

const missing = ensurePrograms('busybox', 'curl')

const spec = (async: string) => `
version: 1.0
name: ${async}
description: A queue
bindable: true
async: ${async}
plans:
  - {name: default, description: One, free: true, parameters: [{name: size, type: int, default: 1, updatable: true}]}
`

const entrypoint = `
case $3 in *'"size":7'*) printf 'no queue is left' > /dev/termination-log; exit 1 ;; esac
credentials '{"user":"root"}'
`

let folder: string
let broker: TestBroker
let platform: Platform

beforeAll(async () => {
  if (missing !== undefined) return
  folder = freshFolder('apb-modes')
  const options = { registry: 'dh', namespace: 'target' }
  const entries: object[] = []
  for (const word of ['required', 'optional', 'unsupported']) {
    const { reference } = await bundleImage(folder, word, { spec: spec(word), entrypoint })
    entries.push({ package: reference, options })
  }
  broker = await offering(entries)
  platform = new Platform(broker)
})

afterAll(async () => {
  await broker?.stop()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

beforeEach(({ skip }) => skip(missing !== undefined, missing))

interface Offered {
  readonly services: readonly {
    readonly id: string
    readonly name: string
    readonly plans: readonly { readonly id: string }[]
  }[]
}

async function idsOf(word: string): Promise<{ readonly service_id: string; readonly plan_id: string }> {
  const { services } = (await platform.catalog()) as unknown as Offered
  const service = services.find(({ name }) => name === `dh-${word}`)
  return { service_id: service?.id ?? '', plan_id: service?.plans[0]?.id ?? '' }
}

const statuses = (...wanted: readonly number[]) => wanted

test.each([
  ['required', false, statuses(422, 422, 422)],
  ['required', true, statuses(202, 202, 202)],
  ['optional', false, statuses(201, 200, 200)],
  ['optional', true, statuses(202, 202, 202)],
  ['unsupported', false, statuses(201, 200, 200)],
  ['unsupported', true, statuses(201, 200, 200)],
] as const)(
  '%s, accepts_incomplete=%s: provision, update and deprovision answer %j',
  async (word, incomplete, wanted) => {
    const id = `${word}-${incomplete}`
    const path = `/v2/service_instances/${id}`
    const ids = await idsOf(word)
    const order = { ...ids, organization_guid: 'o', space_guid: 's' }
    const query = `accepts_incomplete=${incomplete}`

    const made = await platform.ask('PUT', `${path}?${query}`, order)
    if (word === 'required' && !incomplete)
      await platform.ask('PUT', `${path}?accepts_incomplete=true`, order)
    await platform.end(id, { status: 202, body: {} })
    const changed = await platform.ask('PATCH', `${path}?${query}`, { ...ids, parameters: { size: 2 } })
    await platform.end(id, { status: 202, body: {} })
    const gone = await platform.ask('DELETE', `${path}?${query}&${new URLSearchParams(ids)}`)

    expect([made.status, changed.status, gone.status]).toEqual(wanted)
  },
)

test('a bundle that fails inside the request is told by its own words, and with a 5xx', async () => {
  const order = {
    ...(await idsOf('optional')),
    organization_guid: 'o',
    space_guid: 's',
    parameters: { size: 7 },
  }
  const { status, body } = await platform.ask('PUT', '/v2/service_instances/fails', order)

  expect(status).toBe(500)
  expect(body['description']).toContain('no queue is left')
})
