/** The job of one run among those of an action: values resolved, credentials lent, its claim written. */
import { parseJson } from '../../kit/exact.ts'
import { canonical, isObject, type Json, type JsonObject, pointer } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { Secret } from '../../kit/secret.ts'
import type { FileIn, Job } from '../../model/job.ts'
import type { Problem } from '../../model/problem.ts'
import type { Action, Situation } from '../../model/situation.ts'
import { actionOf, recordOf } from './actions.ts'
import type { Bundle } from './bundle.ts'
import { ofDependency } from './chain.ts'
import { type Claim, claimCustom, claimDocument } from './claims.ts'
import { type Injected, inject } from './inject.ts'
import { installationOf } from './installation.ts'
import { memoryOf } from './memory.ts'
import { bytesOf, type KeptBundle, notesOf } from './notes.ts'
import { places } from './places.ts'
import { file, jobOf } from './run.ts'
import { runIds } from './run-ids.ts'
import { sourcedValue, sourcesOf } from './sources.ts'
import { type Plot, refused, type Stage } from './stages.ts'
import { resolveValues } from './values.ts'

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
  const filled = fill(action, situation, stage, () => false)
  if (filled.kind === 'refused') return refused(ofDependency(filled.problems, alias))
  const record = recordOf(actionOf(bundle, stage.action))
  const ids = runIds({ id: situation.operation.id, stage: index })
  const revision = record.newRevision ? ids.revision : (memory.claim?.revision ?? ids.revision)
  const claim: Claim = {
    id: ids.claim,
    installation: installationOf(situation, alias),
    revision,
    action: stage.action,
    bundle: documentOf(kept),
    created: ids.created,
    bundleReference: kept.reference,
    parameters: filled.values,
    custom: claimCustom(filled.names),
  }
  const job = jobOf({
    bundle,
    bytes: bytesOf(kept),
    image: { reference: kept.image.reference, digest: kept.image.digest ?? '' },
    relocation: kept.relocation,
    action: stage.action,
    installation: claim.installation,
    revision,
    ...(record.kept === 'never' ? {} : { claim: claimDocument(claim) }),
    injected: filled.injected,
    environment: identityOf(situation),
    files: filesFor(action, situation, stage),
    options,
  })
  return { kind: 'job', job, claim, warnings: ofDependency(filled.warnings, alias) }
}

/** What is wrong with any run of a chain, before the first of them starts; what an earlier run will write is not known. */
export function faultsAhead(action: Action, situation: Situation, { stages }: Plot): readonly Problem[] {
  return stages.flatMap((stage, i) => {
    const earlier = stages.slice(0, i).filter((one) => one.action !== 'uninstall')
    const isToCome = (name: string): boolean =>
      sourcesOf(stage.bundle, name).some(({ dependency }) => {
        const alias = dependency && below(stage.alias, dependency)
        return alias !== undefined && earlier.some((one) => one.alias === alias)
      })
    const filled = fill(action, situation, stage, isToCome)
    return filled.kind === 'refused' ? ofDependency(filled.problems, stage.alias) : []
  })
}

type Filled =
  | {
      readonly kind: 'filled'
      readonly values: JsonObject
      /** Of the parameters that people gave. */
      readonly names: readonly string[]
      readonly injected: Injected
      readonly warnings: readonly Problem[]
    }
  | { readonly kind: 'refused'; readonly problems: readonly [Problem, ...Problem[]] }

/** Everything that a run is given. */
function fill(
  action: Action,
  situation: Situation,
  stage: Stage,
  isToCome: (parameter: string) => boolean,
): Filled {
  const { bundle, alias } = stage
  const closed = closedTo(action, situation)
  if (closed.length > 0) return refused(closed)
  const memory = memoryOf(situation.carryover, alias)
  const { given, remembered } = parametersFor(action, situation, stage)
  const resolved = resolveValues(bundle, stage.action, {
    given,
    remembered,
    isToCome,
    sourced: (name) =>
      sourcedValue(bundle, name, ({ dependency, output }) =>
        dependency === undefined
          ? memory.outputs[output]
          : memoryOf(situation.carryover, below(alias, dependency)).outputs[output],
      ),
    ...(memory.claim === undefined || stage.action === 'install' ? {} : { fixed: memory.claim.parameters }),
  })
  if (resolved.kind === 'refused') return resolved
  const { values, warnings } = resolved
  const credentials = lentTo(bundle, situation)
  const injected = inject({ bundle, action: stage.action, values, credentials })
  if (injected.kind === 'refused') return injected
  return { kind: 'filled', values, names: Object.keys({ ...remembered, ...given }), injected, warnings }
}

