/** An action of the broker as runs of bundles, one after the other: dependencies before what needs them, and after it when they go. */
import { parseJson } from '../../kit/exact.ts'
import { sha256 } from '../../kit/hash.ts'
import { canonical, isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { Secret } from '../../kit/secret.ts'
import type { FileIn, Job } from '../../model/job.ts'
import type { Carryover } from '../../model/outcome.ts'
import type { Problem } from '../../model/problem.ts'
import type { Action, Situation } from '../../model/situation.ts'
import { actionOf } from './actions.ts'
import { bindingsOf } from './bindings.ts'
import type { Bundle } from './bundle.ts'
import { type Claim, claimCustom, claimDocument } from './claims.ts'
import { dependencyInstallation } from './dependencies.ts'
import { faultsOfExtensions } from './extensions.ts'
import { inject } from './inject.ts'
import { memoryOf } from './memory.ts'
import { bundleIn, bytesOf, type Dependency, type KeptBundle, notesOf } from './notes.ts'
import { type Options, optionsOf } from './options.ts'
import { places } from './places.ts'
import { file, jobOf } from './run.ts'
import { runIds } from './run-ids.ts'
import { type ServiceHints, serviceHints } from './service-hints.ts'
import { sourcedValue } from './sources.ts'
import { resolveValues } from './values.ts'

/** One run among those of an action. */
export interface Stage {
  /** Absent: the bundle itself. */
  readonly alias?: string
  readonly kept: KeptBundle
  readonly bundle: Bundle
  /** In the bundle's words. */
  readonly action: string
}

export interface Plot {
  readonly bundle: Bundle
  readonly hints: ServiceHints
  readonly options: Options
  /** Empty: nothing has to be run. */
  readonly stages: readonly Stage[]
}

export type Plotted =
  | { readonly kind: 'plot'; readonly plot: Plot }
  | { readonly kind: 'refused'; readonly problems: readonly [Problem, ...Problem[]] }

const verbs = { provision: 'install', update: 'upgrade', deprovision: 'uninstall' } as const

/** What an action comes to. Problems: cnab.action.undefined, cnab.extension.*, cnab.docker.consent, cnab.image.unpinned. */
export function plotOf(action: Action, situation: Situation): Plotted {
  const notes = notesOf(situation.package)
  const options = optionsOf(situation.plan.operator.options)
  const bundle = bundleIn(notes)
  if (bundle === undefined) return refused([{ code: 'cnab.bundle.invalid', detail: situation.package.name }])
  const hints = serviceHints(bundle, options.service)
  const name = actionFor(action, bundle, hints)
  if (name === undefined) return { kind: 'plot', plot: { bundle, hints, options, stages: [] } }
  if (actionOf(bundle, name) === undefined)
    return refused([{ code: 'cnab.action.undefined', detail: `action not defined ${JSON.stringify(name)}` }])
  const own: Stage = { kept: notes, bundle, action: name }
  const stages =
    action.kind === 'bind' || action.kind === 'unbind'
      ? [own]
      : stagesWith(own, notes.dependencies, situation.carryover)
  const problems = stages.flatMap((stage) => [
    ...faultsOfExtensions(stage.bundle, options),
    ...(stage.kept.image.digest === undefined
      ? [{ code: 'cnab.image.unpinned', detail: stage.bundle.name } as const]
      : []),
  ])
  return problems.length > 0 ? refused(problems) : { kind: 'plot', plot: { bundle, hints, options, stages } }
}

/** The bundle's word for an action of the broker; undefined where nothing is run for it. */
function actionFor(action: Action, bundle: Bundle, hints: ServiceHints): string | undefined {
  switch (action.kind) {
    case 'invoke':
      return action.name
    case 'bind':
    case 'unbind': {
      const bindings = bindingsOf(bundle, hints)
      return bindings.kind === 'action' ? bindings[action.kind] : undefined
    }
    default:
      return verbs[action.kind]
  }
}

/** A custom action reaches those dependencies that have one of that name. */
function stagesWith(own: Stage, dependencies: readonly Dependency[], carryover: Carryover): readonly Stage[] {
  const others = dependencies.flatMap((kept): readonly Stage[] => {
    const bundle = bundleIn(kept)
    if (bundle === undefined || actionOf(bundle, own.action) === undefined) return []
    // What is new in this version of the parent has never been installed.
    const isNew = own.action === 'upgrade' && memoryOf(carryover, kept.alias).claim === undefined
    return [{ alias: kept.alias, kept, bundle, action: isNew ? 'install' : own.action }]
  })
  return own.action === 'uninstall' ? [own, ...others.toReversed()] : [...others, own]
}

export type StageJob =
  | {
      readonly kind: 'job'
      readonly job: Job
      readonly claim: Claim
      /** What people should hear though nothing is wrong. */
      readonly warnings: readonly Problem[]
    }
  | { readonly kind: 'refused'; readonly problems: readonly [Problem, ...Problem[]] }

/** The job of the stage that the situation is in. Problems: cnab.parameter.*, cnab.credential.missing. */
export function stageJob(action: Action, situation: Situation, { stages, options }: Plot): StageJob {
  const index = Math.min(situation.operation.stage, stages.length - 1)
  const stage = stages[index]
  if (stage === undefined) return refused([{ code: 'cnab.action.undefined', detail: action.kind }])
  const { bundle, kept, alias } = stage
  const memory = memoryOf(situation.carryover, alias)
  const { given, remembered } = parametersFor(action, situation, alias)
  const resolved = resolveValues(bundle, stage.action, {
    given,
    remembered,
    sourced: (name) =>
      sourcedValue(bundle, name, ({ dependency, output }) =>
        dependency === undefined
          ? memory.outputs[output]
          : memoryOf(situation.carryover, dependency).outputs[output],
      ),
    ...(memory.claim === undefined || stage.action === 'install' ? {} : { fixed: memory.claim.parameters }),
  })
  if (resolved.kind === 'refused') return resolved
  const injected = inject({
    bundle,
    action: stage.action,
    values: resolved.values,
    credentials: lentTo(bundle, situation),
  })
  if (injected.kind === 'refused') return injected
  const { modifies = true, stateless = false } = actionOf(bundle, stage.action) ?? {}
  const ids = runIds({ id: situation.operation.id, stage: index })
  const revision = modifies ? ids.revision : (memory.claim?.revision ?? ids.revision)
  const claim: Claim = {
    id: ids.claim,
    installation: installationOf(situation, alias),
    revision,
    action: stage.action,
    bundle: documentOf(kept),
    created: ids.created,
    bundleReference: kept.reference,
    parameters: resolved.values,
    custom: claimCustom(Object.keys({ ...remembered, ...given })),
  }
  const job = jobOf({
    bundle,
    bytes: bytesOf(kept),
    image: { reference: kept.image.reference, digest: kept.image.digest ?? '' },
    relocation: kept.relocation,
    action: stage.action,
    installation: claim.installation,
    revision,
    ...(stateless ? {} : { claim: claimDocument(claim) }),
    injected,
    environment: identityOf(situation),
    files: filesFor(action, situation, stage),
    options,
  })
  return { kind: 'job', job, claim, warnings: resolved.warnings }
}

/** What counts as given now, and what was given for the instance before. */
function parametersFor(
  action: Action,
  { parameters, instance, plan }: Situation,
  alias: string | undefined,
): { readonly given: JsonObject; readonly remembered: JsonObject } {
  const { defaults, inputs } = plan.operator
  const own = { ...defaults, ...instance.parameters, ...inputs }
  const mine = (values: JsonObject) => addressed(values, alias)
  switch (action.kind) {
    case 'provision':
    case 'update':
      return { given: mine({ ...defaults, ...parameters, ...inputs }), remembered: {} }
    case 'deprovision':
      return { given: {}, remembered: mine(own) }
    default:
      return { given: mine(parameters), remembered: mine(own) }
  }
}

/** `alias#name` is meant for a dependency. */
function addressed(values: JsonObject, alias: string | undefined): JsonObject {
  const prefix = alias === undefined ? '' : `${alias}#`
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]): readonly [string, Json][] => {
      if (alias === undefined) return name.includes('#') ? [] : [[name, value]]
      return name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : []
    }),
  )
}

