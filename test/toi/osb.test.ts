import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sign, transfer, verify } from '../../src/authoring/ocm/make.ts'
import { offering, Platform } from '../cnab/platform.ts'
import type { TestBroker } from '../support/broker.ts'
import { ensurePrograms, findProgram } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { startPodman, type TestEngine } from '../support/podman.ts'
import { registryMissing, startRegistry, type TestRegistry } from '../support/registry.ts'
import { componentIn, componentName, executorRef, place, quiet, type TestComponent } from './component.ts'

const secret = 'kubeconfig-of-the-operator'

/** Shows what it was given, as a user without rights; a bind makes a password. */
const service: TestComponent = {
  user: 'app',
  run: `
set -eu
out=/toi/outputs
{ echo "args: $*"; id -u; ls -l /toi/inputs | sed 1d; env | grep -c TOI || true; } > $out/seen
cp /toi/inputs/config $out/config
test -f /toi/inputs/parameters && cp /toi/inputs/parameters $out/parameters
cp /toi/inputs/ocmconfig $out/ocmconfig
gunzip -c /toi/inputs/ocmrepo | tar t | head -1 > $out/repo
case $1 in
  bind) echo "password: $(od -An -N8 -tx1 /dev/urandom | tr -d ' \\n')" > $out/access ;;
  fail) exit 3 ;;
esac
echo "$1 is done"
`,
  executor: {
    configTemplate: { level: 'info', from: '(( library.word ))' },
    templateLibraries: [],
    credentials: { cluster: { properties: { KUBECONFIG: 'where' } } },
  },
  package: {
    description: 'A service for tests.',
    executors: [
      {
        actions: ['install', 'uninstall', 'rotate', 'fail'],
        resourceRef: executorRef,
        config: { level: 'debug', library: { word: 'own' } },
        parameterMapping: {
          size: '(( merge ))',
          text: '(( merge ))',
          kube: '(( getCredentials("cluster", "KUBECONFIG") ))',
        },
        credentialMapping: { target: 'cluster' },
        outputs: {
          seen: 'seen',
          config: 'config',
          parameters: 'parameters',
          ocmconfig: 'ocmconfig',
          repo: 'repo',
        },
      },
      {
        actions: ['bind', 'unbind'],
        resourceRef: executorRef,
        config: { library: { word: 'own' } },
        credentialMapping: { target: 'cluster' },
        outputs: { access: 'access' },
      },
    ],
    configTemplate: { size: 1, text: 'none' },
    configScheme: {
      type: 'object',
      additionalProperties: false,
      properties: { size: { type: 'integer', maximum: 5 }, text: { type: 'string' } },
    },
    credentials: { target: { description: 'The cluster.', properties: { KUBECONFIG: 'where' } } },
  },
}
// The template of an executor sees its config as a stub.
const executor = {
  ...service.executor,
  configTemplate: { level: 'info', library: '(( &temporary(merge) ))', from: '(( library.word ))' },
}

