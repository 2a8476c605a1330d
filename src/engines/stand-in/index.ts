/** An engine without a cluster, beside a stand-in of the Kubernetes API: together they run what asks for a sandbox of one. */
import type { Clock } from '../../kit/clock.ts'
import { systemChance } from '../../kit/clock.ts'
import type { Job } from '../../model/job.ts'
import type { Report } from '../../model/report.ts'
import type { Engine, RunName, RunOrder, Ticket, Watch } from '../engine.ts'
import { withAccess } from './access.ts'
import { type ApiServer, serveApi } from './server.ts'
import { firstSnapshot, type Session } from './session.ts'
import { openSessionFiles, type SessionFiles } from './session-files.ts'

export interface StandInOptions {
  /** Holds the certificate and the sessions of runs. */
  readonly folder: string
  readonly clock: Clock
}

const loopback = '127.0.0.1'
const addresses = [new Uint8Array([127, 0, 0, 1])]

/** Opens the stand-in beside an engine. Sessions of runs that outlived the last broker are served again at once. */
export async function openBesideStandIn(engine: Engine, { folder, clock }: StandInOptions): Promise<Engine> {
  const files = openSessionFiles(folder, clock, addresses)
  const served = new ServedPorts(files, clock)
  await served.resume()
  return beside(engine, files, served, clock)
}

/** The ports on which this process serves: those that running programs were told, and one for new runs. */
class ServedPorts {
  readonly #files: SessionFiles
  readonly #clock: Clock
  readonly #servers: ApiServer[] = []
  #opening: Promise<ApiServer> | undefined

  constructor(files: SessionFiles, clock: Clock) {
    this.#files = files
    this.#clock = clock
  }

  async resume(): Promise<void> {
    const ports = new Set(this.#files.runs().flatMap((run) => this.#files.session(run)?.port ?? []))
    for (const port of ports) await this.#serve(port)
  }

  /** A port for a new run. */
  async port(): Promise<number> {
    const [there] = this.#servers
    if (there !== undefined) return there.port
    this.#opening ??= serveApi(this.#files, this.#clock, { host: loopback, port: 0 }).then((server) => {
      this.#servers.push(server)
      return server
    })
    return (await this.#opening).port
  }

  async close(): Promise<void> {
    await this.#opening
    await Promise.all(this.#servers.map((server) => server.close()))
  }

  /** A port that is taken is served by another process on the same folder. */
  async #serve(port: number): Promise<void> {
    try {
      this.#servers.push(await serveApi(this.#files, this.#clock, { host: loopback, port }))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
}

function beside(engine: Engine, files: SessionFiles, served: ServedPorts, clock: Clock): Engine {
  return {
    name: engine.name,
    get facts() {
      return { ...engine.facts, cluster: [...engine.facts.cluster, 'stand-in'] as const }
    },
    check: (signal) => engine.check(signal),
    refuses: (job) => engine.refuses(asLocal(job)),
    ...(engine.anticipate === undefined
      ? {}
      : {
          anticipate: async (run, signal) => {
            // A session belongs to an order, and there is none yet.
            if (run.job.needs.cluster === 'none') await engine.anticipate?.(run, signal)
          },
        }),
    async layOut(run, watch) {
      await engine.layOut({ ...run, job: await admitted(run, { files, served, clock }) }, watch)
    },
    start: async (run) => ticketFor(files, run.name, await engine.start(run)),
    async look(run) {
      const sight = await engine.look(run)
      return sight.kind === 'started' ? { ...sight, ticket: ticketFor(files, run, sight.ticket) } : sight
    },
    async follow(ticket, watch) {
      const { run, own } = readTicket(ticket)
      const session = run === undefined ? undefined : files.session(run)
      if (session === undefined) return engine.follow(own, watch)
      const stop = tellProgress(session, watch)
      try {
        return withObjects(await engine.follow(own, watch), session)
      } finally {
        stop()
      }
    },
    stop: (run, grace) => engine.stop(run, grace),
    async discard(run) {
      await engine.discard(run)
      files.remove(run)
    },
    async list(cluster) {
      await sweep(engine, files, clock)
      return engine.list(cluster)
    },
    async close() {
      await engine.close()
      await served.close()
    },
  }
}

function asLocal(job: Job): Job {
  return job.needs.cluster === 'stand-in' ? { ...job, needs: { ...job.needs, cluster: 'none' } } : job
}

/** A job that asks for a stand-in gets a session of its own; the same run keeps the one it has. */
async function admitted(
  { name, job }: RunOrder,
  {
    files,
    served,
    clock,
  }: { readonly files: SessionFiles; readonly served: ServedPorts; readonly clock: Clock },
): Promise<Job> {
  const { sandbox } = job
  if (job.needs.cluster !== 'stand-in' || sandbox === undefined) return asLocal(job)
  const image = job.program.kind === 'image' ? job.program.reference : 'none'
  const session =
    files.session(name) ??
    files.add({
      run: name,
      token: Buffer.from(systemChance.bytes(32)).toString('base64url'),
      port: await served.port(),
      sandbox: { pod: sandbox.pod, namespace: sandbox.namespace, target: sandbox.target },
      openedAt: clock.now(),
      snapshot: firstSnapshot(name, sandbox, image, clock.now()),
      unserved: [],
    })
  return withAccess(job, session.record(), files.identity())
}

const mark = 'stand-in '

/** A ticket must tell the run, by whose name its session is found. */
function ticketFor(files: SessionFiles, run: RunName, own: Ticket): Ticket {
  return files.session(run) === undefined ? own : `${mark}${run} ${own}`
}

function readTicket(ticket: Ticket): { readonly run?: RunName; readonly own: Ticket } {
  const [, run, own] = /^stand-in (\S+) (.*)$/s.exec(ticket) ?? []
  return run === undefined || own === undefined ? { own: ticket } : { run, own }
}

/** What a bundle writes on its pod about its progress is told while it runs. */
function tellProgress(session: Session, watch: Watch): () => void {
  let last = ''
  return session.watch(({ key, object }) => {
    if (key.resource !== 'pods') return
    const { annotations } = object['metadata'] as { readonly annotations?: Readonly<Record<string, string>> }
    const text = annotations?.['apb_last_operation'] ?? ''
    if (text !== '' && text !== last) watch.progress(text)
    last = text
  })
}

function withObjects(report: Report, session: Session): Report {
  return { ...report, got: new Map([...report.got, ['cluster', session.outcome()]]) }
}

/** What is laid out just now has a session before it has a run. */
const layOutMs = 10 * 60_000

/** A session whose run is gone is removed. */
async function sweep(engine: Engine, files: SessionFiles, clock: Clock): Promise<void> {
  for (const run of files.runs()) {
    const openedAt = files.session(run)?.openedAt ?? 0
    if (clock.now() - openedAt > layOutMs && (await engine.look(run)).kind === 'absent') files.remove(run)
  }
}
