/** The contracts, by name: a further one is a folder and a line. */
import { apb } from './apb/index.ts'
import { brokerpak } from './brokerpak/index.ts'
import { cnab } from './cnab/index.ts'
import type { Contract } from './contract.ts'
import { sim } from './sim/index.ts'
import { toi } from './toi/index.ts'
import { tweed } from './tweed/index.ts'

export const contracts: readonly Contract[] = [apb, brokerpak, cnab, sim, toi, tweed]
