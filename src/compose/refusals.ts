/** Keeps the book of refused requests: writes what it says, in the background, so that no refusal waits for the store. */
import { recordDeed } from '../broker/govern.ts'
import type { Ports } from '../broker/ports.ts'
import { boundsOfReadings, makeRefusalBook, type Refusal } from '../broker/refusals.ts'
import type { Log } from '../kit/log.ts'

export interface RefusalRecorder {
  note(refusal: Refusal): void
  /** A secret is about to be handed out; resolves when that is on record, or counted as a repetition of what is. */
  read(reading: Refusal): Promise<void>
  /** Writes down what is still counted. */
  stop(): Promise<void>
}

const roundMs = 15_000

/** Starts keeping. */
export function startRefusalRecorder(ports: Ports, log: Log, failed: () => void): RefusalRecorder {
  const { clock } = ports
  const book = makeRefusalBook()
  const readings = makeRefusalBook(boundsOfReadings)
  const leaving = new AbortController()
  let writing: Promise<unknown> = Promise.resolve()
  const write = (refusals: readonly Refusal[]): void => {
    for (const { asker, deed } of refusals)
      writing = writing
        .then(() => recordDeed(ports, asker, deed))
        .catch((error: unknown) => {
          failed()
          log.error('audit.failed', 'A refusal could not be written down', { error })
        })
  }
  const rounds = (async () => {
    while (!leaving.signal.aborted) {
      await clock.sleep(roundMs, leaving.signal)
      write([...book.due(clock.monotonic()), ...readings.due(clock.monotonic())])
    }
  })()
  return {
    async read(reading) {
      for (const { asker, deed } of readings.note(reading, clock.monotonic()))
        await recordDeed(ports, asker, deed)
    },
    note: (refusal) => write(book.note(refusal, clock.monotonic())),
    async stop() {
      leaving.abort()
      await rounds
      write([...book.due(clock.monotonic(), true), ...readings.due(clock.monotonic(), true)])
      await writing
    },
  }
}
