/** What a bundle finds around it, and what operators choose for one service: proxies, the first runtime, whether a bind runs the bundle. */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { offering, Platform } from '../cnab/platform.ts'
import type { TestBroker } from '../support/broker.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { bundleImage } from './image.ts'

const missing = ensurePrograms('busybox', 'curl')
const succeeded = { state: 'succeeded' }

const specOf = (name: string, parameters = '') => `
version: 1.0
name: ${name}
description: A queue
bindable: true
async: optional
plans: [{name: default, description: One, free: true, parameters: [${parameters}]}]
`

let folder: string
const brokers: TestBroker[] = []

/** A platform at a broker that offers one bundle. */
async function platformOf(
  bundle: Parameters<typeof bundleImage>[2],
  options: object,
): Promise<{ readonly platform: Platform; readonly broker: TestBroker }> {
  const { reference } = await bundleImage(folder, `bundle-${brokers.length}`, bundle)
  const broker = await offering([{ package: reference, options: { namespace: 'target', ...options } }])
  brokers.push(broker)
  return { platform: new Platform(broker), broker }
}

beforeAll(() => {
  folder = freshFolder('apb-around')
})
afterAll(async () => {
  for (const broker of brokers) await broker.stop()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(({ skip }) => skip(missing !== undefined, missing))

describe('a proxy', () => {
  /** Nothing listens there: what goes through it fails. */
  const proxy = {
    http: 'http://px:px-hunter2@127.0.0.1:9',
    https: 'http://px:px-hunter2@127.0.0.1:9',
    no: 'b.example',
  }
  const entrypoint = `
env | grep -i _proxy | sort
port=$KUBERNETES_SERVICE_PORT
address=$(sed -n 's/ kubernetes.default$//p' /etc/hosts | head -1 | awk '{print $1}')
for name in kubernetes kubernetes.default kubernetes.default.svc kubernetes.default.svc.cluster.local; do
  curl -sS --cacert $account/ca.crt -H "Authorization: Bearer $(cat $account/token)" https://$name:$port/version | grep -q gitVersion || exit 3
done
curl -sSk -H "Authorization: Bearer $(cat $account/token)" https://$address:$port/version | grep -q gitVersion || exit 4
curl -sS --max-time 5 https://other.example && exit 5
credentials '{"user":"root"}'
`

  test('is told in both spellings, and never stands between a bundle and its API', async () => {
    const { platform, broker } = await platformOf({ spec: specOf('proxied'), entrypoint }, { proxy })
    const ordered = await platform.provision('i1', 'default', {})
    const ended = await platform.end('i1', ordered)
    const log = await platform.log(String(ordered.body['operation']))

    expect(ended, log).toMatchObject(succeeded)
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'])
      expect(log).toMatch(new RegExp(`^${name}=http://.*127\\.0\\.0\\.1:9$`, 'm'))
    for (const name of ['NO_PROXY', 'no_proxy'])
      expect(log).toMatch(
        new RegExp(`^${name}=b\\.example,kubernetes\\.default,.*,127\\.\\d+\\.\\d+\\.\\d+$`, 'm'),
      )
    expect(`${log}${broker.logLines.join('')}`).not.toContain('px-hunter2')
  })
})

describe('a bundle of the first runtime', () => {
  /** As images of that age do: a file, printed once while the container waits for that. */
  const entrypoint = `
write() { printf '%s' "$1" > /var/tmp/bind-creds; i=0; while [ -e /var/tmp/bind-creds ] && [ $i -lt 600 ]; do sleep 0.1; i=$((i+1)); done; }
case $1 in
  provision) sleep 1; write '{"user":"root","port":5432}' ;;
  bind) printf %s "$3" | grep -q '"user":"root"' || exit 4; write '{"user":"app"}' ;;
  deprovision) printf %s "$3" | grep -q '"user":"root"' || exit 5 ;;
esac
exit 0
`
  const program = `#!/bin/sh
[ -e /var/tmp/bind-creds ] || exit 2
base64 /var/tmp/bind-creds | tr -d '\\n'
rm /var/tmp/bind-creds
`
  const tree = {
    'usr/bin/broker-bind-creds': { bytes: Buffer.from(program), mode: 0o755 },
    'var/tmp': { folder: true as const, mode: 0o1777 },
  }

  test('is asked for its credentials while it waits', async () => {
    const bundle = { spec: specOf('elder'), entrypoint, runtime: '1', tree }
    const { platform } = await platformOf(bundle, {})
    const b1 = 'i1/service_bindings/b1'

    expect(await platform.end('i1', await platform.provision('i1', 'default', {}))).toMatchObject(succeeded)
    expect(await platform.end(b1, await platform.bind('i1', 'b1', 'default'))).toMatchObject(succeeded)
    expect((await platform.ask('GET', `/v2/service_instances/${b1}`)).body).toMatchObject({
      credentials: { user: 'app' },
    })
    expect(await platform.end(b1, await platform.remove(b1, 'default'))).toMatchObject(succeeded)
    expect(await platform.end('i1', await platform.remove('i1', 'default'))).toMatchObject(succeeded)
  })
})

describe('a bind', () => {
  const own = { credentials: { user: 'app' } }
  const shared = { credentials: { user: 'root' } }
  const entrypoint = `
case $1 in
  provision) credentials '{"user":"root"}' ;;
  bind) [ "$POD_NAME" ] && case $3 in *'"has":"bind"'*) credentials '{"user":"app"}' ;; *) exit 8 ;; esac ;;
  unbind) case $3 in *'"has":"bind"'*) exit 0 ;; *) exit 8 ;; esac ;;
esac
exit 0
`
  const bind = '{name: has, type: string, default: none}'
  const spec = specOf('bound', bind).replace('parameters:', `bind_parameters: [${bind}], parameters:`)

  test.each([
    ['never', 'bind', 'answered 201', shared],
    ['never', 'none', 'answered 201', shared],
    ['auto', 'bind', 'succeeded', own],
    ['auto', 'none', 'succeeded', shared],
    ['always', 'bind', 'succeeded', own],
    ['always', 'none', 'failed', undefined],
  ])('with launchOnBind %s and a bundle that has %s', async (launchOnBind, has, state, wanted) => {
    const { platform } = await platformOf({ spec, entrypoint }, { launchOnBind })
    await platform.end('i1', await platform.provision('i1', 'default', { has }))
    const path = 'i1/service_bindings/b1'
    const bound = await platform.bind('i1', 'b1', 'default', { has })
    const ended = await platform.end(path, bound)
    const { body } = await platform.ask('GET', `/v2/service_instances/${path}`)
    const gone = await platform.end(path, await platform.remove(path, 'default'))

    expect(bound.status).toBe(launchOnBind === 'never' ? 201 : 202)
    expect(ended.state).toBe(state)
    if (wanted === undefined) expect(ended.description).toContain('launchOnBind: always')
    else expect(body).toMatchObject(wanted)
    expect(gone.state).toMatch(/succeeded|answered 200/)
  })
})

describe('what a bundle needs of a cluster', () => {
  test('is told at the order, and nothing is made', async () => {
    const bundle = { spec: specOf('needy'), entrypoint: 'exit 0' }
    const { platform } = await platformOf(bundle, { needs: ['apps/v1/deployments'] })
    const { status, body } = await platform.provision('i1', 'default', {})

    expect(status).toBe(422)
    expect(body['description']).toContain('apps/v1/deployments')
    expect((await platform.ask('GET', '/v2/service_instances/i1')).status).toBe(404)
  })
})
