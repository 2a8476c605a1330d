/** What a run may use up at most; every bound has a number and a message. */
import { Exhausted } from './issue.ts'
import { extentOf, type Value } from './value.ts'

export interface Limits {
  /** Evaluated expression nodes. */
  readonly stepsMax: number
  /** Evaluations inside each other, while lambdas call lambdas. */
  readonly depthMax: number
  /** Places of documents that are evaluated: each costs many times as much as an element. */
  readonly nodesMax: number
  /** Elements made by lists, ranges, maps and copies. */
  readonly elementsMax: number
  /** Characters of one string. */
  readonly stringMax: number
  /** Bytes of one document. */
  readonly documentMax: number
  /** Nested maps and lists of a document. */
  readonly nestingMax: number
  /** Characters of all expressions that are parsed; the same text counts once. */
  readonly codeMax: number
  /** Bytes a regular expression may be long, and be matched against in total. */
  readonly patternMax: number
  readonly patternBytesMax: number
  readonly bcryptCostMax: number
  readonly rsaBitsMax: number
  /** Rounds of `sync`; 1 evaluates once. */
  readonly syncRoundsMax: number
  /** Characters and elements that functions look at, what is shared counted each time. */
  readonly workMax: number
  /** Characters of a value that a function is given, or that is printed. */
  readonly printMax: number
  /** Milliseconds. */
  readonly millisecondsMax: number
}

/** For servers: what strangers wrote. */
export const strictLimits: Limits = {
  stepsMax: 2_000_000,
  depthMax: 200_000,
  nodesMax: 250_000,
  elementsMax: 1_000_000,
  stringMax: 16_000_000,
  documentMax: 4_000_000,
  nestingMax: 200,
  codeMax: 2_000_000,
  patternMax: 1_000,
  patternBytesMax: 64_000_000,
  bcryptCostMax: 12,
  rsaBitsMax: 4096,
  syncRoundsMax: 1,
  workMax: 2_000_000_000,
  printMax: 32_000_000,
  millisecondsMax: 10_000,
}

/** For an author on his own machine. */
export const localLimits: Limits = {
  ...strictLimits,
  stepsMax: 200_000_000,
  depthMax: 20_000_000,
  nodesMax: 50_000_000,
  elementsMax: 50_000_000,
  stringMax: 256_000_000,
  documentMax: 256_000_000,
  codeMax: 64_000_000,
  patternBytesMax: 4_000_000_000,
  bcryptCostMax: 20,
  rsaBitsMax: 8192,
  syncRoundsMax: 10_000,
  workMax: 1_000_000_000_000,
  printMax: 256_000_000,
  millisecondsMax: 600_000,
}

/** Evaluations that may stand inside each other on the stack of the platform; documents inside documents share it. */
export const stackMax = 1_000

/** Lists and maps inside each other that a value may have: printing and comparing go down as deep. */
const heightMax = 500

/** Messages may be so many times as long as a result. */
const messages = 4

/** Longer texts may be joined of parts, which are written in one piece when they are looked at. */
const joinedMin = 256

/** So much work takes less than some milliseconds. */
const workBetweenChecks = 100_000

export class Budget {
  readonly limits: Limits
  /** For documents that are read: their elements are counted together. */
  readonly reading: Limits & { readonly tally: { elements: number } }
  private readonly now: () => number
  private readonly started: number
  private steps = 0
  private nodes = 0
  private elements = 0
  private matched = 0
  private worked = 0
  private unchecked = 0
  private parsed = 0
  private told = 0
  /** Characters of joined texts that may still be in parts. */
  private joined = 0
  constructor(limits: Limits, now: () => number) {
    this.limits = limits
    this.reading = { ...limits, tally: { elements: 0 } }
    this.now = now
    this.started = now()
  }

  step(): void {
    this.steps++
    if (this.steps > this.limits.stepsMax)
      throw new Exhausted(`more than ${this.limits.stepsMax} evaluation steps`)
    if ((this.steps & 1023) === 0) this.checkTime()
  }

  tooDeep(): never {
    throw new Exhausted('evaluations are nested too deeply inside each other')
  }

  checkTime(): void {
    if (this.now() - this.started > this.limits.millisecondsMax)
      throw new Exhausted(`more than ${this.limits.millisecondsMax} milliseconds`)
  }

  /** Accounts for a place of a document before it is evaluated. */
  node(): void {
    this.nodes++
    if (this.nodes > this.limits.nodesMax)
      throw new Exhausted(`more than ${this.limits.nodesMax} places of documents`)
  }