/** Credentials are the operator's: lent by name, never sent. */
function lentTo(bundle: Bundle, { infrastructure }: Situation): Readonly<Record<string, string | Secret>> {
  return Object.fromEntries(
    Object.entries(infrastructure).filter(([name]) => Object.hasOwn(bundle.credentials, name)),
  )
}

/** A name that every tool takes: it begins with a letter and leaves room for more. */
export function installationOf({ instance, platform }: Situation, alias?: string): string {
  const plain = instance.id.replaceAll('-', '').toLowerCase()
  const hex = /^[0-9a-f]{32}$/.test(plain) ? plain : sha256(instance.id).slice(0, 32)
  const own = platform === 'local' ? instance.id : `s${hex}`
  return alias === undefined ? own : dependencyInstallation(own, alias)
}

function identityOf({ instance, service, plan, binding }: Situation): Readonly<Record<string, string>> {
  return {
    CHANDLER_INSTANCE_ID: instance.id,
    CHANDLER_CONTEXT: canonical(instance.context),
    ...(service.id === undefined ? {} : { CHANDLER_SERVICE_ID: service.id }),
    ...(plan.id === undefined ? {} : { CHANDLER_PLAN_ID: plan.id }),
    ...(binding === undefined
      ? {}
      : { CHANDLER_BINDING_ID: binding.id, CHANDLER_BIND_RESOURCE: canonical(binding.resource) }),
  }
}

function filesFor(action: Action, situation: Situation, { alias }: Stage): readonly FileIn[] {
  const credentials = situation.binding?.credentials
  const dependencies = alias === undefined ? notesOf(situation.package).dependencies : []
  return [
    ...dependencies.map((one) =>
      file(`${places.dependencies}/${one.alias}/bundle.json`, 0o644, bytesOf(one)),
    ),
    ...(action.kind === 'unbind'
      ? [file(`${places.chandler}/binding.json`, 0o600, new Secret(canonical(credentials ?? {})))]
      : []),
  ]
}

function documentOf({ text }: KeptBundle): JsonObject {
  const value = parseJson(text.replace(/^\ufeff/, ''))
  return isObject(value) ? (value as JsonObject) : {}
}

function refused(problems: readonly Problem[]): {
  readonly kind: 'refused'
  readonly problems: readonly [Problem, ...Problem[]]
} {
  const [first, ...rest] = problems
  return { kind: 'refused', problems: [first ?? { code: 'cnab.bundle.invalid' }, ...rest] }
}
