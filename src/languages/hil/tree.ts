/** The tree of a template: one union told apart by kind; offsets count UTF-16 units of the source. */

export type Node = Literal | Variable | Call | Index | Chain | Conditional | Output

export type Literal = { readonly kind: 'literal'; readonly at: number } & LiteralValue
export type LiteralValue =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'int'; readonly value: bigint }
  | { readonly type: 'float'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }

export interface Variable {
  readonly kind: 'variable'
  readonly at: number
  readonly name: string
}

export interface Call {
  readonly kind: 'call'
  readonly at: number
  readonly name: string
  readonly args: readonly Node[]
}

/** `target[key]`; its place is that of the bracket. */
export interface Index {
  readonly kind: 'index'
  readonly at: number
  readonly target: Node
  readonly key: Node
}

/** Operators of one precedence, grouped to the left: a row, so that a long one does not nest. */
export interface Chain {
  readonly kind: 'chain'
  readonly at: number
  readonly first: Node
  readonly links: readonly Link[]
}

export interface Link {
  readonly operator: Operator
  readonly operand: Node
}

export interface Conditional {
  readonly kind: 'conditional'
  readonly at: number
  readonly condition: Node
  readonly whenTrue: Node
  readonly whenFalse: Node
}

/** Literal text and interpolations in a row. */
export interface Output {
  readonly kind: 'output'
  readonly at: number
  readonly parts: readonly Node[]
}

export type Operator = '+' | '-' | '*' | '/' | '%' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '&&' | '||'
