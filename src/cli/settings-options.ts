/** Options of commands that read the broker's own configuration. */
import type { Command } from 'commander'
import { referenceCheck } from '../host/reference-check.ts'
import { present } from '../kit/present.ts'
import { fail, failAll } from '../model/problem.ts'
import { type Loaded, loadSettings } from '../settings/load.ts'
import { say } from './terminal.ts'

export interface SettingsOptions {
  readonly config?: string
  readonly set?: Readonly<Record<string, string>>
}

/** Adds `--config` and `--set`. */
export function withSettings(command: Command): Command {
  return command
    .option(
      '-c, --config <path>',
      'configuration file (CHANDLER_CONFIG); else chandler.yml in this folder, else in /etc/chandler',
    )
    .option(
      '--set <name=value>',
      'one setting, such as http.listen=127.0.0.1:9000 (repeatable)',
      (text: string, all: Readonly<Record<string, string>> = {}) => {
        const at = text.indexOf('=')
        if (at < 1) return fail('usage.invalid', `--set ${JSON.stringify(text)} is not name=value`)
        return { ...all, [text.slice(0, at)]: text.slice(at + 1) }
      },
    )
}

/** The configuration in effect, or its faults. */
export function loadedOf(options: SettingsOptions): Loaded {
  return loadSettings({
    environment: process.env,
    folder: process.cwd(),
    references: referenceCheck,
    ...present({ file: options.config, flags: options.set }),
  })
}

/** The same; warnings are said. Problems: settings.invalid, file.unreadable. */
export function settingsOf(options: SettingsOptions): Extract<Loaded, { kind: 'settings' }> {
  const loaded = loadedOf(options)
  if (loaded.kind === 'faults') failAll(loaded.problems)
  for (const warning of loaded.warnings) say(`warning: ${warning.detail}`)
  return loaded
}
