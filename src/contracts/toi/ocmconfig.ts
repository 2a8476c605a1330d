/** The configuration of OCM that an executor finds: the credentials it asked for, and nothing else of the operator's. */
import type { JsonObject } from '../../kit/json.ts'
import type { Resolved } from './credentials.ts'

/** Always written, empty where nothing was asked for. */
export function ocmConfig({
  sets,
  consumers,
  forwarded,
}: Pick<Resolved, 'sets' | 'consumers' | 'forwarded'>): JsonObject {
  const credentials = Object.entries(sets).map(([credentialsName, one]) => ({
    credentialsName,
    credentials: one,
  }))
  const all = [
    ...consumers.map(({ identity, name }) => ({
      identity,
      credentials: [{ type: 'Memory', repoName: 'default', credentialsName: name }],
    })),
    ...forwarded.map(({ identity, properties }) => ({
      identity,
      credentials: [{ type: 'Credentials', credentialsName: 'Credentials', properties }],
    })),
  ]
  return {
    type: 'generic.config.ocm.software',
    configurations: [
      {
        type: 'memory.credentials.config.ocm.software',
        repoName: 'default',
        ...(credentials.length === 0 ? {} : { credentials }),
      },
      { type: 'credentials.config.ocm.software', ...(all.length === 0 ? {} : { consumers: all }) },
    ],
  }
}
