/** What goes wrong while evaluating: failures, waiting for ever, budgets; and the chain of causes. */

export interface Issue {
  readonly text: string
  readonly nested: readonly Issue[]
  /** Causes of one another, not siblings. */
  readonly sequence: boolean
}

export function issueOf(text: string, nested: readonly Issue[] = [], sequence = false): Issue {
  return { text, nested, sequence }
}

/** Characters of an issue and of its causes. */
export function extentOfIssue(issue: Issue): number {
  let extent = 0
  const open = [issue]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    extent += next.text.length + 1
    for (const cause of next.nested) open.push(cause)
  }
  return extent
}

/** An expression cannot be computed; `||` and `catch` react to it. It never leaves this library. */
export class Failure {
  readonly issue: Issue
  /** Where in the text of the expression; the innermost part that failed sets it. */
  at: number | undefined
  constructor(issue: Issue) {
    this.issue = issue
  }
}

/** An expression refers to something that never settles; nothing may react to it, so it is no failure and no value. */
export class Waiting {
  readonly text: string
  /** Whether what it waits for has failed. */
  readonly failed: boolean
  /** The document or fragment of the node that it waits for. */
  readonly level: object | undefined
  /** What waits for ever in it counts as its own fault, as in projections: only how it is listed depends on that. */
  blamed = false
  constructor(text: string, failed: boolean, level?: object) {
    this.text = text
    this.failed = failed
    this.level = level
  }

  /** The same once more, before it was blamed. */
  again(): Waiting {
    return new Waiting(this.text, this.failed, this.level)
  }
}

/** How a node is listed that waits for ever. */
export function signOf({ failed, blamed }: Waiting): '*' | '@' | '-' {
  if (blamed) return '*'
  return failed ? '-' : '@'
}

/** Runs a form of expression that is listed as failing itself where it waits for ever. */
export function blamed<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof Waiting) error.blamed = true
    throw error
  }
}

/** A node that waits for something of the driver. */
export interface Held {
  queued: boolean
}

/** A call that is left to the driver of a document. */
export interface CallNeeded {
  readonly kind: 'call'
  readonly level: object
  /** About so many evaluations stood inside each other when it was left. */
  readonly depth: number
  evaluate(): void
}

/** What the driver must evaluate first: everything in a node or only its kind, or a call of a lambda. */
export type Needed = { readonly kind: 'node'; readonly node: object; readonly deep: boolean } | CallNeeded

/** The stack is deep enough: the driver evaluates what is needed first, and then starts again. */
export class Suspended {
  need: Needed
  /** The nodes that were left half evaluated on the way out. */
  readonly passed: Held[] = []
  constructor(need: Needed) {
    this.need = need
  }

  /** A call further out is left as a whole in place of a call of the same document. */
  insteadOf(call: CallNeeded): void {
    if (this.need.kind !== 'call' || this.need.level !== call.level) return
    this.need = call
    this.passed.length = 0
  }
}

/** A budget is used up: the whole run ends. */
export class Exhausted {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Fails with a message. */
export function failure(text: string, nested: readonly Issue[] = [], sequence = false): never {
  throw new Failure(issueOf(text, nested, sequence))
}

/** Causes deeper than this are not told. */
const causesMax = 200

/** The causes below an issue, indented as the original does. */
export function printNested(issue: Issue, depth = 0): string {
  const prefix = issue.sequence ? '\n\t\t... ' : '\n'
  const gap = issue.sequence ? '' : '\t\t\t'
  if (depth >= causesMax) return issue.nested.length === 0 ? '' : `${prefix}and so on`
  const text = issue.nested.map((sub) => prefix + sub.text + printNested(sub, depth + 1)).join('')
  return gap === '' ? text : text.replaceAll('\n', `\n${gap}`)
}
