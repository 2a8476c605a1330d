/** How often passwords are tried at their hashes, which is what costs: counted over hours of a clock that is set forward. */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { makeGate } from '../../src/http/authenticate.ts'
import { makeJudge } from '../../src/http/judge.ts'
import { makeStoredAccounts } from '../../src/http/stored-accounts.ts'
import { systemChance, systemClock } from '../../src/kit/clock.ts'
import { roles } from '../../src/model/access.ts'
import { openStore } from '../../src/store/index.ts'
import { openKeyRing } from '../../src/store/keys.ts'
import type { Figure } from '../figures.ts'
import { commonPassword } from './fill.ts'

const accounts = 20
const hours = 3
const minuteMs = 60_000
/** Every account asks so often each minute, at once and from several addresses. */
const addresses = ['10.0.0.1', '10.0.0.2', '10.0.0.3']
const atOnce = 4

/** Against one try for each account and hour. The accounts are those of a filled store. */
export async function passwordTries(dataDir: string): Promise<Figure> {
  const keys = openKeyRing(join(dataDir, 'keys.json'), systemChance)
  const store = await openStore({ url: `sqlite:${dataDir}/chandler.db`, keys, clock: systemClock })
  const time = { now: 0 }
  const clock = { now: () => Date.now(), monotonic: () => time.now }
  const gate = makeGate({ accounts: [], roles: new Map(Object.entries(roles)) })
  const stored = makeStoredAccounts({ store, gate, clock, chance: systemChance, node: 'bench' })
  const { judge } = makeJudge({ gate, stored, clock })
  const names = Array.from({ length: accounts }, (_, i) => `account-${i}`)
  using counted = countScrypt()
  for (let minute = 0; minute < hours * 60; minute++) {
    for (const name of names) {
      const authorization = `Basic ${Buffer.from(`${name}:${commonPassword}`).toString('base64')}`
      const asked = addresses.flatMap((address) =>
        Array.from({ length: atOnce }, () => judge({ authorization, address }, 1000)),
      )
      await Promise.all(asked)
    }
    time.now += minuteMs
  }
  await store.close()
  return {
    name: `tries of passwords, ${accounts} accounts over ${hours} hours, ${addresses.length * atOnce} requests of each at once every minute, against one an hour`,
    ours: counted.calls,
    floor: accounts * hours,
    unit: 'tries',
    goal: { atMost: 1 },
  }
}

/** Counts the calls of this process until it is disposed of. */
function countScrypt(): Disposable & { readonly calls: number } {
  const { scrypt } = crypto
  const counted = { calls: 0 }
  const counting = (...given: Parameters<typeof scrypt>): void => {
    counted.calls++
    scrypt(...given)
  }
  Object.assign(crypto, { scrypt: counting })
  syncBuiltinESMExports()
  return {
    get calls() {
      return counted.calls
    },
    [Symbol.dispose]() {
      Object.assign(crypto, { scrypt })
      syncBuiltinESMExports()
    },
  }
}
