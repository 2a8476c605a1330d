/** Which engine runs the job of a tenant, and what becomes of the job. */
import { expect, test } from 'vitest'
import type { Engine } from '../engines/engine.ts'
import { type Job, usualLimits } from '../model/job.ts'
import type { TenantRule } from '../model/tenant-rule.ts'
import { placedFor, type Tools } from './tools.ts'

function job(kind: 'image' | 'pretend', network: 'none' | 'default'): Job {
  return {
    program: kind === 'image' ? { kind, reference: 'r', digest: 'd' } : { kind, milliseconds: 0, exit: 0 },
    steps: [
      { name: 's', command: { kind: 'exec', argv: ['x'] }, environment: {}, streams: { kind: 'merged' } },
    ],
    ...{ files: [], folders: [], wants: [] },
    needs: { cluster: 'none', network, readOnlyRoot: false },
    limits: usualLimits,
  }
}

function engine(name: string, programs: readonly string[], reserved = false) {
  return {
    ...{ name, reserved, facts: { programs } },
    refuses: ({ program }: Job) =>
      programs.includes(program.kind) ? undefined : { code: 'engine.refused', detail: name },
  } as unknown as Engine
}

const engines = [
  engine('sim', ['pretend']),
  engine('kubernetes/bank', ['image'], true),
  engine('docker', ['image']),
  engine('embedded', ['image', 'tools']),
]
const bank: TenantRule = { name: 'bank', engine: 'kubernetes/bank', network: 'none' }

interface Case {
  readonly rule: TenantRule
  readonly tenant: string
  readonly job: Job
  readonly on: string
  readonly network?: string
}

const image = job('image', 'default')

test.each<[string, Case]>([
  ['another tenant', { rule: bank, tenant: 'acme', job: image, on: 'docker', network: 'default' }],
  [
    'a tenant with an engine and without a network',
    { rule: bank, tenant: 'bank', job: image, on: 'kubernetes/bank', network: 'none' },
  ],
  [
    'what only pretends',
    { rule: bank, tenant: 'bank', job: job('pretend', 'none'), on: 'sim', network: 'none' },
  ],
  [
    'a tenant below a name',
    {
      rule: { name: 'a/*', engine: 'embedded' },
      tenant: 'a/b',
      job: image,
      on: 'embedded',
      network: 'default',
    },
  ],
  [
    'no network for all',
    { rule: { name: '*', network: 'none' }, tenant: 'x', job: image, on: 'docker', network: 'none' },
  ],
  [
    'an engine that is not there',
    {
      rule: { name: 'x', engine: 'podman' },
      tenant: 'x',
      job: image,
      on: 'image: this tenant runs on podman only',
    },
  ],
])('%s', (_name, { rule, tenant, job: wanted, on, network }) => {
  const tools = { engines, ports: { policy: () => ({ tenants: [rule] }) } } as unknown as Tools
  const placed = placedFor(tools, tenant, wanted)

  expect('engine' in placed ? [placed.engine.name, placed.job.needs.network] : [placed.detail]).toEqual(
    network === undefined ? [on] : [on, network],
  )
})

test('the nearest name that says it counts', () => {
  const tenants: readonly TenantRule[] = [
    { name: 'a/b', network: 'default' },
    { name: '*', network: 'none' },
  ]
  const tools = { engines, ports: { policy: () => ({ tenants }) } } as unknown as Tools
  const networks = ['a/b', 'a'].map((tenant) => {
    const placed = placedFor(tools, tenant, job('image', 'default'))
    return 'job' in placed && placed.job.needs.network
  })

  expect(networks).toEqual(['default', 'none'])
})
