/** Bundles at the OSB interface, run by each engine beside its stand-in of the Kubernetes API. */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { offering, Platform } from '../cnab/platform.ts'
import { ask } from '../support/ask.ts'
import { basic, type TestBroker } from '../support/broker.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { startPodman, type TestEngine } from '../support/podman.ts'
import { bundleImage } from './image.ts'

const programs = ['busybox', 'curl']
/** Only root may listen where clients look that are not told a port. */
const isRoot = process.getuid?.() === 0

const spec = `
version: 1.0
name: queue-apb
description: A queue
bindable: true
async: optional
plans:
  - name: default
    description: One queue
    free: true
    bind_parameters: [{name: role, type: string, default: some}]
    parameters:
      - {name: size, type: int, default: 1, updatable: true}
      - {name: password, type: string, display_type: password, default: from-the-spec}
      - {name: mode, type: enum, enum: [ok, crash, tell, tell-long, cluster, foreign, second, plain, named, fill, progress], default: ok}
`

const succeeded = { state: 'succeeded' }

/** Does for each action what a playbook would do, by the calls that were recorded of playbooks. */
const entrypoint = `
action=$1; vars=$3; own=/api/v1/namespaces/$POD_NAMESPACE/pods/$POD_NAME
value() { printf %s "$vars" | sed -n "s/.*\\"$1\\":\\"\\{0,1\\}\\([^\\",}]*\\).*/\\1/p"; }
case $action in
  provision)
    case $(value mode) in
      crash) echo 'looking for a place'; echo "logged in with $(value password)"; printf '\\033[31mthe queue has no place\\033[0m\n' >&2; exit 3 ;;
      tell) printf 'no queue is left' > /dev/termination-log; exit 1 ;;
      tell-long) head -c 9000 /dev/zero | tr '\\0' x > /dev/termination-log; printf ' no queue is left' >> /dev/termination-log; exit 1 ;;
      fill) i=0; while head -c 8388608 /dev/zero > /tmp/fill-$i; do i=$((i+1)); done; exit 28 ;;
      progress)
        call GET "$own" | grep -q "$POD_NAME" || exit 9
        call PUT "$own?pretty=true" '' '{"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"apb_last_operation":"10%: looking for a place"},"creationTimestamp":"2018-01-01T00:00:00+00:00","labels":{"bundle-action":"provision"},"name":"'$POD_NAME'","namespace":"'$POD_NAMESPACE'","resourceVersion":"1","uid":"u-1"},"spec":{"containers":[{"args":["provision"],"image":"img","name":"apb"}],"restartPolicy":"Never"},"status":{"phase":"Running"}}'
        sleep 600 ;;
      cluster) call GET /apis/apps/v1/namespaces/target/deployments/x; exit 2 ;;
      foreign) call GET /api/v1/namespaces/kube-system/secrets; exit 0 ;;
    esac
    case $(value mode) in plain) port= ;; named) port=:$KUBERNETES_SERVICE_PORT ;; *) port=none ;; esac
    if [ "$port" != none ]; then
      for name in kubernetes kubernetes.default kubernetes.default.svc kubernetes.default.svc.cluster.local; do
        curl -sS --retry 20 --retry-connrefused --cacert $account/ca.crt -H "Authorization: Bearer $(cat $account/token)" https://$name$port/version |
          grep -q gitVersion || exit 9
      done
    fi
    annotate apb_last_operation 'half done'
    annotate apb_dashboard_url 'queue.example/ui'
    call POST /api/v1/namespaces/$POD_NAMESPACE/configmaps '' '{"metadata":{"name":"'$POD_NAME'"},"data":{"made":"'$(value size)'"}}'
    call POST /api/v1/namespaces/target/configmaps '' '{"metadata":{"name":"queue"},"data":{"of":"provision"}}'
    credentials '{"user":"root","port":5672}'
    [ "$(value mode)" != second ] || credentials '{"user":"twice"}'
    ;;
  update) credentials '{"size":'$(value size)'}' ;;
  bind)
    [ "$(value role)" != none ] || exit 8
    call GET /api/v1/namespaces/target/configmaps/queue | grep -q provision || exit 4
    [ "$(cat /etc/apb/state/made)" = 1 ] || exit 5
    credentials '{"user":"app","password":"for-one-binding"}'
    ;;
  unbind) printf %s "$vars" | grep -q for-one-binding || exit 6 ;;
  deprovision) printf %s "$vars" | grep -q '"user":"root"' || exit 7 ;;
  *) exit 8 ;;
esac
`

