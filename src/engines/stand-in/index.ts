/** An engine without a cluster, beside a stand-in of the Kubernetes API: together they run what asks for a sandbox of one. */
import { mkdirSync } from 'node:fs'
import type { Clock } from '../../kit/clock.ts'
import { systemChance } from '../../kit/clock.ts'
import { present } from '../../kit/present.ts'
import type { Job } from '../../model/job.ts'
import type { Report } from '../../model/report.ts'
import type { Engine, RunName, RunOrder, Ticket, Watch } from '../engine.ts'
import { findPrivates, leavePrivates, makePrivates } from '../privates.ts'
import { progressOf } from '../told-progress.ts'
import { accessAt, withAccess } from './access.ts'
import { Listening, loopbackOf } from './listening.ts'
import { firstSnapshot, type Session } from './session.ts'
import { openSessionFiles, type SessionFiles, sessionsFolder } from './session-files.ts'

export interface StandInOptions {
  /**
   * Whose stand-in it is. The certificate and the sessions of runs hold secrets, so they lie with those of this folder on memory;
   * they are of no use after a boot, which ends all runs.
   */
  readonly folder: string
  readonly clock: Clock
}

/** Opens the stand-in beside an engine. Sessions of runs that outlived the last broker are served again at once. */
export async function openBesideStandIn(engine: Engine, { folder, clock }: StandInOptions): Promise<Engine> {
  // Secrets on memory whose folder is gone are swept away.
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const privates = await findPrivates(folder, sessionsFolder)
  const files = openSessionFiles(privates, clock, [])
  const listening = new Listening(files, clock)
  for (const run of files.runs()) {
    const session = files.session(run)
    if (session !== undefined) await listening.serve(session.place)
  }
  return beside(engine, { folder, privates, files, listening, clock })
}

interface Parts {
  readonly folder: string
  readonly privates: string
  readonly files: SessionFiles
  readonly listening: Listening
  readonly clock: Clock
}

function beside(engine: Engine, parts: Parts): Engine {
  const { files, listening, clock } = parts
  return {
    name: engine.name,
    reserved: engine.reserved ?? false,
    get facts() {
      return { ...engine.facts, cluster: [...engine.facts.cluster, 'stand-in'] as const }
    },
    check: (signal) => engine.check(signal),
    refuses: (job) => engine.refuses(asLocal(job)),
    ...(engine.anticipate === undefined
      ? {}
      : {
          anticipate: async (run, signal) => {
            const job = await foreseen(engine, run.job, parts)
            if (job !== undefined) await engine.anticipate?.({ ...run, job }, signal)
          },
        }),
    async layOut(run, watch) {
      await engine.layOut({ ...run, job: await admitted(engine, run, parts) }, watch)
    },
    async start(run) {
      const place = files.session(run.name)?.place
      const ticket = await engine.start(run)
      // The address of a network may come with its first container.
      if (place !== undefined) await listening.serve(place)
      return ticketFor(files, run.name, ticket)
    },
    async look(run) {
      const sight = await engine.look(run)
      return sight.kind === 'started' ? { ...sight, ticket: ticketFor(files, run, sight.ticket) } : sight
    },
    async follow(ticket, watch) {
      const { run, own } = readTicket(ticket)
      const session = run === undefined ? undefined : await takenUp(run, parts)
      if (session === undefined) {
        const report = await engine.follow(own, watch)
        // What the run left in its session went with it: credentials that are gone are not credentials that were not made.
        return run === undefined ? report : { ...report, end: { kind: 'lost' } }
      }
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
      await listening.close()
      await leavePrivates(parts.privates)
    },
  }
}

function asLocal(job: Job): Job {
  return job.needs.cluster === 'stand-in' ? { ...job, needs: { ...job.needs, cluster: 'none' } } : job
}

/** A session belongs to an order, and there is none yet: what is made ready knows where it will be served, and nothing else of it. */
async function foreseen(
  engine: Engine,
  job: Job,
  { folder, privates, files, listening }: Parts,
): Promise<Job | undefined> {
  if (job.needs.cluster === 'none') return job
  if (job.needs.cluster !== 'stand-in' || job.sandbox === undefined) return undefined
  makePrivates(privates, folder)
  const place = await listening.place((await engine.reached?.()) ?? loopbackOf(folder))
  return withAccess(job, accessAt(place), files.identity())
}

/** A job that asks for a stand-in gets a session of its own; the same run keeps the one it has. */
async function admitted(
  engine: Engine,
  { name, job }: RunOrder,
  { folder, privates, files, listening, clock }: Parts,
): Promise<Job> {
  const { sandbox } = job
  if (job.needs.cluster !== 'stand-in' || sandbox === undefined) return asLocal(job)
  const image = job.program.kind === 'image' ? job.program.reference : 'none'
  const there = files.session(name)
  if (there !== undefined) return withAccess(job, there, files.identity())
  makePrivates(privates, folder)
  const place = await listening.place((await engine.reached?.()) ?? loopbackOf(folder))
  const session = files.add({
    run: name,
    token: sandbox.token?.reveal() ?? Buffer.from(systemChance.bytes(32)).toString('base64url'),
    ...place,
    sandbox: { pod: sandbox.pod, namespace: sandbox.namespace, target: sandbox.target },
    ...present({ cluster: sandbox.cluster && { ...sandbox.cluster, token: sandbox.cluster.token.reveal() } }),
    openedAt: clock.now(),
    snapshot: firstSnapshot(name, sandbox, image, clock.now()),
    unserved: [],
  })
  return withAccess(job, session, files.identity())
}

/** The session of a run that another process may have served till now. */
async function takenUp(run: RunName, { files, listening }: Parts): Promise<Session | undefined> {
  const place = files.session(run)?.place
  if (place !== undefined && (await listening.serve(place))) files.reread(run)
  return files.session(run)
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
  const tell = progressOf(watch)
  return session.watch(({ key, object }) => {
    if (key.resource !== 'pods') return
    const { annotations } = object['metadata'] as { readonly annotations?: Readonly<Record<string, string>> }
    tell(annotations ?? {})
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
