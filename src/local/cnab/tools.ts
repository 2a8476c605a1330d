/** The entrance for commands about bundles: a context opened and closed, and the engine that runs what is ordered. */

import { secretsOfJob } from '../../broker/secrets.ts'
import { operationDocument, operationOf } from '../../contracts/cnab/index.ts'
import type { Listener } from '../../host/workshop.ts'
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { maskOf } from '../../kit/redact.ts'
import { findDriver } from './command-driver.ts'
import { type CnabContext, openCnabContext } from './context.ts'
import { type Order, rehearse } from './orders.ts'

/** Engines of ours by name; any other name is that of a driver. */
const ownDrivers = ['auto', 'embedded', 'docker'] as const

/** Works in the room of a data folder; the driver `none` is for commands that only look. Problems: cnab.driver.failed. */
export async function inCnabContext<T>(
  dataDir: string,
  driver: string,
  work: (room: CnabContext) => Promise<T>,
): Promise<T> {
  const engine = ownDrivers.find((one) => one === driver)
  const isOurs = engine !== undefined || driver === 'none'
  const program = isOurs ? undefined : findDriver(driver, process.env)
  const room = await openCnabContext({ dataDir, ...present({ engine, program }) })
  try {
    return await work(room)
  } finally {
    await room.close()
  }
}

/** The operation that an order comes to, with everything secret masked. */
export async function dryRun(room: CnabContext, order: Order, listener: Listener): Promise<JsonObject> {
  const { job, bundle, claim } = await rehearse(room, order, listener)
  const texts = new Set(secretsOfJob(job))
  const known = maskOf(texts)
  // In a document that is there to be read, short words of it are hidden, too.
  const hide = (text: string): string => {
    let shown = known.text(text).replaceAll('[redacted]', mask)
    for (const secret of texts) if (secret !== '') shown = shown.replaceAll(secret, mask)
    return shown
  }
  return masked(operationDocument(operationOf(job, { bundle, claim })), hide) as JsonObject
}

const mask = '******'

function masked(value: Json, hidden: (text: string) => string): Json {
  if (typeof value === 'string') return hidden(value)
  if (typeof value === 'number') return hidden(String(value)) === String(value) ? value : mask
  if (Array.isArray(value)) return value.map((one: Json) => masked(one, hidden))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, one]) => [key, masked(one, hidden)]),
  )
}
