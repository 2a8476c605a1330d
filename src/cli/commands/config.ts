/** chandler config: is the configuration right, and what is in effect. */
import type { Command } from 'commander'
import type { Json } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { writeYaml } from '../../kit/yaml.ts'
import { describePlace, failAll } from '../../model/problem.ts'
import { settingsSchema } from '../../settings/describe.ts'
import { shown } from '../../settings/read.ts'
import { add } from '../command.ts'
import { type Form, printDeed, withOutput } from '../output.ts'
import { type SettingsOptions, settingsOf, withSettings } from '../settings-options.ts'
import { printTable } from '../table.ts'
import { print } from '../terminal.ts'

export function register(program: Command): void {
  const group = add(program, {
    usage: 'config',
    summary: 'Check and show the configuration',
    examples: ['config validate --config chandler.yml', 'config show --origin'],
  })
  const validate = add(group, {
    usage: 'validate',
    summary: 'Check the configuration without starting',
    examples: ['config validate --config chandler.yml'],
  })
  withOutput(withSettings(validate)).action(async (options: SettingsOptions & { output: Form }) => {
    const { file, entries, absent } = settingsOf(options)
    failAll(absent)
    await printDeed(options.output, {
      kind: 'ConfigCheck',
      value: { valid: true, ...present({ file }), settings: entries.length },
      name: file ?? 'valid',
      sentences: [
        `The configuration is valid${file === undefined ? '' : `: ${file}`} (${entries.length} settings).`,
      ],
    })
  })
  const show = add(group, {
    usage: 'show',
    summary: 'Show the values in effect, secrets as stars',
    examples: ['config show --config chandler.yml', 'config show --origin --defaults', 'config show -o json'],
  })
    .option('--origin', 'where each value comes from')
    .option('--defaults', 'also values that nobody set')
    .option('-o, --output <form>', 'table, json or yaml', 'table')
  withSettings(show).action(
    (options: SettingsOptions & { origin?: boolean; defaults?: boolean; output: string }) => {
      const { entries } = settingsOf(options)
      const effective = entries.filter((one) => options.defaults || one.origin !== 'default')
      const rows = effective.map((one) => ({
        path: one.path,
        value: shown(one.value),
        origin: one.origin,
        ...(one.place ? { place: describePlace(one.place) } : {}),
      }))
      if (options.output === 'json')
        return print(JSON.stringify({ apiVersion: 'chandler/v1', settings: rows }, null, 2))
      if (options.output === 'yaml') return print(writeYaml(rows as unknown as Json))
      printTable(
        options.origin ? ['SETTING', 'VALUE', 'ORIGIN', 'PLACE'] : ['SETTING', 'VALUE'],
        rows.map(({ path, value, origin, place }) => [
          path,
          typeof value === 'string' ? value : JSON.stringify(value),
          ...(options.origin ? [origin, place ?? '-'] : []),
        ]),
      )
    },
  )
  add(group, {
    usage: 'schema',
    summary: 'Print the JSON Schema of the configuration file, for editors',
    examples: ['config schema > chandler.schema.json'],
  }).action(() => print(JSON.stringify(settingsSchema(), null, 2)))
}
