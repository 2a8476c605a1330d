/** The second check: types; answers a tree with all conversions put in, so that evaluating decides nothing. */
import { Fault, placeOf } from '../place.ts'
import type { Converts } from './conversions.ts'
import type { HilFunction, Scope } from './scope.ts'
import type { Call, Chain, Conditional, Index, Link, Node, Operator, Output } from './tree.ts'
import { type Type, typeName, type Value } from './values.ts'

/** A node ready to run; `at` is where a fault while running is shown. */
export type Checked = { readonly at: number; readonly type: Type } & Step

type Step =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'convert'; readonly to: Type; readonly of: Checked }
  | {
      readonly kind: 'call'
      readonly name: string
      readonly run: HilFunction['run']
      readonly args: readonly Checked[]
    }
  | { readonly kind: 'index'; readonly target: Checked; readonly key: Checked; readonly label: string }
  | { readonly kind: 'chain'; readonly first: Checked; readonly links: readonly CheckedLink[] }
  | {
      readonly kind: 'conditional'
      readonly condition: Checked
      readonly whenTrue: Checked
      readonly whenFalse: Checked
    }
  | { readonly kind: 'join'; readonly parts: readonly Checked[] }

interface CheckedLink {
  readonly operator: Operator
  /** What the left side is turned into first; undefined when it has the type already. */
  readonly leftTo: Type | undefined
  readonly operand: Checked
}

export interface Rules {
  readonly converts: Converts
  /** Refuse to index a container whose elements differ in type, as the original does. */
  readonly homogeneous: boolean
}

interface Context {
  readonly source: string
  readonly scope: Scope
  readonly rules: Rules
  /** Types of elements found so far, so that a long list is looked through once. */
  readonly elements: Map<Value, Type>
}

/** Throws a Fault with the original's text for the first mismatch. */
export function checkTypes(node: Node, source: string, scope: Scope, rules: Rules): Checked {
  return check({ source, scope, rules, elements: new Map() }, node)
}

function check(context: Context, node: Node): Checked {
  switch (node.kind) {
    case 'literal':
      return { kind: 'value', at: node.at, type: node.type, value: literal(node) }
    case 'variable': {
      const value = context.scope.variable(node.name) ?? { kind: 'unknown' }
      return { kind: 'value', at: node.at, type: value.kind, value }
    }
    case 'call':
      return checkCall(context, node)
    case 'index':
      return checkIndex(context, node)
    case 'chain':
      return checkChain(context, node)
    case 'conditional':
      return checkConditional(context, node)
    case 'output':
      return checkOutput(context, node)
  }
}

function literal(node: Node & { readonly kind: 'literal' }): Value {
  switch (node.type) {
    case 'string':
      return { kind: 'string', text: node.value }
    case 'int':
      return { kind: 'int', value: node.value }
    case 'float':
      return { kind: 'float', value: node.value }
    case 'bool':
      return { kind: 'bool', value: node.value }
  }
}

function checkCall(context: Context, node: Call): Checked {
  const known = context.scope.functions.get(node.name)
  if (known === undefined) throw fault(context, node.at, `unknown function called: ${node.name}`)
  const args = node.args.map((arg) => check(context, arg))
  const step = { kind: 'call', at: node.at, name: node.name, run: known.run } as const
  const converted: Checked[] = []
  for (const [i, arg] of args.entries()) {
    const wanted = known.args[i] ?? known.variadic ?? 'any'
    if (arg.type === 'unknown') return { ...step, args, type: 'unknown' }
    const turned = wanted === 'any' ? arg : turn(context, arg, wanted)
    if (turned === undefined) {
      // The original counts further arguments from 0, and messages are compared.
      const number = i < known.args.length ? i + 1 : i
      const types = `should be ${printable(wanted)}, got ${printable(arg.type)}`
      throw fault(context, node.at, `${node.name}: argument ${number} ${types}`)
    }
    converted.push(turned)
  }
  return { ...step, args: converted, type: known.returns }
}

