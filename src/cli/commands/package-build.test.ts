import { Command } from 'commander'
import { afterEach, expect, test, vi } from 'vitest'
import { hearPrinted } from '../../../test/support/run-command.ts'
import { toProblem } from '../../model/problem.ts'
import { type PackageTools, registerBuild } from './package-build.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

interface Ran {
  readonly orders: readonly object[]
  readonly out: string
}

/** Runs the commands with tools that write down what they are asked. */
async function run(...words: readonly string[]): Promise<Ran> {
  const orders: object[] = []
  const tools: PackageTools = {
    build: async (order) => {
      orders.push(order)
      return { digest: 'sha256:b', bytes: 1_500_000 }
    },
    copy: async ({ signal, progress, ...order }) => {
      orders.push(order)
      progress(`copying, ${signal.aborted ? 'stopped' : 'under way'}`)
      return { digest: 'sha256:c', mediaType: 'application/x', bytes: 0 }
    },
  }
  const printed = hearPrinted()
  const group = new Command('package').exitOverride()
  registerBuild(group, async () => tools)
  for (const command of group.commands) command.exitOverride().configureOutput({ writeErr: () => undefined })
  await group.parseAsync([...words], { from: 'user' })
  return { orders, out: printed() }
}

test('build hands on every setting', async () => {
  const { orders } = await run(
    ...[
      'build',
      './dir',
      '--to',
      'oci:out',
      '--base',
      'oci:base',
      '--entrypoint',
      '["/a","b"]',
      '--command',
      'c',
    ],
    ...[
      '--env',
      'A=1',
      '--env',
      'B=x=y',
      '--label',
      'l=1',
      '--annotation',
      'n=2',
      '--user',
      '7',
      '--workdir',
      '/w',
    ],
    ...['--platform', 'linux/arm64', '--exclude', '.git'],
  )

  expect(orders).toEqual([
    {
      root: './dir',
      to: 'oci:out',
      base: 'oci:base',
      exclude: ['.git'],
      settings: {
        entrypoint: ['/a', 'b'],
        command: ['c'],
        environment: ['A=1', 'B=x=y'],
        labels: { l: '1' },
        annotations: { n: '2' },
        user: '7',
        workingFolder: '/w',
        platform: { os: 'linux', architecture: 'arm64' },
      },
    },
  ])
})

test('build without settings sets nothing', async () => {
  expect((await run('build', 'dir', '--to', 'oci:out')).orders).toEqual([
    { root: 'dir', to: 'oci:out', exclude: [], settings: {} },
  ])
})

test('the digest is printed for people, alone and as JSON', async () => {
  expect((await run('build', 'd', '--to', 'oci:out')).out).toMatch(/Digest:\s+sha256:b\nSize:\s+1\.5 MB/)
  expect((await run('build', 'd', '--to', 'oci:out', '-o', 'name')).out).toBe('sha256:b\n')
  expect(JSON.parse((await run('copy', 'oci:a', 'oci:b', '-o', 'json')).out)).toMatchObject({
    digest: 'sha256:c',
  })
})

test('copy hands on platform and referrers', async () => {
  const { orders } = await run('copy', 'oci:a', 'oci:b', '--platform', 'linux/amd64', '--referrers')

  expect(orders).toEqual([{ from: 'oci:a', to: 'oci:b', platform: 'linux/amd64', referrers: true }])
})

test.each([
  [['--entrypoint', '["a"']],
  [['--entrypoint', '[1]']],
  [['--env', 'NOVALUE']],
  [['--label', 'novalue']],
  [['--annotation', '=x']],
  [['--platform', 'linux']],
])('the flags %j are refused as wrong usage', async (flags) => {
  const problem = await run('build', 'd', '--to', 'oci:out', ...flags).catch(toProblem)

  expect(problem).toMatchObject({ code: 'usage.invalid' })
})
