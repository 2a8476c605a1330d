/** What the work tells of itself as spans, where these are wanted: operations, their steps, and what belongs to them. */
import type { Operation } from '../model/operation.ts'
import type { Package } from '../model/package.ts'

type Values = Readonly<Record<string, string | number | undefined>>

export interface WorkSpans {
  /** A span for the work on what was just claimed, linked to those that the row names. */
  claimed(operation: Operation): ClaimSpan
  /** Does a part of the work in a span of its own, if that around it is kept. */
  within<T>(name: string, attributes: Values, work: () => Promise<T>): Promise<T>
}

export interface ClaimSpan {
  /** What the row is to name from now on; undefined: what it names already. */
  readonly traces: Operation['traces']
  /** Works within it, and ends it after that; `about` says whose package it was, once that is known. */
  carry(work: () => Promise<void>, about: () => Package | undefined): Promise<void>
}