function checkIndex(context: Context, node: Index): Checked {
  const target = check(context, node.target)
  const key = check(context, node.key)
  const label = labelOf(node.target)
  const step = { kind: 'index', at: node.at, target, label } as const
  if (key.type === 'unknown' || target.type === 'unknown') return { ...step, key, type: 'unknown' }
  switch (target.type) {
    case 'list':
    case 'map': {
      const wanted = target.type === 'list' ? 'int' : 'string'
      const turned = turn(context, key, wanted)
      if (turned === undefined) {
        const article = wanted === 'int' ? 'an' : 'a'
        throw fault(
          context,
          node.at,
          `key of an index must be ${article} ${wanted}, was ${typeName(key.type)}`,
        )
      }
      return { ...step, key: turned, type: elementType(context, node, target) }
    }
    case 'dynamic':
      return { ...step, key, type: 'dynamic' }
    default:
      throw fault(
        context,
        node.at,
        `invalid index operation into non-indexable type: ${typeName(target.type)}`,
      )
  }
}

/** The one type of all elements; of a container that is not at hand yet it shows when it runs. */
function elementType(context: Context, node: Index, target: Checked): Type {
  if (target.kind !== 'value') return 'dynamic'
  const { value } = target
  const known = context.elements.get(value)
  if (known !== undefined) return known
  const items = elementsOf(value)
  const name = `${value.kind} "${labelOf(node.target)}"`
  if (items.length === 0) {
    throw fault(context, node.at, `${name} does not have any elements so cannot determine type`)
  }
  let type: Type = 'unknown'
  for (const { kind } of items) {
    if (kind === 'unknown' || kind === type) continue
    if (type === 'unknown') type = kind
    else if (context.rules.homogeneous) {
      const types = `found ${typeName(type)} and then ${typeName(kind)}`
      throw fault(context, node.at, `${name} does not have homogenous types. ${types}`)
    } else type = 'dynamic'
    if (type === 'dynamic') break
  }
  context.elements.set(value, type)
  return type
}

function elementsOf(value: Value): readonly Value[] {
  if (value.kind === 'list') return value.items
  return value.kind === 'map' ? [...value.entries.values()] : []
}

function checkChain(context: Context, node: Chain): Checked {
  const first = check(context, node.first)
  let type = first.type
  const links: CheckedLink[] = []
  for (const link of node.links) {
    const operand = check(context, link.operand)
    if (type === 'unknown' || operand.type === 'unknown') {
      type = 'unknown'
      links.push({ operator: link.operator, leftTo: undefined, operand })
      continue
    }
    const wanted = operandType(context, node, link, [type, operand.type])
    const right = turn(context, operand, wanted)
    if (!fits(context, type, wanted)) throw misfit(context, node, link.operator, [1, wanted, type])
    if (right === undefined) throw misfit(context, node, link.operator, [2, wanted, operand.type])
    links.push({
      operator: link.operator,
      leftTo: type === wanted ? undefined : wanted,
      operand: right,
    })
    if (link.operator === '%' && wanted === 'float') {
      throw fault(context, node.at, 'modulo cannot be used with floats')
    }
    type = isArithmetic(link.operator) ? wanted : 'bool'
  }
  return { kind: 'chain', at: node.at, type, first, links }
}

function operandType(context: Context, node: Chain, { operator }: Link, types: readonly [Type, Type]): Type {
  if (operator === '&&' || operator === '||') return 'bool'
  const numeric = types[0] === 'float' || types[1] === 'float' ? 'float' : 'int'
  if (isArithmetic(operator)) return numeric
  const [first] = types
  if (first === 'list' || first === 'map' || first === 'any') {
    throw fault(context, node.at, 'comparison operators apply only to bool, float, int, and string')
  }
  if (operator !== '==' && operator !== '!=') return numeric
  return first === 'dynamic' ? 'string' : first
}

