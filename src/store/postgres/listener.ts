/** Hears what other processes announce, on a connection of its own; a hint may be lost, a reconnect says so. */
import pg from 'pg'
import type { Clock } from '../../kit/clock.ts'
import { configOf, type LineOptions } from './line.ts'

export const channel = 'chandler'

const pauseMs = 1000

export interface Listener {
  onNotice(listener: (text: string) => void): void
  close(): Promise<void>
}

/** Listens from the first listener on, and again after each break. */
export function makeListener(options: LineOptions, clock: Clock, missed: string): Listener {
  const listeners: ((text: string) => void)[] = []
  const ending = new AbortController()
  let client: pg.Client | undefined
  let running: Promise<void> | undefined

  const tell = (text: string): void => {
    for (const listener of listeners) listener(text)
  }
  const listen = async (): Promise<void> => {
    const mine = new pg.Client(configOf(options))
    const ended = new Promise<void>((resolve) => {
      mine.on('error', () => resolve())
      mine.on('end', () => resolve())
    })
    mine.on('notification', ({ payload }) => tell(payload ?? missed))
    client = mine
    try {
      await mine.connect()
      await mine.query(`LISTEN ${channel}`)
      // Whatever was said meanwhile was not heard.
      tell(missed)
      await ended
    } catch {
      await mine.end().catch(() => undefined)
    }
  }
  const keepListening = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await listen()
      await clock.sleep(pauseMs, ending.signal)
    }
  }
  return {
    onNotice: (listener) => {
      listeners.push(listener)
      running ??= keepListening()
    },
    close: async () => {
      ending.abort()
      await client?.end().catch(() => undefined)
      await running
    },
  }
}
