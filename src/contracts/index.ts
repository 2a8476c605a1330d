/** The contracts, by name: a further one is a folder, a line here and its name in the model. */
import type { ContractName } from '../model/contract-names.ts'
import { apb } from './apb/index.ts'
import { brokerpak } from './brokerpak/index.ts'
import { cnab } from './cnab/index.ts'
import type { Contract } from './contract.ts'
import { sim } from './sim/index.ts'
import { toi } from './toi/index.ts'
import { tweed } from './tweed/index.ts'

const byName: Readonly<Record<ContractName, Contract>> = { apb, brokerpak, cnab, sim, toi, tweed }

export const contracts: readonly Contract[] = Object.values(byName)
