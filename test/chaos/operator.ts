/** The operator on duty: what is held back, because brokers died over it again and again, is released as the manual says. */
import { setTimeout as pause } from 'node:timers/promises'
import { isObject } from '../../src/kit/json.ts'
import { accounts } from '../support/broker-process.ts'
import type { Front } from './front.ts'

export interface Duty {
  readonly released: number
  end(): Promise<void>
}

export function goOnDuty(front: Front): Duty {
  let released = 0
  const leaving = new AbortController()
  const ask = (method: 'GET' | 'POST', path: string) =>
    front.ask({ method, path: `/api/v1${path}`, authorization: accounts.operator })
  const round = async (): Promise<void> => {
    const { body } = await ask('GET', '/operations?state=quarantined')
    const items: readonly unknown[] = Array.isArray(body['items']) ? body['items'] : []
    for (const item of items) {
      if (!isObject(item)) continue
      const { status } = await ask('POST', `/operations/${String(item['id'])}/release`)
      if (status < 300) released++
    }
  }
  const watch = (async () => {
    while (!leaving.signal.aborted) {
      // That no broker is left is told by the customers, too.
      await round().catch(() => undefined)
      await pause(500, undefined, { signal: leaving.signal }).catch(() => undefined)
    }
  })()
  return {
    get released() {
      return released
    },
    async end() {
      leaving.abort()
      await watch
    },
  }
}
