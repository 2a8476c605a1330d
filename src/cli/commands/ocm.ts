/** chandler ocm: component versions looked at, verified, signed, transferred and built, without a broker. */
import type { Command } from 'commander'
import { add } from '../command.ts'
import { registerLooks } from '../ocm/look.ts'
import { registerMakes } from '../ocm/make.ts'

export function register(program: Command): void {
  const group = add(program, {
    usage: 'ocm',
    summary: 'Look at, verify, sign, transfer and build OCM component versions',
    description:
      'Works on transport archives (folder, tar, tgz), component archives and registries. Credentials come from the files of Docker and Podman and from ~/.ocmconfig.',
    examples: [
      'ocm get ./ctf',
      'ocm verify ./ctf//example.org/chandler/echo:1.0.0 --key acme.pub',
      'ocm transfer ./ctf//example.org/chandler/echo:1.0.0 --to registry.example/team --recursive',
    ],
  })
  registerLooks(group)
  registerMakes(group)
}
