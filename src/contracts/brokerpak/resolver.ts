/** Builds a set of variables step by step, as definitions say; evaluated defaults see what was set before them. */
import { never } from '../../kit/assert.ts'
import type { Json, JsonObject } from '../../kit/json.ts'
import {
  type CastRules,
  castTo,
  evaluateText,
  Fault,
  type Functions,
  jsonScope,
  quote,
} from '../../languages/hil/index.ts'

export interface Resolver {
  readonly values: Map<string, Json>
  /** All faults, in order. */
  readonly faults: string[]
  readonly constants: JsonObject
  readonly functions: Functions
  readonly dialect: 'extended' | 'original'
  readonly casts: CastRules
  /** Results of an earlier action that must not change: text of the template to its value. */
  readonly kept: { readonly [name: string]: Kept }
  /** Results of templates that give another value each time, to be kept for later actions. */
  readonly fresh: Map<string, Kept>
}

export interface Kept {
  readonly template: string
  readonly value: Json
}

export interface Default {
  readonly name: string
  readonly default: Json
  readonly type: string
  readonly overwrite: boolean
}

const changing = /\b(?:time\.nano|rand\.base64|counter\.next)\s*\(/

export function resolverOf(parts: Omit<Resolver, 'values' | 'faults' | 'fresh'>): Resolver {
  return { ...parts, values: new Map(), faults: [], fresh: new Map() }
}

/** Sets each value; what comes later wins. */
export function merge(resolver: Resolver, values: JsonObject): void {
  for (const [name, value] of Object.entries(values)) resolver.values.set(name, value)
}

/** Applies defaults in order; only texts are evaluated, and only their results cast. */
export function applyDefaults(resolver: Resolver, defaults: readonly Default[]): void {
  for (const one of defaults) {
    if (one.default === null || (resolver.values.has(one.name) && !one.overwrite)) continue
    if (typeof one.default === 'string') evaluateInto(resolver, one, one.default)
    else resolver.values.set(one.name, one.default)
  }
}

function evaluateInto(resolver: Resolver, { name, type }: Default, template: string): void {
  const kept = resolver.kept[name]
  const lasting = changing.test(template)
  if (lasting && kept?.template === template) {
    resolver.values.set(name, kept.value)
    resolver.fresh.set(name, kept)
    return
  }
  const variables = { ...Object.fromEntries(resolver.values), ...resolver.constants }
  const result = evaluateText(template, jsonScope(variables, resolver.functions), {
    dialect: resolver.dialect,
  })
  switch (result.kind) {
    case 'fault': {
      const where = `couldn't compute the value for "${name}", template: ${quote(template)}`
      resolver.faults.push(`${where}, ${result.fault.message}`)
      return
    }
    case 'unknown':
      resolver.faults.push(
        `couldn't compute the value for "${name}": it depends on a value that is not known`,
      )
      return
    case 'value':
      setCast(resolver, name, type, result.value)
      if (lasting) resolver.fresh.set(name, { template, value: resolver.values.get(name) ?? null })
      return
    default:
      never(result)
  }
}

function setCast(resolver: Resolver, name: string, type: string, value: Parameters<typeof castTo>[0]): void {
  try {
    resolver.values.set(name, castTo(value, type, resolver.casts))
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    resolver.faults.push(resolver.casts === 'chandler' ? `${name}: ${error.message}` : error.message)
  }
}

/** `N error(s) occurred: a; b`, which users of the originals know. */
export function describeFaults(faults: readonly string[]): string {
  return `${faults.length} error(s) occurred: ${faults.join('; ')}`
}