  /** Reserves elements before they are made. */
  make(count: number): void {
    this.elements += count
    if (this.elements > this.limits.elementsMax)
      throw new Exhausted(`more than ${this.limits.elementsMax} elements of lists, maps and long texts`)
  }

  /** Accounts for a list of elements that others have, too: only the list is new. */
  share(count: number): void {
    this.make(count >> 4)
    this.work(count)
  }

  /** Bounds a value by what it holds, shared parts counted each time: they multiply when it is printed. */
  weigh({ weight, height }: { readonly weight: number; readonly height: number }): void {
    if (height > heightMax) throw new Exhausted('a value is nested too deeply')
    if (weight > this.limits.elementsMax)
      throw new Exhausted(`a value of more than ${this.limits.elementsMax} elements`)
  }

  /** Accounts for work in characters and elements; the clock is looked at often enough to end it in time. */
  work(units: number): void {
    this.worked += units
    if (this.worked > this.limits.workMax)
      throw new Exhausted(`more than ${this.limits.workMax} characters of work`)
    this.pass(units)
  }

  /** Has the clock looked at while something is done that other limits bound. */
  pass(units: number): void {
    this.unchecked += units
    if (this.unchecked < workBetweenChecks) return
    this.unchecked = 0
    this.checkTime()
  }

  /** Accounts for an expression before it is parsed: its tree takes many times its text. */
  parse(length: number): void {
    this.parsed += length
    if (this.parsed > this.limits.codeMax)
      throw new Exhausted(`more than ${this.limits.codeMax} characters of expressions`)
    this.pass(length)
  }

  /** Accounts for messages, which nodes that fail keep to the end. */
  tell(length: number): void {
    this.told += length
    if (this.told > messages * this.limits.printMax)
      throw new Exhausted(`more than ${messages * this.limits.printMax} characters of messages`)
    this.pass(length)
  }

  /** Accounts for what a function is given: it may look at all of it. */
  given(values: readonly Value[]): void {
    let units = 0
    for (const value of values) units += this.bounded(value)
    this.work(units)
    this.look(units)
  }

  /** How much a value is to look at or to print; more than the limit ends the run. */
  bounded(value: Value): number {
    const units = extentOf(value)
    if (units > this.limits.printMax)
      throw new Exhausted(`a value of more than ${this.limits.printMax} characters`)
    return units
  }

  /** Accounts for what a function has made: it cost at least as much as it is long. */
  made(value: Value): void {
    const units = this.bounded(value)
    this.make(units >> 6)
    this.work(units)
  }

  /** Accounts for the text of a value before it is printed, with as much indentation as there may be at most. */
  print(value: Value): void {
    const nested = typeof value === 'object' && value !== null && 'height' in value ? value : undefined
    const indentation = nested === undefined ? 0 : 2 * nested.height * nested.weight
    const units = this.bounded(value) + indentation
    if (units > this.limits.printMax)
      throw new Exhausted(`a text of more than ${this.limits.printMax} characters`)
    this.work(units)
  }

  /** Accounts for a text that is looked at: if it was joined, it takes memory of its own from now on. */
  look(length: number): void {
    if (length < joinedMin || this.joined === 0) return
    const written = Math.min(length, this.joined)
    this.joined -= written
    this.make(written >> 7)
    this.pass(written)
  }

  /** Reserves a text that is joined of two, before it is made: what is looked at of it is accounted for then. */
  join(a: number, b: number): void {
    this.text(a + b, Math.min(a, b))
    if (a + b >= joinedMin) this.joined += a + b
  }

  /** Reserves a string before it is made; what is appended may cost less than the whole. */
  text(length: number, added = length): void {
    this.make(added >> 6)
    if (length > this.limits.stringMax)
      throw new Exhausted(`a string of more than ${this.limits.stringMax} characters`)
  }

  /** Accounts for matching a pattern against a subject. */
  match(pattern: number, subject: number): void {
    if (pattern > this.limits.patternMax)
      throw new Exhausted(`a regular expression of more than ${this.limits.patternMax} characters`)
    this.matched += subject * (1 + (pattern >> 4))
    if (this.matched > this.limits.patternBytesMax)
      throw new Exhausted(
        `more than ${this.limits.patternBytesMax} characters matched by regular expressions`,
      )
    this.checkTime()
  }
}
