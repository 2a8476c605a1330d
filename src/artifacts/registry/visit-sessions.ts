/** Sessions that many images share: connections and tokens stay for as long as a visit at a registry lasts. */
import { openSession, type Session } from './session.ts'
import type { RegistrySettings } from './settings.ts'

export interface VisitSessions {
  /** A session for a repository; closing it is left to the visit. */
  of(host: string, repository: string): Session
  close(): Promise<void>
}

/** Logins may differ by the first part of a repository's name, and so do sessions. */
export function openVisitSessions(settings: RegistrySettings): VisitSessions {
  const open = new Map<string, Session>()
  return {
    of: (host, repository) => {
      const key = `${host} ${repository.split('/')[0] ?? ''}`
      const session = open.get(key) ?? openSession(host, repository, settings)
      open.set(key, session)
      return { host, send: (call) => session.send(call), close: async () => undefined }
    },
    close: async () => {
      for (const session of open.values()) await session.close()
    },
  }
}
