/** Where a live node stands, and what the nodes of a document share. */
import type { DocumentDepth, Env, Frame, Info, Run, Stand } from './env.ts'
import type { Issue } from './issue.ts'
import type { StubView } from './stubs.ts'
import type { Expr } from './tree.ts'
import type { Base, Cell, Scope, Shape, Spot, Stuck, Value } from './value.ts'

/** One document, or one fragment of it, being processed. */
export interface Level extends DocumentDepth {
  readonly run: Run
  readonly base: Base
  /** The name of the document being processed. */
  readonly document: string
  readonly stubs: readonly Cell[]
  /** Makes the live node of a cell. */
  readonly make: (raw: Cell, site: Site) => Live
  /** Set as soon as something went wrong. */
  troubled: boolean
}

export interface Site {
  readonly level: Level
  readonly parent: Live | undefined
  /** The step from the parent as paths name it, and as messages do. */
  readonly step: string
  readonly shownStep: string
  readonly scope: Scope | undefined
  readonly view: StubView
  /** Stubs may replace it. */
  readonly override: boolean
  /** The value of `<<`: it is evaluated, its content belongs to the map around it. */
  readonly insert?: boolean
  /** A stub added it: only its dynamic template is left to be instantiated. */
  readonly injected?: boolean
  /** A control in a list: for `__ctx` it stands at the list. */
  readonly nameless?: boolean
  /** Where a root stands: fragments begin inside of a document. */
  readonly start?: Stand
  /** What is known of a root that was left half evaluated. */
  readonly frame?: Frame | undefined
}

/** A node that is evaluated on demand. */
export interface Live extends Spot {
  readonly raw: Cell
  readonly site: Site
  readonly outcome: Outcome
  readonly trouble: Trouble | undefined
  /** What a stub of a partial run left open at this place. */
  readonly open: Cell | undefined
  /** What is known of the calls made here and in nodes below that were left half evaluated. */
  keptFrame(): Frame | undefined
  keepFrame(name: string, frame: Frame): void
  /** On the stack of the driver: a node that needs it meanwhile is part of a circle. */
  queued: boolean
  /** How it ends is known, be it that it never settles. */
  readonly isSettled: boolean
  readonly isRoot: boolean
  path(): readonly string[]
  shownPath(): readonly string[]
  /** All nodes below that are still there, with the steps messages use. */
  below(): readonly Below[]
  /** The fields or entries as far as they are known; nothing where evaluation did not get so far. */
  parts(): readonly Part[] | undefined
  /** Whether they are entries of a list, whatever was written here. */
  readonly isList: boolean
  /** What markers and stubs said about the map or list. */
  readonly flags: number
}

/** A field or an entry. */
export interface Part {
  readonly step: string
  readonly at: Live | Cell
}

/** What evaluating an expression found out besides its value. */
export interface Outcome {
  readonly flags: number
  readonly redirect: readonly string[] | undefined
  readonly merged: boolean
  readonly replace: boolean
  readonly key: string
  readonly tag: string
}

export function outcomeOf({ flags, redirect, merged, replace, key, tag }: Info): Outcome {
  return { flags, redirect, merged, replace, key, tag }
}

/** Of what is no expression. */
export const plainOutcome: Outcome = {
  flags: 0,
  redirect: undefined,
  merged: false,
  replace: false,
  key: '',
  tag: '',
}

/** Why a node does not settle. */
export interface Trouble {
  /** `*` its own fault, `@` waits, `-` waits for what failed. */
  readonly sign: '*' | '@' | '-'
  readonly issue: Issue
  /** How it is shown: an expression, or a text like `<map>`. */
  readonly expr: Expr | undefined
  readonly text: string
  readonly source: string
  /** The expression as it was written, and the offset of the part that failed. */
  readonly code?: { readonly text: string; readonly at: number } | undefined
  /** The level of the node it waits for. */
  readonly waitsIn?: object | undefined
}

/** A live node as the code that shapes its map or list sees it. */
export interface Host extends Live {
  readonly view: StubView
  findStub(path: readonly string[]): Cell | undefined
  env(info: Info): Env
}

/** What a map or list turned out to be before its content is evaluated. */
export interface Structure {
  readonly shape: Shape
  /** The settled value; undefined when something in it does not settle. */
  settle(): Value | undefined
  below(): readonly Below[]
  parts(): readonly Part[] | undefined
}

export interface Below {
  /** Nothing when the node moved to the place of the one above. */
  readonly step: string | undefined
  readonly node: Live
}

export type Shaped =
  | {
      readonly kind: 'structure'
      readonly structure: Structure
      readonly cell: Cell
      readonly tag: string
      readonly issue?: Issue | undefined
    }
  /** A value that stubs may still replace. */
  | { readonly kind: 'value'; readonly cell: Cell; readonly tag: string }
  /** What a control yields; nothing when that is undefined. */
  | { readonly kind: 'chosen'; readonly cell: Cell | undefined; readonly tag: string }
  | {
      readonly kind: 'failed'
      readonly issue: Issue
      readonly text: string
      readonly sign?: '*' | '@' | '-'
      /** A stub may stand in for it. */
      readonly replaceable?: boolean
      readonly structure: Structure
    }
  | { readonly kind: 'incomplete'; readonly structure: Structure; readonly replaceable?: boolean }
  | { readonly kind: 'gone' }

const stuck: Stuck = { kind: 'stuck', failed: false, what: 'not complete' }

/** A structure that never settles because of these nodes. */
export function brokenStructure(below: readonly Below[], parts?: readonly Part[]): Structure {
  return { shape: stuck, settle: () => undefined, below: () => below, parts: () => parts }
}

/** The structure of a node that stands for another one. */
export function delegated(node: Live, shape: Shape): Structure {
  return {
    shape,
    settle: () => {
      const settled = node.settle()
      return settled.kind === 'cell' ? settled.value : undefined
    },
    below: () => [{ step: undefined, node }],
    parts: () => node.parts(),
  }
}
