/** Parameters, credentials and outputs of a bundle, and whether any two of them get in each other's way. */
import { pointer } from '../../kit/json.ts'
import type { Faults } from '../faults.ts'
import type { BundleOutput, Credential, Definition, Destination, Parameter } from './bundle.ts'
import { flagOf, given, type Node, nodeOf, nodesOfMap, textOf, textsOf } from './fields.ts'
import { warnOfKeys } from './format-keys.ts'
import { isLegacyParameter, readLegacyParameter } from './format-legacy.ts'
import { destinationOf, isBelow, judgeOutputPath } from './places.ts'
import { isGraphic } from './words.ts'

export interface Values {
  readonly parameters: Readonly<Record<string, Parameter>>
  readonly credentials: Readonly<Record<string, Credential>>
  readonly outputs: Readonly<Record<string, BundleOutput>>
  /** Made for parameters that describe themselves. */
  readonly definitions: Readonly<Record<string, Definition>>
}

/** Reads them all. */
export function readValues(bundle: Node): Values {
  const { faults } = bundle
  const made: [string, Definition][] = []
  const parameters = named(nodesOfMap(bundle, 'parameters'), (name, node) => {
    if (!isLegacyParameter(node)) return readParameter(node)
    const { parameter, definition } = readLegacyParameter(name, node)
    made.push([parameter.definition, definition])
    return parameter
  })
  const credentials = named(nodesOfMap(bundle, 'credentials'), (_, node) => readCredential(node))
  const outputs = named(nodesOfMap(bundle, 'outputs'), (_, node) => readOutput(node))
  judgeDestinations({ parameters, credentials }, faults)
  judgeOutputs(outputs, faults)
  return { parameters, credentials, outputs, definitions: Object.fromEntries(made) }
}

function named<T>(
  nodes: readonly (readonly [string, Node])[],
  read: (name: string, node: Node) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(
    nodes.map(([name, node]) => {
      if (!isGraphic(name)) node.faults.problem('cnab.bundle.invalid', node.at, 'has no printable name')
      return [name, read(name, node)]
    }),
  )
}

const nameDefinition = 'Add "definition": the name of one of "definitions".'

function readParameter(node: Node): Parameter {
  const { faults, at } = node
  warnOfKeys(node, 'parameter')
  const definition = textOf(node, 'definition')
  if (definition === undefined)
    faults.problem('cnab.definition.missing', at, 'parameter definition must be provided', nameDefinition)
  const inner = nodeOf(node, 'destination')
  warnOfKeys(inner, 'destination')
  const destination = destinationOf(
    { env: textOf(inner, 'env'), path: textOf(inner, 'path') },
    inner.at,
    faults,
  )
  if (isNowhere(destination))
    faults.problem('cnab.destination.missing', at, 'parameter destination must be provided')
  return {
    definition: definition ?? '',
    required: flagOf(node, 'required') ?? false,
    ...destination,
    ...commonOf(node),
  }
}

function readCredential(node: Node): Credential {
  const { faults, at } = node
  warnOfKeys(node, 'credential')
  const destination = destinationOf({ env: textOf(node, 'env'), path: textOf(node, 'path') }, at, faults)
  if (isNowhere(destination))
    faults.problem('cnab.destination.missing', at, 'credential env or path must be supplied')
  return { required: flagOf(node, 'required') ?? false, ...destination, ...commonOf(node) }
}

function readOutput(node: Node): BundleOutput {
  const { faults, at } = node
  warnOfKeys(node, 'output')
  const definition = textOf(node, 'definition')
  const path = textOf(node, 'path')
  if (definition === undefined)
    faults.problem('cnab.definition.missing', at, 'output definition must be provided', nameDefinition)
  if (path === undefined)
    faults.problem(
      'cnab.destination.missing',
      at,
      'output path must be provided',
      'Add "path": "/cnab/app/outputs/NAME".',
    )
  else judgeOutputPath(path, pointer(at, 'path'), faults)
  return { definition: definition ?? '', path: path ?? '', ...commonOf(node) }
}

function commonOf(node: Node): { readonly description?: string; readonly applyTo?: readonly string[] } {
  const applyTo = textsOf(node, 'applyTo')
  return {
    ...given('description', textOf(node, 'description')),
    ...(applyTo.length === 0 ? {} : { applyTo }),
  }
}

function isNowhere({ env, path }: Destination): boolean {
  return env === undefined && path === undefined
}

interface Aim extends Destination {
  readonly at: string
  readonly applyTo?: readonly string[]
}

/** The later of two values would hide the earlier one, and no rule says which is the later. */
function judgeDestinations(
  { parameters, credentials }: Pick<Values, 'parameters' | 'credentials'>,
  faults: Faults,
): void {
  const aims = [
    ...Object.entries(credentials).map(([name, one]) => ({ ...one, at: pointer('/credentials', name) })),
    ...Object.entries(parameters).map(([name, one]) => ({ ...one, at: pointer('/parameters', name) })),
  ]
  const variables = new Map<string, Aim[]>()
  const files = new Map<string, Aim[]>()
  for (const aim of aims) {
    judgeAim(aim, { by: variables, place: aim.env, faults })
    judgeAim(aim, { by: files, place: aim.path, faults })
    const above = [...files].find(
      ([path, others]) =>
        aim.path !== undefined &&
        (isBelow(aim.path, path) || isBelow(path, aim.path)) &&
        others.some((other) => meet(other, aim)),
    )
    if (above)
      faults.problem('cnab.destination.conflict', aim.at, `one of ${aim.path} and ${above[0]} is no folder`)
  }
}

function judgeAim(
  aim: Aim,
  {
    by,
    place,
    faults,
  }: { readonly by: Map<string, Aim[]>; readonly place: string | undefined; readonly faults: Faults },
): void {
  if (place === undefined) return
  const others = by.get(place) ?? []
  const other = others.find((one) => meet(one, aim))
  if (other) faults.problem('cnab.destination.conflict', aim.at, `${other.at} goes to ${place}, too`)
  by.set(place, [...others, aim])
}

/** Whether there is an action that gets both. */
function meet({ applyTo: a }: Aim, { applyTo: b }: Aim): boolean {
  return a === undefined || b === undefined || a.some((action) => b.includes(action))
}

function judgeOutputs(outputs: Values['outputs'], faults: Faults): void {
  const seen = new Map<string, string>()
  for (const [name, { path }] of Object.entries(outputs)) {
    if (path === '') continue
    const [taken] = [...seen].filter(
      ([other]) => other === path || isBelow(path, other) || isBelow(other, path),
    )
    const at = pointer(pointer('/outputs', name), 'path')
    if (taken) faults.problem('cnab.destination.conflict', at, `${taken[1]} is written to ${taken[0]}`)
    seen.set(path, name)
  }
}
