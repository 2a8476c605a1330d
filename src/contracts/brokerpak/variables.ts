/** From a request to the variables of Terraform: the order in which values are found, and their check. */
import type { Json, JsonObject } from '../../kit/json.ts'
import type { Functions } from '../../languages/hil/index.ts'
import type { Definition, Input, PakPlan } from './definition.ts'
import { checkDraftFour } from './draft-four.ts'
import type { Dialect } from './manifest-faults.ts'
import {
  applyDefaults,
  type Default,
  describeFaults,
  type Kept,
  merge,
  type Resolver,
  resolverOf,
} from './resolver.ts'
import { schemaOf } from './schema.ts'

export interface Request {
  readonly definition: Definition
  readonly plan: Pick<PakPlan, 'properties' | 'provisionOverrides' | 'bindOverrides'>
  readonly parameters: JsonObject
  /** Defaults of the operator: for all services, and for this one. */
  readonly globalDefaults: JsonObject
  readonly defaults: JsonObject
  readonly constants: JsonObject
  /** tf:INSTANCE:BINDING */
  readonly id: string
  readonly functions: Functions
  readonly dialect: Dialect
  readonly kept: { readonly [name: string]: Kept }
}

export type Resolution =
  | {
      readonly kind: 'variables'
      readonly variables: JsonObject
      readonly kept: { readonly [name: string]: Kept }
    }
  | { readonly kind: 'refused'; readonly faults: readonly string[]; readonly message: string }

/** Variables of provision, update and deprovision. */
export function instanceVariables(request: Request): Resolution {
  const { definition, plan } = request
  const resolver = startOf(request)
  merge(resolver, request.globalDefaults)
  merge(resolver, request.defaults)
  merge(resolver, request.parameters)
  merge(resolver, plan.provisionOverrides)
  applyDefaults(resolver, definition.provision.userInputs.map(defaultOf))
  merge(resolver, plan.properties)
  applyDefaults(resolver, definition.provision.computedInputs)
  return finished(resolver, request, definition.provision.userInputs)
}

/** Variables of bind and unbind; plan properties reach the template only through declared plan inputs. */
export function bindingVariables(request: Request): Resolution {
  const { definition, plan } = request
  const resolver = startOf(request)
  merge(resolver, request.defaults)
  merge(resolver, request.parameters)
  merge(resolver, plan.bindOverrides)
  applyDefaults(resolver, definition.bind.userInputs.map(defaultOf))
  const given = plan.properties
  applyDefaults(
    resolver,
    definition.bind.planInputs.map(
      ({ name, type }): Default => ({
        name,
        type,
        overwrite: true,
        default: `\${request.plan_properties[${JSON.stringify(name)}]}`,
      }),
    ),
  )
  keepTypes(resolver, definition.bind.planInputs, given)
  applyDefaults(resolver, definition.bind.computedInputs)
  return finished(resolver, request, definition.bind.userInputs)
}

/** A plan input without a declared type keeps what the plan says. */
function keepTypes(resolver: Resolver, inputs: readonly Input[], properties: JsonObject): void {
  for (const { name, type } of inputs) {
    const value = properties[name]
    if (type === '' && value !== undefined && typeof value !== 'string') resolver.values.set(name, value)
  }
}

function startOf(request: Request): Resolver {
  const { dialect } = request
  return resolverOf({
    constants: request.constants,
    functions: request.functions,
    kept: request.kept,
    dialect: dialect === 'ours' ? 'extended' : 'original',
    casts: dialect === 'ours' ? 'chandler' : castsOf(dialect),
  })
}

function castsOf(dialect: 'v1' | 'csb'): 'gcp' | 'csb' {
  return dialect === 'v1' ? 'gcp' : 'csb'
}

function defaultOf(input: Input): Default {
  return { name: input.name, default: input.default, type: input.type, overwrite: false }
}

/** The whole set is checked, computed values included, for they may break what users are held to. */
function finished(resolver: Resolver, request: Request, inputs: readonly Input[]): Resolution {
  resolver.values.set('tf_id', request.id)
  const variables = Object.fromEntries(resolver.values)
  // The originals stop at the first of the two; a default often fails because a required value is missing.
  const early = resolver.faults.length > 0 && request.dialect !== 'ours'
  const faults = early ? [] : parameterFaults(inputs, variables, request.dialect)
  if (resolver.faults.length + faults.length > 0) return refused([...resolver.faults, ...faults])
  return { kind: 'variables', variables, kept: Object.fromEntries(resolver.fresh) }
}

/** Faults of a set of values against the schema of variables. */
export function parameterFaults(inputs: readonly Input[], values: Json, dialect: Dialect): readonly string[] {
  const checked = checkDraftFour(schemaOf(inputs), values, dialect)
  return checked.kind === 'schema-error' ? [checked.message] : checked.faults
}

function refused(faults: readonly string[]): Resolution {
  return { kind: 'refused', faults, message: describeFaults(faults) }
}
