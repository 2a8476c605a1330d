/** A node with what is known of the calls made in it, so that it may start again and find their results. */
import type { Frame } from './env.ts'
import { newFrame } from './frame.ts'
import { Suspended } from './issue.ts'
import { Placed } from './placed.ts'

export class FramedNode extends Placed {
  /** On the stack of the driver: a node that needs it meanwhile is part of a circle. */
  queued = false
  private frame: Frame | undefined

  /** The calls are counted from the beginning. */
  protected restartCalls(): void {
    if (this.frame !== undefined) this.frame.next = 0
  }

  protected get ownFrame(): Frame {
    this.frame ??= this.keptFrame() ?? newFrame()
    return this.frame
  }

  /** What is known of calls here, or in the node that stood here before its parent started again. */
  keptFrame(): Frame | undefined {
    if (this.frame !== undefined) return this.frame
    this.frame = this.site.parent?.keptFrame()?.nodes?.get(this.frameName)
    if (this.frame !== undefined) this.frame.next = 0
    return this.frame
  }

  private get frameName(): string {
    const { step, shownStep, override, insert = false, injected = false } = this.site
    return `${shownStep} ${step} ${override} ${insert} ${injected}`
  }

  /** A node that starts again makes new nodes below; what is known of the calls in this one must not be lost with it. */
  protected leave(error: unknown): void {
    if (!(error instanceof Suspended)) return
    error.passed.push(this)
    if (error.need.kind === 'call') this.site.parent?.keepFrame(this.frameName, this.ownFrame)
  }

  keepFrame(name: string, frame: Frame): void {
    const own = this.ownFrame
    own.nodes ??= new Map()
    own.nodes.set(name, frame)
  }
}