function below(alias: string | undefined, dependency: string): string {
  return alias === undefined ? dependency : `${alias}/${dependency}`
}

/**
 * What users send with an action of their own or a binding goes before what the instance was made with, so it must not name what the
 * operator decides. Orders of an instance are held to that before they come here; removals are given what was given once.
 */
function closedTo({ kind }: Action, { parameters, plan }: Situation): readonly Problem[] {
  if (kind !== 'invoke' && kind !== 'bind') return []
  const { inputs, allow } = plan.operator
  return Object.keys(parameters).flatMap((name): readonly Problem[] => {
    const where = { source: 'parameters', pointer: pointer('', name) }
    if (Object.hasOwn(inputs, name))
      return [{ code: 'parameters.invalid', detail: 'is fixed by the operator', where }]
    if (allow !== undefined && !allow.includes(name))
      return [{ code: 'parameters.invalid', detail: 'may not be set on this plan', where }]
    return []
  })
}

/** What counts as given now, and what was given for the instance before. */
function parametersFor(
  action: Action,
  { parameters, instance, plan, carryover }: Situation,
  { alias, action: name }: Stage,
): { readonly given: JsonObject; readonly remembered: JsonObject } {
  // What goes is told what it was told before, whatever is wished of the others.
  if (name === 'uninstall' && alias !== undefined)
    return { given: {}, remembered: memoryOf(carryover, alias).claim?.parameters ?? {} }
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

/** `alias#name` is meant for a dependency, `alias#alias#name` for one of its own. */
function addressed(values: JsonObject, alias: string | undefined): JsonObject {
  const prefix = alias === undefined ? '' : `${alias.replaceAll('/', '#')}#`
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]): readonly [string, Json][] => {
      const rest = name.startsWith(prefix) ? name.slice(prefix.length) : undefined
      return rest === undefined || rest.includes('#') ? [] : [[rest, value]]
    }),
  )
}

/** Credentials are the operator's: lent by name, never sent. */
function lentTo(bundle: Bundle, { infrastructure }: Situation): Readonly<Record<string, string | Secret>> {
  return Object.fromEntries(
    Object.entries(infrastructure).filter(([name]) => Object.hasOwn(bundle.credentials, name)),
  )
}

function identityOf({ instance, service, plan, binding }: Situation): Readonly<Record<string, string>> {
  return {
    CHANDLER_INSTANCE_ID: instance.id,
    CHANDLER_CONTEXT: canonical(instance.context),
    ...present({ CHANDLER_SERVICE_ID: service.id, CHANDLER_PLAN_ID: plan.id }),
    ...(binding === undefined
      ? {}
      : { CHANDLER_BINDING_ID: binding.id, CHANDLER_BIND_RESOURCE: canonical(binding.resource) }),
  }
}

function filesFor(action: Action, situation: Situation, { alias }: Stage): readonly FileIn[] {
  const credentials = situation.binding?.credentials
  const own = notesOf(situation.package).dependencies.flatMap((one) => {
    const name = one.alias.split('/').at(-1) ?? ''
    return one.alias === below(alias, name) ? [{ name, kept: one }] : []
  })
  return [
    ...own.map(({ name, kept }) => file(`${places.dependencies}/${name}/bundle.json`, 0o644, bytesOf(kept))),
    ...(action.kind === 'unbind'
      ? [file(`${places.chandler}/binding.json`, 0o600, new Secret(canonical(credentials ?? {})))]
      : []),
  ]
}

function documentOf({ text }: KeptBundle): JsonObject {
  const value = parseJson(text.replace(/^\ufeff/, ''))
  return isObject(value) ? (value as JsonObject) : {}
}
