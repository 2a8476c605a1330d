/** chandler apb import-settings and import: from an original Automation Broker to this one. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import type { Json } from '../../kit/json.ts'
import { plural } from '../../kit/text.ts'
import { writeYaml } from '../../kit/yaml.ts'
import { describeProblem, fail, toProblem } from '../../model/problem.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { writeSecrets } from '../secret-files.ts'
import { print, say } from '../terminal.ts'

/** Adds what moves an original broker over. */
export function registerMoving(group: Command): void {
  importSettings(group)
  importInstances(group)
}

function importSettings(group: Command): void {
  add(group, {
    usage: 'import-settings <config>',
    summary: "Read an Automation Broker's config.yaml into settings of ours",
    description:
      'Settings go to standard output, credentials to files of the folder secrets beside them, and what became of each key to standard error. With a dump of the custom resources the Secrets that the configuration names are read, and --specs writes every spec as an apb.yml that a source of type folder offers.',
    examples: ['apb import-settings config.yaml --dump dump.json > chandler.yml'],
  })
    .option(
      '--dump <files...>',
      'what kubectl get bundles,bundleinstances,bundlebindings,secrets,configmaps -o json wrote',
    )
    .option('--specs <folder>', 'write the specs of the dump there')
    .option('--folder <path>', 'where the settings will lie; the folder secrets is made there', '.')
    .action(async (config: string, { dump: files = [], specs, folder }: SettingsOptions) => {
      const { moveBrokerSettings, readDump, specsOf } = await import('../../authoring/apb/moving.ts')
      const dump = readDump(files.map((name) => ({ name, text: textOf(name) })))
      const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined)
      const moved = moveBrokerSettings({ text: textOf(config), dump, read })
      for (const remark of moved.remarks) say(`note: ${remark}`)
      if (moved.faults.length > 0) fail('usage.invalid', moved.faults.join('; '))
      writeSecrets(join(folder, 'secrets'), moved.secrets)
      if (specs !== undefined) writeSpecs(specs, specsOf(dump, moved.registries))
      print(writeYaml(moved.settings as Json).trimEnd())
    })
}

interface SettingsOptions {
  readonly dump?: readonly string[]
  readonly specs?: string
  readonly folder: string
}

function writeSpecs(
  folder: string,
  specs: readonly { readonly path: string; readonly text: string }[],
): void {
  for (const { path, text } of specs) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  say(`wrote ${plural(specs.length, 'spec')} to ${folder}`)
}

function importInstances(group: Command): void {
  const command = add(group, {
    usage: 'import <dump...>',
    summary: 'Hand the instances of an Automation Broker to a running broker of ours',
    description:
      'Reads dumps of its custom resources with their Secrets and ConfigMaps, or of its keys in etcd (v2 API, recursive), and takes every instance over with its bindings, credentials and state, so that it can be updated, bound and deleted here. Nothing is run. The bundles must be in the catalog under the same ids: see import-settings. Stop the original first. What is there already is left as it is; what is unclear is refused one by one.',
    examples: ['apb import dump.json --for platform', 'apb import dump.json --for platform --dry-run'],
  })
    .requiredOption('--for <account>', 'the platform account that will see the instances')
    .option('--dry-run', 'only say what would be taken')
  withConnection(command).action(
    async (
      files: readonly string[],
      { for: platform, dryRun }: { readonly for: string; readonly dryRun?: boolean },
    ) => {
      const { movedInstances, readDump } = await import('../../authoring/apb/moving.ts')
      const { instances, refused } = movedInstances(
        readDump(files.map((name) => ({ name, text: textOf(name) }))),
      )
      for (const { id, why } of refused) say(`refused: ${id}: ${why}`)
      const client = dryRun === true ? undefined : await connect(command)
      let failed = refused.length
      for (const { instance, ...body } of instances) {
        const what = `${instance} with ${plural(body.bindings.length, 'binding')}`
        if (client === undefined) {
          print(`would take ${what}`)
          continue
        }
        try {
          await client.adopt({ platform, instance }, body)
          print(`took ${what}`)
        } catch (error) {
          const problem = toProblem(error)
          if (problem.code === 'instance.exists') print(`there already: ${instance}`)
          else {
            failed++
            say(`refused: ${instance}: ${describeProblem(problem)}`)
          }
        }
      }
      if (failed > 0) process.exitCode = 3
    },
  )
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : fail('file.unreadable', file)
}
