/** Commands without a server that are killed; `npm run chaos -- commands` kills them at each commit there is. */
import { expect, test } from 'vitest'
import { type CommandContract, commandContracts } from '../chaos/command-works.ts'
import { type Kill, killedCommands } from '../chaos/commands.ts'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { ensurePrograms } from '../support/debian.ts'

const withoutContainers: readonly CommandContract[] = ['sim', 'brokerpak']
const missing = ensurePrograms('busybox', 'curl')

/** After the order is accepted, before the run is told of as started, and before the end of it is written down. */
const kills: readonly Kill[] = [
  { when: 'after', commit: 3 },
  { when: 'before', commit: 5 },
]

function lacks(contract: CommandContract): boolean {
  if (contract === 'brokerpak') return hostEngine() === undefined
  return missing !== undefined && !withoutContainers.includes(contract)
}

for (const contract of commandContracts) {
  test.skipIf(lacks(contract))(
    `what a killed command of ${contract} left is found, told, and ended once`,
    async () => {
      expect(await killedCommands(contract, kills)).toEqual([])
    },
    900_000,
  )
}
