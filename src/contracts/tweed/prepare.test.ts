import { expect, test } from 'vitest'
import { type Staging, situation } from '../../../test/tweed/stage.ts'
import { Secret } from '../../kit/secret.ts'
import type { Job } from '../../model/job.ts'
import type { Action } from '../../model/situation.ts'
import { tweed } from './index.ts'

type Operation = 'provision' | 'bind' | 'unbind' | 'deprovision'

const bytes = (text: string) => new TextEncoder().encode(text)

async function job(kind: Operation, staging: Staging = {}): Promise<Job> {
  const binding = kind === 'bind' || kind === 'unbind' ? { binding: {} } : {}
  const prepared = tweed.prepare({ kind }, await situation({ ...binding, ...staging }))
  return prepared.kind === 'job' ? prepared.job : expect.unreachable(JSON.stringify(prepared))
}

function contentOf(of: Job, path: string): string | undefined {
  const content = of.files.find((file) => file.path === path)?.content
  return content?.kind === 'bytes' ? new TextDecoder().decode(content.bytes) : content?.kind
}

test.each<[Operation, readonly string[], readonly string[], readonly string[]]>([
  ['provision', ['CREDSTORE', 'HOME', 'INPUTS', 'OUTPUTS'], ['/tweed/inputs.json'], ['credstore', 'outputs']],
  ['bind', ['CREDSTORE', 'HOME'], [], []],
  ['unbind', ['BINDING', 'CREDSTORE', 'HOME'], ['/tweed/binding.json'], []],
  ['deprovision', ['CREDSTORE', 'HOME', 'INPUTS'], ['/tweed/inputs.json'], ['credstore']],
])('%s gets its argument, its variables and nothing else', async (operation, variables, files, wants) => {
  const { steps, ...rest } = await job(operation)

  expect(steps).toHaveLength(1)
  expect(steps[0].command).toEqual({ kind: 'entrypoint', arguments: [operation] })
  expect(Object.keys(steps[0].environment).sort()).toEqual(variables)
  expect(rest.files.map(({ path }) => path)).toEqual(files)
  expect(rest.files.every(({ readOnly, mode }) => readOnly && mode === 0o444)).toBe(true)
  expect(rest.wants.map(({ name }) => name)).toEqual(wants)
  expect(rest.needs).toEqual({ cluster: 'none', network: 'default', readOnlyRoot: false })
})

test.each<[Operation, object]>([
  ['provision', { kind: 'merged' }],
  ['bind', { kind: 'apart', stdout: { kind: 'captured', bytesMax: 1024 * 1024 } }],
  ['unbind', { kind: 'merged' }],
  ['deprovision', { kind: 'merged' }],
])('the streams of %s are %j', async (operation, streams) => {
  expect((await job(operation)).steps[0].streams).toEqual(streams)
})

test.each<[Operation, boolean]>([
  ['provision', false],
  ['bind', true],
  ['unbind', true],
  ['deprovision', false],
])('the credential store of %s is read-only: %s', async (operation, readOnly) => {
  const tar = bytes('tar')
  const { folders } = await job(operation, { carryover: { credstore: tar } })

  expect(folders.find(({ path }) => path === '/tweed/credstore')).toEqual({
    path: '/tweed/credstore',
    mode: 0o700,
    readOnly,
    content: { kind: 'tar', tar },
    bytesMax: 512 * 1024,
    entriesMax: 4096,
  })
})

test('home is empty and writable in every operation', async () => {
  for (const operation of ['provision', 'bind', 'unbind', 'deprovision'] as const) {
    expect((await job(operation)).folders).toContainEqual({
      path: '/tweed/home',
      mode: 0o755,
      readOnly: false,
      content: { kind: 'empty' },
    })
  }
})

test('one provision differs from the next in its inputs alone, unless it is told for whom it is', async () => {
  const ready = async (size: number, options = {}) => {
    const metadata = { inputs: { size: { type: 'integer' } } }
    const staging = { metadata, parameters: { size }, operator: { options } }
    const { files, late, ...rest } = await job('provision', staging)
    return { ...rest, late, files: files.filter(({ path }) => late?.files.includes(path) !== true) }
  }

  expect((await ready(1)).late).toEqual({ files: ['/tweed/inputs.json'] })
  expect(await ready(1)).toEqual(await ready(2))
  expect((await ready(1, { identity: true })).late).toBeUndefined()
  for (const other of ['bind', 'unbind', 'deprovision'] as const)
    expect((await job(other)).late).toBeUndefined()
})

test('without parameters the inputs are an empty object, not an empty file', async () => {
  expect(contentOf(await job('provision'), '/tweed/inputs.json')).toBe('{}\n')
})

test('deprovision gets the inputs of the provision, byte for byte, though the plan has changed', async () => {
  const kept = await job('deprovision', {
    carryover: { inputs: bytes('{"size": "as it was"}') },
    metadata: { inputs: { size: { type: 'string' } } },
    operator: { inputs: { size: 'large' } },
  })

  expect(contentOf(kept, '/tweed/inputs.json')).toBe('{"size": "as it was"}')
})

