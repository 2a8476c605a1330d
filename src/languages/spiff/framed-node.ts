/** A node with what is known of the calls made in it, so that it may start again and find their results. */
import type { Effects, Frame } from './env.ts'
import { newFrame } from './frame.ts'
import { Suspended } from './issue.ts'
import { Placed } from './placed.ts'

function keepNode(frame: Frame, name: string, node: Frame): void {
  frame.nodes ??= new Map()
  frame.nodes.set(name, node)
}

export class FramedNode extends Placed {
  /** On the stack of the driver: a node that needs it meanwhile is part of a circle. */
  queued = false
  private frame: Frame | undefined

  /** Calls and effects are counted from the beginning. */
  protected restart(): void {
    if (this.frame === undefined) return
    this.frame.next = 0
    if (this.frame.effects !== undefined) this.frame.effects.next = 0
  }

  get effects(): Effects {
    const { ownFrame } = this
    ownFrame.effects ??= { results: [], next: 0 }
    return ownFrame.effects
  }

  protected get ownFrame(): Frame {
    this.frame ??= this.keptFrame() ?? newFrame()
    return this.frame
  }

  /** What is known of calls here, or in the node that stood here before its parent started again. */
  keptFrame(): Frame | undefined {
    if (this.frame !== undefined) return this.frame
    this.frame = this.outerFrame?.nodes?.get(this.frameName)
    this.restart()
    return this.frame
  }

  private get outerFrame(): Frame | undefined {
    const { parent, frame } = this.site
    return parent === undefined ? frame : parent.keptFrame()
  }

  private get frameName(): string {
    const { step, shownStep, override, insert = false, injected = false } = this.site
    return `${shownStep} ${step} ${override} ${insert} ${injected}`
  }

  /** A node that starts again makes new nodes below; what is known of the calls in this one must not be lost with it. */
  protected leave(error: unknown): void {
    if (!(error instanceof Suspended)) return
    error.passed.push(this)
    if (error.need.kind !== 'call') return
    const { parent, frame } = this.site
    if (parent !== undefined) parent.keepFrame(this.frameName, this.ownFrame)
    else if (frame !== undefined) keepNode(frame, this.frameName, this.ownFrame)
  }

  keepFrame(name: string, frame: Frame): void {
    keepNode(this.ownFrame, name, frame)
  }
}
