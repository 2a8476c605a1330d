/** Log lines: one constant sentence plus fields, as JSON or for people; written without blocking, redacted by value. */
import pino, { type Logger } from 'pino'
import type { Clock } from './clock.ts'
import { keepLatest } from './latest-lines.ts'
import { present } from './present.ts'
import { maskOf } from './redact.ts'
import { printable, shorten } from './text.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal'
export type LogFields = Readonly<Record<string, unknown>>

/** `event` is a stable dotted code, `message` a constant sentence; values go into fields. */
export interface Log {
  debug(event: string, message: string, fields?: LogFields): void
  info(event: string, message: string, fields?: LogFields): void
  warn(event: string, message: string, fields?: LogFields): void
  error(event: string, message: string, fields?: LogFields): void
  fatal(event: string, message: string, fields?: LogFields): void
  /** On every line from now on, besides what was always there. */
  tag(fields: LogFields): void
  /** Asked at each line from now on, for what identifies the work that the line is about. */
  ask(underWay: () => LogFields): void
  /** Takes effect at once. */
  setLevel(level: LogLevel): void
  /** The newest lines as JSON, oldest first, without secrets; no more than a mebibyte of them. */
  latest(): readonly string[]
  /** Waits until everything is written, but not for a reader that has stopped to read. */
  flush(): Promise<void>
}

export interface LogOptions {
  readonly level: LogLevel
  readonly format: 'json' | 'pretty'
  readonly clock: Clock
  /** On every line. */
  readonly always: LogFields
  /** Values that must never be seen, as they are known at the moment. */
  readonly secrets: () => readonly string[]
  /** Where lines go instead of standard output. */
  readonly sink?: (line: string) => void
  /** A line was lost because the reader is too slow. */
  readonly dropped?: () => void
}

const waitingBytesMax = 8 * 1024 * 1024
const lineMax = 64 * 1024
const flushMs = 2000
const latestMax = 1024 * 1024

/** Opens the log. */
export function openLog(options: LogOptions): Log {
  const { clock, always, level } = options
  const destination = options.sink
    ? undefined
    : // With no least length at all a flush would wait for nothing.
      pino.destination({ fd: 1, sync: false, minLength: 1, maxLength: waitingBytesMax })
  destination?.on('drop', () => options.dropped?.())
  const write = options.sink ?? ((line: string) => destination?.write(line))
  const redact = redactingNow(options.secrets)
  const latest = keepLatest(latestMax)
  const take = (line: string): void => {
    const safe = redact(line)
    latest.add(safe)
    write(shownLine(safe, options.format))
  }
  let underWay = (): LogFields => ({})
  const logger = pino(
    {
      level,
      base: { ...always },
      // A new object each time: the fields of the line are written into it.
      mixin: () => ({ ...underWay() }),
      messageKey: 'msg',
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: serializeError },
    },
    { write: take },
  )
  return {
    ...writersOf(logger),
    tag: (fields) => logger.setBindings(fields),
    ask: (fields) => {
      underWay = fields
    },
    latest: latest.all,
    setLevel: (wanted) => {
      logger.level = wanted
    },
    async flush() {
      if (destination === undefined) return
      const done = new AbortController()
      const written = new Promise<void>((resolve) => destination.flush(() => resolve()))
      await Promise.race([written, clock.sleep(flushMs, done.signal)])
      done.abort()
    },
  }
}

function writersOf(logger: Logger): Omit<Log, 'tag' | 'ask' | 'setLevel' | 'latest' | 'flush'> {
  const writer =
    (level: LogLevel) =>
    (event: string, message: string, fields: LogFields = {}) =>
      logger[level]({ event, ...fields }, message)
  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    fatal: writer('fatal'),
  }
}

/** Prepared once for as long as the list of secrets is the same one. */
function redactingNow(secrets: LogOptions['secrets']): (text: string) => string {
  let known: readonly string[] = []
  let mask = maskOf(known)
  return (text) => {
    const now = secrets()
    if (now !== known) {
      known = now
      mask = maskOf(now)
    }
    return mask.text(text)
  }
}

function shownLine(safe: string, format: LogOptions['format']): string {
  if (format === 'pretty') return pretty(safe)
  return safe.length <= lineMax ? safe : cutLine(safe)
}

/** A long line keeps all its fields, each as far as there is room: what has failed stands in one of them. */
function cutLine(line: string): string {
  try {
    const fields: unknown = JSON.parse(line)
    for (const most of [4096, 256, 32]) {
      const cut = `${JSON.stringify({ ...(cutTexts(fields, most) as LogFields), cut: true })}\n`
      if (cut.length <= lineMax) return cut
    }
  } catch {
    // Hiding a secret may have broken it.
  }
  return `${JSON.stringify({ level: 'error', msg: line.slice(0, 4096), cut: true })}\n`
}

function cutTexts(value: unknown, most: number): unknown {
  if (typeof value === 'string') return shorten(value, most)
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => cutTexts(item, most))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cutTexts(item, most)]))
}

const hidden = new Set(['time', 'level', 'msg', 'event', 'node', 'cluster', 'version'])

/** `12:00:00 info  Ready  url=http://…`; members of an object stand beside each other, a stack below. */
function pretty(line: string): string {
  try {
    const fields: LogFields = JSON.parse(line)
    const stacks: string[] = []
    const shown = Object.entries(fields)
      .filter(([name]) => !hidden.has(name))
      .flatMap(([name, value]) => shownField(name, value, stacks))
    const time = String(fields['time']).slice(11, 19)
    const sentence = `${time} ${String(fields['level']).padEnd(5)} ${fields['msg']}`
    return `${[[sentence, ...(shown.length > 0 ? [shown.join(' ')] : [])].join('  '), ...stacks].join('\n')}\n`
  } catch {
    return line
  }
}

function shownField(name: string, value: unknown, stacks: string[]): readonly string[] {
  if (typeof value === 'string') return [`${name}=${shownText(value)}`]
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [`${name}=${printable(JSON.stringify(value))}`]
  const { stack, ...members } = value as LogFields
  if (typeof stack === 'string') stacks.push(...framesOf(stack))
  return Object.entries(members).flatMap(([member, of]) => shownField(`${name}.${member}`, of, stacks))
}

/** Where it happened; what happened stands in the fields. */
function framesOf(stack: string): readonly string[] {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => `    ${line.trim()}`)
}

/** What others wrote neither begins a line of its own nor steers the terminal. */
function shownText(text: string): string {
  return /\p{Cc}/u.test(text) ? printable(JSON.stringify(text)) : printable(shortenDigest(text))
}

/** Digests, keys and signatures are for programs, which read the JSON; a person tells them apart by their beginning. */
function shortenDigest(text: string): string {
  return /^(?:[0-9a-f]{40,}|[A-Za-z0-9+/]{40,}={1,2})$/.test(text) ? `${text.slice(0, 8)}…` : text
}

function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  return {
    name,
    message,
    ...present({ stack }),
    ...(cause === undefined ? {} : { cause: cause instanceof Error ? cause.message : String(cause) }),
  }
}
