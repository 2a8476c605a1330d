/** Brings audit records and anchors to where the database's administrator cannot change them: the log, a file, a syslog server. */
import { toAuditAnchor, toAuditRecord } from '../api/audit.ts'
import type { Ports } from '../broker/ports.ts'
import type { Log } from '../kit/log.ts'
import type { Settings } from '../settings/settings.ts'
import type { AuditCursor, Look } from '../store/store.ts'
import { fileSink } from './file-sink.ts'
import type { AuditLine, AuditSink } from './sink.ts'
import { syslogSink } from './syslog-sink.ts'

export interface AuditFeed {
  /** The sinks that have taken nothing for too long although there is something for them. */
  behind(): readonly string[]
  stop(): Promise<void>
}

const roundMs = 1000
const leaseMs = 15_000
const recordsPerRound = 500
const anchorsPerRound = 100
/** A sink that takes nothing must be told of: an operator relies on it. */
const behindMs = 600_000

/** Starts bringing; of several nodes one does it at a time. */
export function startAuditFeed(ports: Ports, settings: Settings['audit'], log: Log): AuditFeed {
  const { store, clock, node } = ports
  const sinks: readonly AuditSink[] = [
    logSink(log),
    ...(settings.file === undefined ? [] : [fileSink(settings.file)]),
    ...(settings.syslog === undefined ? [] : [syslogSink(settings.syslog)]),
  ]
  const failingSince = new Map<string, number>()
  const leaving = new AbortController()

  async function feed(sink: AuditSink): Promise<void> {
    try {
      while (
        await bring(store.look, sink, (cursor) => store.write((tx) => tx.putAuditCursor(sink.name, cursor)))
      );
      if (failingSince.delete(sink.name))
        log.info('audit.sink-recovered', 'A sink takes audit records again', { sink: sink.name })
    } catch (error) {
      if (failingSince.has(sink.name)) return
      failingSince.set(sink.name, clock.monotonic())
      log.error('audit.sink-failed', 'A sink takes no audit records; they wait for it', {
        sink: sink.name,
        error,
      })
    }
  }

  /** What was done last is chained first, so that its anchor is brought with it. */
  async function round(): Promise<void> {
    await store.write((tx) => tx.chainAudit(recordsPerRound)).catch(() => 0)
    await Promise.all(sinks.map(feed))
  }

  const running = (async () => {
    while (!leaving.signal.aborted) {
      await clock.sleep(roundMs, leaving.signal)
      const holds = await store
        .write((tx) => tx.holdSingleton('audit-sinks', node, leaseMs), { how: 'loose' })
        .catch(() => false)
      if (holds) await round()
    }
  })()
  return {
    behind: () =>
      [...failingSince].flatMap(([name, since]) => (clock.monotonic() - since > behindMs ? [name] : [])),
    async stop() {
      leaving.abort()
      await running
      await round()
    },
  }
}

/** Brings the next lines; whether there may be more. */
async function bring(
  look: Look,
  sink: AuditSink,
  keep: (cursor: AuditCursor) => Promise<void>,
): Promise<boolean> {
  const cursor = await look.auditCursor(sink.name)
  const records = sink.records ? await look.audit(cursor.record, recordsPerRound) : []
  const record = records.at(-1)?.seq ?? cursor.record
  const anchors = (await look.auditAnchors(cursor.anchor, anchorsPerRound)).filter(
    ({ anchor }) => !sink.records || anchor.seq <= record,
  )
  if (records.length + anchors.length === 0) return false
  const lines: readonly AuditLine[] = [
    ...records.map((one) => ({ record: toAuditRecord(one) })),
    ...anchors.map(({ anchor }) => ({ anchor: toAuditAnchor(anchor) })),
  ]
  await sink.take(lines)
  await keep({ record, anchor: anchors.at(-1)?.number ?? cursor.anchor })
  return records.length === recordsPerRound || anchors.length === anchorsPerRound
}

/** The log of the process takes anchors only: a collector of logs keeps them elsewhere. */
function logSink(log: Log): AuditSink {
  return {
    name: 'log',
    records: false,
    take: async (lines) => {
      for (const line of lines) log.info('audit.anchor', 'The audit trail was anchored', line)
    },
  }
}
