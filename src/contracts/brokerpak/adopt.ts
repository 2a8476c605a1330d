/** Import of what exists: from the text of a show to templates that describe it. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import type { PakAction } from './definition.ts'
import { type Argument, type Block, readHcl } from './hcl.ts'

export interface Adoption {
  /** The resources as configuration. */
  readonly main: string
  /** Values found where a variable now stands. */
  readonly configuration: JsonObject
}

interface Cut {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The plan input that asks for it; no template sees it. */
export const adoptionInput = 'subsume'

/** Whether a plan takes over what exists instead of making it. */
export function isAdoption(action: PakAction, properties: JsonObject): boolean {
  const wanted = properties[adoptionInput]
  return (
    action.planInputs.some(({ name }) => name === adoptionInput) && (wanted === true || wanted === 'true')
  )
}

/** Rewrites what `show` prints: deletions, then additions, then mappings, as the definition says. */
export function adopted(show: string, action: PakAction): Adoption | undefined {
  const text = show.replace(/\n\s*Outputs:[\s\S]*$/, '\n')
  const reading = readHcl(text)
  if (reading.kind === 'fault') return undefined
  const configuration = new Map<string, Json>()
  const resources = reading.body.blocks.filter(({ type }) => type === 'resource')
  const parts = resources.map((block) => {
    const cuts = cutsOf(text, block, action, configuration)
    return cutOut(text, block, cuts)
  })
  return { main: `${parts.join('\n\n')}\n`, configuration: Object.fromEntries(configuration) }
}

function cutsOf(text: string, block: Block, action: PakAction, found: Map<string, Json>): readonly Cut[] {
  const base = block.labels.join('.')
  const additions = action.importAdditions
    .map(({ variable, parameter }) => `\n    ${variable} = ${parameter}`)
    .join('')
  const inside = bodyCuts(text, block, base, { action, found })
  return [
    ...(additions === '' ? [] : [{ start: block.open + 1, end: block.open + 1, text: additions }]),
    ...inside,
  ]
}

function bodyCuts(
  text: string,
  block: Block,
  path: string,
  work: { readonly action: PakAction; readonly found: Map<string, Json> },
): readonly Cut[] {
  const { action, found } = work
  const args = block.body.arguments.flatMap((argument): readonly Cut[] => {
    const value = text.slice(argument.start, argument.end)
    if (action.importDeletions.includes(`${path}.${argument.name}`))
      return [lineOf(text, argument.at, argument.end)]
    const mapping = action.importMappings.find(({ variable }) => variable === argument.name)
    if (mapping) return [mapped(argument, value, mapping.parameter, found)]
    // What show hides cannot be configured.
    return value === '(sensitive value)' ? [lineOf(text, argument.at, argument.end)] : []
  })
  const blocks = block.body.blocks.flatMap((inner): readonly Cut[] => {
    const here = `${path}.${inner.type}`
    if (action.importDeletions.includes(here)) return [lineOf(text, inner.at, inner.close + 1)]
    return bodyCuts(text, inner, here, work)
  })
  return [...args, ...blocks]
}

/** `var.x` and `local.x` take the first simple value they replace. */
function mapped(
  { at, name, end }: Argument,
  value: string,
  parameter: string,
  found: Map<string, Json>,
): Cut {
  const [, variable] = /^(?:var|local)\.([\w-]+)$/.exec(parameter) ?? []
  const simple = /^(?:"(?:\\.|[^"\\])*"|-?[\d.]+|true|false|null)$/.test(value)
  if (variable !== undefined && simple && !found.has(variable)) found.set(variable, plainValue(value))
  return { start: at, end, text: `${name} = ${parameter}` }
}

/** As the original keeps it: a text, whatever it was. */
function plainValue(value: string): Json {
  if (!value.startsWith('"')) return value
  try {
    return String(JSON.parse(value))
  } catch {
    return value.slice(1, -1)
  }
}

function lineOf(text: string, start: number, end: number): Cut {
  const from = text.lastIndexOf('\n', start)
  return { start: Math.max(0, from), end, text: '' }
}

function cutOut(text: string, block: Block, cuts: readonly Cut[]): string {
  let result = ''
  let at = block.at
  for (const cut of [...cuts].sort((a, b) => a.start - b.start)) {
    if (cut.start < at) continue
    result += text.slice(at, cut.start) + cut.text
    at = cut.end
  }
  return result + text.slice(at, block.close + 1)
}

/** How many things a plan would destroy. */
export function destroyedBy(plan: string): number {
  return Number(/^Plan: .*?(\d+) to destroy\./m.exec(plan)?.[1] ?? 0)
}

/** The address and id of everything to take over, or the names that are missing. */
export function importsOf(
  action: PakAction,
  parameters: JsonObject,
): { readonly missing: readonly string[]; readonly pairs: readonly (readonly [string, string])[] } {
  const missing = action.importInputs.map(({ name }) => name).filter((name) => parameters[name] === undefined)
  const pairs = action.importInputs.flatMap(({ name, resource }) => {
    const value = parameters[name]
    return value === undefined || isObject(value) ? [] : [[resource, String(value)] as const]
  })
  return { missing: missing.sort(), pairs }
}
