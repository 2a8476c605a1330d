/** What toi commands have in common: which package, and where it lies. */
import type { Command } from 'commander'
import type { ToiWish } from '../../authoring/toi/tools.ts'
import { present } from '../../kit/present.ts'
import { localDataDir } from '../local.ts'
import { type Form, withOutput } from '../output.ts'
import { withRegistries } from '../registries-option.ts'

export interface PackageOptions {
  readonly output: Form
  readonly dataDir: string
  readonly repo?: string
  readonly lookup?: readonly string[]
}

export function withPackage(command: Command): Command {
  return withRegistries(withOutput(command))
    .option('--repo <repository>', 'the repository of a reference that names none')
    .option(
      '--lookup <repository>',
      'where referenced components may be, too (repeatable)',
      (one: string, all: readonly string[] = []) => [...all, one],
    )
    .option('--data-dir <path>', 'where images, keys and installations are kept', localDataDir())
}

export function wishOf(
  reference: string,
  identity: readonly string[],
  { repo, lookup = [], dataDir }: PackageOptions,
): ToiWish {
  return { reference, identity, lookup, dataDir, ...present({ repo }) }
}
