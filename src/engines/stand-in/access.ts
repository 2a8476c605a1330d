/** What a program is given so that it finds and trusts the stand-in: files, variables and names, as in a pod. */
import { Secret } from '../../kit/secret.ts'
import type { FileIn, Job, Step } from '../../model/job.ts'
import { exemptFromProxy } from '../api-exempt.ts'
import type { Identity } from './certificate.ts'
import { serverNames } from './certificate.ts'
import type { Place, Session } from './session.ts'

const account = '/var/run/secrets/kubernetes.io/serviceaccount'
/** Read by command-line clients and by clients in Python from 2018 on. */
const kubeconfig = '/var/run/secrets/kubernetes.io/kubeconfig'
/** Where base images of bundles keep theirs; their entrypoints may write it anew. As there, it names no namespace. */
const ownKubeconfig = '/opt/apb/.kube/config'

/** What of a session a program is given. */
export type Access = Pick<Session, 'token' | 'place' | 'sandbox'>

/** The access of no session: for a job that is made ready before there is an order. */
export function accessAt(place: Place): Access {
  return { place, token: '', sandbox: { pod: '', namespace: '', target: '' } }
}

/** The job as an engine without a cluster can run it: with an account for the API, and names under which it finds it. */
export function withAccess(job: Job, { token, place, sandbox }: Access, { authority }: Identity): Job {
  const { address, port } = place
  const server = `https://${apiName}:${port}`
  const names = serverNames.filter((name) => name !== 'localhost')
  const [first, ...rest] = job.steps.map((step) => withVariables(step, port, [...names, address]))
  const { sandbox: _sandbox, ...plain } = job
  return {
    ...plain,
    steps: [first ?? job.steps[0], ...rest],
    files: [
      ...job.files,
      text(`${account}/ca.crt`, authority),
      text(`${account}/namespace`, sandbox.namespace),
      { ...text(`${account}/token`, ''), content: { kind: 'secret', secret: new Secret(token) } },
      text(kubeconfig, JSON.stringify(kubeconfigOf(server, { namespace: sandbox.namespace }))),
      { ...text(ownKubeconfig, JSON.stringify(kubeconfigOf(server, {}))), readOnly: false, mode: 0o664 },
    ],
    ...(job.late === undefined
      ? {}
      : { late: { ...job.late, files: [...job.late.files, ...filesOfSession] } }),
    hosts: [...(job.hosts ?? []), ...names.map((name) => ({ name, address }))],
    // Elsewhere it is an address of a network that the program is in anyway.
    ...(address.startsWith('127.') ? { lent: [...(job.lent ?? []), { address, port }] } : {}),
    needs: { ...job.needs, cluster: 'none' },
  }
}

const apiName = 'kubernetes.default'
/** What differs from one session to the next. */
const filesOfSession = [`${account}/namespace`, `${account}/token`, kubeconfig]

function withVariables(step: Step, port: number, names: readonly string[]): Step {
  return {
    ...step,
    environment: {
      ...step.environment,
      ...exemptFromProxy(step.environment, names),
      KUBECONFIG: kubeconfig,
      KUBERNETES_SERVICE_HOST: apiName,
      KUBERNETES_SERVICE_PORT: String(port),
      KUBERNETES_SERVICE_PORT_HTTPS: String(port),
    },
  }
}

function text(path: string, content: string): FileIn {
  return {
    path,
    mode: 0o444,
    owner: 'user',
    readOnly: true,
    content: { kind: 'bytes', bytes: new TextEncoder().encode(content) },
  }
}

function kubeconfigOf(server: string, context: { readonly namespace?: string }) {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'sandbox',
    contexts: [{ name: 'sandbox', context: { cluster: 'sandbox', user: 'bundle', ...context } }],
    clusters: [{ name: 'sandbox', cluster: { server, 'certificate-authority': `${account}/ca.crt` } }],
    users: [{ name: 'bundle', user: { tokenFile: `${account}/token` } }],
  }
}
