/** chandler package: packages of a running broker, and any package without one. */
import type { Command } from 'commander'
import type { Stage } from '../../authoring/package-tools.ts'
import { plural } from '../../kit/text.ts'
import { describeProblem, failAll, type Problem } from '../../model/problem.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { warningLine } from '../failure.ts'
import { type ListChoice, withChoice } from '../list-choice.ts'
import { listingFields, listingLine } from '../listing-fields.ts'
import { localDataDir } from '../local.ts'
import { ago, type Form, printDocument, printList, printOne, withOutput } from '../output.ts'
import { contentFields, mendLine, signatureField } from '../package-fields.ts'
import { packageListener } from '../package-listener.ts'
import { type ParameterOptions, parametersOf, withParameters } from '../parameters.ts'
import { withRegistries } from '../registries-option.ts'
import { print, say } from '../terminal.ts'
import { registerBuild } from './package-build.ts'
import { registerSandbox } from './package-sandbox.ts'

interface Local {
  readonly output: Form
  readonly contract?: string
  readonly dataDir: string
  readonly signingPolicy?: string
}

export function register(program: Command): void {
  const group = add(program, {
    usage: 'package',
    summary: 'Look at packages',
    examples: ['package list', 'package inspect ./redis.brokerpak', 'package check oci:./redis --run'],
  })
  registerSandbox(group)
  inspecting(group)
  checking(group)
  registerBuild(group, async () => (await import('../../authoring/package-tools.ts')).packageTools)
  const list = add(group, {
    usage: 'list',
    summary: "List the packages of the broker's catalog",
    examples: ['package list', 'package list -o wide'],
  })
  withChoice(withOutput(withConnection(list))).action(async (options: { output: Form } & ListChoice) => {
    const { items } = await (await connect(list)).packages()
    await printList(
      options.output,
      {
        kind: 'PackageList',
        items,
        empty: 'The catalog has no packages.',
        name: (one) => one.name,
        columns: [
          { title: 'NAME', of: (one) => one.name },
          { title: 'CONTRACT', of: (one) => one.contract },
          { title: 'STATE', of: (one) => one.state },
          { title: 'TENANT', of: (one) => one.tenant ?? '-', wide: true },
          { title: 'DIGEST', of: (one) => one.digest, wide: true },
          { title: 'READ', of: (one) => ago(one.updatedAt), by: (one) => one.updatedAt },
          { title: 'REFERENCE', of: (one) => one.reference },
          {
            title: 'WHY',
            of: (one) => one.problems?.[0]?.message ?? listingLine(one.listing) ?? mendLine(one),
          },
        ],
      },
      options,
    )
  })
  const show = add(group, {
    usage: 'show <name>',
    summary: "Show one package of the broker's catalog",
    examples: ['package show redis', 'package show redis -o json'],
  })
  withOutput(withConnection(show)).action(async (name: string, { output }: { output: Form }) => {
    const found = await (await connect(show)).package(name)
    await printOne(output, {
      kind: 'Package',
      value: found,
      name: found.name,
      fields: [
        ['Package', found.name],
        ['Reference', found.reference],
        ['Digest', found.digest],
        ['Contract', found.contract],
        ['State', found.state],
        ['Source', found.source],
        ['Sandbox of', found.tenant],
        signatureField(found.signatures),
        ...listingFields(found.listing),
        ...contentFields(found.content),
        ['Problems', found.problems?.map((one) => one.message).join('\n')],
        ['Warnings', found.warnings?.map((one) => one.message).join('\n')],
      ],
    })
  })
}

