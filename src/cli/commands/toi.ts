/** chandler toi: packages in OCM component versions installed on this machine and looked at, without a broker. */
import type { Command } from 'commander'
import { add } from '../command.ts'
import { registerLooks } from '../toi/looks.ts'
import { registerRuns } from '../toi/runs.ts'

export function register(program: Command): void {
  const group = add(program, {
    usage: 'toi',
    summary: 'Install and look at TOI packages of OCM component versions',
    description:
      'Works without a broker: installations are kept on this machine. A reference is REPOSITORY//COMPONENT:VERSION, as for "chandler ocm". Against a running broker, use instance and binding.',
    examples: [
      'toi describe ./ctf//example.org/chandler/echo:1.0.0',
      'toi configuration ./ctf//example.org/chandler/echo:1.0.0',
      'toi package install ./ctf//example.org/chandler/echo:1.0.0',
    ],
  })
  registerRuns(group)
  registerLooks(group)
}
