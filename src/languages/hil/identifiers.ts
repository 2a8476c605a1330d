/** The first check: every name is known and every function gets as many arguments as it takes. */
import { never } from '../../kit/assert.ts'
import { Fault, placeOf } from '../place.ts'
import type { Scope } from './scope.ts'
import type { Call, Node } from './tree.ts'

/** Throws a Fault for the first name that is unknown, innermost first. */
export function checkIdentifiers(node: Node, scope: Scope, source: string): void {
  switch (node.kind) {
    case 'literal':
      return
    case 'variable':
      if (scope.variable(node.name) !== undefined) return
      throw refused(source, node.at, `unknown variable accessed: ${node.name}`)
    case 'call':
      for (const arg of node.args) checkIdentifiers(arg, scope, source)
      checkCall(node, scope, source)
      return
    case 'index':
      checkIdentifiers(node.target, scope, source)
      checkIdentifiers(node.key, scope, source)
      return
    case 'chain':
      checkIdentifiers(node.first, scope, source)
      for (const { operand } of node.links) checkIdentifiers(operand, scope, source)
      return
    case 'conditional':
      checkIdentifiers(node.condition, scope, source)
      checkIdentifiers(node.whenTrue, scope, source)
      checkIdentifiers(node.whenFalse, scope, source)
      return
    case 'output':
      for (const part of node.parts) checkIdentifiers(part, scope, source)
      return
    default:
      never(node)
  }
}

function checkCall({ name, args, at }: Call, scope: Scope, source: string): void {
  const known = scope.functions.get(name)
  if (known === undefined) throw refused(source, at, `unknown function called: ${name}`)
  const wanted = known.args.length
  if (args.length >= wanted && (args.length === wanted || known.variadic !== undefined)) return
  throw refused(source, at, `${name}: expected ${wanted} arguments, got ${args.length}`)
}

function refused(source: string, at: number, message: string): Fault {
  const place = placeOf(source, at)
  return new Fault(`${place.line}:${place.column}: ${message}`, place)
}
