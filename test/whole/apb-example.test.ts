/** The bundle that `npm start` offers: built, ordered, bound until it is full, changed and taken down, without network, daemon or cluster. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildBundle } from '../../src/authoring/apb/build.ts'
import { ensurePrograms } from '../support/debian.ts'
import { type ExampleBroker, startExampleBroker } from '../support/example-broker.ts'

const missing = ensurePrograms('busybox', 'curl')
let broker: ExampleBroker

beforeAll(async () => {
  if (missing !== undefined) return
  broker = await startExampleBroker(async (folder) => {
    const to = `oci:${join(folder, '.chandler/examples')}:mailroom`
    await buildBundle({ folder: 'examples/apb/mailroom', dataDir: folder, to })
  })
})

afterAll(() => (missing === undefined ? broker.stop() : undefined))

interface Service {
  readonly id: string
  readonly name: string
  readonly plans: readonly { readonly id: string; readonly name: string }[]
}

test.skipIf(missing !== undefined)(
  'the mailroom is opened, its boxes are taken and given back, and it is closed',
  async () => {
    const { body } = await broker.osb('GET', '/catalog')
    const service = (body as { readonly services: readonly Service[] }).services.find(
      ({ name }) => name === 'examples-mailroom',
    )
    const ids = { service_id: service?.id, plan_id: service?.plans[0]?.id }
    const query = `service_id=${ids.service_id}&plan_id=${ids.plan_id}&accepts_incomplete=true`
    const made = { ...ids, organization_guid: 'town', space_guid: 'street' }
    const room = '/service_instances/post-office'
    const box = (name: string) => `${room}/service_bindings/${name}`
    const order = (path: string, document: object) =>
      broker.osb('PUT', `${path}?accepts_incomplete=true`, document)
    const bind = async (name: string) => {
      await order(box(name), ids)
      return await broker.ended(box(name))
    }

    const refused = await order(room, { ...made, parameters: { boxes: 10 } })
    await order(room, { ...made, parameters: { room: 'east', boxes: '2' } })
    const opened = await broker.ended(room)
    const taken = [await bind('a'), await bind('b'), await bind('c')]
    const full = await broker.osb('GET', `${box('c')}/last_operation`)
    await broker.osb('DELETE', `${box('a')}?${query}`)
    const left = await broker.ended(box('a'))
    const taken2 = await bind('d')
    const { body: given } = await broker.osb('GET', box('d'))
    await broker.osb('DELETE', `${room}?${query}`)
    const closed = await broker.ended(room)

    expect(refused).toMatchObject({ status: 400, body: { description: expect.stringContaining('boxes') } })
    expect([opened, taken, left, taken2]).toEqual([
      'succeeded',
      ['succeeded', 'succeeded', 'failed'],
      'succeeded',
      'succeeded',
    ])
    expect(full.body).toMatchObject({ description: expect.stringContaining('all 2 boxes are taken') })
    expect(closed).toMatch(/succeeded|gone/)
    expect(given).toMatchObject({
      credentials: {
        username: expect.stringMatching(/^box-[0-9a-f]{32}$/),
        uri: expect.stringMatching(/^mail:\/\/box-[0-9a-f]{32}:[0-9a-f]{32}@east$/),
      },
    })
  },
  300_000,
)
