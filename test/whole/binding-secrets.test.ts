/** A whole broker keeps the Secrets of bindings in a pretended cluster: written after a bind, told at the binding, gone after an unbind. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { kubeconfigAt } from '../kubernetes/kubeconfig.ts'
import { type PretendedCluster, startPretendedCluster } from '../kubernetes/pretended.ts'
import { basic, newFolder, startTestBroker, type TestBroker } from '../support/broker.ts'

const user = { name: 'k8s', role: 'platform', password: 'password-of-k8s', ['bindingSecrets']: true }

let cluster: PretendedCluster
let running: TestBroker
beforeAll(async () => {
  cluster = await startPretendedCluster(() => undefined, ['shop'])
  const folder = newFolder()
  kubeconfigAt(folder, cluster.server)
  running = await startTestBroker('kubernetes: {kubeconfig: ./kubeconfig}\n', folder, (text) =>
    text.replace('\nshutdown:', `\n    - ${JSON.stringify(user)}\nshutdown:`),
  )
})
afterAll(async () => {
  await running.stop()
  await cluster.stop()
})

async function osb(method: string, path: string, body?: object) {
  const response = await fetch(`${running.url}/v2${path}`, {
    method,
    headers: {
      Authorization: `Basic ${Buffer.from('k8s:password-of-k8s').toString('base64')}`,
      'X-Broker-API-Version': '2.17',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> }
}

/** Waits until the work at a path has ended; a path that is gone has ended, too. */
async function ended(path: string): Promise<void> {
  await expect
    .poll(async () => {
      const { status, body } = await osb('GET', `${path}/last_operation`)
      return status === 410 ? 'succeeded' : body['state']
    })
    .toBe('succeeded')
}

const secrets = () =>
  [...cluster.objects.kept].filter(([path]) => path.startsWith('/api/v1/namespaces/shop/secrets/'))

test('a Secret in the namespace of the order holds what a binding gives, until the unbind', async () => {
  const { body } = await osb('GET', '/catalog')
  const [service] = body['services'] as readonly { id: string; plans: readonly { id: string }[] }[]
  const ids = { service_id: service?.id, plan_id: service?.plans[0]?.id }
  const query = `accepts_incomplete=true&service_id=${ids.service_id}&plan_id=${ids.plan_id}`
  const context = { platform: 'kubernetes', clusterid: 'c', namespace: 'shop' }
  const place = '/service_instances/one'
  await osb('PUT', `${place}?accepts_incomplete=true`, {
    ...ids,
    organization_guid: 'o',
    space_guid: 's',
    context,
  })
  await ended(place)
  const bound = `${place}/service_bindings/two`
  const { status } = await osb('PUT', `${bound}?accepts_incomplete=true`, { ...ids, context })
  if (status === 202) await ended(bound)
  const { body: binding } = await osb('GET', bound)

  await expect.poll(secrets).toHaveLength(1)
  const [[path, secret] = ['', undefined]] = secrets()
  const name = path.split('/').at(-1)
  expect(secret?.['type']).toMatch(/^servicebinding\.io\//)
  const given = Object.keys(binding['credentials'] as object)
  expect(Object.keys(secret?.['data'] as object)).toEqual(
    expect.arrayContaining([...given, 'type', 'provider']),
  )
  const told = async () => {
    const headers = { Authorization: basic('admin') }
    const response = await fetch(`${running.url}/api/v1/instances/k8s/one/bindings/two`, { headers })
    return ((await response.json()) as { readonly secrets?: readonly object[] }).secrets
  }
  await expect.poll(told).toMatchObject([{ namespace: 'shop', name, state: 'done' }])

  await osb('DELETE', `${bound}?${query}`)
  await expect.poll(secrets).toEqual([])
})
