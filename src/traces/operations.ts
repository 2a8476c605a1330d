/** Operations as spans: how they were accepted, and each claim of a worker with what it did. */
import type { Operation } from '../model/operation.ts'
import type { Package } from '../model/package.ts'
import type { ProblemCode } from '../model/problem-codes.ts'
import { parseTraceparent, type SpanContext, traceparentOf } from './context.ts'
import type { Attributes } from './otlp.ts'
import { faultOf, type OpenSpan, type SpanFault, type Tracer } from './tracer.ts'

/** An order that is being written down. */
interface Accepting {
  readonly operation: string
  readonly kind: Operation['action']['kind']
  readonly target: Operation['target']
  readonly format: string
  readonly package: Pick<Package, 'name' | 'digest'>
}

/** The span of a claim. */
interface ClaimSpan {
  /** What the row is to name from now on; undefined: what it names already. */
  readonly traces: Operation['traces']
  /** Works within it, and ends it after that. */
  carry(work: () => Promise<void>, about: () => Package | undefined): Promise<void>
}

export interface OperationSpans {
  /** `context` is for the row: the work links to it. */
  accepting(order: Accepting): { readonly context: string; end(): void }
  claimed(operation: Operation): ClaimSpan
  /** How the work on an operation went, which this process has claimed. */
  ended(operation: string, how: { readonly state: string; readonly problem?: ProblemCode | undefined }): void
  /** This claim of the operation ends for this reason, and the operation goes on. */
  left(operation: string, why: ProblemCode): void
}

interface UnderWay {
  readonly span: OpenSpan
  fault: SpanFault | undefined
}

/** Spans named `operation.accept` and `operation KIND`. */
export function operationSpans(tracer: Tracer): OperationSpans {
  const underWay = new Map<string, UnderWay>()
  return {
    accepting({ operation, kind, target, format, package: { name, digest } }) {
      const span = tracer.begin({
        name: 'operation.accept',
        attributes: { ...aboutOperation(operation, kind, target), ...aboutPackage(name, digest, format) },
      })
      return { context: traceparentOf(span.context), end: () => span.end() }
    },
    claimed: (operation) => claimSpan(tracer, underWay, operation),
    ended(operation, { state, problem }) {
      const found = underWay.get(operation)
      if (found === undefined) return
      found.span.note({ 'chandler.operation.state': state })
      if (state === 'failed') found.fault = faultOf(problem ?? 'operation.failed')
    },
    left(operation, why) {
      const found = underWay.get(operation)
      if (found !== undefined) found.fault = faultOf(why)
    },
  }
}

function claimSpan(tracer: Tracer, underWay: Map<string, UnderWay>, operation: Operation): ClaimSpan {
  const { id, action, target, attempt, traces = [] } = operation
  const links = traces.flatMap((one): SpanContext[] => {
    const context = parseTraceparent(one)
    return context === undefined ? [] : [context]
  })
  const span = tracer.begin({
    ...{ name: `operation ${action.kind}`, parent: 'none', links },
    attributes: { ...aboutOperation(id, action.kind, target), 'chandler.attempt': attempt },
  })
  const own = traceparentOf(span.context)
  return {
    traces: span.context.isSampled ? [...traces.slice(0, 1), own] : undefined,
    async carry(work, about) {
      const entry: UnderWay = { span, fault: undefined }
      underWay.set(id, entry)
      try {
        await tracer.run(span, work)
      } finally {
        if (underWay.get(id) === entry) underWay.delete(id)
        const found = about()
        if (found) span.note(aboutPackage(found.name, found.digest, found.contract))
        span.end({ fault: entry.fault })
      }
    },
  }
}

function aboutOperation(id: string, kind: string, { instance }: Operation['target']): Attributes {
  return { 'chandler.operation.id': id, 'chandler.operation.kind': kind, 'chandler.instance.id': instance }
}

function aboutPackage(name: string, digest: string, format: string): Attributes {
  return {
    'chandler.package.name': name,
    'chandler.package.digest': digest,
    'chandler.package.format': format,
  }
}
