/** Moving over from an original broker: its configuration key by key, and its instances by a dump of its resources. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { moveBrokerSettings, readDump } from '../../src/authoring/apb/moving.ts'
import { register } from '../../src/cli/commands/apb.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import { readYaml } from '../../src/kit/yaml.ts'
import { loadSettings } from '../../src/settings/load.ts'
import { offering, Platform } from '../cnab/platform.ts'
import { passwords, type TestBroker } from '../support/broker.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { runCommand } from '../support/run-command.ts'
import { bundleImage } from './image.ts'

const missing = ensurePrograms('busybox', 'curl')
const folder = freshFolder('moving')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const nothing = readDump([])

function moved(text: string, more: Partial<Parameters<typeof moveBrokerSettings>[0]> = {}) {
  return moveBrokerSettings({ text, dump: nothing, read: () => undefined, ...more })
}

/** Every key of the original's configuration, with a value that it takes. */
const everyKey = `
registry:
  - {name: dh, type: dockerhub, url: "https://hub.example", user: me, pass: in-clear, org: bundles, tag: v3.11,
     images: [a], fail_on_error: true, white_list: [".*-apb$"], black_list: [bad], auth_type: config, auth_name: "", runner: r}
  - {name: rh, type: apiv2, url: "https://registry.example:5000", skip_verify_tls: true, token: t, white_list: [".*"]}
  - {name: lo, type: local_openshift, namespaces: [openshift, mine], white_list: [".*"]}
  - {name: gal, type: galaxy, org: ns}
dao: {type: crd, etcd_host: h, etcd_port: 1, etcd_ca_file: f, etcd_client_cert: f, etcd_client_key: f}
log: {logfile: f, stdout: true, level: warning, color: true}
openshift: {host: "https://cluster.example", ca_file: f, bearer_token_file: /token, image_pull_policy: Always, sandbox_role: edit,
  namespace: asb, keep_namespace: false, keep_namespace_on_error: true}
broker: {dev_broker: true, launch_apb_on_bind: true, bootstrap_on_startup: true, recovery: true, output_request: true,
  ssl_cert: /tls/cert, ssl_cert_key: /tls/key, refresh_interval: 1h30m, auto_escalate: false, auth: [{type: basic, enabled: true}],
  dashboard_redirector: go.example, user_auth_rule: access, cluster_url: ansible-service-broker}
secrets:
  - {title: one, apb_name: dh-queue-apb, secret: first}
  - {title: two, apb_name: dh-queue-apb, secret: second}
`

const secretsDump = readDump([
  {
    name: 'dump',
    text: JSON.stringify({
      items: ['first', 'second'].map((name) => ({
        kind: 'Secret',
        metadata: { name },
        data: { [`${name}_key`]: Buffer.from(`value of ${name}`).toString('base64') },
      })),
    }),
  },
])

describe('the configuration', () => {
  const all = moved(everyKey, {
    dump: secretsDump,
    read: (path) => (path === '/token' ? 'cluster-token\n' : undefined),
  })

  test('each key is taken over, replaced or named as gone', () => {
    const config = readYaml(everyKey).value as unknown as Readonly<Record<string, JsonObject>>
    const keys = ['dao', 'log', 'openshift', 'broker'].flatMap((section) =>
      Object.keys(config[section] ?? {}).map((key) => `${section}.${key}: `),
    )
    const registries = (config['registry'] as unknown as readonly JsonObject[]).flatMap((one) =>
      Object.keys(one).map((key) => `registry ${one['name']}, ${key}: `),
    )
    for (const key of [...keys, ...registries, 'secrets[0]: ', 'secrets[1]: ']) {
      const said = all.remarks.find((remark) => remark.startsWith(key))
      expect(said?.slice(key.length), key).toMatch(/^(taken over|replaced|gone)/)
    }
    expect(all.faults).toEqual([])
    expect(all.remarks.join('\n')).not.toContain('in-clear')
  })

  test('becomes settings that the broker takes, with its credentials in files', () => {
    expect(all.settings['catalog']).toMatchObject([
      {
        source: {
          name: 'dh',
          type: 'dockerhub',
          organisation: 'bundles',
          tag: 'v3.11',
          refresh_interval: '5400s',
          password_file: 'secrets/dh.password',
          overrides: [
            {
              service: 'dh-queue-apb',
              options: { secrets: ['first_key', 'second_key'] },
              infrastructure: [{ name: 'first/first_key' }, { name: 'second/second_key' }],
            },
          ],
        },
        options: { launchOnBind: 'auto', dashboardRedirector: 'go.example' },
      },
      { source: { name: 'rh', type: 'registry', url: 'registry.example:5000' } },
      {
        source: {
          name: 'lo',
          type: 'openshift',
          url: 'https://cluster.example',
          token_file: 'secrets/lo.token',
        },
      },
    ])
    expect(all.secrets).toEqual({
      'dh.password': 'in-clear',
      'rh.token': 't',
      'lo.token': 'cluster-token',
      'first.first_key': 'value of first',
      'second.second_key': 'value of second',
    })
    const at = join(folder, 'settings')
    mkdirSync(join(at, 'secrets'), { recursive: true })
    for (const [name, value] of Object.entries(all.secrets)) writeFileSync(join(at, 'secrets', name), value)
    const auth = { users: [{ name: 'p', role: 'platform', password: 'x' }] }
    writeFileSync(join(at, 'chandler.yml'), JSON.stringify({ ...all.settings, auth }))
    const loaded = loadSettings({ environment: {}, folder: at, file: join(at, 'chandler.yml') })
    expect(loaded).toMatchObject({
      kind: 'settings',
      settings: { http: { pathPrefix: '/ansible-service-broker' } },
    })
  })

  test.each([
    ['registry: [', 'line 1'],
    ['[]', 'it is no map'],
  ])('what is no configuration is refused: %s', (text, words) => {
    expect(() => moved(text)).toThrow(words)
  })

  test('two registries of one name, a rule without a title and an unknown key are told', () => {
    const { faults, remarks } = moved(
      'registry: [{name: a, type: mock}, {name: a, type: mock}]\nsecrets: [{secret: s}]\nbroker: {tpyo: 1}',
    )
    expect(faults).toEqual(['two registries are named a'])
    expect(remarks).toContain('secrets[0]: left out: a rule needs title, apb_name and secret')
    expect(remarks).toContain('broker.tpyo: unknown to the original')
  })
})