function misfit(
  context: Context,
  node: Chain,
  operator: Operator,
  [number, wanted, got]: readonly [number, Type, Type],
): Fault {
  if (operator === '&&' || operator === '||') {
    return fault(context, node.at, `logical operators require boolean operands, not ${typeName(got)}`)
  }
  return fault(context, node.at, `operand ${number} should be ${typeName(wanted)}, got ${typeName(got)}`)
}

function checkConditional(context: Context, node: Conditional): Checked {
  const given = check(context, node.condition)
  const whenTrue = check(context, node.whenTrue)
  const whenFalse = check(context, node.whenFalse)
  const step = { kind: 'conditional', at: node.at } as const
  if (given.type === 'unknown') return { ...step, type: 'unknown', condition: given, whenTrue, whenFalse }
  const condition = turn(context, given, 'bool')
  if (condition === undefined) {
    throw fault(context, node.at, `condition must be type bool, not ${printable(given.type)}`)
  }
  const branches = agree(context, node, whenTrue, whenFalse)
  const { type } = branches.whenTrue
  if (type === 'list' || type === 'map') {
    throw fault(context, node.at, `conditional operator cannot be used with ${type} values`)
  }
  return { ...step, ...branches, type: type === 'unknown' ? branches.whenFalse.type : type, condition }
}

/** Texts are often numbers in disguise, so a text before the colon gives way to the type behind it. */
function agree(context: Context, node: Conditional, whenTrue: Checked, whenFalse: Checked) {
  const [a, b] = [whenTrue.type, whenFalse.type]
  if (a === b || a === 'unknown' || b === 'unknown') return { whenTrue, whenFalse }
  const yields = a === 'string' || a === 'dynamic'
  const turned = yields ? turn(context, whenTrue, b) : turn(context, whenFalse, a)
  if (turned === undefined) {
    const have = `have ${printable(a)} and ${printable(b)}`
    throw fault(context, node.at, `true and false expression types must match; ${have}`)
  }
  return yields ? { whenTrue: turned, whenFalse } : { whenTrue, whenFalse: turned }
}

function checkOutput(context: Context, node: Output): Checked {
  const parts = node.parts.map((part) => check(context, part))
  const [only] = parts
  if (only !== undefined && parts.length === 1 && isWhole(only.type)) return only
  const unknown = parts.some((part) => part.type === 'unknown')
  const step = { kind: 'join', at: node.at } as const
  if (unknown) return { ...step, type: 'unknown', parts }
  const texts = parts.map((part, i) => {
    const turned = turn(context, part, 'string')
    if (turned !== undefined) return turned
    const which = `(argument ${i + 1} is ${typeName(part.type)})`
    throw fault(context, node.at, `output of an HIL expression must be a string, or a single list ${which}`)
  })
  return { ...step, type: 'string', parts: texts }
}

/** What a lone interpolation passes on as it is. */
function isWhole(type: Type): boolean {
  return type === 'list' || type === 'map' || type === 'dynamic'
}

/** The node as another type, or undefined where nothing leads there. */
function turn(context: Context, node: Checked, to: Type): Checked | undefined {
  if (node.type === to) return node
  if (!context.rules.converts(node.type, to)) return undefined
  return { kind: 'convert', at: node.at, type: to, to, of: node }
}

function fits(context: Context, from: Type, to: Type): boolean {
  return from === to || context.rules.converts(from, to)
}

const arithmetic: ReadonlySet<Operator> = new Set(['+', '-', '*', '/', '%'])

function isArithmetic(operator: Operator): boolean {
  return arithmetic.has(operator)
}

function labelOf(node: Node): string {
  if (node.kind === 'variable') return node.name
  return node.kind === 'index' ? `${labelOf(node.target)}[]` : 'value'
}

function printable(type: Type): string {
  return `type ${type}`
}

function fault(context: Context, at: number, message: string): Fault {
  const place = placeOf(context.source, at)
  return new Fault(`at column ${place.column}, line ${place.line}: ${message}`, place)
}
