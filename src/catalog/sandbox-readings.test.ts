import { expect, test, vi } from 'vitest'
import { bundleLabels } from '../../test/sources/push.ts'
import { openTestStore } from '../../test/support/stores.ts'
import type { ImageArtifact } from '../model/artifact.ts'
import { fail } from '../model/problem.ts'
import { type SandboxPackage, sandboxName } from '../model/sandbox.ts'
import type { Store } from '../store/store.ts'
import { type LiveCatalog, makeLiveCatalog } from './live-catalog.ts'
import { readForSandbox, type SandboxContext } from './sandbox.ts'

type Answer = 'well' | 'broken' | 'never' | 'is away'

interface Case {
  readonly tenant: string
  readonly name: string
  /** What was written down of it: offered, by a host with other programs, or nothing. */
  readonly written: 'offered' | 'elsewhere' | 'nothing'
  /** What its registry answers now. */
  readonly answers: Answer
  /** Whether it is offered while nothing is read yet, and in the end. */
  readonly offered: readonly [boolean, boolean]
  /** The problem of its row, once whatever answers has answered and when patience is over. */
  readonly problems?: readonly [string | undefined, string | undefined]
}

const cases: readonly Case[] = [
  { tenant: 'a', name: 'known', written: 'offered', answers: 'never', offered: [true, true] },
  { tenant: 'b', name: 'moved', written: 'elsewhere', answers: 'well', offered: [true, true] },
  { tenant: 'c', name: 'moved-silent', written: 'elsewhere', answers: 'never', offered: [true, true] },
  { tenant: 'd', name: 'moved-away', written: 'elsewhere', answers: 'is away', offered: [true, true] },
  {
    ...{ tenant: 'e', name: 'moved-broken', written: 'elsewhere', answers: 'broken' },
    offered: [true, false],
    problems: ['apb.spec.unreadable', 'apb.spec.unreadable'],
  },
  { tenant: 'f', name: 'lost', written: 'nothing', answers: 'well', offered: [false, true] },
  {
    ...{ tenant: 'g', name: 'lost-broken', written: 'nothing', answers: 'broken' },
    offered: [false, false],
    problems: ['apb.spec.unreadable', 'apb.spec.unreadable'],
  },
  {
    ...{ tenant: 'h', name: 'lost-silent', written: 'nothing', answers: 'never' },
    offered: [false, false],
    problems: ['package.unread', 'registry.unreachable'],
  },
  // Behind the silent one of its own tenant, and of no other.
  { tenant: 'h', name: 'patient', written: 'nothing', answers: 'well', offered: [false, true] },
  ...Array.from(
    { length: 40 },
    (_, i): Case => ({
      ...{ tenant: `many-${i % 20}`, name: `one-${i}`, written: 'nothing', answers: 'well' },
      offered: [false, true],
    }),
  ),
]

const rowOf = ({ tenant, name }: Pick<Case, 'tenant' | 'name'>): SandboxPackage => ({
  ...{ tenant, name, sharedWith: [], by: 'avi' },
  reference: `docker://registry.test/${tenant}/${name}@sha256:${'1'.repeat(64)}`,
})

/** A registry that answers as told, and how many tenants and packages of one tenant it answered at a time at most. */
function registryOf(answerTo: (name: string) => Answer) {
  const asked: string[] = []
  const now = new Map<string, number>()
  const most = { tenants: 0, ofOne: 0 }
  const open = async (reference: string, signal: AbortSignal): Promise<ImageArtifact> => {
    const [, , , tenant = '', end = ''] = reference.split('/')
    const name = end.replace(/@.*/, '')
    asked.push(name)
    now.set(tenant, (now.get(tenant) ?? 0) + 1)
    most.tenants = Math.max(most.tenants, now.size)
    most.ofOne = Math.max(most.ofOne, ...now.values())
    try {
      return await answered(answerTo(name), { name, reference, signal })
    } finally {
      const left = (now.get(tenant) ?? 0) - 1
      if (left === 0) now.delete(tenant)
      else now.set(tenant, left)
    }
  }
  return { open, asked, most }
}