const spec = `
version: 1.0
name: queue-apb
description: A queue
bindable: true
async: optional
metadata: {}
plans:
  - name: default
    description: One queue
    free: true
    metadata: {}
    parameters:
      - {name: size, type: int, default: 1, updatable: true}
`

/** Ends well only where it finds what the original had kept. */
const entrypoint = `
vars=$3
has() { printf %s "$vars" | grep -q "$1" || { echo "no $1 in $vars"; exit 9; }; }
has '"_apb_plan_id":"default"'
has '"namespace":"old-project"'
case $1 in
  update) has '"size":3'; has '"_apb_provision_creds":{"user":"kept"}' ;;
  bind) has '"user":"kept"'; credentials '{"user":"fresh"}' ;;
  unbind) has '"_apb_bind_creds":{"user":"bound"}' ;;
  deprovision) has '"_apb_provision_creds":{"user":"kept"}'; has '"size":3'; [ "$(cat /etc/apb/state/made)" = before ] ;;
  *) exit 8 ;;
esac
`

const serviceId = '7d1e2f4b1b3c1ab9b2e2a8b6e1a6e5f0'
const resource = (kind: string, name: string, rest: object) => ({ kind, metadata: { name }, ...rest })
const secret = (name: string, credentials: object) =>
  resource('Secret', name, {
    data: { credentials: Buffer.from(JSON.stringify(credentials)).toString('base64') },
  })

function instance(id: string, service: string, status: object, parameters: object = { size: 2 }) {
  const injected = {
    _apb_plan_id: 'default',
    _apb_service_class_id: service,
    _apb_service_instance_id: id,
    _apb_last_requesting_user: 'dev',
    _apb_provision_creds: { user: 'leaked' },
    namespace: 'old-project',
    cluster: 'openshift',
  }
  return resource('BundleInstance', id, {
    spec: {
      bundle: { name: service },
      context: { platform: 'kubernetes', namespace: 'old-project' },
      parameters: JSON.stringify({ ...parameters, ...injected }),
      dashboardUrl: 'http://queue.example',
    },
    status,
  })
}

function dumpOf(service: string): object {
  return {
    kind: 'List',
    items: [
      resource('Bundle', service, {
        spec: {
          fq_name: 'dh-queue-apb',
          image: 'registry.example/queue-apb:latest',
          description: 'A queue',
          bindable: true,
          async: 'optional',
          metadata: '{"displayName":"Queue"}',
          plans: [
            {
              name: 'default',
              id: 'not-the-one-here',
              free: true,
              metadata: '{}',
              parameters: [
                {
                  name: 'size',
                  type: 'int',
                  default: '{"default":1}',
                  displayType: 'textarea',
                  updatable: true,
                },
              ],
              bindParameters: [],
            },
          ],
        },
      }),
      instance('done', service, { state: 'succeeded', bindings: [] }),
      instance('open', service, {
        state: 'in-progress',
        jobs: { t: { state: 'in-progress', method: 'update' } },
      }),
      instance('broken', service, { state: 'failed', jobs: { t: { state: 'failed', method: 'provision' } } }),
      instance('stranger', 'f'.repeat(32), { state: 'succeeded' }),
      resource('BundleBinding', 'async-one', {
        spec: { bundleInstance: { name: 'done' }, parameters: '{"_apb_bind_creds":{"user":"leaked"}}' },
        status: { state: 'succeeded' },
      }),
      resource('BundleBinding', 'lost', { spec: { bundleInstance: { name: 'nobody' } }, status: {} }),
      secret('done', { user: 'kept' }),
      secret('async-one', { user: 'bound' }),
      resource('ConfigMap', 'done-state', { data: { made: 'before' } }),
    ],
  }
}