describe.each(['embedded', 'docker'] as const)(
  'a bundle on the %s engine',
  { timeout: 600_000 },
  (engine) => {
    const missing =
      ensurePrograms(...programs, ...(engine === 'docker' ? ['podman', 'runc'] : [])) ??
      (engine === 'docker' && !isRoot
        ? 'containers of a Podman without root do not reach the stand-in'
        : undefined)
    let folder: string
    let daemon: TestEngine | undefined
    let broker: TestBroker
    let platform: Platform

    beforeAll(async () => {
      if (missing !== undefined) return
      folder = freshFolder('apb')
      if (engine === 'docker') {
        daemon = await startPodman(freshFolder('e'))
        process.env['DOCKER_HOST'] = `unix://${daemon.socket}`
      }
      const { reference } = await bundleImage(folder, 'queue', { spec, entrypoint })
      const options = {
        registry: 'dh',
        namespace: 'target',
        diskBytes: 64 * 1024 * 1024,
        killGraceSeconds: 1,
      }
      broker = await offering([{ package: reference, options }], { engine })
      platform = new Platform(broker)
    })

    afterAll(async () => {
      await broker?.stop()
      if (daemon) delete process.env['DOCKER_HOST']
      await daemon?.stop()
      if (folder) rmSync(folder, { recursive: true, force: true })
    })

    beforeEach(({ skip }) => skip(missing !== undefined, missing))

    test('lives its whole life: credentials, state, objects and the dashboard go from one action to the next', async () => {
      const i1 = 'i1'
      const b1 = 'i1/service_bindings/b1'
      const at = (path: string) => `/v2/service_instances/${path}`
      expect(await platform.end(i1, await platform.provision('i1', 'default', {}))).toMatchObject(succeeded)
      expect((await platform.ask('GET', at(i1))).body).toMatchObject({
        dashboard_url: 'http://queue.example/ui',
      })

      expect(await platform.end(b1, await platform.bind('i1', 'b1', 'default'))).toMatchObject(succeeded)
      expect((await platform.ask('GET', at(b1))).body).toMatchObject({
        credentials: { user: 'app', password: 'for-one-binding' },
      })

      expect(await platform.end(b1, await platform.remove(b1, 'default'))).toMatchObject(succeeded)
      expect(await platform.end(i1, await platform.update('i1', 'default', { size: 2 }))).toMatchObject(
        succeeded,
      )
      expect(await platform.end(i1, await platform.remove(i1, 'default'))).toMatchObject(succeeded)
      expect(broker.logLines.join('\n')).not.toContain('for-one-binding')
    })

    test.each([
      ['crash', 'Error occurred during provision. Please contact administrator if the issue persists.'],
      ['tell', 'no queue is left'],
      ['tell-long', 'xxx no queue is left'],
      ['fill', 'disk'],
      ['cluster', 'apps/v1 deployments'],
    ])('a provision that ends with %s says why', async (mode, words) => {
      const id = `f-${mode}`
      const { state, description } = await platform.end(id, await platform.provision(id, 'default', { mode }))

      expect(state).toBe('failed')
      expect(description).toContain(words)
    })

    test('tells how far it is while it runs, by the calls of the module, and is stopped with its instance', async () => {
      await platform.provision('far', 'default', { mode: 'progress' })
      const path = '/v2/service_instances/far/last_operation'
      const told = async () => (await platform.ask('GET', path)).body['description']
      while ((await told()) !== '10%: looking for a place') await new Promise((end) => setTimeout(end, 50))

      expect(await platform.end('far', await platform.remove('far', 'default'))).toBeDefined()
    })

    test('finds the API under all names that clusters have', async () => {
      const ended = await platform.end(
        'named',
        await platform.provision('named', 'default', { mode: 'named' }),
      )

      expect(ended).toMatchObject(succeeded)
    })

    // A gateway is shared with every other broker of the machine; an address of loopback belongs to one.
    test.skipIf(!isRoot || engine === 'docker')(
      'finds it at the port of bundles that are told none',
      async () => {
        const ended = await platform.end(
          'plain',
          await platform.provision('plain', 'default', { mode: 'plain' }),
        )

        expect(ended).toMatchObject(succeeded)
      },
    )

    test('a bundle without a bind action shares what provision wrote', async () => {
      await platform.end('e1', await platform.provision('e1', 'default', {}))
      const bound = await platform.end(
        'e1/service_bindings/b',
        await platform.bind('e1', 'b', 'default', { role: 'none' }),
      )

      expect(bound).toMatchObject(succeeded)
      expect((await platform.ask('GET', '/v2/service_instances/e1/service_bindings/b')).body).toMatchObject({
        credentials: { user: 'root', port: 5672 },
      })
    })

    test('a failure is told with the last lines of the log after the words of the bundle, masked', async () => {
      const parameters = { mode: 'crash', password: 'of-the-user-42' }
      const ordered = await platform.provision('f-lines', 'default', parameters)
      const { description } = await platform.end('f-lines', ordered)
      const admin = { as: basic('admin') }
      const listed = (await (await ask(broker, '/api/v1/operations?instance=f-lines', admin)).json()) as {
        readonly items: readonly { readonly id: string }[]
      }
      const shown = await ask(broker, `/api/v1/operations/${listed.items[0]?.id}`, admin)
      const { lastLines } = (await shown.json()) as { readonly lastLines?: readonly string[] }

      expect(description).toMatch(
        /^The bundle failed: Error occurred during provision.*; last lines of the log: .*the queue has no place/,
      )
      expect(lastLines).toContain('the queue has no place')
      expect(lastLines?.some((line) => line.startsWith('logged in with [redacted]'))).toBe(true)
      expect(description + JSON.stringify(lastLines)).not.toMatch(/of-the-user-42|\[3/)
    })

    test.each(['foreign', 'second'])('what a cluster refuses is refused: %s', async (mode) => {
      const ended = await platform.end(mode, await platform.provision(mode, 'default', { mode }))

      expect(ended).toMatchObject(succeeded)
    })

    test.each([
      [{ role_name: 'mine' }, 'role_name'],
      [{ size: 'many' }, 'a whole number'],
      [{ password: '{{ lookup("env", "HOME") }}' }, '{{'],
    ])('parameters that are not to be taken are refused at once: %j', async (parameters, words) => {
      const { status, body } = await platform.provision('refused', 'default', parameters)

      expect(status).toBe(400)
      expect(body['description']).toContain(words)
    })
  },
)

test.skipIf(isRoot || ensurePrograms(...programs, 'podman', 'runc') !== undefined)(
  'beside the Podman of an ordinary user a bundle runs on the embedded engine',
  { timeout: 600_000 },
  async () => {
    const folder = freshFolder('apb')
    const daemon = await startPodman(freshFolder('e'))
    process.env['DOCKER_HOST'] = `unix://${daemon.socket}`
    const { reference } = await bundleImage(folder, 'queue', { spec, entrypoint })
    const entry = { package: reference, options: { namespace: 'target' } }
    const broker = await offering([entry], { engine: 'docker' })
    try {
      const platform = new Platform(broker)

      expect(await platform.end('i', await platform.provision('i', 'default', {}))).toMatchObject(succeeded)
    } finally {
      await broker.stop()
      delete process.env['DOCKER_HOST']
      await daemon.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