async function answered(
  how: Answer,
  {
    name,
    reference,
    signal,
  }: { readonly name: string; readonly reference: string; readonly signal: AbortSignal },
): Promise<ImageArtifact> {
  if (how === 'never')
    return await new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  await new Promise(setImmediate)
  if (how === 'is away') fail('registry.unreachable', 'gone')
  const broken = { 'com.redhat.apb.spec': Buffer.from('name: [').toString('base64') }
  const labels = how === 'broken' ? broken : bundleLabels(name)
  return {
    ...{ kind: 'image', reference, digest: reference.replace(/.*@/, '') },
    ...{ annotations: {}, manifest: {}, mediaType: 'application/vnd.oci.image.manifest.v1+json' },
    config: {
      ...{
        entrypoint: ['/entrypoint'],
        command: [],
        environment: [],
        user: '',
        workingFolder: '/',
        volumes: [],
      },
      ...{ labels, platform: { os: 'linux', architecture: 'amd64' } },
    },
    blob: () => Promise.resolve(undefined),
  }
}

/** A clock whose seconds pass when told: then patience is over. */
function makePatience() {
  let now = 0
  const wakes = new Set<() => void>()
  return {
    monotonic: () => now,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        wakes.add(resolve)
        signal?.addEventListener('abort', () => resolve())
      }),
    pass(ms: number) {
      now += ms
      for (const wake of wakes) wake()
      wakes.clear()
    },
  }
}

async function write(store: Store, one: Case, room: SandboxContext): Promise<void> {
  const row = rowOf(one)
  const reading = await readForSandbox(room, row, new AbortController().signal)
  const programs = one.written === 'elsewhere' ? { 'a-program-of-another-host': true } : {}
  await store.write(async (tx) => {
    await tx.putSandboxPackage(row)
    if (one.written === 'nothing') return
    const document = { ...reading.document, programs }
    const told = { name: sandboxName(row), reference: row.reference, state: 'offered' as const }
    await tx.putEnrolment({ ...reading, ...told, document, updatedAt: await tx.now() })
  })
}

type Room = Parameters<typeof makeLiveCatalog>[0]['room']

function roomOf(open: SandboxContext['artifacts']['open']): Room {
  return { artifacts: { open } as Room['artifacts'], engines: [], tenants: () => [] }
}

async function openShelf(
  answerTo: (name: string) => Answer,
  given: readonly Case[],
  more: Partial<Room> = {},
) {
  const opened = await openTestStore('memory')
  const { store } = opened
  for (const one of given) await write(store, one, roomOf(registryOf(() => 'well').open))
  const registry = registryOf(answerTo)
  const clock = makePatience()
  const told: string[] = []
  const shelf = makeLiveCatalog({
    ...{ store, clock, signal: new AbortController().signal },
    room: { ...roomOf(registry.open), ...more },
    tell: (word) => told.push(`${word.kind} ${word.name}`),
  })
  return { opened, store, registry, clock, shelf, told }
}

function offeredBy(shelf: LiveCatalog): readonly string[] {
  return shelf
    .catalog()
    .offers.map(({ sandbox, service }) => `${sandbox} ${service.name.replace(/^sandbox-[^-]*-/, '')}`)
    .sort()
}

async function problemsIn(store: Store): Promise<Readonly<Record<string, string | undefined>>> {
  const rows = await store.look.enrolments()
  return Object.fromEntries(
    rows.map(({ name, document }) => {
      const [problem] = (document['problems'] ?? []) as readonly { readonly code: string }[]
      return [name, problem?.code]
    }),
  )
}

const namesOf = (when: 0 | 1) =>
  cases
    .filter(({ offered }) => offered[when])
    .map(({ tenant, name }) => `${tenant} ${name}`)
    .sort()
const answers = (name: string): Answer => cases.find((one) => one.name === name)?.answers ?? 'broken'

