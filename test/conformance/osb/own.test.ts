/** Our own broker under the check that is offered for everybody's: no finding, in the oldest and the newest version. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/kit/clock.ts'
import { Secret } from '../../../src/kit/secret.ts'
import { startBrokerProcess } from '../../support/broker-process.ts'
import { judgeBroker, told } from '../../support/foreign/judge-broker.ts'

const takes = (ms: number) => ({ sim: { create: { ms }, update: { ms }, delete: { ms } } })

test.each([11, 13, 17] as const)('our own broker has no finding as version 2.%i', async (minor) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'chandler-own-'))
  const broker = await startBrokerProcess({ dataDir })
  const report = await judgeBroker(
    { url: broker.url, credentials: { user: 'conformance', password: new Secret('conformance-of-osb') } },
    {
      minor,
      clock: systemClock,
      plans: ['alpha-db/small', 'alpha-db/slow', 'alpha-db/rotating', 'alpha-db/nobind', 'beta-queue'],
      parameters: {
        'alpha-db/slow': {
          create: takes(1500),
          other_create: { ...takes(1500), size: 3 },
          update: { ...takes(1500), size: 4 },
          other_update: { size: 5 },
        },
      },
    },
  )
  await broker.end('SIGTERM')
  rmSync(dataDir, { recursive: true, force: true })

  expect(told(report)).toEqual([])
  expect(
    report.ledger.filter(({ fate }) => fate === 'left' || fate === 'made' || fate === 'unknown'),
  ).toEqual([])
})
