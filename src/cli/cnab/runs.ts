/** chandler cnab install, upgrade, uninstall, invoke and apply. */
import type { Command } from 'commander'
import type { JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { printable } from '../../kit/text.ts'
import type { InstallationRan, Order } from '../../local/cnab/orders.ts'
import { fail, failAll } from '../../model/problem.ts'
import { add } from '../command.ts'
import { detach, withDetach } from '../detach.ts'
import { type Form, printDocument } from '../output.ts'
import { withRegistries } from '../registries-option.ts'
import { print, say } from '../terminal.ts'
import { bundleListener } from './listener.ts'
import {
  collect,
  contractOptionsOf,
  givenOf,
  type Local,
  pairsOf,
  type RunOptions,
  relocationOf,
  withDriver,
  withLocal,
  withRunOptions,
} from './options.ts'

export function registerRuns(group: Command): void {
  registerInstall(group)
  registerUpgrade(group)
  registerUninstall(group)
  registerInvoke(group)
  registerApply(group)
}

function registerInstall(group: Command): void {
  const command = add(group, {
    usage: 'install <name> [reference]',
    summary: 'Install a bundle',
    description:
      'The reference is a thick or thin archive, a bundle.json, or a bundle in a registry. The installation lives on this machine, its records sealed, until it is uninstalled and deleted.',
    examples: [
      'cnab install hello ./hello-1.0.0.tgz -p port=8080',
      'cnab install hello docker://registry.example/team/hello:v1.0.0 -c staging',
      'cnab install hello ./bundle.json --image hello-installer:1.0.0=oci:./image:latest --dry-run',
    ],
  }).option('-l, --label <name=value>', 'a label of the installation (repeatable)', collect)
  withDetach(withRunOptions(withLocal(command))).action(
    async (name: string, reference: string | undefined, options: RunOptions) =>
      await order(options, { name, action: 'install', reference: bundleOf(reference, options, true) }),
  )
}

function registerUpgrade(group: Command): void {
  const command = add(group, {
    usage: 'upgrade <name> [reference]',
    summary: 'Upgrade an installation, to another bundle or with other parameters',
    description: 'What is not given stays as it was: the bundle, the sets, the parameters.',
    examples: ['cnab upgrade hello -p port=9090', 'cnab upgrade hello ./hello-1.1.0.tgz'],
  }).option('-l, --label <name=value>', 'a label of the installation (repeatable)', collect)
  withDetach(withRunOptions(withLocal(command))).action(
    async (name: string, reference: string | undefined, options: RunOptions) =>
      await order(options, { name, action: 'upgrade', reference: bundleOf(reference, options) }),
  )
}

interface UninstallOptions extends RunOptions {
  readonly delete?: boolean
  readonly forceDelete?: boolean
}

function registerUninstall(group: Command): void {
  const command = add(group, {
    usage: 'uninstall <name> [reference]',
    summary: 'Uninstall an installation',
    description:
      'The records stay until you delete them, too: with --delete when uninstalling has succeeded, with --force-delete in any case.',
    examples: ['cnab uninstall hello', 'cnab uninstall hello --delete'],
  })
    .option('--delete', 'forget the installation when it is uninstalled')
    .option('--force-delete', 'forget the installation even when it could not be uninstalled')
  withDetach(withRunOptions(withLocal(command))).action(
    async (name: string, reference: string | undefined, options: UninstallOptions) =>
      await order(options, {
        name,
        action: 'uninstall',
        reference: bundleOf(reference, options),
        forget: whenToForget(options),
      }),
  )
}

function whenToForget(options: UninstallOptions): NonNullable<Wish['forget']> {
  if (options.forceDelete) return 'always'
  return options.delete ? 'when-gone' : 'never'
}

function registerInvoke(group: Command): void {
  const command = add(group, {
    usage: 'invoke <name> [action] [reference]',
    summary: 'Run an action that the bundle declares',
    description:
      'Actions without state need no installation: any name will do for them, and the reference says which bundle. See "chandler cnab explain" for the actions of a bundle.',
    examples: ['cnab invoke hello status', 'cnab invoke hello io.cnab.dry-run ./hello-1.0.0.tgz'],
  })
  command.option('--action <name>', 'the action, where it is not named behind the installation')
  withDetach(withRunOptions(withLocal(command))).action(
    async (
      name: string,
      first: string | undefined,
      second: string | undefined,
      options: RunOptions & { readonly action?: string },
    ) => {
      const action = options.action ?? first
      if (action === undefined)
        return fail('usage.invalid', 'an action is missing: name one behind the installation')
      const reference = bundleOf(options.action === undefined ? second : first, options)
      await order(options, { name, action, reference })
    },
  )
}

/** The bundle: named as an argument, or by the options of other tools. Problems: usage.invalid. */
function bundleOf(argument: string | undefined, options: RunOptions, required?: true): string | undefined {
  const given = [argument, options.reference, options.cnabFile].filter((one) => one !== undefined)
  if (given.length > 1)
    fail('usage.invalid', `the bundle is named ${given.length} times: ${given.join(', ')}`)
  if (required && given.length === 0) fail('usage.invalid', 'a reference to the bundle is missing')
  return given[0]
}

interface Wish {
  readonly name: string
  readonly action: string
  readonly reference: string | undefined
  readonly forget?: 'never' | 'when-gone' | 'always'
}

async function order(options: RunOptions, wish: Wish): Promise<void> {
  const { inCnabContext, dryRun } = await import('../../local/cnab/tools.ts')
  const { begin, carryOut } = await import('../../local/cnab/orders.ts')
  const { forgetInstallation } = await import('../../local/cnab/installations.ts')
  const wanted = await orderOf(options, wish)
  const { dataDir, driver, output } = options
  const listener = bundleListener(output)
  const isRehearsal = options.dryRun === true || driver === 'debug'
  await inCnabContext(dataDir, driver === 'debug' ? 'auto' : driver, async (room) => {
    if (isRehearsal) return print(JSON.stringify(await dryRun(room, wanted, listener), null, 2))
    if (options.detach) return detach((await begin(room, wanted, listener)).operation, options)
    let isGone = false
    try {
      const ran = await carryOut(room, wanted, listener)
      await tellRun(output, wanted, ran)
      isGone = ran.problems.length === 0
      failAll(ran.problems)
    } finally {
      if (wish.forget === 'always' || (wish.forget === 'when-gone' && isGone))
        await forgetInstallation(room.house, wanted.installation)
    }
  })
}

async function orderOf(options: RunOptions, { name, action, reference }: Wish): Promise<Order> {
  const { namespace, parameterSet, credentialSet, label } = options
  const relocation = await relocationOf(options)
  if (action === 'install' && !/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name))
    fail('usage.invalid', `${JSON.stringify(name)} is no name: letters, digits, ".", "_" and "-", at most 63`)
  return {
    installation: namespace === '' ? name : `${namespace}/${name}`,
    namespace,
    action,
    ...present({ reference }),
    ...(Object.keys(relocation).length === 0 ? {} : { relocation }),
    given: await givenOf(options),
    ...present({ parameterSets: parameterSet, credentialSets: credentialSet }),
    ...(label === undefined ? {} : { labels: pairsOf('--label', label) }),
    options: contractOptionsOf(options),
    force: options.force === true,
  }
}

