/** What an original broker of the first age kept in etcd is taken over as what a later one keeps in custom resources. */
import { describe, expect, test } from 'vitest'
import { movedInstances, readDump, specsOf } from '../../src/authoring/apb/moving.ts'

const id = '5f1e7a52-6a4b-4c7e-8a1b-0d9c3e2f1a00'
const binding = '5f1e7a52-6a4b-4c7e-8a1b-0d9c3e2f1a01'
const service = '1dda1477cace09730bd8ed7a6505607e'
const context = { platform: 'kubernetes', namespace: 'old-project' }
const parameters = { size: 2, _apb_plan_id: 'dev', _apb_service_instance_id: id, namespace: 'old-project' }
const size = { name: 'size', type: 'int', updatable: true }
const plan = { name: 'dev', description: 'Small', free: true }
const about = {
  image: 'registry.example/queue-apb:latest',
  description: 'A queue',
  bindable: true,
  async: 'optional',
}

const leaf = (key: string, value: unknown) => ({
  key,
  value: typeof value === 'string' ? value : JSON.stringify(value),
})
const folder = (key: string, ...nodes: readonly object[]) => ({ key, dir: true, nodes })
const job = (state: string, method: string) => ({ token: 't', state, podname: '', method })

/** As the v2 keys API answers `GET /v2/keys/?recursive=true`. */
function tree(more: readonly object[] = [], given: object = parameters) {
  const spec = {
    ...about,
    id: service,
    name: 'dh-queue-apb',
    metadata: { displayName: 'Queue' },
    plans: [{ ...plan, metadata: { cost: '$0.00' }, parameters: [{ ...size, default: 1 }] }],
  }
  return {
    action: 'get',
    node: {
      dir: true,
      nodes: [
        folder('/spec', leaf(`/spec/${service}`, spec)),
        folder(
          '/service_instance',
          leaf(`/service_instance/${id}`, {
            id,
            spec,
            context,
            parameters: given,
            binding_ids: { [binding]: true },
          }),
        ),
        folder(
          '/bind_instance',
          leaf(`/bind_instance/${binding}`, { id: binding, service_id: id, parameters: {} }),
        ),
        folder(
          '/extracted_credentials',
          leaf(`/extracted_credentials/${id}`, { credentials: { user: 'kept', port: 5432 } }),
        ),
        ...more,
      ],
    },
  }
}

const secret = (name: string, credentials: object) => ({
  kind: 'Secret',
  metadata: { name },
  data: { credentials: Buffer.from(JSON.stringify(credentials)).toString('base64') },
})

const resources = {
  items: [
    {
      kind: 'Bundle',
      metadata: { name: service },
      spec: {
        ...about,
        fq_name: 'dh-queue-apb',
        metadata: '{"displayName":"Queue"}',
        plans: [
          { ...plan, metadata: '{"cost":"$0.00"}', parameters: [{ ...size, default: '{"default":1}' }] },
        ],
      },
    },
    {
      kind: 'BundleInstance',
      metadata: { name: id },
      spec: { bundle: { name: service }, context, parameters: JSON.stringify(parameters) },
      status: { state: 'succeeded' },
    },
    {
      kind: 'BundleBinding',
      metadata: { name: binding },
      spec: { bundleInstance: { name: id }, parameters: '{}' },
      status: { state: 'succeeded' },
    },
    secret(id, { user: 'kept', port: 5432 }),
  ],
}

const read = (document: object) => readDump([{ name: 'dump', text: JSON.stringify(document) }])

describe('a tree of etcd', () => {
  test('holds the same instances, bindings and specs as custom resources', () => {
    const found = movedInstances(read(tree()))

    expect(found).toEqual(movedInstances(read(resources)))
    expect(found).toMatchObject({
      refused: [],
      instances: [{ instance: id, plan: 'dev', parameters: { size: 2 }, bindings: [{ binding }] }],
    })
    expect(specsOf(read(tree()), ['dh'])).toEqual(specsOf(read(resources), ['dh']))
  })

  test.each([
    ['in progress', 'provision', [id]],
    ['not yet started', 'update', [id]],
    ['succeeded', 'provision', []],
  ])('an instance whose job is %s: %s', (state, method, refused) => {
    const states = folder(
      '/state',
      folder(`/state/${id}`, folder(`/state/${id}/job`, leaf(`/state/${id}/job/t`, job(state, method)))),
    )

    expect(movedInstances(read(tree([states]))).refused.map((one) => one.id)).toEqual(refused)
  })

  test('the plan may be beside the instance', () => {
    const { _apb_plan_id: _plan, ...rest } = parameters
    const names = folder('/plan_name', leaf(`/plan_name/${id}`, 'dev'))

    expect(movedInstances(read(tree([names], rest))).instances).toMatchObject([{ plan: 'dev' }])
  })
})
