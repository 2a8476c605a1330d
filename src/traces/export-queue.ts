/** Spans that wait to be sent: a bounded queue that loses what it cannot hold, and never makes a caller wait. */
import type { Chance, Clock } from '../kit/clock.ts'
import type { Configuration } from './configuration.ts'
import { type Attributes, type EndedSpan, exportRequest } from './otlp.ts'
import type { Sender, Sent } from './send.ts'

/** Why spans were lost: the queue was full, the collector did not want them, or could not be reached in time. */
export type Loss = 'queue' | 'refused' | 'unreachable'

export interface ExportQueue {
  add(span: EndedSpan): void
  /** Sends what waits, as far as that goes in this time; the rest is lost. */
  close(withinMs: number): Promise<void>
}

export interface ExportQueueParts {
  readonly sender: Sender
  readonly resource: Attributes
  readonly batch: Configuration['batch']
  readonly clock: Clock
  readonly chance: Chance
  sent(spans: number): void
  lost(spans: number, why: Loss): void
  /** Why the latest batch could not be handed over; undefined: it was. */
  told(why: string | undefined): void
}

/** After so many tries a batch is given up, for others wait. */
const triesMax = 5
const pauseBaseMs = 500
const pauseMaxMs = 30_000

/** Said when a nap ends early: without a word each time would make an error of its own, with its stack. */
const wakened = 'woken'

/** Opens an empty one. */
export function openExportQueue(parts: ExportQueueParts): ExportQueue {
  const { batch, clock } = parts
  const waiting: EndedSpan[] = []
  const closing = new AbortController()
  let nap = new AbortController()

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      nap = new AbortController()
      if (waiting.length < batch.sizeMax)
        await clock.sleep(batch.delayMs, AbortSignal.any([nap.signal, closing.signal]))
      await sendAll()
    }
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) await deliver(parts, waiting.splice(0, batch.sizeMax), closing.signal)
  }

  const running = run()
  return {
    add(span) {
      if (waiting.length >= batch.queueMax) {
        parts.lost(1, 'queue')
        return
      }
      waiting.push(span)
      if (waiting.length === batch.sizeMax) nap.abort(wakened)
    },
    async close(withinMs) {
      closing.abort()
      const done = new AbortController()
      await Promise.race([running.then(sendAll), clock.sleep(withinMs, done.signal)])
      done.abort()
      if (waiting.length > 0) parts.lost(waiting.splice(0).length, 'unreachable')
      parts.sender.close()
    },
  }
}

/** Sends one batch, again after a while where that may help; while the process ends there is no second try. */
async function deliver(
  { sender, resource, clock, chance, ...tell }: ExportQueueParts,
  spans: readonly EndedSpan[],
  closing: AbortSignal,
): Promise<void> {
  const body = exportRequest(resource, spans)
  for (let tried = 1; ; tried++) {
    const sent = await sender.send(body)
    tell.told(sent.kind === 'taken' ? undefined : sent.why)
    if (sent.kind === 'taken') {
      const rejected = Math.min(spans.length, sent.rejected)
      tell.sent(spans.length - rejected)
      if (rejected > 0) tell.lost(rejected, 'refused')
      return
    }
    if (sent.kind === 'refused') return tell.lost(spans.length, 'refused')
    if (tried >= triesMax || closing.aborted) return tell.lost(spans.length, 'unreachable')
    await clock.sleep(pauseAfter(sent, tried, chance), closing)
  }
}

function pauseAfter({ afterMs }: Extract<Sent, { kind: 'failed' }>, tried: number, chance: Chance): number {
  if (afterMs !== undefined) return Math.min(afterMs, pauseMaxMs)
  return Math.min(pauseMaxMs, pauseBaseMs * 2 ** tried) * (0.5 + 0.5 * chance.number())
}