describe.each([
  ['embedded', ensurePrograms('busybox', 'openssl') ?? registryMissing()],
  ['docker', ensurePrograms('busybox', 'openssl', 'podman', 'runc') ?? registryMissing()],
])('a package at the OSB interface, on the %s engine', (engine, missing) => {
  let folder: string
  let at: TestBroker
  let platform: Platform
  let daemon: TestEngine | undefined
  let registry: TestRegistry

  beforeAll(async () => {
    if (missing !== undefined) return
    folder = freshFolder('toi')
    if (engine === 'docker') {
      // Sockets take short paths only.
      daemon = await startPodman(freshFolder('e'))
      process.env['DOCKER_HOST'] = `unix://${daemon.socket}`
    }
    const ctf = await componentIn(folder, { ...service, executor })
    const key = join(folder, 'key.pem')
    execFileSync(findProgram('openssl') ?? 'openssl', ['genrsa', '-out', key, '2048'], { stdio: 'ignore' })
    execFileSync(findProgram('openssl') ?? 'openssl', ['rsa', '-in', key, '-pubout', '-out', `${key}.pub`], {
      stdio: 'ignore',
    })
    const reference = `${ctf}//${componentName}:1.0.0`
    await sign(
      {
        reference,
        name: 'acme',
        key,
        algorithm: 'RSASSA-PSS',
        normalisation: 'jsonNormalisation/v3',
        ...quiet,
      },
      place,
    )
    registry = await startRegistry()
    const how = { recursive: true, byValue: false, keepGlobalAccess: false, overwrite: false, ...quiet }
    const to = `http://${registry.host}/team`
    await transfer({ from: reference, to, ...how }, place)
    await verify(
      {
        reference: `${to}//${componentName}:1.0.0`,
        signatures: ['acme'],
        keys: [`${key}.pub`],
        roots: [],
        issuers: [],
        digestsOnly: false,
        ...quiet,
      },
      place,
    )
    const infrastructure = [{ name: 'target.KUBECONFIG', value: secret }]
    at = await offering([{ package: `ocm:${to}//${componentName}:1.0.0`, infrastructure }], { engine })
    platform = new Platform(at)
  })

  afterAll(async () => {
    await at?.stop()
    await registry?.stop()
    if (daemon) delete process.env['DOCKER_HOST']
    await daemon?.stop()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  beforeEach(({ skip }) => skip(missing !== undefined, missing))

  test('is a catalog that no platform objects to', async () => {
    const { services } = (await platform.catalog()) as unknown as { services: readonly { name: string }[] }

    expect(services.map(({ name }) => name)).toEqual(['service'])
    expect(at.logLines.filter((line) => line.includes('catalog.objectionable'))).toEqual([])
  })

  test('refuses parameters that break its scheme, before anything runs', async () => {
    const { status, body } = await platform.provision('i0', 'default', { size: 9 })

    expect(status).toBe(400)
    expect(body['description']).toContain('size: Must be less than or equal to 5')
  })

  test('lives from install to uninstall, and its executor finds all that it is promised', async () => {
    const text = 'literally (( getCredentials("cluster") )) and ((x))'
    expect(await platform.end('i1', await platform.provision('i1', 'default', { size: 3, text }))).toEqual({
      state: 'succeeded',
      description: 'install is done',
    })
    const first = await platform.outputs('i1')
    const seen = (first['seen'] ?? '').split('\n')
    expect(seen.slice(0, 2)).toEqual([`args: install ${componentName}:1.0.0`, '1000'])
    expect(
      seen.filter((line) => line.startsWith('-rw-------')).map((line) => line.split(/\s+/).at(-1)),
    ).toEqual(['config', 'ocmconfig', 'ocmrepo', 'parameters'])
    expect(first['config']).toBe('from: own\nlevel: debug\n')
    expect(first['parameters']).toContain('size: 3')
    expect(first['parameters']).toContain(text)
    expect(first['ocmconfig']).toContain('credentialsName: cluster')
    expect(first['repo']).toBe('artifact-index.json\n')

    const bound = await platform.bind('i1', 'b1', 'default')
    const binding = 'i1/service_bindings/b1'
    expect((await platform.end(binding, bound)).state).toBe('succeeded')
    const { body } = await platform.ask('GET', `/v2/service_instances/${binding}`)
    expect(body['credentials']).toEqual({ access: { password: expect.stringMatching(/^[0-9a-f]{16}$/) } })
    expect(await platform.end(binding, await platform.remove(binding, 'default'))).toMatchObject({
      state: 'succeeded',
    })

    expect(await platform.end('i1', await platform.update('i1', 'default', { size: 4 }))).toMatchObject({
      state: 'succeeded',
      description: 'install is done',
    })
    expect((await platform.outputs('i1'))['parameters']).toContain('size: 4')
    expect((await platform.invoke('i1', 'rotate'))['seen']).toContain(`args: rotate ${componentName}:1.0.0`)
    expect(await platform.end('i1', await platform.remove('i1', 'default'))).toMatchObject({
      state: 'succeeded',
    })
  })

  test('an action that fails says so, and leaves an instance that can be used', async () => {
    await platform.end('i2', await platform.provision('i2', 'default', {}))

    await expect(platform.invoke('i2', 'fail')).rejects.toThrow('container exit code: 3')
    expect(await platform.end('i2', await platform.remove('i2', 'default'))).toMatchObject({
      state: 'succeeded',
    })
  })

  test('nobody reads the credentials of the operator where they do not belong', async () => {
    await platform.end('i3', await platform.provision('i3', 'default', {}))
    const { body } = await platform.ask('GET', '/v2/service_instances/i3')

    expect(JSON.stringify(body)).not.toContain(secret)
    expect(at.logLines.join('\n')).not.toContain(secret)
    await platform.end('i3', await platform.remove('i3', 'default'))
  })
})
