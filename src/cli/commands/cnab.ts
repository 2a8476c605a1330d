/** chandler cnab: bundles installed on this machine, published, copied and looked at, without a broker. */
import type { Command } from 'commander'
import { registerBundles } from '../cnab/bundles.ts'
import { registerDriver } from '../cnab/driver.ts'
import { registerRecords } from '../cnab/records.ts'
import { registerRuns } from '../cnab/runs.ts'
import { registerSets } from '../cnab/sets.ts'
import { add } from '../command.ts'

export function register(program: Command): void {
  const group = add(program, {
    usage: 'cnab',
    summary: 'Install, publish and look at CNAB bundles',
    description:
      'Works without a broker: installations are kept on this machine. A reference is an archive (.tgz), a bundle.json, or a bundle in a registry (docker://). Against a running broker, use instance and binding.',
    examples: [
      'cnab explain ./hello-1.0.0.tgz',
      'cnab install hello ./hello-1.0.0.tgz -p port=8080',
      'cnab publish ./hello-1.0.0.tgz --to docker://registry.example/team/hello',
    ],
  })
  registerRuns(group)
  registerRecords(group)
  registerBundles(group)
  registerSets(group)
  registerDriver(group)
}
