/** The settings of the broker that a case is played with. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { isObject, type JsonObject } from '../../src/kit/json.ts'
import { describeProblem } from '../../src/model/problem.ts'
import { loadSettings } from '../../src/settings/load.ts'
import type { Case } from './case.ts'

export const service = 'case'
export const platform = 'platform'
export const operator = 'operator'
export const password = 'of-the-case'

interface Arrangement {
  readonly folder: string
  readonly data: string
  readonly reference: string
  readonly case: Case
  readonly plan: Case['plan']
  readonly settings?: JsonObject
  readonly plans?: readonly JsonObject[]
  readonly entry?: JsonObject
  /** How often the broker was started before: each start has a file of its own. */
  readonly start: number
}

export function settingsOfCase(arrangement: Arrangement) {
  const { folder, start, case: one } = arrangement
  const file = join(folder, `chandler-${start}.yml`)
  writeFileSync(file, stringify(document(arrangement)))
  const loaded = loadSettings({ environment: one.settings?.brokerEnv ?? {}, file, folder })
  if (loaded.kind === 'faults') throw new Error(loaded.problems.map(describeProblem).join('\n'))
  return loaded.settings
}

/** How many times slower a host may be than those that the seconds of the cases were written for. */
export const slowness = 10

/** The options of a case's pattern. Limits of time that no step is to run into are stretched for slow hosts. */
export function optionsOfCase({ settings, steps }: Case): JsonObject {
  const { brokerEnv: _, timeoutSeconds, ...options } = settings ?? {}
  if (!isObject(timeoutSeconds)) return options
  // A case without steps belongs to a test that drives it by hand and means the limit.
  const isReached = steps.length === 0 || steps.some(({ expect }) => expect?.reason === 'timeout')
  const stretched = Object.entries(timeoutSeconds).map(([name, seconds]) => [
    name,
    Number(seconds) * slowness,
  ])
  return { ...options, timeoutSeconds: isReached ? timeoutSeconds : Object.fromEntries(stretched) }
}

function document({ data, reference, case: one, plan, plans, entry, settings }: Arrangement): JsonObject {
  const { fixed, defaults, userParams } = plan ?? {}
  const allow = userParams === 'none' ? [] : userParams
  return {
    http: { listen: '127.0.0.1:0', adminListen: 'off' },
    dataDir: data,
    shutdown: { drainDelay: '0s', drain: '2s' },
    auth: {
      users: [
        { name: platform, password, role: 'platform' },
        { name: operator, password, role: 'operator' },
      ],
    },
    catalog: [
      {
        package: reference,
        contract: 'tweed',
        options: optionsOfCase(one),
        service: { name: service },
        plans: [
          {
            name: 'plan',
            ...(fixed ? { inputs: fixed } : {}),
            ...(defaults ? { defaults } : {}),
            ...(Array.isArray(allow) ? { allow } : {}),
          },
          ...(plans ?? []),
        ],
        ...entry,
      },
    ],
    ...settings,
  }
}
