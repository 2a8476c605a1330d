/** What doctor says that an engine of this host runs: programs, and the contracts whose packages need no more than that. */
import type { Contract } from '../contracts/contract.ts'
import type { EngineFacts } from '../engines/engine.ts'

/** One line; contracts that this engine cannot run are named with what they lack here. */
export function engineWords(facts: EngineFacts, contracts: readonly Contract[]): string {
  const steps = facts.severalSteps ? '' : ', one step per run'
  const judged = contracts.map(({ name, asks = {} }) => ({ name, lacks: lackOf(asks, facts) }))
  const able = judged.flatMap(({ name, lacks }) => (lacks === undefined ? name : []))
  const unable = judged.flatMap(({ name, lacks }) => (lacks === undefined ? [] : `${name} (${lacks})`))
  const parts = [
    `runs ${facts.programs.join(', ')}${steps}`,
    ...(able.length === 0 ? [] : [`packages of ${able.join(', ')}`]),
    ...(unable.length === 0 ? [] : [`not ${unable.join(', ')}`]),
  ]
  return parts.join('; ')
}

function lackOf(
  { program = 'image', severalSteps, cluster }: NonNullable<Contract['asks']>,
  facts: EngineFacts,
): string | undefined {
  if (!facts.programs.includes(program)) return `no ${program}`
  if (severalSteps && !facts.severalSteps) return 'several steps'
  return cluster !== undefined && !facts.cluster.includes(cluster) ? 'no cluster' : undefined
}
