/** Brings an installation to where a document wants it. */

import {
  changesBetween,
  decide,
  modifies,
  readInstallationDocument,
  runsOf,
  stateOf,
} from '../../contracts/cnab/index.ts'
import type { Listener } from '../../host/workshop.ts'
import type { JsonObject } from '../../kit/json.ts'
import { failAll } from '../../model/problem.ts'
import type { CnabContext } from './context.ts'
import { findInstallation } from './installations.ts'
import { carryOut, type InstallationRan, type Order, rehearse } from './orders.ts'
import { keyOf, readDocument } from './sets.ts'

export interface ApplyWish {
  readonly file: string
  readonly options: JsonObject
  readonly force: boolean
  /** Only say what would be done. */
  readonly dryRun: boolean
}

export interface Applied {
  readonly installation: string
  readonly action: ReturnType<typeof decide>
  /** What is not as the document wants it. */
  readonly changed: readonly string[]
  readonly ran?: InstallationRan
}

/** Reads the document, compares, and does what is needed. Problems: cnab.installation.invalid, those of the action. */
export async function applyDocument(
  room: CnabContext,
  wish: ApplyWish,
  listener: Listener,
): Promise<Applied> {
  const reading = readInstallationDocument(readDocument(wish.file, 'cnab.installation.invalid'))
  if (reading.kind === 'refused') {
    const [first, ...rest] = reading.problems
    failAll([{ ...first, where: { source: wish.file, ...first.where } }, ...rest])
  }
  const document = reading.value
  const installation = keyOf(document.namespace, document.name)
  const found = await findInstallation(room.house, installation)
  const { state } = stateOf(found === undefined ? [] : runsOf(found.ledger.claims, installation), modifies)
  const order: Order = {
    installation,
    namespace: document.namespace,
    action: 'upgrade',
    reference: document.reference,
    given: Object.fromEntries(Object.entries(document.parameters).map(([name, value]) => [name, { value }])),
    parameterSets: document.parameterSets,
    credentialSets: document.credentialSets,
    labels: document.labels,
    options: wish.options,
    force: wish.force,
    anew: true,
  }
  const isToCompare = state === 'installed' && !document.uninstalled
  const before = found?.ledger.installation()?.applied
  const changed = isToCompare
    ? changesBetween(before, (await rehearse(room, { ...order, force: true }, listener)).applied)
    : []
  const action = decide({ state, wantsUninstalled: document.uninstalled, changed, force: wish.force })
  if (action === 'nothing' || wish.dryRun) return { installation, action, changed }
  const ran = await carryOut(room, { ...order, action }, listener)
  return { installation, action, changed, ran }
}
