/** Tells pages that something changed at the broker, and people whether what they see is live. */
import { computed, effect, signal } from '@preact/signals'
import { addressOf } from './address-of.ts'
import { calls } from './calls.ts'
import { resume, session } from './session.ts'

/** Grows whenever something changed; pages that read it load again. */
export const changes = signal(0)

/** Whether changes arrive at present. */
export const isLive = signal(false)

const againMs = 2000
/** A page that has just been opened asks for all it shows: that comes first, and what changed meanwhile is asked for when it stands. */
const standsMs = 1000

/** It does not stand yet. */
let isYoung = false
let hasNews = false
/** Another stream tells this page what changes. */
let isReplaced = false
let source: EventSource | undefined
let timer: ReturnType<typeof setTimeout> | undefined

/** Connects while there is a session and the page is seen. */
export function keepLive(): void {
  document.addEventListener('visibilitychange', () => choose())
  addEventListener('online', () => choose())
  // A session that is told once more is still the same: it begins no stream anew.
  const isOpen = computed(() => session.value.kind === 'open')
  effect(() => {
    isYoung = isOpen.value
    if (isYoung) setTimeout(stand, standsMs)
    choose(isOpen.value)
  })
}

/**
 * Something changed, told by another stream of the page, which stands in for the one here until `stepBack`: browsers
 * grant a broker six connections, and each window that is seen takes one of them.
 */
export function standIn(): void {
  if (!isReplaced) {
    isReplaced = true
    disconnect()
  }
  hear()
}

/** The other stream is gone: what changed meanwhile is told by the one here. */
export function stepBack(): void {
  if (!isReplaced) return
  isReplaced = false
  choose()
}

function choose(isOpen = session.peek().kind === 'open'): void {
  disconnect()
  if (isOpen && !isYoung && !isReplaced && document.visibilityState === 'visible') connect()
}

function stand(): void {
  isYoung = false
  if (hasNews) tell()
  choose()
}

function disconnect(): void {
  clearTimeout(timer)
  source?.close()
  source = undefined
}

function connect(): void {
  const stream = new EventSource(addressOf(calls.changes, {}))
  source = stream
  stream.addEventListener('change', hear)
  stream.onerror = () => {
    isLive.value = false
    disconnect()
    timer = setTimeout(connectAgain, againMs)
  }
}

function hear(): void {
  isLive.value = true
  if (isYoung) hasNews = true
  else tell()
}

function tell(): void {
  hasNews = false
  changes.value += 1
}

/** A session that has ended is no lost connection. */
function connectAgain(): void {
  resume()
    .then(() => choose())
    .catch(() => choose())
}
