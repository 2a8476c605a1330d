/** What a pretended API server has beside pods: namespaces and what lies in them, without a controller that does anything about it. */
import { randomUUID } from 'node:crypto'

interface Shape {
  [name: string]: unknown
}

type KubernetesObject = Shape & { metadata: Shape }

interface Said {
  readonly status: number
  readonly body: Shape
}

export interface PretendedObjects {
  /** Undefined: it is for pods, or no object. */
  answer(method: string, url: URL, text: string): Said | undefined
  /** All objects by their paths; tests may change them as others would. */
  readonly kept: Map<string, KubernetesObject>
}

const failed = (status: number, reason: string): Said => ({
  status,
  body: { kind: 'Status', reason, message: reason },
})

/** With some namespaces; `left` is told when one is removed. */
export function pretendObjects(
  namespaces: readonly string[],
  left: (namespace: string) => void,
): PretendedObjects {
  const objects = new Map<string, KubernetesObject>()
  let version = 1000
  const put = (path: string, object: Shape): Shape => {
    const metadata = object['metadata'] as Shape
    const kept = { ...object, metadata: { ...metadata, resourceVersion: String(++version) } }
    objects.set(path, kept)
    return kept
  }
  const make = (collection: string, object: Shape): Said => {
    const metadata = object['metadata'] as Shape
    const path = `${collection}/${metadata['name']}`
    const [, around] = /\/namespaces\/([^/]+)\/[^/]+$/.exec(collection) ?? []
    if (around !== undefined && !objects.has(`/api/v1/namespaces/${around}`)) return failed(404, 'NotFound')
    if (objects.has(path)) return failed(409, 'AlreadyExists')
    const made = { uid: randomUUID(), creationTimestamp: new Date().toISOString() }
    return { status: 201, body: put(path, { ...object, metadata: { ...metadata, ...made } }) }
  }
  const patch = (path: string, { metadata }: { metadata: Shape }): Said => {
    const there = objects.get(path)
    if (there === undefined) return failed(404, 'NotFound')
    const { resourceVersion = there.metadata['resourceVersion'] } = metadata
    if (resourceVersion !== there.metadata['resourceVersion']) return failed(409, 'Conflict')
    const merged = (name: string): Shape =>
      Object.fromEntries(
        Object.entries({ ...(there.metadata[name] as Shape), ...(metadata[name] as Shape) }).filter(
          ([, value]) => value !== null,
        ),
      )
    const changed = { annotations: merged('annotations'), labels: merged('labels') }
    return { status: 200, body: put(path, { ...there, metadata: { ...there.metadata, ...changed } }) }
  }
  const replace = (path: string, sent: KubernetesObject): Said => {
    const there = objects.get(path)
    if (there === undefined) return failed(404, 'NotFound')
    const { uid, resourceVersion } = there.metadata
    if (sent.metadata['resourceVersion'] !== resourceVersion) return failed(409, 'Conflict')
    return { status: 200, body: put(path, { ...sent, metadata: { ...sent.metadata, uid } }) }
  }
  const remove = (path: string, { preconditions }: { preconditions?: Shape }): Said => {
    const there = objects.get(path)
    if (there === undefined) return failed(404, 'NotFound')
    const { uid = there.metadata['uid'] } = preconditions ?? {}
    if (uid !== there.metadata['uid']) return failed(409, 'Conflict')
    objects.delete(path)
    const [, namespace] = /^\/api\/v1\/namespaces\/([^/]+)$/.exec(path) ?? []
    if (namespace !== undefined) {
      for (const one of objects.keys()) if (one.includes(`/namespaces/${namespace}/`)) objects.delete(one)
      left(namespace)
    }
    return { status: 200, body: {} }
  }
  const listed = (collection: string, selector: string): Said => {
    const wanted = selector.split(',').map((pair) => pair.split('='))
    const fits = ({ metadata }: { metadata: Shape }): boolean =>
      selector === '' || wanted.every(([name = '', value]) => (metadata['labels'] as Shape)?.[name] === value)
    const items = [...objects]
      .filter(([path, object]) => path.replace(/\/[^/]+$/, '') === collection && fits(object))
      .map(([, object]) => object)
    return { status: 200, body: { items } }
  }
  for (const name of namespaces) make('/api/v1/namespaces', { metadata: { name } })
  return {
    kept: objects,
    answer(method, { pathname, searchParams }, text) {
      if (/\/pods(\/|$)|reviews$/.test(pathname)) return undefined
      if (method === 'POST') return make(pathname, JSON.parse(text) as Shape)
      if (method === 'PATCH') return patch(pathname, JSON.parse(text) as { metadata: Shape })
      if (method === 'PUT') return replace(pathname, JSON.parse(text) as KubernetesObject)
      if (method === 'DELETE') return remove(pathname, text === '' ? {} : (JSON.parse(text) as Shape))
      const there = objects.get(pathname)
      if (there !== undefined) return { status: 200, body: there }
      const isItem = pathname.replace(/^.*\/namespaces(\/[^/]+)?/, '').split('/').length === 3
      const isCollection = pathname.endsWith('/namespaces') || pathname.split('/').at(-2) !== 'namespaces'
      return isItem || !isCollection
        ? failed(404, 'NotFound')
        : listed(pathname, searchParams.get('labelSelector') ?? '')
    },
  }
}
