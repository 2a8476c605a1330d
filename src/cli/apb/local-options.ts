/** Options that the commands for bundles share. */
import type { Command } from 'commander'
import { localDataDir } from '../local.ts'
import { type Form, withOutput } from '../output.ts'
import { withRegistries } from '../registries-option.ts'

export interface LocalOptions {
  readonly dataDir: string
  readonly output: Form
}

/** Adds where things are kept, and how results are printed. */
export function withLocal(command: Command): Command {
  return withDataDir(withOutput(command))
}

/** Adds where things are kept. */
export function withDataDir(command: Command): Command {
  return withRegistries(command).option(
    '--data-dir <path>',
    'where images, keys and instances are kept',
    localDataDir(),
  )
}

/** Adds the image to build upon. */
export function withBase(command: Command): Command {
  return command.option('--base <reference>', 'build upon this image, not the one that the folder names')
}