function inspecting(group: Command): void {
  const command = add(group, {
    usage: 'inspect <reference>',
    summary: 'Show what any package offers, without a broker',
    description:
      'Reads a package from wherever it is and shows the normalised view of it: services, plans, parameters, actions. A package that must be run to describe itself is run.',
    examples: [
      'package inspect docker://registry.example/patterns/redis:1.2.3',
      'package inspect ./redis.brokerpak -o json',
      'package inspect sim:demo',
    ],
  })
  withLocal(command).action(async (reference: string, options: Local) => {
    const { inspectPackage } = await import('../../authoring/package-tools.ts')
    const listener = packageListener()
    const wish = { ...(await behind(reference, options, listener)), doubted: sayWarnings }
    const { content, warnings, signatures } = await inspectPackage(wish, listener)
    sayWarnings(warnings)
    await printOne(options.output, {
      kind: 'PackageContent',
      value: { ...content, signatures },
      name: content.name,
      fields: [
        ['Package', content.name],
        ['Contract', content.contract],
        ['Digest', content.digest],
        signatureField(signatures),
        ...contentFields(content),
      ],
    })
  })
}

function checking(group: Command): void {
  const command = add(group, {
    usage: 'check <reference>',
    summary: 'Lint any package, and with --run drive it through its whole life',
    description:
      'Reads a package and tells everything that is wrong with it. With --run it is provisioned, updated (with the same parameters, where it offers updates), bound, unbound and deprovisioned on an engine of this machine; nothing is left behind.',
    examples: [
      'package check ./redis.brokerpak',
      'package check oci:./redis --run -p memory=256',
      'package check sim: --run --plan default -o json',
    ],
  })
    .option('--run', 'drive it through its whole life')
    .option('--plan <name>', 'the plan to try; the first when absent')
  withParameters(withLocal(command)).action(
    async (reference: string, options: Local & ParameterOptions & { run?: boolean; plan?: string }) => {
      const { inspectPackage, tryPackage } = await import('../../authoring/package-tools.ts')
      const listener = packageListener()
      const wish = await behind(reference, options, listener)
      const asked = { ...wish, doubted: sayWarnings }
      const { content, warnings, refusals } = await inspectPackage(asked, listener)
      if (refusals.length > 0) sayWarnings(warnings)
      failAll(refusals)
      const { contract, name, version, services } = content
      const asDocument = options.output === 'json' || options.output === 'yaml'
      if (!asDocument) {
        sayWarnings(warnings)
        const plans = services.reduce((sum, service) => sum + service.plans.length, 0)
        print(`ok: ${name} ${version} is a ${contract} package with ${plural(plans, 'plan')}`)
      }
      const stages: Stage[] = []
      const ended = (stage: Stage): void => {
        stages.push(stage)
        if (!asDocument) print(stageLine(stage))
      }
      if (options.run) {
        const parameters = (await parametersOf(options)) ?? {}
        await tryPackage({ ...wish, parameters, bindParameters: {}, ended }, listener)
      }
      if (asDocument) {
        const told = warnings.map((one) => ({ code: one.code, text: describeProblem(one) }))
        const what = { name, version, contract, digest: content.digest }
        await printDocument(options.output, 'PackageCheck', { ...what, warnings: told, stages })
      }
      if (stages.some(({ fault }) => fault !== undefined)) process.exitCode = 3
    },
  )
}

/** What was asked for, with the package that is built where the reference is a folder of sources. */
async function behind<T extends Local>(
  asked: string,
  options: T,
  { signal, progress }: ReturnType<typeof packageListener>,
) {
  const { packageBehind } = await import('../../authoring/sources/build.ts')
  const { dataDir } = options
  return { ...(await packageBehind(asked, { dataDir, signal, progress })), ...options }
}

function sayWarnings(warnings: readonly Problem[]): void {
  for (const warning of warnings) say(warningLine(warning))
}

function stageLine({ action, fault, skipped }: Stage): string {
  if (skipped !== undefined) return `skipped: ${action}: ${skipped}`
  return fault === undefined ? `ok: ${action}` : `failed: ${action}: ${fault}`
}

function withLocal(command: Command): Command {
  return withRegistries(withOutput(command))
    .option('--contract <name>', 'the contract, where it should not be detected')
    .option('--data-dir <path>', 'where images and keys are kept', localDataDir())
    .option(
      '--signing-policy <file>',
      'who must have signed packages; that of CHANDLER_REGISTRIES_SIGNING_POLICY when absent',
    )
}