test('deprovision after a provision that was lost computes the inputs, and never refuses', async () => {
  const metadata = { inputs: { size: { type: 'string', default: 's' } } }

  expect(contentOf(await job('deprovision', { metadata }), '/tweed/inputs.json')).toBe('{"size":"s"}\n')
  expect(contentOf(await job('deprovision', { parameters: { gone: 1 } }), '/tweed/inputs.json')).toBe(
    '{"gone":1}\n',
  )
})

test('unbind gets what bind printed, else an empty object', async () => {
  const printed = {
    binding: { carryover: { binding: bytes('{"user":"a"}\n') }, credentials: { user: 'a', more: 'b' } },
  }

  expect(contentOf(await job('unbind', printed), '/tweed/binding.json')).toBe('{"user":"a"}\n')
  expect(contentOf(await job('unbind'), '/tweed/binding.json')).toBe('{}\n')
})

test('a lent infrastructure is variables and files, hides nothing of the contract and never reaches metadata', async () => {
  const kubeconfig = new Secret('clusters: []')
  const { steps, files } = await job('bind', {
    infrastructure: {
      BOSH_CLIENT: 'admin',
      HOME: '/root',
      '~/.kube/config': kubeconfig,
      '/etc/ca.pem': 'CA',
    },
  })

  expect(steps[0].environment).toMatchObject({ BOSH_CLIENT: 'admin', HOME: '/tweed/home' })
  expect(files).toMatchObject([
    { path: '/tweed/home/.kube/config', mode: 0o600, content: { kind: 'secret', secret: kubeconfig } },
    { path: '/etc/ca.pem', content: { kind: 'bytes' } },
  ])
})

test('the operator can open inputs to bind and unbind, and tell a pattern who it is', async () => {
  const staging = {
    operator: { options: { inputsInBind: true, identity: true } },
    carryover: { inputs: bytes('{"a":1}\n') },
  }
  const bind = await job('bind', staging)

  expect(contentOf(bind, '/tweed/inputs.json')).toBe('{"a":1}\n')
  expect(bind.steps[0].environment).toMatchObject({
    INPUTS: '/tweed/inputs.json',
    CHANDLER_INSTANCE_ID: 'i1',
    CHANDLER_SERVICE_ID: 'service-id',
    CHANDLER_PLAN_ID: 'plan-id',
  })
  expect(contentOf(await job('unbind', staging), '/tweed/inputs.json')).toBe('{"a":1}\n')
})

test.each<[Operation, number]>([
  ['provision', 3 * 3600],
  ['bind', 15 * 60],
  ['unbind', 15 * 60],
  ['deprovision', 3 * 3600],
])('%s may take %i s unless the plan says otherwise', async (operation, seconds) => {
  expect((await job(operation)).limits).toMatchObject({ seconds, graceSeconds: 10 })
})

test('limits come from the plan', async () => {
  const options = {
    credstoreBytes: 1000,
    credstoreEntries: 10,
    stdoutBytes: 2000,
    outputBytes: 3000,
    outputEntries: 4,
    logBytes: 5000,
    diskBytes: 6_000_000,
    killGraceSeconds: 1,
    memoryBytes: 8_000_000,
    processes: 7,
    cpus: 0.5,
    timeoutSeconds: { provision: 9 },
  }
  const provision = await job('provision', { operator: { options } })

  expect(provision.limits).toEqual({
    seconds: 9,
    graceSeconds: 1,
    memoryBytes: 8_000_000,
    processes: 7,
    cpus: 0.5,
    logBytes: 5000,
    diskBytes: 6_000_000,
  })
  expect(provision.wants).toEqual([
    { kind: 'tar', name: 'credstore', path: '/tweed/credstore', bytesMax: 1000 + 10 * 2048 },
    { kind: 'files', name: 'outputs', path: '/tweed/outputs', bytesMax: 3000, entriesMax: 4 },
  ])
  expect((await job('bind', { operator: { options } })).steps[0].streams).toMatchObject({
    stdout: { bytesMax: 2000 },
  })
})

test.each<[Action, string]>([
  [{ kind: 'update' }, 'update'],
  [{ kind: 'invoke', name: 'backup' }, 'backup'],
])('%j is refused', async (action, detail) => {
  expect(tweed.prepare(action, await situation())).toEqual({
    kind: 'refused',
    problems: [{ code: 'tweed.action-unsupported', detail }],
  })
})

test('parameters of a binding have no way to the pattern and are refused', async () => {
  const here = { ...(await situation({ binding: {} })), parameters: { role: 'reader' } }

  expect(tweed.prepare({ kind: 'bind' }, here)).toEqual({
    kind: 'refused',
    problems: [{ code: 'tweed.bind.parameters' }],
  })
})
