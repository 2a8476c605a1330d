/** chandler apb import-settings and import: from an original Automation Broker to this one. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import type { AdoptedInstance } from '../../api/adoption.ts'
import type { DryRun } from '../../api/instance.ts'
import type { InstanceAddress } from '../../client/client.ts'
import { problemFrom } from '../../client/problem.ts'
import type { Json } from '../../kit/json.ts'
import { plural, printable } from '../../kit/text.ts'
import { writeYaml } from '../../kit/yaml.ts'
import { describeProblem, fail, type Problem, toProblem } from '../../model/problem.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { type Form, printList, withOutput } from '../output.ts'
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
      const { moveBrokerSettings, readDump, specsLeftOut, specsOf } = await import(
        '../../authoring/apb/moving.ts'
      )
      const dump = readDump(files.map((name) => ({ name, text: textOf(name) })))
      const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined)
      const moved = moveBrokerSettings({ text: textOf(config), dump, read })
      for (const remark of moved.remarks) say(`note: ${remark}`)
      if (moved.faults.length > 0) fail('usage.invalid', moved.faults.join('; '))
      writeSecrets(join(folder, 'secrets'), moved.secrets)
      if (specs !== undefined) {
        for (const line of specsLeftOut(dump, moved.registries)) say(`note: ${printable(line)}`)
        writeSpecs(specs, specsOf(dump, moved.registries))
      }
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
    .option('--dry-run', 'only ask the broker what it would take')
  withOutput(withConnection(command)).action(
    async (files: readonly string[], { for: platform, dryRun, output }: ImportOptions) => {
      const { movedInstances, readDump } = await import('../../authoring/apb/moving.ts')
      const { instances, refused } = movedInstances(
        readDump(files.map((name) => ({ name, text: textOf(name) }))),
      )
      const client = await connect(command)
      const take = dryRun === true ? tried(client.dryAdopt) : taken(client.adopt)
      const told = teller(output)
      for (const { id, why } of refused) told.add({ instance: id, result: 'refused', why })
      for (const { instance, ...body } of instances) {
        told.add({
          instance,
          bindings: body.bindings.length,
          ...(await take({ platform, instance }, body)),
        })
      }
      await told.end()
    },
  )
}

interface ImportOptions {
  readonly for: string
  readonly dryRun?: boolean
  readonly output: Form
}

/** What became of one instance of the original. */
interface Taken {
  readonly instance: string
  readonly bindings?: number
  readonly result: 'taken' | 'would be taken' | 'there already' | 'refused'
  readonly why?: string
}

type TakeOver<T> = (key: InstanceAddress, body: AdoptedInstance) => Promise<T>
type Result = Pick<Taken, 'result' | 'why'>

function taken(adopt: TakeOver<void>): TakeOver<Result> {
  return (key, body) =>
    adopt(key, body).then(
      () => ({ result: 'taken' }),
      (error: unknown) => resultOf(toProblem(error)),
    )
}

function tried(dryAdopt: TakeOver<DryRun>): TakeOver<Result> {
  return (key, body) =>
    dryAdopt(key, body).then(
      ({ problem }) =>
        problem === undefined ? { result: 'would be taken' } : resultOf(problemFrom(problem, 400)),
      (error: unknown) => resultOf(toProblem(error)),
    )
}

/** A refusal ends only the take-over of this instance. */
function resultOf(problem: Problem): Result {
  if (problem.code === 'instance.exists') return { result: 'there already' }
  return { result: 'refused', why: describeProblem(problem) }
}

/** Tells people of each instance at once, and programs of all at the end; a refused one makes the command end with 3. */
function teller(form: Form): { readonly add: (one: Taken) => void; readonly end: () => Promise<void> } {
  const items: Taken[] = []
  const isForPeople = form === 'table' || form === 'wide'
  return {
    add: (one) => {
      items.push(one)
      if (one.result === 'refused') process.exitCode = 3
      if (isForPeople) sayTaken(one)
    },
    end: async () => {
      if (isForPeople) return
      await printList(form, {
        kind: 'AdoptionList',
        items,
        columns: [],
        name: ({ instance }) => instance,
        empty: '',
      })
    },
  }
}

function sayTaken({ instance, bindings = 0, result, why }: Taken): void {
  const what = `${instance} with ${plural(bindings, 'binding')}`
  if (result === 'refused') say(`refused: ${instance}: ${why}`)
  else if (result === 'there already') print(`there already: ${instance}`)
  else print(`${result === 'taken' ? 'took' : 'would take'} ${what}`)
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : fail('file.unreadable', file)
}
