/** chandler support-bundle: one file with what a maintainer needs to see, and nothing secret. */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Manifest } from '../../diagnostics/support/bundle.ts'
import { systemClock } from '../../kit/clock.ts'
import { present } from '../../kit/present.ts'
import { sizeText } from '../../kit/text.ts'
import { fail } from '../../model/problem.ts'
import { add } from '../command.ts'
import { type ConnectionOptions, connect, withConnection } from '../connection.ts'
import { durationOf } from '../follow.ts'
import { type Form, printDocument, withOutput } from '../output.ts'
import { type SettingsOptions, withSettings } from '../settings-options.ts'
import { printTable } from '../table.ts'
import { print, say } from '../terminal.ts'

interface BundleOptions extends SettingsOptions, ConnectionOptions {
  readonly operation?: string
  readonly since: string
  readonly file?: string
  readonly list?: true
  readonly local?: true
  readonly log?: string
  readonly output: Form
}

export function register(program: Command): void {
  const command = add(program, {
    usage: 'support-bundle',
    summary: 'Write one file with what a maintainer needs to see, and nothing secret',
    description:
      'Has the broker pack versions, settings with their origins, health, figures, the newest lines of its log, nodes, packages, and the latest operations with their history, runs and last lines. Secrets are taken out twice, and parameters are left out; look into it before you hand it on. With --local it is made on this machine from configuration, doctor and store, for the day when no broker runs.',
    examples: [
      'support-bundle',
      'support-bundle --operation 01J8Z3KQ5V --since 1d',
      'support-bundle --list',
      'support-bundle --local --config chandler.yml --log broker.log',
    ],
  })
    .option('--operation <id>', 'with the whole log of this operation')
    .option('--since <duration>', 'what was ordered since then, such as 90m or 2d', '2h')
    .option('--file <path>', 'where to write it; else chandler-support-TIME.tar.gz in this folder')
    .option('--list', 'only say what it would hold')
    .option('--local', 'made here, without a broker, from configuration, doctor and store')
    .option('--log <path>', 'with --local: a log whose last lines are put in')
  withSettings(withOutput(withConnection(command))).action(async (options: BundleOptions) => {
    if (options.log !== undefined && options.local === undefined)
      fail('usage.invalid', '--log goes with --local')
    const { manifestOf } = await import('../../diagnostics/support/bundle.ts')
    const bundle = options.local ? await ofMachine(options) : await ofBroker(command, options)
    const manifest = manifestOf(bundle)
    await tell(options, manifest, options.list ? undefined : write(options, bundle))
  })
}

async function ofBroker(command: Command, { since, operation }: BundleOptions): Promise<Uint8Array> {
  const client = await connect(command)
  return client.supportBundle({
    sinceSeconds: Math.max(1, Math.round(durationOf(since) / 1000)),
    ...present({ operation }),
  })
}

async function ofMachine(options: BundleOptions): Promise<Uint8Array> {
  const { localBundle } = await import('../local-bundle.ts')
  const { operation, log } = options
  return localBundle(options, { sinceMs: durationOf(options.since), ...present({ operation }) }, log)
}

/** Answers where it was written; nothing that is there is replaced. */
function write({ file }: BundleOptions, bundle: Uint8Array): string {
  const time = new Date(systemClock.now()).toISOString().replace(/[-:]|\.\d+/g, '')
  const path = resolve(file ?? `chandler-support-${time}.tar.gz`)
  try {
    writeFileSync(path, bundle, { mode: 0o600, flag: 'wx' })
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    const hint = code === 'EEXIST' ? { hint: 'It is there already; name another with --file.' } : {}
    fail('file.unwritable', `${path}: ${code}`, { cause, ...hint })
  }
  return path
}

async function tell({ output }: BundleOptions, manifest: Manifest, file: string | undefined): Promise<void> {
  const { files, leftOut } = manifest
  if (output === 'json' || output === 'yaml')
    return printDocument(output, 'SupportBundle', { ...present({ file }), files, leftOut })
  if (output === 'name') return print(file ?? '')
  printTable(
    ['FILE', 'SIZE', 'TELLS'],
    files.map(({ name, bytes, about }) => [name, sizeText(bytes), about]),
  )
  for (const what of leftOut) say(`left out: ${what}`)
  if (file === undefined) return
  print(`\nWrote ${file}`)
  say('Secrets are taken out. Look into it before you hand it on: tar -xzf, then read manifest.json.')
}
