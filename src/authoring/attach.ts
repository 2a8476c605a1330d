/** What earlier commands have ordered: looked at, and stayed with to its end. */
import { cancelOperation } from '../broker/steer.ts'
import type { Listener } from '../host/workshop.ts'
import { stayWith } from '../local/act.ts'
import { type LocalBroker, openLocalBroker } from '../local/local-broker.ts'
import type { ActionRan } from '../local/ran.ts'
import { actionName, findOperation, leftBehind, type UnderWay, underWay } from '../local/under-way.ts'
import type { Instance } from '../model/instance.ts'
import { hasEnded } from '../model/operation.ts'

/** Operations that have not ended, and what trials have left. */
export async function lookUnderWay(
  dataDir: string,
): Promise<{ readonly operations: readonly UnderWay[]; readonly trials: readonly Instance[] }> {
  return inHouse({ dataDir }, async (house) => ({
    operations: await underWay(house),
    trials: await leftBehind(house),
  }))
}

export interface Attachment {
  readonly dataDir: string
  /** An operation, or an instance whose latest one is meant. */
  readonly name: string
  readonly cancel: boolean
}

/** Stays with the operation until it has ended. Problems: operation.unknown, operation.left. */
export async function stayWithOperation(
  { dataDir, name, cancel }: Attachment,
  listener: Listener,
): Promise<{ readonly action: string; readonly ran: ActionRan }> {
  return inHouse({ dataDir, engine: 'auto' }, async (house) => {
    const operation = await findOperation(house, name)
    const { id, state } = operation
    const action = await actionName(house.store, operation)
    if (cancel && !hasEnded(state)) await cancelOperation(house.ports, house.asker(), id)
    const ran = await stayWith(house, id, {}, listener)
    return { action, ran }
  })
}

async function inHouse<T>(
  options: Parameters<typeof openLocalBroker>[0],
  work: (house: LocalBroker) => Promise<T>,
): Promise<T> {
  const house = await openLocalBroker(options)
  try {
    return await work(house)
  } finally {
    await house.close()
  }
}
