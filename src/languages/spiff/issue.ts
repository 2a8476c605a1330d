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

/** The stack is deep enough: whoever drives evaluation settles this node first and then starts again. */
export class Suspended {
  readonly node: object
  /** Whether everything in it is needed, or only its kind. */
  readonly deep: boolean
  constructor(node: object, deep: boolean) {
    this.node = node
    this.deep = deep
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

/** The causes below an issue, indented as the original does. */
export function printNested(issue: Issue): string {
  const prefix = issue.sequence ? '\n\t\t... ' : '\n'
  const gap = issue.sequence ? '' : '\t\t\t'
  const text = issue.nested.map((sub) => prefix + sub.text + printNested(sub)).join('')
  return text.replaceAll('\n', `\n${gap}`)
}
