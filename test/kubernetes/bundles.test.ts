/** Service bundles in a real cluster: each action in a sandbox of its own, under rights that the manifests give and no others. */
import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleImage } from '../apb/image.ts'
import { offeringOn, Platform } from '../cnab/platform.ts'
import { startTestBroker, type TestBroker } from '../support/broker.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { startCluster, type TestCluster } from './cluster.ts'
import { clusterMissing } from './programs.ts'

const missing = clusterMissing() ?? ensurePrograms('kubectl', 'busybox', 'curl')

const spec = `
version: 1.0
name: web-apb
description: A deployment of the target namespace
bindable: true
async: optional
plans:
  - name: default
    description: One
    free: true
    parameters: [{name: mode, type: enum, enum: [ok, tell, slow], default: ok}]
`

/** What playbooks do with modules, with curl: the objects of the target, and what is told of them in the sandbox. */
const entrypoint = `
target=/api/v1/namespaces/databases
code() { "$@" | tail -n 1; }
expect() { wanted=$1; shift; got=$(code "$@"); [ "$got" = "$wanted" ] || { echo "$* -> $got"; exit 9; }; }
case $1 in
  provision)
    [ "$(value mode)" != tell ] || { printf 'no room is left' >/dev/termination-log; exit 3; }
    annotate apb_last_operation 'half done' >/dev/null
    [ "$(value mode)" != slow ] || sleep 600
    annotate apb_dashboard_url web.example/ui >/dev/null
    expect 201 call POST /apis/apps/v1/namespaces/databases/deployments '' '{"metadata":{"name":"web"},"spec":{"replicas":0,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"none"}]}}}}'
    expect 200 call GET /apis/networking.k8s.io/v1/namespaces/databases/networkpolicies/$POD_NAME
    expect 403 call GET /api/v1/namespaces/kube-system/secrets
    expect 403 call GET "$own/pods/$POD_NAME/exec?command=sh&container=sidecar&stdout=true"
    expect 403 call DELETE /api/v1/namespaces/$POD_NAMESPACE
    expect 201 call POST $own/configmaps '' '{"metadata":{"name":"'$POD_NAME'"},"data":{"made":"web"}}'
    credentials '{"user":"root","port":5672}'
    ;;
  bind)
    [ "$(cat /etc/apb/state/made)" = web ] || exit 5
    expect 200 call GET $own/configmaps/$POD_NAME
    credentials '{"user":"app"}'
    ;;
  deprovision) expect 200 call DELETE /apis/apps/v1/namespaces/databases/deployments/web ;;
  *) exit 8 ;;
esac
`

