/** Requests as spans: begun with the context that the caller tells, ended when the broker has answered. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { contextIn, type Propagator } from './context.ts'
import type { OpenSpan, Tracer } from './tracer.ts'

/** What is known of a request when it is answered. */
interface Answered {
  readonly method: string
  /** The template, or `unknown`. */
  readonly route: string
  readonly status: number
  readonly requestId: string
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

export interface RequestSpans {
  /** The same handler; all it does belongs to the span of its request. */
  traced(handler: Handler): Handler
  /** Does what is about a request in its span, wherever the answer was written from. */
  within(request: IncomingMessage, work: () => void): void
  /** Ends the span of a request; one that is never told of leaves none, such as a file of the web UI. */
  answered(request: IncomingMessage, seen: Answered): void
}

/** Spans named `HTTP METHOD ROUTE`. */
export function requestSpans(tracer: Tracer, propagators: readonly Propagator[]): RequestSpans {
  const open = new WeakMap<IncomingMessage, OpenSpan>()
  return {
    traced: (handler) => (request, response) => {
      const parent = contextIn(request.headers, propagators) ?? 'none'
      const span = tracer.begin({ name: 'HTTP', kind: 'server', parent })
      open.set(request, span)
      tracer.run(span, () => handler(request, response))
    },
    within(request, work) {
      const span = open.get(request)
      if (span === undefined) work()
      else tracer.run(span, work)
    },
    answered(request, { method, route, status, requestId }) {
      const span = open.get(request)
      if (span === undefined) return
      open.delete(request)
      const known = route === 'unknown' ? undefined : route
      span.note({
        'http.request.method': method,
        'http.route': known,
        'http.response.status_code': status,
        'chandler.request.id': requestId,
      })
      const name = known === undefined ? `HTTP ${method}` : `HTTP ${method} ${known}`
      const fault = { type: String(status), message: `answered ${status}` }
      span.end({ name, fault: status >= 500 ? fault : undefined })
    },
  }
}
