/** The entrance for commands about bundles: a context opened and closed, and the engine that runs what is ordered. */

import { operationDocument, operationOf } from '../../contracts/cnab/index.ts'
import type { Listener } from '../../host/workshop.ts'
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { Secret } from '../../kit/secret.ts'
import type { Job } from '../../model/job.ts'
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
  const hidden = new Set(secretsOfJob(job))
  return masked(operationDocument(operationOf(job, { bundle, claim })), hidden) as JsonObject
}

/** Texts that must not be seen. */
function* secretsOfJob({ steps, files }: Job): Iterable<string> {
  for (const { environment } of steps)
    for (const value of Object.values(environment)) if (value instanceof Secret) yield value.reveal()
  for (const { content } of files) if (content.kind === 'secret') yield content.secret.reveal()
}

const mask = '******'

function masked(value: Json, hidden: ReadonlySet<string>): Json {
  if (typeof value === 'string') {
    let shown = value
    for (const secret of hidden) if (secret !== '') shown = shown.replaceAll(secret, mask)
    return shown
  }
  if (Array.isArray(value)) return value.map((one: Json) => masked(one, hidden))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, one]) => [key, masked(one, hidden)]),
  )
}