describe.skipIf(missing !== undefined)('bundles in a cluster', { timeout: 300_000 }, () => {
  const folder = freshFolder('bundles')
  let cluster: TestCluster
  let broker: TestBroker
  let platform: Platform

  const kubectl = async (...words: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)('kubectl', ['--kubeconfig', cluster.kubeconfig, ...words])
    return stdout
  }
  const sandboxes = async (selector = ''): Promise<readonly string[]> => {
    const names = await kubectl(
      ...['get', 'namespaces', '-l', `app.kubernetes.io/managed-by=chandler${selector}`, '-o', 'name'],
    )
    return names.split('\n').filter((name) => name !== '')
  }
  const inTarget = async (): Promise<string> =>
    await kubectl(
      ...['-n', 'databases', 'get', 'rolebindings,networkpolicies', '-o', 'name'],
      ...['-l', 'app.kubernetes.io/managed-by=chandler'],
    )

  beforeAll(async () => {
    cluster = await startCluster()
    for (const name of ['chandler', 'chandler-runs', 'databases']) await kubectl('create', 'namespace', name)
    // A target with a policy lets the runs in that work for it.
    const policy = { podSelector: {}, policyTypes: ['Ingress'] }
    const closed = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'closed' } }
    const files = { closed: JSON.stringify({ ...closed, spec: policy }), sandboxes: read('sandboxes') }
    const role = read('role').replaceAll('name: chandler\n---', 'name: chandler\n  namespace: chandler\n---')
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    writeFileSync(
      join(folder, 'role'),
      role
        .replaceAll('name: chandler-runs\nrules', 'name: chandler-runs\n  namespace: chandler-runs\nrules')
        .replaceAll(
          'name: chandler-runs\nroleRef',
          'name: chandler-runs\n  namespace: chandler-runs\nroleRef',
        )
        .replace(/name: chandler\n$/, 'name: chandler\n    namespace: chandler\n'),
    )
    await kubectl('-n', 'databases', 'apply', '-f', join(folder, 'closed'))
    for (const name of ['role', 'sandboxes']) await kubectl('apply', '-f', join(folder, name))
    const kubeconfig = join(folder, 'kubeconfig')
    writeFileSync(kubeconfig, await kubeconfigOf())
    const { reference } = await bundleImage(folder, 'web', { spec, entrypoint })
    const kubernetes = {
      ...{ kubeconfig, namespace: 'chandler-runs', helper: cluster.helper },
      registry: `${cluster.registry}/packages`,
      sandboxes: { targets: ['databases'], keepFailed: '1h' },
    }
    const registries = { hosts: [{ host: cluster.registry, plainHttp: true }] }
    const more = `kubernetes: ${JSON.stringify(kubernetes)}\nregistries: ${JSON.stringify(registries)}\n`
    const entry = { package: reference, options: { namespace: 'databases' } }
    broker = await startTestBroker('', undefined, (text) => more + offeringOn([entry], 'kubernetes')(text))
    platform = new Platform(broker)
  }, 300_000)
  afterAll(async () => {
    await broker?.stop()
    await cluster?.stop()
    rmSync(folder, { recursive: true, force: true })
  }, 120_000)

  /** The token of the account that the manifests make. */
  async function kubeconfigOf(): Promise<string> {
    const find = ['-n', 'chandler', 'get', 'serviceaccount', 'chandler', '-o', 'jsonpath={.secrets[0].name}']
    let secret = ''
    while (secret === '') secret = await kubectl(...find)
    const data = await kubectl('-n', 'chandler', 'get', 'secret', secret, '-o', 'jsonpath={.data.token}')
    const config = JSON.parse(readFileSync(cluster.kubeconfig, 'utf8')) as { users: object[] }
    config.users = [{ name: 'admin', user: { token: Buffer.from(data, 'base64').toString() } }]
    return JSON.stringify(config)
  }

  test('an instance lives: what it makes is in the target, and nothing of its runs is left', async () => {
    const provisioned = await platform.end('web', await platform.provision('web', 'default', {}))
    expect(provisioned).toEqual({ state: 'succeeded', description: 'provision job completed' })
    expect(await kubectl('-n', 'databases', 'get', 'deployments', '-o', 'name')).toBe('deployment.apps/web\n')
    const { body } = await platform.ask('GET', '/v2/service_instances/web')
    expect(body['dashboard_url']).toBe('http://web.example/ui')

    const path = 'web/service_bindings/b1'
    expect(await platform.end(path, await platform.bind('web', 'b1', 'default'))).toMatchObject({
      state: 'succeeded',
    })
    const bound = await platform.ask('GET', `/v2/service_instances/${path}`)
    expect(bound.body['credentials']).toEqual({ user: 'app' })

    await platform.end(path, await platform.remove(path, 'default'))
    const removed = await platform.end('web', await platform.remove('web', 'default'))
    expect(removed.state).toBe('succeeded')
    expect(await kubectl('-n', 'databases', 'get', 'deployments', '-o', 'name')).toBe('')
    expect(await inTarget()).toBe('')
    // Unbind has no playbook: its run failed, and was kept.
    await expect.poll(() => sandboxes(',!chandler.io/kept'), { timeout: 120_000, interval: 500 }).toEqual([])
  })

  test('a run that fails tells why, and its sandbox is kept without any right', async () => {
    const ended = await platform.end('poor', await platform.provision('poor', 'default', { mode: 'tell' }))

    expect(ended).toEqual({ state: 'failed', description: expect.stringContaining('no room is left') })
    await expect.poll(() => sandboxes(',chandler.io/kept,bundle-action=provision')).toHaveLength(1)
    expect(await inTarget()).toBe('')
  })

  test('progress is told while it runs, and a cancelled run leaves nothing in the target', async () => {
    await platform.provision('slow', 'default', { mode: 'slow' })
    const last = async () =>
      (await platform.ask('GET', '/v2/service_instances/slow/last_operation')).body['description']
    await expect.poll(last, { timeout: 120_000, interval: 300 }).toContain('half done')
    expect(await inTarget()).not.toBe('')
    const { body } = await platform.ask('GET', '/api/v1/operations?instance=slow', undefined, 'admin')
    const [operation] = body['items'] as readonly { readonly id: string }[]
    await platform.ask('POST', `/api/v1/operations/${operation?.id}/cancel`, {}, 'admin')

    await expect.poll(inTarget, { timeout: 120_000, interval: 500 }).toBe('')
  })
})

function read(name: string): string {
  return readFileSync(`deploy/kubernetes/${name}.yaml`, 'utf8')
}
