/** The package that `npm start` offers: built, ordered, bound and taken down, without network or daemon. */
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildFolder } from '../../src/authoring/build-folder.ts'
import { build } from '../../src/authoring/ocm/make.ts'
import { ensurePrograms } from '../support/debian.ts'
import { type ExampleBroker, startExampleBroker } from '../support/example-broker.ts'
import { place, quiet } from '../toi/component.ts'

const missing = ensurePrograms('busybox')
let broker: ExampleBroker

beforeAll(async () => {
  if (missing !== undefined) return
  broker = await startExampleBroker(async (folder) => {
    const layout = join(folder, 'layout')
    await buildFolder({
      folder: 'examples/toi/harbour/template-executor',
      dataDir: folder,
      to: `oci:${layout}:template-executor`,
    })
    await build(
      {
        file: resolve('examples/toi/harbour/component-constructor.yaml'),
        to: join(folder, '.chandler/examples/harbour'),
        overwrite: true,
        skipDigests: false,
        template: (text) => text.replaceAll(`\${LAYOUT}`, layout),
        inputTemplate: (text) => text,
        values: {},
        ...quiet,
      },
      place,
    )
  })
})

afterAll(() => (missing === undefined ? broker.stop() : undefined))

interface Service {
  readonly id: string
  readonly name: string
  readonly metadata: unknown
  readonly plans: readonly { readonly id: string; readonly name: string }[]
}

test.skipIf(missing !== undefined)(
  'the harbour is opened, gives a berth and is closed',
  async () => {
    const { body } = await broker.osb('GET', '/catalog')
    const service = (body as { readonly services: readonly Service[] }).services.find(
      ({ name }) => name === 'harbour',
    )
    const ids = { service_id: service?.id, plan_id: service?.plans[0]?.id }
    const query = `service_id=${ids.service_id}&plan_id=${ids.plan_id}&accepts_incomplete=true`
    const made = { ...ids, organization_guid: 'sea', space_guid: 'coast' }
    const instance = '/service_instances/haven'
    const binding = `${instance}/service_bindings/boat`

    const refused = await broker.osb('PUT', `${instance}?accepts_incomplete=true`, {
      ...made,
      parameters: { berths: 0 },
    })
    await broker.osb('PUT', `${instance}?accepts_incomplete=true`, {
      ...made,
      parameters: { harbour: 'east' },
    })
    const opened = await broker.ended(instance)
    await broker.osb('PUT', `${binding}?accepts_incomplete=true`, ids)
    const moored = await broker.ended(binding)
    const { body: berth } = await broker.osb('GET', binding)
    await broker.osb('DELETE', `${binding}?${query}`)
    const left = await broker.ended(binding)
    await broker.osb('DELETE', `${instance}?${query}`)
    const closed = await broker.ended(instance)

    expect(service?.metadata).toMatchObject({ displayName: 'harbour' })
    expect(refused).toMatchObject({ status: 400, body: { description: expect.stringContaining('berths') } })
    expect([opened, moored, left, closed]).toEqual(['succeeded', 'succeeded', 'succeeded', 'succeeded'])
    expect(berth).toMatchObject({
      credentials: {
        username: expect.stringMatching(/^boat-[0-9a-f]{8}$/),
        uri: expect.stringMatching(/^boat:\/\/boat-[0-9a-f]{8}:[0-9a-f]{32}@east$/),
      },
    })
  },
  120_000,
)
