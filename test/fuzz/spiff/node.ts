/** Documents as trees, before they are written as text: so that keys can change their order and stubs can be split. */
import type { Chance } from '../chance.ts'

export type Node = null | boolean | number | string | readonly Node[] | NodeMap

export class NodeMap {
  readonly fields: readonly (readonly [string, Node])[]

  constructor(fields: readonly (readonly [string, Node])[]) {
    // Of fields with one name the last would win, which is no rule that is looked at here.
    this.fields = [...new Map(fields)]
  }
}

/** The text of a document: JSON, which is YAML, too. */
export function written(node: Node): string {
  if (node instanceof NodeMap)
    return `{${node.fields.map(([key, value]) => `${JSON.stringify(key)}: ${written(value)}`).join(', ')}}`
  return Array.isArray(node) ? `[${node.map(written).join(', ')}]` : JSON.stringify(node)
}

/** The same document with the keys of every map in another order. */
export function shuffled(chance: Chance, node: Node): Node {
  if (Array.isArray(node)) return node.map((item) => shuffled(chance, item))
  if (!(node instanceof NodeMap)) return node
  const fields = node.fields.map(([key, value]) => [key, shuffled(chance, value)] as const)
  for (let i = fields.length - 1; i > 0; i--) {
    const other = chance.below(i + 1)
    const [a, b] = [fields[i], fields[other]]
    if (a !== undefined && b !== undefined) [fields[i], fields[other]] = [b, a]
  }
  return new NodeMap(fields)
}

/** A map as two: every field of the outermost level goes to one of them. */
export function split(chance: Chance, { fields }: NodeMap): readonly [NodeMap, NodeMap] {
  const sides = fields.map(() => chance.once(2))
  const side = (wanted: boolean): NodeMap => new NodeMap(fields.filter((_, i) => sides[i] === wanted))
  return [side(true), side(false)]
}