async function tellRun(
  form: Form,
  { installation, action }: Pick<Order, 'installation' | 'action'>,
  ran: InstallationRan,
): Promise<void> {
  const { viewRan } = await import('../../local/cnab/views.ts')
  for (const warning of ran.warnings) say(printable(`warning: ${warning}`))
  const view = viewRan(ran)
  if (form === 'json' || form === 'yaml')
    return await printDocument(form, 'CnabRun', { installation, action, ...view })
  if (form === 'name') return print(installation)
  if (ran.problems.length === 0) say(`${action} of ${installation} ${view.status}`)
}

interface ApplyOptions extends Local {
  readonly driver: string
  readonly force?: boolean
  readonly dryRun?: boolean
  readonly allowUnpinnedImages?: boolean
  readonly allowDockerHostAccess?: boolean
  readonly allowExtension?: readonly string[]
}

function registerApply(group: Command): void {
  const command = add(group, {
    usage: 'apply <file>',
    summary: 'Bring an installation to where a document wants it',
    description:
      'Installs, upgrades, uninstalls or leaves alone, whatever is needed: compared are the bundle, the parameters and the credentials. An installation that was uninstalled is left alone for good.',
    examples: ['cnab apply hello.yml', 'cnab apply hello.yml --dry-run'],
  })
    .option('--force', 'upgrade even when nothing has changed')
    .option('--dry-run', 'only say what would be done')
    .option('--allow-unpinned-images', 'run images that the bundle names without their digests')
    .option('--allow-extension <name>', 'run it though it requires an unknown extension', collect)
    .option('--allow-docker-host-access', 'lend the socket of the container engine')
  withDriver(withRegistries(withLocal(command))).action(apply)
}

async function apply(file: string, options: ApplyOptions): Promise<void> {
  const { endOf } = await import('../../local/cnab/orders.ts')
  const { inCnabContext } = await import('../../local/cnab/tools.ts')
  const { applyDocument } = await import('../../local/cnab/apply.ts')
  const { dataDir, driver, output } = options
  const wish = {
    file,
    options: contractOptionsOf({ namespace: '', ...options }) satisfies JsonObject,
    force: options.force === true,
    dryRun: options.dryRun === true,
  }
  await inCnabContext(dataDir, driver, async (room) => {
    const applied = await applyDocument(room, wish, bundleListener(output))
    const { installation, action, changed, ran } = applied
    if (output === 'json' || output === 'yaml') {
      await printDocument(output, 'CnabApply', {
        installation,
        action,
        changed,
        ran: ran !== undefined,
        ...(ran === undefined ? {} : endOf(ran)),
      })
    } else if (action === 'nothing') say('The installation is already up-to-date.')
    else if (ran === undefined)
      say(`The ${action} action would be run${changed.length > 0 ? `: ${changed.join(', ')}` : ''}.`)
    else await tellRun(output, { installation, action }, ran)
    if (ran) failAll(ran.problems)
  })
}
