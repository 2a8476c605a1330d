/** Sessions that many images share: connections and tokens stay for as long as a visit at a registry lasts. */
import type { RegistryPlace } from './places.ts'
import { openSession, type Session } from './session.ts'

export interface VisitSessions {
  /** A session for a repository; closing it is left to the visit. */
  of(place: Pick<RegistryPlace, 'host' | 'repository' | 'settings'>): Session
  close(): Promise<void>
}

/** Logins may differ by the first part of a repository's name, and so do sessions; mirrors are reached in their own way. */
export function openVisitSessions(): VisitSessions {
  const open = new Map<string, Session>()
  return {
    of: ({ host, repository, settings }) => {
      const { plainHttp, attemptsMax } = settings.hosts?.[host] ?? {}
      const key = JSON.stringify([host, repository.split('/')[0], plainHttp, attemptsMax])
      const session = open.get(key) ?? openSession(host, repository, settings)
      open.set(key, session)
      return { host, send: (call) => session.send(call), close: async () => undefined }
    },
    close: async () => {
      for (const session of open.values()) await session.close()
    },
  }
}