describe('instances', () => {
  let broker: TestBroker
  let platform: Platform
  let service = serviceId
  const file = join(folder, 'dump.json')

  beforeAll(async () => {
    if (missing !== undefined) return
    const { reference } = await bundleImage(folder, 'queue', { spec, entrypoint })
    broker = await offering([{ package: reference, options: { registry: 'dh', launchOnBind: 'always' } }])
    platform = new Platform(broker)
    const { services } = (await platform.catalog()) as unknown as {
      readonly services: readonly { id: string }[]
    }
    service = services[0]?.id ?? ''
    writeFileSync(file, JSON.stringify(dumpOf(service)))
  })
  afterAll(async () => await broker?.stop())
  beforeEach(({ skip }) => skip(missing !== undefined, missing))

  const command = async (...words: readonly string[]): Promise<string> => {
    process.exitCode = 0
    writeFileSync(join(folder, 'password'), passwords.admin)
    const at = ['--server', broker.url, '--user', 'admin', '--password-file', join(folder, 'password')]
    return await runCommand(register, ['apb', ...words, ...at]).finally(() => {
      process.exitCode = 0
    })
  }

  test('are taken over once: what they know goes with them, what is unclear is refused by itself', async () => {
    const tried = await command('import', file, '--for', 'platform', '--dry-run')
    expect(tried).toContain('would take done with 1 binding')
    expect(tried).not.toContain('would take stranger')
    expect((await platform.ask('GET', '/v2/service_instances/done')).status).toBe(404)

    const told = await command('import', file, '--for', 'platform')
    expect(told).toContain('took done with 1 binding')
    expect(told).toContain('took broken')
    expect(told).not.toContain('took open')
    expect(told).not.toContain('took stranger')
    expect(told.replaceAll('took ', 'would take ')).toBe(tried)
    for (const more of [[], ['--dry-run']])
      expect(await command('import', file, '--for', 'platform', ...more)).toContain('there already: done')
    const { items } = JSON.parse(await command('import', file, '--for', 'platform', '-o', 'json'))
    expect(items).toContainEqual({ instance: 'done', bindings: 1, result: 'there already' })
    expect(items).toContainEqual(expect.objectContaining({ instance: 'open', result: 'refused' }))

    expect((await platform.ask('GET', '/v2/service_instances/done')).body).toMatchObject({
      service_id: service,
      parameters: { size: 2 },
      dashboard_url: 'http://queue.example',
    })
    const binding = await platform.ask('GET', '/v2/service_instances/done/service_bindings/async-one')
    expect(binding.body).toMatchObject({ credentials: { user: 'bound' } })
    expect(JSON.stringify([binding.body, broker.logLines, told])).not.toContain('leaked')
  })

  test('are updated, bound, unbound and deleted as if they had been made here', async () => {
    const at = 'done/service_bindings/async-one'
    const succeeded = { state: 'succeeded' }
    expect(await platform.end('done', await platform.update('done', 'default', { size: 3 }))).toMatchObject(
      succeeded,
    )
    expect(
      await platform.end('done/service_bindings/b2', await platform.bind('done', 'b2', 'default')),
    ).toMatchObject(succeeded)
    expect(await platform.end(at, await platform.remove(at, 'default'))).toMatchObject(succeeded)
    const b2 = 'done/service_bindings/b2'
    expect(await platform.end(b2, await platform.remove(b2, 'default'))).toMatchObject({ state: 'failed' })
    expect(await platform.end('done', await platform.remove('done', 'default'))).toMatchObject(succeeded)
  })

  test('specs become files that a source of type folder offers under the same ids', async () => {
    const config = join(folder, 'config.yaml')
    writeFileSync(config, 'registry: [{name: dh, type: mock}]\n')
    const specs = join(folder, 'specs')
    await runCommand(register, [
      'apb',
      'import-settings',
      config,
      '--dump',
      file,
      '--specs',
      specs,
      '--folder',
      folder,
    ])

    const written = readFileSync(join(specs, 'dh/queue-apb/apb.yml'), 'utf8')
    expect(readYaml(written).value).toMatchObject({
      version: '1.0',
      name: 'queue-apb',
      image: 'registry.example/queue-apb:latest',
      metadata: { displayName: 'Queue' },
      plans: [{ parameters: [{ name: 'size', default: 1, display_type: 'textarea' }] }],
    })
  })
})
