/** The door for commands about bundles: a room opened and closed, and who runs what is ordered. */
import { operationDocument, operationOf } from '../../contracts/cnab/index.ts'
import { runJob } from '../../host/run-job.ts'
import type { Listener } from '../../host/workshop.ts'
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { driverRunner, findDriver } from './command-driver.ts'
import { type Order, rehearse } from './orders.ts'
import type { Runner } from './perform.ts'
import { type CnabRoom, openCnabRoom } from './room.ts'

/** Engines of ours by name; any other name is that of a driver. */
const ownDrivers = ['auto', 'embedded', 'docker'] as const

/** Works in the room of a data folder; the driver `none` is for who only looks. */
export async function inRoom<T>(
  dataDir: string,
  driver: string,
  work: (room: CnabRoom, run: Runner) => Promise<T>,
): Promise<T> {
  const own = ownDrivers.find((one) => one === driver)
  const room = await openCnabRoom(dataDir, driver === 'none' ? 'none' : (own ?? 'embedded'))
  try {
    return await work(room, runnerOf(room, driver))
  } finally {
    await room.close()
  }
}

function runnerOf({ engines }: CnabRoom, driver: string): Runner {
  const isOurs = driver === 'none' || ownDrivers.some((one) => one === driver)
  if (!isOurs) return driverRunner(findDriver(driver, process.env))
  return async (job, { run }, listener) =>
    await runJob(await engines, job, { cluster: 'local', purpose: 'cnab', name: run, ...listener })
}

/** The operation that an order comes to, with everything secret masked. */
export async function dryRun(room: CnabRoom, order: Order, listener: Listener): Promise<JsonObject> {
  const { job, bundle, claim, secrets } = await rehearse(room, order, listener)
  const hidden = new Set(secrets)
  return masked(operationDocument(operationOf(job, { bundle, claim })), hidden) as JsonObject
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
