/** Keeps sessions in a folder, one file each, so that a broker that comes back goes on serving what runs. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Clock } from '../../kit/clock.ts'
import { namesIn } from '../names-in.ts'
import { type Identity, makeIdentity } from './certificate.ts'
import { Session, type SessionRecord } from './session.ts'

export interface SessionFiles {
  /** Made when it is asked for first, and kept. */
  identity(): Identity
  /** By run; what another process added is found, too. */
  session(run: string): Session | undefined
  byToken(token: string): Session | undefined
  add(record: SessionRecord): Session
  /** Written before an answer is given, so that what a bundle was told stays true. Tells how many bytes were written. */
  save(session: Session): number
  /** Reads it anew when it is asked for next: another process may have written it meanwhile. */
  reread(run: string): void
  remove(run: string): void
  runs(): readonly string[]
}

/** Where they lie in it. */
export const sessionsFolder = 'sessions'

/** Opens the folder; nothing is made in it before there is something to keep. */
export function openSessionFiles(
  folder: string,
  clock: Clock,
  addresses: readonly Uint8Array[],
): SessionFiles {
  const sessions = join(folder, sessionsFolder)
  let identity: Identity | undefined
  const open = new Map<string, Session>()
  const pathOf = (run: string): string => join(sessions, `${run}.json`)
  const load = (run: string): Session | undefined => {
    const known = open.get(run)
    if (known !== undefined) return known
    const record = readRecord(pathOf(run))
    if (record === undefined) return undefined
    const session = new Session(record)
    open.set(run, session)
    return session
  }
  const names = (): readonly string[] =>
    namesIn(sessions).flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []))
  const save = (session: Session): number => {
    const text = JSON.stringify(session.record())
    writeWhole(pathOf(session.run), text)
    return text.length
  }
  return {
    identity() {
      identity ??= readIdentity(folder) ?? writeIdentity(folder, makeIdentity(clock.now(), addresses))
      return identity
    },
    session: load,
    byToken(token) {
      const known = [...open.values()].find((session) => session.token === token)
      return (
        known ??
        names()
          .map(load)
          .find((session) => session?.token === token)
      )
    },
    add(record) {
      const session = new Session(record)
      open.set(record.run, session)
      save(session)
      return session
    },
    save,
    reread(run) {
      open.delete(run)
    },
    remove(run) {
      open.delete(run)
      rmSync(pathOf(run), { force: true })
    },
    runs: names,
  }
}

function readRecord(path: string): SessionRecord | undefined {
  const text = readIfThere(path)
  // Written by this file and by nothing else.
  return text === undefined ? undefined : (JSON.parse(text) as SessionRecord)
}

function readIdentity(folder: string): Identity | undefined {
  const text = readIfThere(join(folder, 'identity.json'))
  return text === undefined ? undefined : (JSON.parse(text) as Identity)
}

function writeIdentity(folder: string, identity: Identity): Identity {
  writeWhole(join(folder, 'identity.json'), JSON.stringify(identity))
  return identity
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Whole or not at all, also when it is read after a crash. */
function writeWhole(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