test('a catalog waits for no package of a sandbox, and none of them costs another its place', async () => {
  const { opened, store, registry, clock, shelf, told } = await openShelf(answers, cases)
  await using _store = opened

  await shelf.fill([])
  expect(offeredBy(shelf)).toEqual(namesOf(0))

  const silent = cases.filter((one) => one.problems?.[0] === 'package.unread' || one.name === 'patient')
  await vi.waitFor(
    async () => {
      const problems = await problemsIn(store)
      for (const one of cases)
        if (one.name !== 'patient')
          expect([one.name, problems[sandboxName(one)]]).toEqual([one.name, one.problems?.[0]])
      expect(Object.keys(problems)).toHaveLength(cases.length - 1)
    },
    { timeout: 60_000 },
  )
  await shelf.takeSandboxes()
  const early = new Set(silent.map(({ tenant, name }) => `${tenant} ${name}`))
  expect(offeredBy(shelf)).toEqual(namesOf(1).filter((name) => !early.has(name)))

  clock.pass(30_000)
  await shelf.settled()
  await shelf.takeSandboxes()
  const problems = await problemsIn(store)
  for (const one of cases)
    expect([one.name, problems[sandboxName(one)]]).toEqual([one.name, one.problems?.[1]])
  expect(offeredBy(shelf)).toEqual(namesOf(1))
  expect(registry.most).toEqual({ tenants: 8, ofOne: 1 })
  expect(told.filter((word) => word.startsWith('kept'))).toEqual([
    'kept sandbox/d/moved-away',
    'kept sandbox/c/moved-silent',
  ])
})

const lost: Case = {
  ...{ tenant: 'a', name: 'lost', written: 'nothing', answers: 'broken' },
  offered: [false, true],
}

test('what could not be read is asked for again after a minute, and offered when it can', async () => {
  let answer: Answer = 'is away'
  const { opened, registry, clock, shelf } = await openShelf(() => answer, [lost])
  await using _store = opened
  await shelf.fill([])
  await shelf.settled()
  answer = 'well'

  clock.pass(59_999)
  await shelf.takeSandboxes()
  await shelf.settled()
  expect(registry.asked).toHaveLength(1)
  clock.pass(1)
  await shelf.takeSandboxes()
  await shelf.settled()
  await shelf.takeSandboxes()
  expect(registry.asked).toHaveLength(2)
  expect(offeredBy(shelf)).toEqual(['a lost'])
})

test.each([
  [
    'was taken away',
    (store: Store) => store.write(async (tx) => void (await tx.removeSandboxPackage('a', 'lost'))),
  ],
  [
    'was replaced',
    (store: Store) =>
      store.write((tx) => tx.putSandboxPackage({ ...rowOf(lost), reference: 'docker://r/x' })),
  ],
])('of a package that %s while it was read nothing is written', async (_what, change) => {
  const { opened, store, clock, shelf } = await openShelf(() => 'never', [lost])
  await using _store = opened
  await shelf.fill([])
  await vi.waitFor(async () =>
    expect(await problemsIn(store)).toEqual({ 'sandbox/a/lost': 'package.unread' }),
  )
  await change(store)
  clock.pass(30_000)
  await shelf.settled()

  expect(await problemsIn(store)).toEqual({ 'sandbox/a/lost': 'package.unread' })
})

test('what another process read meanwhile stays', async () => {
  const { opened, store, clock, shelf } = await openShelf(() => 'never', [lost])
  await using _store = opened
  await shelf.fill([])
  await vi.waitFor(async () =>
    expect(await problemsIn(store)).toEqual({ 'sandbox/a/lost': 'package.unread' }),
  )
  await write(store, { ...lost, written: 'offered' }, roomOf(registryOf(() => 'well').open))
  clock.pass(30_000)
  await shelf.settled()
  await shelf.takeSandboxes()

  expect(offeredBy(shelf)).toEqual(['a lost'])
})

test('what was read under another signing policy is offered only when it was looked at again', async () => {
  const signing = { policy: { signers: [], required: [{ packages: 'registry.test', by: ['ours'] }] } }
  const { opened, store, shelf } = await openShelf(() => 'well', [{ ...lost, written: 'offered' }], {
    signing,
  })
  await using _store = opened
  await shelf.fill([])
  expect(offeredBy(shelf)).toEqual([])
  await shelf.settled()

  expect(await problemsIn(store)).toEqual({ 'sandbox/a/lost': 'signature.policy-invalid' })
})
