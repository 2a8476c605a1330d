/** chandler apb: service bundles, for their authors and for developers of a broker's catalog. */
import type { Command } from 'commander'
import { registerBroker } from '../apb/broker.ts'
import { registerMaking } from '../apb/making.ts'
import { registerMoving } from '../apb/moving.ts'
import { registerPush } from '../apb/push.ts'
import { registerRuns } from '../apb/runs.ts'
import { add } from '../command.ts'

export function register(program: Command): void {
  const group = add(program, {
    usage: 'apb',
    summary: 'Write, build and try service bundles (APB)',
    description:
      'Bundles are images of the Automation Broker. A reference is an image, or a folder with an apb.yml, which is built first. No cluster and no container engine is needed.',
    examples: [
      'apb init my-bundle',
      'apb lint my-bundle',
      'apb run provision my-bundle',
      'apb test my-bundle',
    ],
  })
  registerMaking(group)
  registerRuns(group)
  registerPush(group)
  registerBroker(group)
  registerMoving(group)
}
