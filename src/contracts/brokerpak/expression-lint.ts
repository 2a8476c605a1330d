/** Expressions of a definition, looked at without values: syntax, functions, and what they name that will not be there. */

import { nearest } from '../../kit/text.ts'
import {
  brokerFunctions,
  evaluateText,
  isTemplate,
  jsonScope,
  type Node,
  parse,
} from '../../languages/hil/index.ts'
import type { Definition, PakAction } from './definition.ts'
import type { Finding } from './finding.ts'
import { declaredNames } from './functions.ts'
import type { Manifest } from './manifest.ts'

const functions = brokerFunctions({})
const requests: Readonly<Record<'provision' | 'bind', readonly string[]>> = {
  provision: [
    'plan_id',
    'service_id',
    'instance_id',
    'default_labels',
    'context',
    'x_broker_api_originating_identity',
  ],
  bind: [
    'plan_id',
    'service_id',
    'instance_id',
    'binding_id',
    'app_guid',
    'plan_properties',
    'context',
    'x_broker_api_originating_identity',
  ],
}

interface Expression {
  readonly text: unknown
  readonly path: string
}

/** What will fail when an order is carried out. */
export function expressionFindings(definition: Definition, manifest: Manifest): readonly Finding[] {
  return (['provision', 'bind'] as const).flatMap((kind) => {
    const action = definition[kind]
    const names = new Set([
      ...namesOf(action),
      ...requests[kind].map((name) => `request.${name}`),
      ...(kind === 'bind' ? ['instance.name', 'instance.details'] : []),
      ...definition.plans.flatMap((plan) => [
        ...Object.keys(plan.properties),
        ...Object.keys(plan.provisionOverrides),
      ]),
    ])
    const outputs = kind === 'bind' ? definition.provision.outputs.map(({ name }) => name) : undefined
    return expressionsOf(action, kind).flatMap((one) => findingsOf(one, { names, outputs, manifest }))
  })
}

/** The names that expressions of an action use. */
export function namesUsed(action: PakAction): ReadonlySet<string> {
  const used = expressionsOf(action, '').flatMap(({ text }) => {
    const tree = typeof text === 'string' ? parse(text) : undefined
    return tree?.kind === 'template' ? nodesOf(tree.template.root) : []
  })
  return new Set(used.flatMap((node) => (node.kind === 'variable' ? [node.name] : [])))
}

function namesOf({ planInputs, userInputs, computedInputs }: PakAction): readonly string[] {
  return [...planInputs, ...userInputs, ...computedInputs].map(({ name }) => name)
}

function expressionsOf(action: PakAction, path: string): readonly Expression[] {
  return [
    ...action.userInputs.map((one, i) => ({ text: one.default, path: `${path}.user_inputs[${i}].default` })),
    ...action.computedInputs.map((one, i) => ({
      text: one.default,
      path: `${path}.computed_inputs[${i}].default`,
    })),
  ]
}

interface Around {
  readonly names: ReadonlySet<string>
  /** What an instance hands to its bindings; undefined where there is none yet. */
  readonly outputs: readonly string[] | undefined
  readonly manifest: Manifest
}

function findingsOf({ text, path }: Expression, around: Around): readonly Finding[] {
  if (typeof text !== 'string') return []
  const tree = parse(text)
  if (tree.kind === 'fault')
    return [{ text: tree.fault.message, path, fix: 'Correct the expression; "$${" stands for a plain "${".' }]
  if (!isTemplate(text)) return []
  const nodes = nodesOf(tree.template.root)
  const known = nodes.flatMap((node) => nodeFindings(node, path, around))
  if (known.length > 0) return known
  const result = evaluateText(text, jsonScope({}, functions))
  const wrong = result.kind === 'fault' && /: expected \d+ arguments/.test(result.fault.message)
  return wrong
    ? [{ text: result.fault.message, path, fix: 'Give the function as many arguments as it takes.' }]
    : []
}

function nodeFindings(node: Node, path: string, { names, outputs, manifest }: Around): readonly Finding[] {
  const meant = (word: string, all: readonly string[], else_: string): string => {
    const near = nearest(word, all)
    return near === undefined ? else_ : `Write "${near}".`
  }
  if (node.kind === 'variable' && !names.has(node.name)) {
    const fix = meant(node.name, [...names], 'Declare an input of that name, or name one that there is.')
    return [{ text: `there is no variable ${node.name}`, path, fix }]
  }
  if (node.kind === 'index') {
    const { target, key } = node
    const isDetails = target.kind === 'variable' && target.name === 'instance.details'
    if (!isDetails || key.kind !== 'literal' || typeof key.value !== 'string') return []
    if (outputs === undefined || outputs.includes(key.value)) return []
    const fix = meant(key.value, outputs, 'Declare it among provision.outputs, and make it in the template.')
    return [{ text: `provision has no output ${key.value}`, path, fix }]
  }
  if (node.kind !== 'call') return []
  if (!functions.has(node.name)) {
    const fix = meant(node.name, [...functions.keys()], 'Use one of the functions of the contract.')
    return [{ text: `there is no function ${node.name}`, path, fix }]
  }
  return lentFindings(node.name, node.args[0], path, manifest)
}

/** What the broker reads of its surroundings must be named in the manifest. */
function lentFindings(
  called: string,
  argument: Node | undefined,
  path: string,
  manifest: Manifest,
): readonly Finding[] {
  if (argument?.kind !== 'literal' || typeof argument.value !== 'string') return []
  const { value } = argument
  if (called === 'env' && !declaredNames(manifest).includes(value))
    return [
      {
        text: `the manifest does not declare the variable ${value}`,
        path,
        fix: `Add ${value} to required_env_variables of manifest.yml.`,
      },
    ]
  return []
}

function nodesOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'literal':
    case 'variable':
      return [node]
    case 'call':
      return [node, ...node.args.flatMap(nodesOf)]
    case 'index':
      return [node, ...nodesOf(node.target), ...nodesOf(node.key)]
    case 'chain':
      return [node, ...nodesOf(node.first), ...node.links.flatMap(({ operand }) => nodesOf(operand))]
    case 'conditional':
      return [node, ...nodesOf(node.condition), ...nodesOf(node.whenTrue), ...nodesOf(node.whenFalse)]
    case 'output':
      return [node, ...node.parts.flatMap(nodesOf)]
  }
}
