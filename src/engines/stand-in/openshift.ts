/** What images of the first generation ask when they log in with the client of OpenShift: their account, and where it may work. */
import type { JsonObject } from '../../kit/json.ts'
import type { Session } from './session.ts'
import { type Answer, refusal } from './status.ts'

const asked = /^\/(?:oapi|apis\/(user|project)\.openshift\.io)\/v1\/(users|projects)(?:\/([^/]+))?$/

/** The answer, where it is one of these questions. */
export function logIn(session: Session, path: string): Answer | undefined {
  const [, group, kind, name] = asked.exec(path) ?? []
  if (kind === undefined || (group !== undefined && `${group}s` !== kind)) return undefined
  if (kind === 'users') return user(session, name, versionOf(group))
  return projects(session, name, versionOf(group))
}

function versionOf(group: string | undefined): string {
  return group === undefined ? 'v1' : `${group}.openshift.io/v1`
}

function user({ sandbox }: Session, name: string | undefined, apiVersion: string): Answer {
  const own = `system:serviceaccount:${sandbox.namespace}:${sandbox.pod}`
  if (name !== '~' && name !== own) return refusal('Forbidden', 'users are forbidden', { kind: 'users' })
  const body = { kind: 'User', apiVersion, metadata: { name: own }, identities: null, groups: [] }
  return { code: 200, body }
}

/** A project is a namespace under another name. */
function projects({ sandbox, objects }: Session, name: string | undefined, apiVersion: string): Answer {
  const own = [...new Set([sandbox.namespace, sandbox.target])]
  const project = (of: string): JsonObject => ({
    ...objects.get({ resource: 'namespaces', namespace: '', name: of }),
    kind: 'Project',
    apiVersion,
  })
  if (name === undefined)
    return { code: 200, body: { kind: 'ProjectList', apiVersion, metadata: {}, items: own.map(project) } }
  if (own.includes(name)) return { code: 200, body: project(name) }
  return refusal('Forbidden', `projects "${name}" is forbidden`, { kind: 'projects', name })
}
