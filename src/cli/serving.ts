/** A broker as a process: started, told apart by its log, drained by signals. */

import type { Difference } from '../compose/reload.ts'
import type { Broker, Surroundings } from '../compose.ts'
import { startBroker } from '../compose.ts'
import { stampOf, startFileWatch } from '../host/file-watch.ts'
import { systemClock } from '../kit/clock.ts'
import { openLog } from '../kit/log.ts'
import { present } from '../kit/present.ts'
import { describeProblem, failAll, toProblem } from '../model/problem.ts'
import type { Loaded } from '../settings/load.ts'
import { isTerminal } from './terminal.ts'
import { startWatchdog } from './watchdog.ts'

const stallMaxMs = 30_000
const stalledLine = JSON.stringify({
  level: 'fatal',
  event: 'process.stalled',
  msg: 'The event loop stood still for 30 seconds; the process is ended',
})

/** Tools that renew a password do not tell; looking costs next to nothing. */
const secretsEveryMs = 5000

type Good = Extract<Loaded, { kind: 'settings' }>

/** Runs until a signal ends it. */
export async function serve(
  first: Good,
  { version, takeOver }: Omit<Surroundings, 'log'>,
  load: () => Loaded,
): Promise<void> {
  const { settings, file } = first
  let secrets = first.secrets.map((secret) => secret.reveal())
  const asRead = stampOf(first.secretFiles)
  const { level, format } = settings.logs
  let figures: Broker['figures'] | undefined
  const log = openLog({
    level,
    format: format === 'auto' ? automaticFormat() : format,
    clock: systemClock,
    always: { version },
    secrets: () => secrets,
    dropped: () => figures?.logLineDropped(),
  })
  let current = first
  tellAbsent(log, first)
  const broker = await startBroker(settings, {
    ...{ log, version, takeOver, environment: process.env },
    entries: () => current.entries,
  })
  figures = broker.figures
  let reloading = Promise.resolve()
  // One after the other, so that the last word is the newest.
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = reloading.then(work)
    reloading = done.catch(() => undefined)
    return done
  }
  const adopt = async (again: Loaded) => {
    if (again.kind === 'faults') failAll(again.problems)
    secrets = again.secrets.map((secret) => secret.reveal())
    const difference = await broker.reload(again.settings)
    current = again
    tellAbsent(log, again)
    return difference
  }
  process.on('SIGHUP', () => void inTurn(() => reload(broker, log, () => adopt(load()))))
  const watch = startFileWatch({
    clock: systemClock,
    everyMs: secretsEveryMs,
    since: asRead,
    files: () => current.secretFiles,
    changed: () =>
      inTurn(async () => {
        const { taken, waiting } = await adopt(current.withFreshSecrets())
        log.info('secrets.renewed', 'Files with secrets were read again', { taken, needs_restart: waiting })
      }),
    refused: (error) => log.warn('secrets.refused', 'Files with secrets were not taken over', { error }),
  })
  process.on('SIGUSR2', () => void snapshot(broker, log))
  process.on('SIGQUIT', () => void snapshot(broker, log).then(() => abort(log)))
  const told = untilTold(broker, log)
  // After the signals, and before the address is told: a request that comes right then must be served.
  const watchdog = startWatchdog({ stallMs: stallMaxMs, line: stalledLine })
  log.info('broker.ready', 'Ready', {
    url: broker.url,
    ...present({ admin: broker.adminUrl }),
    services: new Set(broker.catalog().offers.map((offer) => offer.service.id)).size,
    ...present({ config: file }),
  })
  await told
  await watch.stop()
  watchdog.stop()
  log.info('broker.stopped', 'Stopped')
  await log.flush()
}

/** All or nothing: faults change nothing. Only names are logged. */
async function reload(broker: Broker, log: Log, adopt: () => Promise<Difference>): Promise<void> {
  try {
    const { taken, waiting } = await adopt()
    broker.figures.reloaded(true)
    log.info('config.reloaded', 'The configuration was read again', { taken, needs_restart: waiting })
  } catch (error) {
    broker.figures.reloaded(false)
    log.error('config.refused', 'The configuration was not taken over', { error })
  }
}

/** The catalog refuses these packages by name; this tells where in the configuration each is asked for. */
function tellAbsent(log: Log, { absent }: Good): void {
  if (absent.length === 0) return
  log.warn('config.absent', 'Packages are not where the configuration says', {
    packages: absent.map(describeProblem),
  })
}

/** Work, queue and memory as they are now. */
async function snapshot(broker: Broker, log: Log): Promise<void> {
  const { rss, heapUsed, external } = process.memoryUsage()
  const seen = await broker.snapshot().catch((error: unknown) => ({ error }))
  log.info('diagnostics.snapshot', 'What is going on', {
    ...seen,
    memory: { rss, heapUsed, external },
    uptime_s: Math.round(process.uptime()),
  })
}

/** What is seen of the process afterwards is what it looked like now. */
async function abort(log: Log): Promise<never> {
  await log.flush()
  process.abort()
}

function automaticFormat(): 'json' | 'pretty' {
  return isTerminal('stdout') ? 'pretty' : 'json'
}

type Log = ReturnType<typeof openLog>

/** A terminal signals a whole group of processes, and the process that started this one passes it on: that is one signal, not two. */
const echoMs = 500

/** The first SIGTERM or Ctrl-C drains; the second ends at once, and what runs is found again at the next start. */
async function untilTold(broker: Broker, log: Log): Promise<void> {
  await new Promise<void>((resolve) => {
    let toldAt: number | undefined
    const stop = (signal: NodeJS.Signals) => {
      const now = systemClock.monotonic()
      if (toldAt !== undefined) {
        if (now - toldAt > echoMs) process.exit(signal === 'SIGINT' ? 130 : 143)
        return
      }
      toldAt = now
      log.info('broker.drains', 'Draining', { signal })
      resolve()
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
    // Node would open its debug port on this signal; a listener prevents that.
    process.on('SIGUSR1', () => log.warn('signal.ignored', 'SIGUSR1 is ignored'))
    process.on('unhandledRejection', (error) => crash(log, error))
    process.on('uncaughtException', (error) => crash(log, error))
  })
  await broker.stop()
}

/** Never go on after an unknown error: the next start finds again what runs. */
function crash(log: Log, error: unknown): void {
  log.fatal('process.crashed', 'An unexpected error ends the process', { error })
  // A store that cannot be trusted any more is a matter of the disk, not of the program.
  const code = toProblem(error).code === 'store.unavailable' ? 74 : 70
  void log.flush().then(() => process.exit(code))
}
