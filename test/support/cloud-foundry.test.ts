/** The judge of Cloud Foundry's reading, measured by what Cloud Foundry's own tests say. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type CloudFoundryCall, type CloudFoundryVerdict, readAsCloudFoundry } from './cloud-foundry.ts'
import { type VerdictCase, verdictFaults } from './osb-verdicts.ts'

const elsewhere = '../shared/corpus/osb/platforms/cloudfoundry-response-verdicts.json'
const cases = existsSync(elsewhere)
  ? (JSON.parse(readFileSync(elsewhere, 'utf8')) as { cases: VerdictCase[] }).cases
  : []

test.skipIf(cases.length === 0)('every answer of the table is read as Cloud Foundry reads it', () => {
  const different = cases.flatMap((one) => {
    const faults = verdictFaults(one)
    return faults.length > 0 ? [{ ...one, faults }] : []
  })

  expect(cases).toHaveLength(371)
  expect(different).toEqual([])
})

test.each<
  readonly [CloudFoundryCall, number, unknown, Pick<CloudFoundryVerdict, 'error' | 'orphanMitigation'>]
>([
  ['provision', 201, {}, { orphanMitigation: false }],
  [
    'provision',
    201,
    { operation: null },
    { error: 'ServiceBrokerResponseMalformed', orphanMitigation: true },
  ],
  [
    'provision',
    422,
    { error: 'PlanChangeNotSupported' },
    { error: 'ServiceBrokerBadResponse', orphanMitigation: true },
  ],
  ['provision', 410, {}, { error: 'ServiceBrokerBadResponse', orphanMitigation: true }],
  ['provision', 429, {}, { error: 'ServiceBrokerRequestRejected', orphanMitigation: false }],
  [
    'update',
    422,
    { error: 'ConcurrencyError' },
    { error: 'ServiceBrokerRequestRejected', orphanMitigation: false },
  ],
  ['bind', 404, {}, { error: 'ServiceBrokerRequestRejected', orphanMitigation: false }],
  ['bind', 422, { error: 'RequiresApp' }, { error: 'AppRequired', orphanMitigation: false }],
  ['deprovision', 410, {}, { orphanMitigation: false }],
  [
    'fetch_service_instance',
    200,
    { dashboard_url: null },
    { error: 'ServiceBrokerResponseMalformed', orphanMitigation: false },
  ],
  [
    'fetch_service_instance_last_operation',
    404,
    {},
    { error: 'ServiceBrokerRequestRejected', orphanMitigation: false },
  ],
])('%s answered %i %j is read as %j', (call, status, body, expected) => {
  const { error, orphanMitigation } = readAsCloudFoundry(call, { status, text: JSON.stringify(body) })

  expect({ error, orphanMitigation }).toEqual({ error: undefined, ...expected })
})
