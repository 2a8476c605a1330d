/** Passes calls for the target namespace on to a real cluster: as far as the operator allows it, under an account of the operator. */
import type { ServerResponse } from 'node:http'
import { request } from 'node:https'
import { present } from '../../kit/present.ts'
import type { Session, TargetClusterRecord } from './session.ts'
import { type Answer, refusal } from './status.ts'

export type Way =
  /** The stand-in answers itself: the sandbox is here. */
  | { readonly kind: 'own' }
  | { readonly kind: 'cluster'; readonly cluster: TargetClusterRecord }
  | { readonly kind: 'refused'; readonly answer: Answer }

const own: Way = { kind: 'own' }
/** OpenShift has its older kinds in a place of their own, too, which operators name like a group. */
const inNamespace =
  /^\/(?:api\/(v\d\w*)|apis\/([a-z0-9.-]+\/v\d\w*)|(oapi\/v\d\w*))\/namespaces\/([^/]+)\/([^/]+)(?:\/[^/]+(?:\/(.+))?)?$/
const discovery =
  /^\/(?:version(?:\/openshift)?|api|apis|oapi|o?api\/v1|apis\/[a-z0-9.-]+(?:\/v\d\w*)?|openapi\/v[23](?:\/[\w./-]+)?|swagger-2\.0\.0\.pb-v1)$/

/** Where a call goes. Without a cluster everything is answered here. */
export function wayOf(
  session: Session,
  { method, path }: { readonly method: string; readonly path: string },
): Way {
  const { cluster, sandbox } = session
  if (cluster === undefined) return own
  if (!/^(?:\/[A-Za-z0-9._:~-]+)+$/.test(path) || /\/\.\.?(?:\/|$)/.test(path))
    return { kind: 'refused', answer: refusal('BadRequest', 'the path holds signs that no name has') }
  if (path.startsWith('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews')) return own
  if (method === 'GET' && discovery.test(path)) return { kind: 'cluster', cluster }
  const [, core, grouped, older, namespace, resource = '', sub] = inNamespace.exec(path) ?? []
  // Namespaces themselves are told from here; they are those of this action.
  if (resource === '' || namespace !== sandbox.target) return own
  const version = core ?? grouped ?? older ?? ''
  if (isAllowed(cluster.allow, version, resource, sub)) return { kind: 'cluster', cluster }
  const what = [version, resource, sub].filter(Boolean).join('/')
  session.miss(`${what}, which the operator does not allow`)
  const message = `${resource} is forbidden: the operator allows ${cluster.allow.join(', ') || 'nothing'} in the namespace "${namespace}", not ${what}`
  return { kind: 'refused', answer: refusal('Forbidden', message, { kind: resource }) }
}

/** A star is any resource of that group and version; what lies below a resource must be named. */
function isAllowed(
  allow: readonly string[],
  version: string,
  resource: string,
  sub: string | undefined,
): boolean {
  if (sub !== undefined && sub !== 'status') return allow.includes(`${version}/${resource}/${sub}`)
  return allow.includes(`${version}/${resource}`) || allow.includes(`${version}/*`)
}

export interface Forwarded {
  readonly method: string
  /** With its query. */
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

const passed = ['content-type', 'accept', 'user-agent'] as const

/** Asks the cluster and passes its answer on as it comes, so that watches are streams. */
export function forward(cluster: TargetClusterRecord, asked: Forwarded, response: ServerResponse): void {
  const { server, authority, token } = cluster
  const base = new URL(server)
  const headers: Record<string, string> = { authorization: `Bearer ${token}` }
  for (const name of passed) {
    const value = asked.headers[name]
    if (value !== undefined) headers[name] = value
  }
  if (asked.body !== '') headers['content-length'] = String(Buffer.byteLength(asked.body))
  const path = `${base.pathname.replace(/\/+$/, '')}${asked.url}`
  const options = {
    method: asked.method,
    path,
    headers,
    ...present({ ca: authority }),
  }
  const asking = request(base, options, (answer) => {
    const type = answer.headers['content-type']
    response.writeHead(answer.statusCode ?? 502, type === undefined ? {} : { 'content-type': type })
    answer.on('error', () => response.destroy())
    answer.pipe(response)
  })
  asking.on('error', (error: NodeJS.ErrnoException) => {
    if (response.headersSent) {
      response.destroy()
      return
    }
    // The address of the cluster is the operator's business.
    const { code, body } = refusal(
      'ServiceUnavailable',
      `the cluster of the target namespace does not answer (${error.code ?? 'failed'})`,
    )
    response.writeHead(code, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  response.on('close', () => asking.destroy())
  asking.end(asked.body)
}
