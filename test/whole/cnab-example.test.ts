/** The bundle that `npm start` offers: packed, ordered, bound and looked at, without network or daemon. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildFolder } from '../../src/authoring/build-folder.ts'
import { archiveBundle } from '../../src/authoring/cnab/bundle-tools.ts'
import { inCnabContext } from '../../src/local/cnab/tools.ts'
import { ensurePrograms } from '../support/debian.ts'
import { type ExampleBroker, startExampleBroker } from '../support/example-broker.ts'

const missing = ensurePrograms('busybox')
let broker: ExampleBroker

beforeAll(async () => {
  if (missing !== undefined) return
  broker = await startExampleBroker(async (folder) => {
    const image = await buildFolder({ folder: 'examples/cnab/lighthouse', dataDir: folder })
    await inCnabContext(
      folder,
      'none',
      ({
        house: {
          workshop: { artifacts },
        },
      }) =>
        archiveBundle(artifacts, {
          reference: 'examples/cnab/lighthouse/bundle.json',
          relocation: { 'chandler.example/lighthouse-installer:1.0.0': image },
          to: join(folder, '.chandler/examples/lighthouse.tgz'),
          thin: false,
          compression: 'fastest',
          signal: new AbortController().signal,
          progress: () => undefined,
        }),
    )
  })
})

afterAll(() => (missing === undefined ? broker.stop() : undefined))

interface Service {
  readonly id: string
  readonly name: string
  readonly plans: readonly { readonly id: string; readonly name: string; readonly schemas: object }[]
}

test.skipIf(missing !== undefined)(
  'the lighthouse is lit, gets a keeper and goes out',
  async () => {
    const { body } = await broker.osb('GET', '/catalog')
    const service = (body as { readonly services: readonly Service[] }).services.find(
      ({ name }) => name === 'lighthouse',
    )
    const plan = service?.plans.find(({ name }) => name === 'reef')
    const ids = { service_id: service?.id, plan_id: plan?.id }
    const query = `service_id=${ids.service_id}&plan_id=${ids.plan_id}&accepts_incomplete=true`
    const made = { ...ids, organization_guid: 'sea', space_guid: 'coast' }
    const instance = '/service_instances/pharos'
    const binding = `${instance}/service_bindings/ada`

    const refused = await broker.osb('PUT', `${instance}?accepts_incomplete=true`, {
      ...made,
      parameters: { colour: 'blue' },
    })
    await broker.osb('PUT', `${instance}?accepts_incomplete=true`, { ...made, parameters: { colour: 'red' } })
    const lit = await broker.ended(instance)
    await broker.osb('PUT', `${binding}?accepts_incomplete=true`, ids)
    const hired = await broker.ended(binding)
    const { body: keeper } = await broker.osb('GET', binding)
    await broker.osb('DELETE', `${binding}?${query}`)
    const dismissed = await broker.ended(binding)
    await broker.osb('DELETE', `${instance}?${query}`)
    const out = await broker.ended(instance)

    expect(service?.plans.map(({ name }) => name)).toEqual(['harbour', 'reef'])
    expect(refused).toMatchObject({ status: 400, body: { description: expect.stringContaining('colour') } })
    expect([lit, hired, dismissed, out]).toEqual(['succeeded', 'succeeded', 'succeeded', 'succeeded'])
    expect(keeper).toMatchObject({
      credentials: { username: 'ada', uri: expect.stringMatching(/^light:\/\/ada:[0-9a-f]{32}@/) },
    })
  },
  120_000,
)
