/** From a checked tree to its value: one switch, no decision about types. */
import { never } from '../../kit/assert.ts'
import { Fault, placeOf } from '../place.ts'
import type { Budget } from './budget.ts'
import { weigh } from './budget.ts'
import type { Checked } from './checker.ts'
import { type Broken, convert, printed } from './conversions.ts'
import { quote } from './quote.ts'
import type { Operator } from './tree.ts'
import { holdsUnknown, typeName, type Value } from './values.ts'

/** What ends an evaluation wherever it is met. */
type Stop = { readonly kind: 'unknown' } | Broken

const unknown: Stop = { kind: 'unknown' }

function stops(value: Value | Broken): value is Stop {
  return value.kind === 'unknown' || value.kind === 'fault'
}

interface Run {
  readonly budget: Budget
  /** Where the work stands that may fault next, as an offset of the source. */
  at: number
}

/** The value of a tree; anything unknown that is met on the way makes the whole unknown. */
export function evaluateTree(node: Checked, source: string, budget: Budget): Value | Broken {
  const run: Run = { budget, at: node.at }
  const value = ending(run, node)
  if (value.kind !== 'fault') return holdsUnknown(value) ? unknown : value
  // The original gives no place for faults of a running template.
  value.fault.place ??= placeOf(source, run.at)
  return value
}

function ending(run: Run, node: Checked): Value | Broken {
  try {
    return evaluate(run, node)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { kind: 'fault', fault: error }
  }
}

function evaluate(run: Run, node: Checked): Value | Broken {
  run.budget.spend(1)
  switch (node.kind) {
    case 'value':
      return node.value
    case 'convert': {
      const value = evaluate(run, node.of)
      run.at = node.at
      if (value.kind === 'string') run.budget.spend(value.text.length)
      return stops(value) ? value : convert(value, node.to)
    }
    case 'call':
      return call(run, node)
    case 'index':
      return index(run, node)
    case 'chain':
      return chain(run, node)
    case 'conditional':
      return conditional(run, node)
    case 'join':
      return join(run, node.parts)
  }
}

function all(run: Run, nodes: readonly Checked[]): readonly Value[] | Stop {
  const values: Value[] = []
  for (const node of nodes) {
    const value = evaluate(run, node)
    if (stops(value)) return value
    values.push(value)
  }
  return values
}

function call(run: Run, node: Checked & { readonly kind: 'call' }): Value | Broken {
  const args = all(run, node.args)
  if ('kind' in args) return args
  run.at = node.at
  for (const arg of args) run.budget.spend(weigh(arg))
  if (args.some(holdsUnknown)) return unknown
  const value = answerOf(run, node, args)
  run.budget.spend(weigh(value))
  return value
}

function answerOf(run: Run, node: Checked & { readonly kind: 'call' }, args: readonly Value[]): Value {
  try {
    return node.run(args, run.budget)
  } catch (error) {
    throw error instanceof Fault ? new Fault(`${node.name}: ${error.message}`) : error
  }
}

function index(run: Run, node: Checked & { readonly kind: 'index' }): Value | Broken {
  const target = evaluate(run, node.target)
  if (stops(target)) return target
  const key = evaluate(run, node.key)
  if (stops(key)) return key
  run.at = node.at
  if (target.kind === 'list') return listItem(target.items, convert(key, 'int'), node.label)
  if (target.kind !== 'map') {
    throw new Fault(`invalid index operation into non-indexable type: ${typeName(target.kind)}`)
  }
  const name = printed(key)
  const item = target.entries.get(name)
  if (item === undefined) throw new Fault(`key ${quote(name)} does not exist in map ${node.label}`)
  return item
}

function listItem(items: readonly Value[], key: Value | Broken, label: string): Value | Broken {
  if (key.kind === 'fault') return key
  const position = key.kind === 'int' ? key.value : 0n
  const item = position < 0n || position >= BigInt(items.length) ? undefined : items[Number(position)]
  if (item !== undefined) return item
  throw new Fault(`index ${position} out of range for list ${label} (max ${items.length})`)
}

function chain(run: Run, node: Checked & { readonly kind: 'chain' }): Value | Broken {
  let left = evaluate(run, node.first)
  for (const { operator, leftTo, operand } of node.links) {
    if (stops(left)) return left
    run.at = node.at
    const converted = leftTo === undefined ? left : convert(left, leftTo)
    if (converted.kind === 'fault') return converted
    const right = evaluate(run, operand)
    if (stops(right)) return right
    run.at = node.at
    if (converted.kind === 'string') run.budget.spend(converted.text.length)
    left = operate(operator, converted, right)
  }
  return left
}

/** Both branches run: a fault in the one not taken counts. */
function conditional(run: Run, node: Checked & { readonly kind: 'conditional' }): Value | Broken {
  const values = all(run, [node.condition, node.whenTrue, node.whenFalse])
  if ('kind' in values) return values
  const [condition, whenTrue, whenFalse] = values
  if (condition?.kind !== 'bool' || whenTrue === undefined || whenFalse === undefined) return unknown
  return condition.value ? whenTrue : whenFalse
}

function join(run: Run, parts: readonly Checked[]): Value | Broken {
  const texts: string[] = []
  let open = false
  for (const part of parts) {
    const value = evaluate(run, part)
    if (stops(value)) return value
    // The checker lets types pass beside an unknown one; the result is unknown then.
    if (holdsUnknown(value)) open = true
    if (value.kind !== 'string') continue
    run.budget.spend(value.text.length)
    texts.push(value.text)
  }
  return open ? unknown : { kind: 'string', text: texts.join('') }
}

function operate(operator: Operator, left: Value, right: Value): Value {
  if (left.kind === 'int' && right.kind === 'int') return integers(operator, left.value, right.value)
  if (left.kind === 'float' && right.kind === 'float') return floats(operator, left.value, right.value)
  if (left.kind === 'bool' && right.kind === 'bool') return truths(operator, left.value, right.value)
  const same = left.kind === 'string' && right.kind === 'string' && left.text === right.text
  return truth(operator === '!=' ? !same : same)
}

function integers(operator: Operator, a: bigint, b: bigint): Value {
  switch (operator) {
    case '+':
      return wrapped(a + b)
    case '-':
      return wrapped(a - b)
    case '*':
      return wrapped(a * b)
    case '/':
    case '%':
      if (b === 0n) throw new Fault('__builtin_IntMath: divide by zero')
      return wrapped(operator === '/' ? a / b : a % b)
    default:
      return truth(compare(operator, a, b))
  }
}

function wrapped(value: bigint): Value {
  return { kind: 'int', value: BigInt.asIntN(64, value) }
}

function floats(operator: Operator, a: number, b: number): Value {
  switch (operator) {
    case '+':
      return { kind: 'float', value: a + b }
    case '-':
      return { kind: 'float', value: a - b }
    case '*':
      return { kind: 'float', value: a * b }
    case '/':
      return { kind: 'float', value: a / b }
    default:
      return truth(compare(operator, a, b))
  }
}

function truths(operator: Operator, a: boolean, b: boolean): Value {
  if (operator === '&&') return truth(a && b)
  if (operator === '||') return truth(a || b)
  return truth(compare(operator, a, b))
}

function compare<T extends bigint | number | boolean>(operator: Operator, a: T, b: T): boolean {
  switch (operator) {
    case '==':
      return a === b
    case '!=':
      return a !== b
    case '<':
      return a < b
    case '<=':
      return a <= b
    case '>':
      return a > b
    case '>=':
      return a >= b
    default:
      return never(operator as never)
  }
}

function truth(value: boolean): Value {
  return { kind: 'bool', value }
}
