/** Follows the log of an operation: resumes after the last piece seen, and says when it is not live. */
import { signal } from '@preact/signals'
import type { LogLine, Operation } from '../../api/operation.ts'
import { addressOf } from '../address-of.ts'
import { calls } from '../calls.ts'
import { standIn, stepBack } from '../live.ts'
import { resume } from '../session.ts'
import { makeLines } from './lines.ts'

export type Connection = 'connecting' | 'live' | 'lost' | 'ended'

const againMs = 1500
/** So often the page is told of new lines; they may come by the thousand. */
const tellMs = 80

/** Opens the log; its page calls `close` when it goes. */
export function followLog(id: string) {
  const lines = makeLines()
  const count = signal(0)
  const connection = signal<Connection>('connecting')
  const operation = signal<Operation | undefined>(undefined)
  let after = 0
  let source: EventSource | undefined
  let again: ReturnType<typeof setTimeout> | undefined
  let telling: ReturnType<typeof setTimeout> | undefined
  let isOver = false

  const tell = (): void => {
    telling ??= setTimeout(() => {
      telling = undefined
      count.value = lines.all.length
    }, tellMs)
  }
  const disconnect = (): void => {
    clearTimeout(again)
    source?.close()
    source = undefined
    stepBack()
  }
  const reconnect = (): void => {
    disconnect()
    connection.value = 'lost'
    again = setTimeout(() => void resume().then(connect), againMs)
  }
  const connect = (): void => {
    if (isOver || source !== undefined || document.visibilityState === 'hidden') return
    source = new EventSource(addressOf(calls.log, { operation: id }, { after }))
    source.onopen = () => {
      connection.value = 'live'
    }
    source.addEventListener('operation', (event) => {
      const told = JSON.parse(event.data) as Operation
      operation.value = told
      if (told.finishedAt === undefined) standIn()
    })
    source.addEventListener('log', (event) => {
      after = Number(event.lastEventId)
      lines.add(JSON.parse(event.data) as LogLine)
      tell()
    })
    source.addEventListener('end', (event) => {
      operation.value = JSON.parse(event.data) as Operation
      connection.value = 'ended'
      isOver = true
      disconnect()
    })
    source.addEventListener('reconnect', reconnect)
    source.onerror = reconnect
  }
  const unwatch = watchPage(connect, disconnect)
  connect()
  return {
    lines,
    count,
    connection,
    operation,
    close(): void {
      isOver = true
      unwatch()
      clearTimeout(telling)
      disconnect()
    },
  }
}

/**
 * Browsers grant a broker few connections at once: pages in the background must not take them from the one that is
 * looked at. A connection from before a network was lost may never say that it is dead.
 */
function watchPage(connect: () => void, disconnect: () => void): () => void {
  const seen = (): void => {
    if (document.visibilityState === 'hidden') disconnect()
    else connect()
  }
  const online = (): void => {
    disconnect()
    connect()
  }
  document.addEventListener('visibilitychange', seen)
  addEventListener('online', online)
  return () => {
    document.removeEventListener('visibilitychange', seen)
    removeEventListener('online', online)
  }
}

export type FollowedLog = ReturnType<typeof followLog>
